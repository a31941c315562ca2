# bytes.sh SOURCE CC VERSION ELSEWHERE: the tree, built in two folders, gives the
# same bytes, and no path of either is in them.  portable.sh has built the one,
# without the part for GPUs; the other is configured with it, where nvcc is.
source=$1
CC=$2
elsewhere=$4
. "$source/tests/check.sh"
. "$source/tests/install/elsewhere.sh"
other=$scratch/much/deeper
files="lrgd liblrgd.so liblrgd.a liblrgd_run.so liblrgd_run.a"

copies() { # TREE
  mkdir -p "$1" && (cd "$source" && tar -cf - --exclude='./build*' \
    --exclude=./.git --exclude=node_modules .) | tar -xf - -C "$1"
}
builds() {
  copies "$scratch/tree" &&
    configures_elsewhere "$scratch/tree" "$other" -DLRGD_TESTS=OFF \
      -DLRGD_CUDA=ON &&
    cmake --build "$other" --target lrgd lrgd_static lrgd_run lrgd_run_static \
      lrgd_cli
}
same() {
  for file in $files; do
    cmp "$build/$file" "$other/$file" || return
  done
}
names_no_path() {
  for file in $files; do
    ! grep -aoE "($scratch|$source|$elsewhere)[[:print:]]*" "$build/$file" ||
      return
  done
}

try "the tree builds in another folder, beside its source" builds
has_cuda() {
  ! command -v nvcc || [ -n "$(ninja -C "$other" -t targets all |
    grep '^liblrgd_cuda.so:')" ]
}
try "the other tree has the part for GPUs, where nvcc is found" has_cuda
try "libraries and command are the same bytes" same
try "they name no path of the tree they were built from" names_no_path
finish
