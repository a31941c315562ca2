# no_libm.sh ARCHIVE...: no object imports a function of libm whose last bit
# IEEE 754 does not fix.  Those have variants by processor; what steers a run,
# or is the value of a problem, must not.  Roots, rounding and exact functions
# (sqrt, floor, fmin, scalbn, ...) are allowed.
. "$(dirname "$0")/../check.sh"

real='exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|pow10|sin|cos|tan|sincos'
real="$real|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|cbrt|hypot"
real="$real|erf|erfc|lgamma|lgamma_r|gamma|tgamma|j0|j1|jn|y0|y1|yn"
complex='cabs|carg|csqrt|cexp|clog|clog10|cpow|csin|ccos|ctan|casin|cacos'
complex="$complex|catan|csinh|ccosh|ctanh|casinh|cacosh|catanh"
# and no division of complex numbers by the compiler's library
inexact="((__)?($real|$complex)[fl]?(_finite)?|__div[dsxt]c3)"

# imports ARCHIVE: "OBJECT: SYMBOL", one a line; none at all is a fault
imports() {
  nm -A --undefined-only "$1" | sed -E 's/.*:([^:]+:) +U ([^@ ]+).*/\1 \2/' \
    >"$scratch/imports"
  [ -s "$scratch/imports" ]
}
fixed() {
  imports "$1" && ! grep -E ": $inexact\$" "$scratch/imports"
}

for archive; do
  try "${archive##*/} computes with base/elementary.h, not with libm" \
    fixed "$archive"
done
finish
