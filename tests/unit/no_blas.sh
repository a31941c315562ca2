# no_blas.sh LIBRARY...: no object imports a routine of BLAS or LAPACK, which
# round otherwise from one kernel set and number of threads to the next, and no
# object contracts a product and a sum into one rounding.
. "$(dirname "$0")/../check.sh"

blas='cblas_|LAPACKE_|openblas_|[sdcz](gemm|gemv|symv|syrk?|syr2k?|dot|axpy|scal'
blas="$blas|nrm2|ger|trsm|trsv|copy|swap|rot|gesvd|gesdd|syevd?|sytr[fi]|potrf"
blas="$blas|geqrf|getrf)_"
fused='vfn?m(add|sub|addsub|subadd)[0-9]*[ps][sd]'

# one symbol or file at least: an empty list says nothing
imports() {
  case $1 in *.so*) nm -D --undefined-only "$1" ;; *) nm --undefined-only "$1" ;;
  esac | sed -nE 's/^ +U ([^@ ]+).*/\1/p' >"$scratch/imports"
  [ -s "$scratch/imports" ]
}
no_blas() {
  imports "$1" && ! grep -E "^($blas)" "$scratch/imports"
}
not_needed() {
  readelf -d "$1" | grep NEEDED >"$scratch/needed" &&
    ! grep -E 'blas|lapack|gfortran' "$scratch/needed"
}
not_fused() {
  objdump -d --no-show-raw-insn "$1" >"$scratch/code" &&
    grep -q vaddpd "$scratch/code" && ! grep -Em3 "$fused" "$scratch/code"
}

for library; do
  try "${library##*/} imports nothing of BLAS or LAPACK" no_blas "$library"
  case $library in
    *.so*) try "${library##*/} is linked with neither" not_needed "$library" ;;
  esac
done
if [ "$(uname -m)" = x86_64 ]; then
  try "${1##*/} has wide loops, and none that fuses" not_fused "$1"
fi
finish
