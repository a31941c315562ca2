# test.sh FIRST LRGD: the examples run, and the README shows them as they are.
first=$1
lrgd=$2
here=$(dirname "$0")
. "$here/../tests/check.sh"

# shown LANGUAGE FILE: the README's first block in it is that file
shown() {
  awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next }
    on && /^```$/ { exit } on' "$here/../README.md" | diff -u "$here/$2" -
}
short() {
  [ "$(wc -l <"$here/first.c")" -le 25 ]
}
finds_it() {
  "$first" | tee "$scratch/said"
  grep -Eq 'f = ([0-9.]+e-[0-9]+|0),' "$scratch/said"
}
minimises() {
  "$lrgd" minimize "$@" --quiet
}

try "the README shows the first program word for word" shown c first.c
try "the README shows the worker word for word" shown python worker.py
try "the first program has at most 25 lines" short
try "the first program finds the minimum" finds_it
try "the first command of the README converges" minimises \
  quadratic --set p=1000 --set rank=5
try "the worker of the README converges" minimises \
  --worker "/usr/bin/python3 $here/worker.py" --dim 200 --start 1
finish
