# embed.sh SOURCE CC VERSION: lrgd's tree inside another project.
source=$1
CC=$2
version=$3
. "$source/tests/check.sh"
unset CFLAGS CPPFLAGS LDFLAGS LRGD_LIBDIR
export CCACHE_DISABLE=1
build=$scratch/build

configures() { # FOLDER HOW [flag...]
  folder=$1
  how=$2
  shift 2
  cmake -S "$source/tests/install/embed" -B "$folder" -G Ninja \
    -DCMAKE_C_COMPILER="$CC" -DLRGD="$source" -DHOW="$how" "$@"
}
runs() { # FOLDER PROGRAM
  cmake --build "$1" --target "$2" && "$1/$2" "$version"
}
installs_its_own() {
  cmake --install "$build" --prefix "$scratch/prefix" &&
    is "./bin/embed-static" sh -c "cd '$scratch/prefix' && find . -type f"
}

try "add_subdirectory sets nothing in the project around it" \
  configures "$build" add_subdirectory
try "a program of that project runs, shared" runs "$build" embed-shared
try "a program of that project runs, static" runs "$build" embed-static
try "that project installs its own files only" installs_its_own
try "FetchContent, with programs and journals, sets nothing either" \
  configures "$scratch/fetched" FetchContent -DLRGD_RUN=ON -DWITH_RUN=ON
try "a program that asks and tells runs" runs "$scratch/fetched" embed-run
finish
