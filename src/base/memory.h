/* Allocation: through the user's allocator, with checked sizes. */
#ifndef LR_MEMORY_H
#define LR_MEMORY_H

#include <lrgd/lrgd.h>
#include <stdbool.h>

/* malloc and free, for where the user gave no allocator. */
extern const lrgd_allocator lr_malloc;

/* count * size bytes, zeroed; NULL when short, too large or misaligned. */
void *lr_alloc(const lrgd_allocator *a, size_t count, size_t size);
/* Allocates memory with undefined contents, for large blocks that are written
 * before they are read. */
void *lr_alloc_raw(const lrgd_allocator *a, size_t count, size_t size);
void lr_free(const lrgd_allocator *a, void *memory);

/* *product = a * b * c; false on overflow. */
bool lr_product(size_t a, size_t b, size_t c, size_t *product);

#endif
