# test.sh PROGRAM: the first example runs, and the README shows it as it is.
program=$1
here=$(dirname "$0")
. "$here/../tests/check.sh"

# the text of the first block of C in the README
shown() {
  awk '/^```c$/ { on = 1; next } /^```$/ { if (on) exit } on' \
    "$here/../README.md"
}
same() {
  shown | diff -u "$here/first.c" -
}
short() {
  [ "$(wc -l <"$here/first.c")" -le 25 ]
}
finds_it() {
  "$program" | tee "$scratch/said"
  grep -Eq 'f = ([0-9.]+e-[0-9]+|0),' "$scratch/said"
}

try "the README shows examples/first.c word for word" same
try "the first example has at most 25 lines" short
try "the first example finds the minimum" finds_it
finish
