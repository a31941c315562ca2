/* The list of built-in problems, and the life of one. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "kind.h"

#define KIND(name) &lr_kind_##name,
static const lr_problem_kind *const kinds[] = {LR_PROBLEMS(KIND)};
static const lr_problem_kind *const limited[] = {LR_LIMITED_PROBLEMS(KIND)};

struct lr_memory {
  lr_memory *next;
  max_align_t first; /* what the problem uses starts here */
};

size_t lr_problem_kind_count(void)
{
  return sizeof kinds / sizeof kinds[0];
}

const lr_problem_kind *lr_problem_kind_at(size_t index)
{
  return index < lr_problem_kind_count() ? kinds[index] : NULL;
}

size_t lr_limited_kind_count(void)
{
  return sizeof limited / sizeof limited[0];
}

const lr_problem_kind *lr_limited_kind_at(size_t index)
{
  return index < lr_limited_kind_count() ? limited[index] : NULL;
}

const char *lr_problem_kind_name(const lr_problem_kind *kind)
{
  return kind->name;
}

const char *lr_problem_kind_help(const lr_problem_kind *kind)
{
  return kind->help;
}

size_t lr_problem_kind_parameters(const lr_problem_kind *kind,
                                  const lr_parameter **parameters)
{
  *parameters = kind->parameters;
  return kind->parameter_count;
}

static const lr_problem_kind *find(const char *name)
{
  for (size_t i = 0; name && i < lr_problem_kind_count(); i++)
    if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
  for (size_t i = 0; name && i < lr_limited_kind_count(); i++)
    if (strcmp(limited[i]->name, name) == 0) return limited[i];
  return NULL;
}

lrgd_status lr_problem_create(lr_problem **problem, const char *name,
                              const lr_setting *settings, size_t count,
                              lrgd_error *error)
{
  lr_reader reader = {find(name), settings, count, error, LRGD_OK};
  lr_problem *made;
  *problem = NULL;
  if (!reader.kind)
    return lr_reader_fail(&reader, LRGD_ERR_INVALID,
                          "no built-in problem is called '%.60s'",
                          name ? name : "");
  if (lr_reader_check_names(&reader)) return reader.status;
  made = calloc(1, sizeof *made);
  if (!made)
    return lr_reader_fail(&reader, LRGD_ERR_NOMEM, "no memory for a problem");
  if (reader.kind->build(made, &reader)) lr_problem_destroy(&made);
  *problem = made;
  return reader.status;
}

void lr_problem_destroy(lr_problem **problem)
{
  lr_memory *block;
  if (!problem || !*problem) return;
  while ((block = (*problem)->memory)) {
    (*problem)->memory = block->next;
    free(block);
  }
  free(*problem);
  *problem = NULL;
}

void *lr_problem_bytes(lr_problem *problem, lr_reader *reader, size_t bytes)
{
  lr_memory *block = bytes > SIZE_MAX / 2
                         ? NULL
                         : calloc(1, offsetof(lr_memory, first) + bytes);
  if (!block) {
    lr_reader_fail(reader, LRGD_ERR_NOMEM, "%s: no memory for %zu bytes",
                   reader->kind->name, bytes);
    return NULL;
  }
  block->next = problem->memory;
  problem->memory = block;
  return &block->first;
}

double *lr_problem_numbers(lr_problem *problem, lr_reader *reader, size_t rows,
                           size_t columns)
{
  if (columns && rows > SIZE_MAX / 16 / columns) {
    lr_reader_fail(reader, LRGD_ERR_NOMEM,
                   "%s: no memory for %zu x %zu numbers", reader->kind->name,
                   rows, columns);
    return NULL;
  }
  return lr_problem_bytes(problem, reader, rows * columns * sizeof(double));
}

double *lr_problem_copy(lr_problem *problem, lr_reader *reader, size_t count,
                        const double *numbers)
{
  double *copy = lr_problem_numbers(problem, reader, count, 1);
  if (copy) memcpy(copy, numbers, count * sizeof *copy);
  return copy;
}

lrgd_status lr_problem_begin(lr_problem *problem, lr_reader *reader, size_t p)
{
  if (reader->status) return reader->status;
  problem->callbacks.struct_size = sizeof problem->callbacks;
  problem->callbacks.dimension = p;
  problem->callbacks.user = problem;
  problem->minimum = NAN;
  problem->smoothness = NAN;
  problem->start = lr_problem_numbers(problem, reader, p, 1);
  return reader->status;
}

const lrgd_problem *lr_problem_callbacks(const lr_problem *problem)
{
  return &problem->callbacks;
}

const double *lr_problem_start(const lr_problem *problem)
{
  return problem->start;
}

double lr_problem_minimum(const lr_problem *problem)
{
  return problem->minimum;
}

const double *lr_problem_minimiser(const lr_problem *problem)
{
  return problem->minimiser;
}

size_t lr_problem_rank(const lr_problem *problem)
{
  return problem->rank;
}

double lr_problem_smoothness(const lr_problem *problem)
{
  return problem->smoothness;
}

void lr_problem_give_residuals(lr_problem *problem, size_t m,
                               lrgd_residuals_fn residuals)
{
  problem->residual_count = m;
  problem->residuals = residuals;
}

lrgd_status lr_problem_give_limits(lr_problem *problem, lr_reader *reader,
                                   size_t m, lrgd_residuals_fn outputs,
                                   const double *lower, const double *upper)
{
  lrgd_limits *limits = lr_problem_bytes(problem, reader, sizeof *limits);
  double *low = lr_problem_copy(problem, reader, m, lower);
  double *high = lr_problem_copy(problem, reader, m, upper);
  if (reader->status) return reader->status;
  *limits = (lrgd_limits){.lower = low, .upper = high};
  problem->callbacks.residual_count = m;
  problem->callbacks.residuals = outputs;
  problem->callbacks.limits = limits;
  return reader->status;
}

size_t lr_problem_residual_count(const lr_problem *problem)
{
  return problem->residual_count;
}

void lr_problem_residuals(const lr_problem *problem, const double *x, double *r)
{
  problem->residuals(problem->callbacks.dimension, x, problem->residual_count,
                     r, problem->callbacks.user);
}

int lr_problem_jacobian(const lr_problem *problem, const double *x, double *J)
{
  if (!problem->jacobian) return 0;
  problem->jacobian(problem, x, J);
  return 1;
}

lrgd_problem lr_problem_by_residuals(const lr_problem *problem)
{
  lrgd_problem told = {.struct_size = sizeof told,
                       .dimension = problem->callbacks.dimension,
                       .user = problem->callbacks.user,
                       .lower = problem->callbacks.lower,
                       .upper = problem->callbacks.upper,
                       .residual_count = problem->residual_count,
                       .residuals = problem->residuals};
  return told;
}

void lr_problem_values_one_by_one(size_t p, size_t m, const double *X,
                                  double *f, void *user)
{
  const lr_problem *problem = user;
  for (size_t i = 0; i < m; i++)
    f[i] = problem->callbacks.value(p, X + i * p, user);
}

static double slopes_by_gradient(size_t p, const double *x, size_t k,
                                 const double *U, double *d, void *user)
{
  const lr_problem *problem = user;
  double small[LR_SMALL], f = NAN;
  double *g = lr_room(small, sizeof small, p * sizeof *g);
  if (!g) {
    for (size_t j = 0; j < k; j++) d[j] = NAN;
    return NAN;
  }
  f = problem->callbacks.gradient(p, x, g, user);
  lr_gemv_t(p, k, U, p, g, d);
  lr_room_free(g, small);
  return f;
}

void lr_problem_answers(lr_problem *problem, lrgd_value_fn value,
                        lrgd_gradient_fn gradient)
{
  problem->callbacks.value = value;
  problem->callbacks.values = lr_problem_values_one_by_one;
  problem->callbacks.gradient = gradient;
  problem->callbacks.slopes = slopes_by_gradient;
}

void *lr_room(void *small, size_t have, size_t need)
{
  return need <= have ? small : malloc(need);
}

void lr_room_free(void *room, const void *small)
{
  if (room != small) free(room);
}
