/* The backends that need nothing but this process. */
#include "backend.h"

static lrgd_space *host_double(size_t p)
{
  return lrgd_host_space(p, LRGD_SCALAR_DOUBLE, NULL);
}

static lrgd_space *host_float(size_t p)
{
  return lrgd_host_space(p, LRGD_SCALAR_FLOAT, NULL);
}

static lrgd_space *sliced(size_t p)
{
  lrgd_slices one = lrgd_slices_default(p);
  return lrgd_sliced_space(&one, NULL);
}

static lrgd_space *in_order(size_t p)
{
  lrgd_slices one = lrgd_slices_default(p);
  one.blocks = 16;
  return lrgd_sliced_space(&one, NULL);
}

/* clang-format off */
static const backend backends[] = {
    {"host double", host_double, DBL_EPSILON, DBL_MAX, DBL_MIN, 1},
    {"host float",  host_float,  FLT_EPSILON, FLT_MAX, FLT_MIN, 1},
    {"one slice",   sliced,      DBL_EPSILON, DBL_MAX, DBL_MIN, 1},
    {"one slice, sums in order", in_order, DBL_EPSILON, DBL_MAX, DBL_MIN, 1},
};
/* clang-format on */
enum { BACKENDS = sizeof backends / sizeof *backends };

#include "spaces.h"
