#!/bin/sh
# run.sh [BUMPS [EVALUATIONS]]: the airfoil from diagnosis to report, in the
# folder it is called from.
set -eu
bumps=${1:-40}
most=${2:-1200}
here=$(cd "$(dirname "$0")" && pwd)
cc -shared -fPIC -o "$here/nofpe.so" "$here/nofpe.c"
f="python3 $here/airfoil.py"
box="--dim $bumps --start 0 --lower -4 --upper 4"

# is it low-rank, and can that be seen?  Close to the start, where most flows
# converge; status 3: as far as the budget went
lrgd diagnose --program "$f" --dim "$bumps" --start 0 --lower -1 --upper 1 \
  --max-evals $((most / 4)) --jobs 2 --journal diagnosis.db || [ $? -eq 3 ]

# shellcheck disable=SC2086
lrgd minimize --program "$f" $box --max-evals "$most" --jobs 2 \
  --journal airfoil.db --save best.txt || [ $? -eq 3 ]
lrgd report airfoil.db -o airfoil.html --force
python3 "$here/draw.py" best.txt airfoil.svg

echo "drag at the start, and at the best point, asked outside of lrgd:"
yes 0 | head -n "$bumps" | python3 "$here/airfoil.py"
python3 "$here/airfoil.py" <best.txt
