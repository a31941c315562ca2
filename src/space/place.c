/* One pass over doubles in host memory, which also looks whether they are
 * finite; other spaces have operations for the parts. */
#include "space/place.h"

#include "base/vector.h"
#include "space/vec.h"

bool lr_place(lrgd_space *space, lrgd_vec y, lrgd_vec x, lrgd_vec U, size_t k,
              const double *c)
{
  const lrgd_space_ops *ops = space->ops;
  size_t p = space->dimension;
  if (lr_is_host_double(space))
    return lr_gemv_from(p, k, lrgd_host_data(x), lrgd_host_data(U), p, c,
                        lrgd_host_data(y));
  if (k == 1) {
    ops->axpy_into(space, y, x, U, *c);
  } else {
    ops->copy(space, y, x, 1);
    ops->add(space, y, U, k, c);
  }
  return false;
}
