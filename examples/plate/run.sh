#!/bin/sh
# run.sh [ALONG ACROSS [EVALUATIONS]]: the plate from deck to report, in the
# folder it is called from.
set -eu
along=${1:-10}
across=${2:-5}
most=${3:-400}
here=$(cd "$(dirname "$0")" && pwd)
number='([-+.0-9E]+)'
skip=' +[-+.0-9E]+'
python3 "$here/mesh.py" "$along" "$across"

# mass in kg is 7.85e-6 times the volume; status 3: as far as the budget went
lrgd minimize --program 'ccx plate' --template plate.inp.in:plate.inp \
  --names names.txt --start start.txt --lower 5 --upper 60 \
  --read "volume=plate.dat:/^ +$number *\$/" \
  --read "tip=plate.dat:/^ +$along$skip$skip +$number\$/" \
  --read "edge=plate.dat:/^ +1 +7 +$number/" \
  --read "middle=plate.dat:/^ +$((1 + (along - 1) * (across / 2 - 1))) +7 +$number/" \
  --constraint 'tip >= -15' --constraint 'edge <= 120' \
  --constraint 'middle <= 120' --max-evals "$most" --jobs 2 \
  --journal plate.db --save best.txt --keep best || [ $? -eq 3 ]
lrgd report plate.db -o plate.html --force
python3 "$here/draw.py" "$along" "$across" best.txt plate.svg
