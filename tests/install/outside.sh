# outside.sh BUILD LIBDIR CC: installs BUILD, moves the tree, and builds
# strangers' programs against it: C and C++, shared and static, by pkg-config
# and by CMake.
build=$1
libdir=$2
CC=$3
CXX=${CXX:-c++}
here=$(dirname "$0")
case $here in /*) ;; *) here=$PWD/$here ;; esac
. "$here/../check.sh"

# What an outside program uses must not be found anywhere but here.
prefix=$scratch/moved
export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
unset CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LD_LIBRARY_PATH DESTDIR LRGD_LIBDIR
strict="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

install_and_move() {
  cmake --install "$build" --prefix "$scratch/first" &&
    mv "$scratch/first" "$prefix" &&
    ! grep -rIl "$scratch/first" "$prefix"
}
has_files() {
  for file in "$@" $(cd "$here/../../include" && echo lrgd/*.h); do
    [ -e "$prefix/$file" ] || [ -e "$prefix/include/$file" ] ||
      { echo "no $file"; return 1; }
  done
}
stage() {
  DESTDIR=$scratch/stage cmake --install "$build" --prefix /opt/lrgd &&
    [ -e "$scratch/stage/opt/lrgd/$libdir/liblrgd.so" ]
}
# header COMPILER LANGUAGE STANDARD: each header compiles alone
headers() {
  # lrgd/mpi.h is there where MPI is; its headers are not as strict as ours
  mpi=$(pkg-config --silence-errors --cflags-only-I mpi-c |
    sed 's/-I/-isystem /g')
  for header in "$prefix"/include/lrgd/*.h; do
    # shellcheck disable=SC2086
    "$1" -x "$2" -std="$3" $strict -fsyntax-only -I"$prefix/include" $mpi \
      -include "$header" /dev/null || return
  done
}
needs_shared() {
  readelf -d "$1" | grep -q 'NEEDED.*liblrgd'
}
by_pkg_config() { # COMPILER SOURCE MODULE shared|static
  program=$scratch/pc-$4-$(basename "$2" | tr . -)
  if [ "$4" = shared ]; then
    libs=$(pkg-config --libs "$3") || return
  else # -l prefers the shared library: ask for the archives by name
    libs=$(pkg-config --static --libs "$3" |
      sed -E 's/-l(lrgd[a-z_]*)/-l:lib\1.a/g') || return
  fi
  # shellcheck disable=SC2046,SC2086
  "$1" $strict $(pkg-config --cflags "$3") "$here/outside/$2" -o "$program" \
    $libs || return
  if [ "$4" = shared ]; then
    needs_shared "$program" &&
      LD_LIBRARY_PATH=$prefix/$libdir "$program" "$version"
  else
    ! needs_shared "$program" && "$program" "$version"
  fi
}
by_cmake() {
  cmake -S "$here/outside" -B "$scratch/outside" -G Ninja \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="$strict" \
    -DCMAKE_C_FLAGS="$strict" -DWANTED="${version%.*}" &&
    cmake --build "$scratch/outside"
}
by_cmake_run() { # PROGRAM shared|static
  if [ "$2" = shared ]; then needs_shared "$scratch/outside/$1"; else
    ! needs_shared "$scratch/outside/$1"; fi &&
    "$scratch/outside/$1" "$version"
}
# links only: what it runs in is MPI's to say
ranks_by_pkg_config() { # shared|static
  libs=$(pkg-config --libs lrgd_mpi)
  [ "$1" = shared ] || libs=$(pkg-config --static --libs lrgd_mpi |
    sed -E 's/-l(lrgd[a-z_]*)/-l:lib\1.a/g')
  # shellcheck disable=SC2046,SC2086
  "$CC" $(pkg-config --cflags lrgd_mpi) "$here/outside/outside_ranks.c" \
    -o "$scratch/ranks" $libs
}
ranks_by_cmake() {
  cmake -S "$here/outside" -B "$scratch/ranks-cmake" -G Ninja -DRANKS=ON \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_CXX_COMPILER="$CXX" -DWANTED="${version%.*}" &&
    cmake --build "$scratch/ranks-cmake" --target ranks-shared ranks-static
}
# what --static adds is what was found when this was built, and nothing else
pc_is_true() {
  is "-lm" sh -c 'pkg-config --static --libs-only-l lrgd | grep -o -e "-lm\>"' &&
    pkg-config --print-requires-private lrgd_run | grep -qx sqlite3 &&
    ! grep -E '^(Libs|Cflags).*(/usr/|\.so|\.a)' "$prefix/$libdir/pkgconfig/"*.pc
}
refuses_next() {
  ! cmake -S "$here/outside" -B "$scratch/next" -G Ninja \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_CXX_COMPILER="$CXX" -DWANTED=99.0
}
python_runs() {
  PYTHONDONTWRITEBYTECODE=1 \
    PYTHONPATH=$(echo "$prefix"/lib/python3*/*-packages) /usr/bin/python3 -c "
import lrgd
print(lrgd._library.core._name)
assert lrgd._library.core._name.startswith('$prefix/')
assert lrgd.minimize(lambda x: (x.sum() - 1) ** 2, [0.0] * 9).success"
}
command_runs() {
  "$prefix/bin/lrgd" --version
}

try "the tree installs, and does not name the place it was installed to" \
  install_and_move
version=$(pkg-config --modversion lrgd)
try "libraries, all headers, lrgd.pc and the CMake package are there" has_files \
  "$libdir/liblrgd.so" "$libdir/liblrgd.so.2" "$libdir/liblrgd.so.2.$version" \
  "$libdir/liblrgd.a" "$libdir/pkgconfig/lrgd.pc" \
  "$libdir/cmake/lrgd/lrgdConfig.cmake" \
  "$libdir/cmake/lrgd/lrgdConfigVersion.cmake"
try "DESTDIR is honoured" stage
try "each public header compiles alone as C11" headers "$CC" c c11
try "each public header compiles alone as C++11" headers "$CXX" c++ c++11
for kind in shared static; do
  try "pkg-config: a C program, $kind" by_pkg_config "$CC" use.c lrgd \
    $kind
  try "pkg-config: a C++ program, $kind" by_pkg_config "$CXX" use.cpp lrgd \
    $kind
  try "pkg-config: ask and tell, $kind" by_pkg_config "$CC" outside_ask.c lrgd_run \
    $kind
done
try "find_package: an outside project builds" by_cmake
for kind in shared static; do
  try "find_package: a C program, $kind" by_cmake_run c-$kind $kind
  try "find_package: a C++ program, $kind" by_cmake_run cpp-$kind $kind
  try "find_package: ask and tell, $kind" by_cmake_run run-$kind $kind
done
if [ -e "$prefix/$libdir/pkgconfig/lrgd_mpi.pc" ]; then
  for kind in shared static; do
    try "pkg-config: ranks, $kind" ranks_by_pkg_config $kind
  done
  try "find_package: the part mpi brings MPI along" ranks_by_cmake
fi
try "the .pc files say what was found" pc_is_true
try "find_package refuses a version that is not this one" refuses_next
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  try "the installed Python package finds the libraries beside it" python_runs
fi
if [ -e "$build/lrgd" ]; then
  try "the installed command runs" command_runs
fi
finish
