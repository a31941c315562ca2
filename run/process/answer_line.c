/* Reads the line of an answer into the pool's scratch, and computes f. */
#include "line.h"
#include "pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

size_t lr_pool_residuals(const lrgd_pool *pool)
{
  const lrgd_batch *batch = pool->asking.batch;
  return pool->wanted / lr_kind_per_residual(batch->kind, batch->p);
}

double lr_pool_cost(const lrgd_pool *pool, const double *r)
{
  size_t m = lr_pool_residuals(pool);
  double sum = 0;
  if (pool->options.cost)
    return pool->options.cost(m, r, pool->options.cost_user);
  for (size_t i = 0; i < m; i++) sum += r[i] * r[i];
  return 0.5 * sum;
}

double lr_pool_value(const lrgd_pool *pool)
{
  return lr_kind_has_residuals(pool->asking.batch->kind)
             ? lr_pool_cost(pool, pool->scratch.numbers)
             : pool->scratch.numbers[0];
}

int lr_pool_hold_numbers(lrgd_pool *pool, size_t wanted)
{
  if (wanted <= pool->scratch.numbers_size) return 1;
  double *numbers = realloc(pool->scratch.numbers, wanted * sizeof *numbers);
  if (!numbers) return 0;
  pool->scratch.numbers = numbers;
  pool->scratch.numbers_size = wanted;
  return 1;
}

/* The number of residuals is that of the first answer; until then it is
 * unknown.  With derivatives it is a part of how many numbers there are. */
static int count_answer(lrgd_pool *pool, lr_slot *slot, const char *line,
                        size_t length)
{
  const lrgd_batch *batch = pool->asking.batch;
  if (!lr_kind_has_residuals(batch->kind) || batch->residual_count) return 1;
  size_t each = lr_kind_per_residual(batch->kind, batch->p);
  pool->wanted = lr_line_words(line, length);
  if (pool->wanted == 0) pool->wanted = 1;
  if (pool->wanted % each != 0 && pool->wanted > 1) {
    (void)snprintf(slot->why, sizeof slot->why,
                   "%zu numbers answered; residuals and their derivatives are "
                   "a multiple of %zu",
                   pool->wanted, each);
    return 0;
  }
  if (lr_pool_hold_numbers(pool, pool->wanted)) return 1;
  slot->no_memory = 1;
  return 0;
}

/* Checks f too: it may be infinite although all residuals are finite. */
static int check_residuals(lrgd_pool *pool, lr_slot *slot)
{
  size_t m = lr_pool_residuals(pool);
  if (m == 0) {
    (void)snprintf(slot->why, sizeof slot->why,
                   "1 number answered; residuals have derivatives behind them");
    return 0;
  }
  if (!pool->asking.batch->residual_count) pool->residual_count = m;
  if (isfinite(lr_pool_cost(pool, pool->scratch.numbers))) return 1;
  (void)snprintf(slot->why, sizeof slot->why,
                 "the sum of the squares is beyond all bounds");
  return 0;
}

lrgd_pool_folder lr_pool_folder_of(const lrgd_pool *pool, const lr_slot *slot)
{
  const lrgd_batch *batch = pool->asking.batch;
  int many = lr_kind_has_points(batch->kind);
  return (lrgd_pool_folder){.struct_size = sizeof(lrgd_pool_folder),
                            .path = slot->directory,
                            .number = slot->number,
                            .p = batch->p,
                            .x = batch->x +
                                 (many ? slot->question * batch->p : 0)};
}

void lr_pool_release(const lrgd_pool *pool, const lr_slot *slot, int ok)
{
  if (!pool->options.release || !slot->directory || slot->unanswered) return;
  lrgd_pool_folder folder = lr_pool_folder_of(pool, slot);
  pool->options.release(&folder, ok ? lr_pool_value(pool) : (double)NAN,
                        pool->options.folder_user);
}

/* Collects the answer from where the program left it. */
static int collect(lrgd_pool *pool, lr_slot *slot, const char *output,
                   size_t size)
{
  lrgd_pool_folder folder = lr_pool_folder_of(pool, slot);
  folder.output = output;
  folder.output_size = size;
  return pool->options.collect(&folder, pool->wanted, pool->scratch.numbers,
                               slot->why, sizeof slot->why,
                               pool->options.folder_user);
}

/* Reads the numbers of an answer, from its line or by the options' hook. */
static int read_numbers(lrgd_pool *pool, lr_slot *slot, const char *line,
                        size_t length)
{
  if (pool->options.collect) return collect(pool, slot, line, length);
  return lr_line_read(line, length, pool->wanted, pool->scratch.numbers,
                      slot->why, sizeof slot->why);
}

/* Reads an answer in which some residuals are missing.  It has no f, unless
 * these do not count. */
static int read_partial(lrgd_pool *pool, lr_slot *slot, const char *line,
                        size_t length)
{
  const lrgd_batch *batch = pool->asking.batch;
  if (batch->kind != LRGD_ORACLE_RESIDUALS || pool->options.collect ||
      !lr_line_read_partial(line, length, pool->wanted, pool->scratch.numbers))
    return 0;
  slot->partial = batch->residual_count > 0; /* else how many is not known */
  if (!isfinite(lr_pool_cost(pool, pool->scratch.numbers))) return 0;
  if (!batch->residual_count) pool->residual_count = pool->wanted;
  slot->why[0] = '\0';
  return 1;
}

int lr_pool_read_answer(lrgd_pool *pool, lr_slot *slot, const char *line,
                        size_t length)
{
  slot->partial = 0;
  if (!count_answer(pool, slot, line, length)) return 0;
  if (!read_numbers(pool, slot, line, length))
    return read_partial(pool, slot, line, length);
  int residuals = lr_kind_has_residuals(pool->asking.batch->kind);
  return !residuals || check_residuals(pool, slot);
}
