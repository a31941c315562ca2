# test.sh LRGD-FOLDER: the airfoil, small: it gets better, what is reported is
# what XFOIL says, and a flow that does not converge is a failed evaluation.
PATH=$1:$PATH
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tests/check.sh"
cd "$scratch" || exit

if ! command -v xfoil >/dev/null; then
  echo "xfoil is not installed (tools/packages-test): 1 passed, 0 failed"
  exit 0
fi
cp "$here"/*.py "$here"/*.c "$here"/run.sh .

runs() {
  ./run.sh 4 30 >said.txt 2>err.txt || { cat err.txt said.txt; return 1; }
  cat said.txt
}
# the last two numbers: at the start, and at the best point
gets_better() {
  tail -n 2 said.txt | { read -r before; read -r after
    echo "$before, then $after"
    awk "BEGIN { exit !($after < $before) }"; }
}
reported_is_true() {
  told=$(awk '$1 == "f" { printf "%.4f", $2 }' said.txt)
  echo "lrgd says $told"
  [ "$told" = "$(tail -n 1 said.txt)" ]
}
# what the page says of its best point, and the point as it offers it
page_is_true() {
  told=$(sed -n 's/.*<p>f = <strong>\([^<]*\).*/\1/p' airfoil.html)
  sed -n 's/^&quot;x[0-9]*&quot;,\(.*\),.*/\1/p' airfoil.html >table.txt
  [ "$(wc -l <table.txt)" -eq 4 ] || { cat table.txt; return 1; }
  again=$(python3 airfoil.py <table.txt)
  echo "the report says $told, XFOIL $again"
  awk "BEGIN { exit !($told == $again) }"
}
diagnosed() {
  grep -E 'rank|Nothing can be said' said.txt
}
crossing_fails() {
  echo -60 60 | fails_with 1 python3 airfoil.py
}

try "the airfoil runs from nothing to a picture and a report" runs
try "its drag falls" gets_better
try "the drag that is told is what XFOIL says of that point" reported_is_true
try "the drag that the report says is what XFOIL says of that point" page_is_true
try "a diagnosis comes first" diagnosed
try "two sides that cross are a failed evaluation" crossing_fails
finish
