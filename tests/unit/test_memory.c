/* Memory: sizes are checked, what is misaligned is given back. */
#include "base/memory.h"

#include <stdlib.h>

#include "check.h"

static char arena[4096];
static int taken, given_back;

static void *crooked(size_t bytes, void *user)
{
  (void)bytes;
  taken++;
  return arena + *(size_t *)user;
}

static void give_back(void *memory, void *user)
{
  (void)memory;
  (void)user;
  given_back++;
}

TEST("memory comes zeroed")
{
  double *x = lr_alloc(&lr_malloc, 1000, sizeof *x);
  require(x, "there is memory");
  for (int i = 0; i < 1000; i++) check(x[i] == 0, "number %d", i);
  lr_free(&lr_malloc, x);
}

TEST("a size whose computation overflows is refused")
{
  size_t n;
  check(lr_product(3, 5, 7, &n) && n == 105, "3 x 5 x 7");
  check(!lr_product(SIZE_MAX, 2, 1, &n), "in the first");
  check(!lr_product((size_t)1 << 32, (size_t)1 << 31, 4, &n), "in the second");
  check(!lr_alloc(&lr_malloc, SIZE_MAX / 4, 8), "and no memory");
}

TEST("misaligned memory is given back and counts as none")
{
  for (size_t offset = 1; offset < 16; offset++) {
    lrgd_allocator a = {crooked, give_back, &offset};
    taken = given_back = 0;
    size_t off = (size_t)((uintptr_t)arena % 16); /* of the arena itself */
    if ((off + offset) % 16 == 0) continue;
    check(!lr_alloc(&a, 1, 8), "offset %zu", offset);
    check(taken == 1 && given_back == 1, "given back");
  }
}

TEST("freeing NULL does not trouble the user's allocator")
{
  size_t offset = 0;
  lrgd_allocator a = {crooked, give_back, &offset};
  given_back = 0;
  lr_free(&a, NULL);
  check_int(given_back, 0, "calls");
}
