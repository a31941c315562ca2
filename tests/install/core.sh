# core.sh SOURCE CC VERSION ELSEWHERE: the core alone (LRGD_RUN=OFF), where there
# is no SQLite and nothing that only Linux has: built, tested, installed, linked.
source=$1
CC=$2
elsewhere=$4
. "$source/tests/check.sh"
. "$source/tests/install/elsewhere.sh"
prefix=$scratch/prefix

configures() {
  rm -rf "$elsewhere"
  hide_linux
  configures_elsewhere "$source" "$build" -DLRGD_RUN=OFF \
    -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON -DCMAKE_INSTALL_LIBDIR=lib
}
some='unit/(basis|vector|no-libm)$|conformance/spaces$|problems/facts$'
some="$some|examples/first\$"
builds() {
  cmake --build "$build" --target lrgd lrgd_static lrgd_problems example-first \
    test-unit-basis test-unit-vector test-conformance-spaces test-problems-facts
}
passes() {
  ctest --test-dir "$build" --output-on-failure --no-tests=error -R "$some"
}
installs() {
  cmake --install "$build" --prefix "$prefix" &&
    [ ! -e "$prefix/include/lrgd/run.h" ] &&
    [ ! -e "$prefix/lib/pkgconfig/lrgd_run.pc" ] && [ ! -e "$prefix/bin" ]
}
links() {
  PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046
  "$CC" $(pkg-config --cflags lrgd) "$source/tests/install/outside/use.c" \
    -o "$scratch/use" $(pkg-config --static --libs lrgd |
      sed 's/-llrgd/-l:liblrgd.a/') &&
    "$scratch/use" "$(pkg-config --modversion lrgd)" &&
    ! pkg-config --static --libs lrgd | grep sqlite
}
# found FINDS [part...]: does find_package find the package with these parts?
found() {
  mkdir -p "$scratch/found" && cat >"$scratch/found/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(found LANGUAGES C)
find_package(lrgd COMPONENTS $2)
if(NOT lrgd_FOUND STREQUAL $1)
  message(FATAL_ERROR "found: \${lrgd_FOUND}")
endif()
END
  rm -rf "$scratch/found/build"
  cmake -S "$scratch/found" -B "$scratch/found/build" -G Ninja \
    -DCMAKE_C_COMPILER="$CC" -Dlrgd_ROOT="$prefix" \
    -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON
}

try "without SQLite the core configures" configures
try "the core and its tests build" builds
try "they pass" passes
try "the core installs, and nothing of what was not built" installs
try "a program links with it by pkg-config, and asks for no SQLite" links
try "find_package finds it, static too" found 1 static
try "find_package does not find the part that was not built" found 0 run
finish
