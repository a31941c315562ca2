# test_cpp.sh ROOT LIBRARY CXX: the headers in C++, each alone, and a C++
# program whose callback throws.  LIBRARY none: the program is only compiled.
root=$1
library=$2
cxx=$3
. "$(dirname "$0")/../check.sh"

flags="-Wall -Wextra -pedantic-errors -Werror -I$root/include"
# shellcheck disable=SC2086
alone() {
  echo "#include <lrgd/$1>" >"$scratch/alone.cpp"
  "$cxx" -std=c++11 $flags -fsyntax-only "$scratch/alone.cpp"
}
# shellcheck disable=SC2086
compiles() {
  "$cxx" -std=c++11 $flags -fsyntax-only "$root/tests/fault/header.cpp"
}
# shellcheck disable=SC2086
runs() {
  "$cxx" -std=c++11 $flags "$root/tests/fault/header.cpp" "$library" \
    -Wl,-rpath,"$(dirname "$library")" -o "$scratch/program" &&
    "$scratch/program"
}
documented() {
  grep -q 'no longjmp, no exception' "$root/include/lrgd/lrgd.h"
}

try "row 22: lrgd.h compiles alone in C++" alone lrgd.h
try "row 22: space.h compiles alone in C++" alone space.h
try "row 22: that callbacks must return normally is documented" documented
if [ "$library" = none ]; then
  try "row 22: a C++ program with a callback that throws compiles" compiles
else
  try "row 22: an exception caught in a callback is thrown after the run" runs
fi
finish
