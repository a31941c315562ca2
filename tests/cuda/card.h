/* What the tests of the part for GPUs share: without a card they say so and
 * pass; columns on the card that the host writes and reads. */
#ifndef LR_TESTS_CARD_H
#define LR_TESTS_CARD_H

#include <lrgd/cuda.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor(101))) static void find_card(void)
{
  char name[256];
  lrgd_error error;
  if (lrgd_cuda_device(name, sizeof name, &error) == LRGD_OK) {
    printf("on %s\n", name);
    return;
  }
  printf("skipped: %s\n0 passed, 0 failed\n", error.text);
  exit(0);
}

/* Columns of p floats. */
typedef struct card_columns {
  size_t p;
  lrgd_space *space;
  lrgd_block *block;
} card_columns;

/* Whether there is room for so many columns. */
static inline bool card_take(card_columns *c, size_t p, size_t columns)
{
  *c = (card_columns){.p = p,
                      .space = lrgd_cuda_space(p, LRGD_SCALAR_FLOAT, NULL)};
  if (c->space != NULL) c->block = c->space->ops->make(c->space, columns);
  return c->block != NULL;
}

static inline void card_give_back(card_columns *c)
{
  c->space->ops->free(c->space, c->block);
  lrgd_space_destroy(&c->space);
}

static inline lrgd_vec card_column(const card_columns *c, size_t j)
{
  return (lrgd_vec){c->block, j};
}

/* Its numbers, on the card. */
static inline float *card_numbers(const card_columns *c, size_t j)
{
  return lrgd_cuda_data(card_column(c, j));
}

static inline void card_put(const card_columns *c, size_t j, size_t count,
                            const double *x)
{
  c->space->ops->put(c->space, card_column(c, j), 0, count, x);
}

static inline void card_get(const card_columns *c, size_t j, size_t count,
                            double *x)
{
  c->space->ops->get(c->space, card_column(c, j), 0, count, x);
}

#endif
