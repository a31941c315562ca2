# bytes.sh SOURCE CC: the tree, built in two folders, gives the same bytes, and
# no path of either is in them.
source=$1
CC=$2
. "$source/tests/check.sh"
unset CFLAGS CPPFLAGS LDFLAGS LRGD_LIBDIR
export CCACHE_DISABLE=1
files="lrgd liblrgd.so liblrgd.a liblrgd_run.so liblrgd_run.a"

copies() { # TREE
  mkdir -p "$1" && (cd "$source" && tar -cf - --exclude='./build*' \
    --exclude=./.git --exclude=node_modules .) | tar -xf - -C "$1"
}
builds() { # TREE BUILD
  copies "$1" && cmake -S "$1" -B "$2" -G Ninja -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O0 -g" -DLRGD_TESTS=OFF \
    -DLRGD_BENCH=OFF -DLRGD_MPI=OFF -DLRGD_CUDA=OFF -DLRGD_NPM=OFF &&
    cmake --build "$2" --target lrgd lrgd_static lrgd_run lrgd_run_static \
      lrgd_cli
}
same() {
  for file in $files; do
    cmp "$scratch/one/build/$file" "$scratch/other/much/deeper/$file" || return
  done
}
names_no_path() {
  for file in $files; do
    ! grep -aoE "$scratch[[:print:]]*" "$scratch/one/build/$file" || return
  done
}

try "the tree builds in one folder" builds "$scratch/one" "$scratch/one/build"
try "and in another, beside its source" builds "$scratch/other/tree" \
  "$scratch/other/much/deeper"
try "libraries and command are the same bytes" same
try "they name no path of the tree they were built from" names_no_path
finish
