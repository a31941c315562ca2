/* The 35 test functions of More, Garbow and Hillstrom (mgh.h), by name. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "mgh.h"

static const lr_parameter parameters[] = {
    {"function", "rosenbrock",
     "its name, as `freudenstein-roth`; or its number"                       },
    {"n",        "0",          "inputs; 0: as many as is usual"              },
    {"m",        "0",          "residuals; 0: as many as is usual"           },
    {"start",    "1",          "the start is so many times the usual one; >0"},
    LR_SYSTEM_P,
    LR_SYSTEM_BOX,
    LR_SYSTEM_SEED,
};

static const lr_mgh *function_at(size_t index)
{
  return index < LR_MGH_FIXED_COUNT ? &lr_mgh_fixed[index]
                                    : &lr_mgh_any[index - LR_MGH_FIXED_COUNT];
}

/* By name, or by number from 1. */
static const lr_mgh *find(lr_reader *reader)
{
  const size_t count = LR_MGH_FIXED_COUNT + LR_MGH_ANY_COUNT;
  const char *text = lr_reader_text(reader, "function", NULL);
  if (text[0] >= '0' && text[0] <= '9') {
    size_t number = lr_reader_size(reader, "function", 1, count);
    return reader->status ? NULL : function_at(number - 1);
  }
  for (size_t i = 0; i < count; i++)
    if (strcmp(function_at(i)->name, text) == 0) return function_at(i);
  lr_reader_fail(reader, LRGD_ERR_INVALID,
                 "no function of More, Garbow and Hillstrom is called '%.60s'",
                 text);
  return NULL;
}

/* How many inputs a function may have: from, to, and in steps of. */
static void inputs_allowed(const lr_mgh *f, size_t range[3])
{
  range[0] = f->n;
  range[1] = f->n;
  range[2] = 1;
  if (f->size == LR_MGH_FIXED || f->size == LR_MGH_SAMPLES) return;
  range[0] = f->size == LR_MGH_PAIRS || f->size == LR_MGH_WATSON ? 2
             : f->size == LR_MGH_FOURS                           ? 4
                                                                 : 1;
  range[1] = f->size == LR_MGH_WATSON ? 31 : INT_MAX;
  range[2] = f->size == LR_MGH_PAIRS ? 2 : f->size == LR_MGH_FOURS ? 4 : 1;
}

static size_t read_inputs(lr_reader *reader, const lr_mgh *f)
{
  size_t n = lr_reader_size(reader, "n", 0, INT_MAX), range[3];
  if (n == 0) return f->n;
  inputs_allowed(f, range);
  if (n < range[0] || n > range[1] || n % range[2] != 0)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "%s cannot have %zu inputs",
                   f->name, n);
  return n;
}

static size_t usual_residuals(const lr_mgh *f, size_t n)
{
  switch (f->size) {
  case LR_MGH_SQUARE:
  case LR_MGH_PAIRS:
  case LR_MGH_FOURS:
  case LR_MGH_TALL_SQUARE: return n;
  case LR_MGH_ONE_MORE: return n + 1;
  case LR_MGH_TWO_MORE: return n + 2;
  case LR_MGH_DOUBLE:
  case LR_MGH_RECTANGLE: return 2 * n;
  case LR_MGH_FIXED:
  case LR_MGH_SAMPLES:
  case LR_MGH_WATSON: break;
  }
  return f->m;
}

static size_t read_residuals(lr_reader *reader, const lr_mgh *f, size_t n)
{
  size_t m = lr_reader_size(reader, "m", 0, INT_MAX);
  size_t usual = usual_residuals(f, n);
  int any = f->size == LR_MGH_SAMPLES || f->size == LR_MGH_RECTANGLE ||
            f->size == LR_MGH_TALL_SQUARE;
  if (m == 0) return usual;
  if (!any && m != usual)
    lr_reader_fail(reader, LRGD_ERR_INVALID,
                   "%s of %zu inputs has %zu residuals, not %zu", f->name, n,
                   usual, m);
  if (m < n || (strcmp(f->name, "gulf") == 0 && m > 99))
    lr_reader_fail(reader, LRGD_ERR_INVALID,
                   "%s of %zu inputs cannot have %zu residuals", f->name, n, m);
  return m;
}

static double start_of(const lr_mgh *f, size_t n, size_t j)
{
  return f->start_at ? f->start_at(n, j) : f->start[j % f->width];
}

/* Zero is the minimum at all sizes; other numbers hold for the usual one.
 * (Chebyquad has none that is known by formula.) */
static double minimum_of(const lr_mgh *f, size_t n, size_t m)
{
  if (f->minimum_of) return f->minimum_of(n, m);
  return f->minimum == 0 || (n == f->n && m == f->m) ? f->minimum : NAN;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  const lr_mgh *f = find(reader);
  double factor = lr_reader_positive(reader, "start");
  double *start, *best;
  size_t n, m;
  if (!f) return reader->status;
  n = read_inputs(reader, f);
  m = read_residuals(reader, f, n);
  if (reader->status) return reader->status;
  start = lr_problem_numbers(problem, reader, n, 1);
  best = lr_problem_numbers(problem, reader, n, 1);
  if (reader->status) return reader->status;
  for (size_t j = 0; j < n; j++) {
    start[j] = factor * start_of(f, n, j);
    best[j] = f->minimiser ? f->minimiser[j % f->width] : 0;
  }
  return lr_system_build(
      problem, reader, &(lr_system){.n = n, .m = m, .residuals = f->residuals},
      &(lr_system_facts){start, f->minimiser ? best : NULL, minimum_of(f, n, m),
                         0});
}

const lr_problem_kind lr_kind_more_garbow_hillstrom = {
    "more-garbow-hillstrom", "the 35 test functions of 1981, as residuals",
    parameters, sizeof parameters / sizeof parameters[0], build};
