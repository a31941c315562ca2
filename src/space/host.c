/* Vectors in host memory: the reference backend, double and float. */
#include "base/elementary.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/policy.h"
#include "base/random.h"
#include "base/vector.h"
#include "space/box_map.h"
#include "space/vec.h"

#include <float.h>
#include <limits.h>
#include <lrgd/space.h>

typedef struct host_space {
  lrgd_space base;
  lrgd_allocator allocator;
  lrgd_scalar scalar;
} host_space;

struct lrgd_block {
  void *data;
  size_t dimension;
  lrgd_scalar scalar;
};

static size_t scalar_size(lrgd_scalar scalar)
{
  return scalar == LRGD_SCALAR_DOUBLE ? sizeof(double) : sizeof(float);
}

static const lrgd_allocator *allocator_of(lrgd_space *space)
{
  return &((host_space *)space)->allocator;
}

void *lrgd_host_data(lrgd_vec y)
{
  if (!y.block) return NULL;
  size_t offset = y.col * y.block->dimension * scalar_size(y.block->scalar);
  return (char *)y.block->data + offset;
}

static lrgd_block *host_make(lrgd_space *space, size_t columns)
{
  const lrgd_allocator *a = allocator_of(space);
  lrgd_scalar scalar = ((host_space *)space)->scalar;
  size_t count;
  if (!lr_product(space->dimension, columns, 1, &count)) return NULL;
  lrgd_block *block = lr_alloc(a, 1, sizeof *block);
  if (!block) return NULL;
  block->dimension = space->dimension;
  block->scalar = scalar;
  block->data = lr_alloc_raw(a, count, scalar_size(scalar));
  if (block->data) return block;
  lr_free(a, block);
  return NULL;
}

static void host_free(lrgd_space *space, lrgd_block *block)
{
  if (!block) return;
  lr_free(allocator_of(space), block->data);
  lr_free(allocator_of(space), block);
}

static void host_destroy(lrgd_space *space)
{
  lrgd_allocator a = *allocator_of(space);
  lr_free(&a, space);
}

/* The operations, once for each element type. */
#define REAL double
#define NAME(verb) verb##_double
#define EPSILON DBL_EPSILON
#define VERB(verb) verb
#define FINITE lr_finite
#include "space/host_verbs.h"

#define REAL float
#define NAME(verb) verb##_float
#define EPSILON FLT_EPSILON
#define VERB(verb) verb##_float
#define FINITE lr_finite_float
#include "space/host_verbs.h"

bool lr_is_host_double(const lrgd_space *space)
{
  return space->ops == &ops_double;
}

lrgd_space *lrgd_host_space(size_t dimension, lrgd_scalar scalar,
                            const lrgd_allocator *allocator)
{
  if (dimension == 0 || dimension > INT_MAX) return NULL;
  const lrgd_allocator *a = allocator ? allocator : &lr_malloc;
  host_space *space = lr_alloc(a, 1, sizeof *space);
  if (!space) return NULL;
  space->base.ops = scalar == LRGD_SCALAR_DOUBLE ? &ops_double : &ops_float;
  space->base.dimension = dimension;
  space->allocator = *a;
  space->scalar = scalar;
  return &space->base;
}

void lrgd_space_destroy(lrgd_space **space)
{
  if (!space || !*space) return;
  (*space)->ops->destroy(*space);
  *space = NULL;
}
