/* Allocation through the user's allocator. */
#include "base/memory.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

static void *plain_alloc(size_t bytes, void *user)
{
  (void)user;
  return malloc(bytes);
}

static void plain_free(void *memory, void *user)
{
  (void)user;
  free(memory);
}

const lrgd_allocator lr_malloc = {plain_alloc, plain_free, NULL};

bool lr_product(size_t a, size_t b, size_t c, size_t *product)
{
  size_t ab;
  return !__builtin_mul_overflow(a, b, &ab) &&
         !__builtin_mul_overflow(ab, c, product);
}

void *lr_alloc(const lrgd_allocator *a, size_t count, size_t size)
{
  void *memory = lr_alloc_raw(a, count, size);
  return memory ? memset(memory, 0, count * size) : NULL;
}

void *lr_alloc_raw(const lrgd_allocator *a, size_t count, size_t size)
{
  size_t bytes;
  if (!lr_product(count, size, 1, &bytes)) return NULL;
  void *memory = a->alloc(bytes > 0 ? bytes : 1, a->user);
  if (!memory) return NULL;
  if ((uintptr_t)memory % alignof(max_align_t) != 0) {
    a->free(memory, a->user);
    return NULL;
  }
  return memory;
}

void lr_free(const lrgd_allocator *a, void *memory)
{
  if (memory) a->free(memory, a->user);
}
