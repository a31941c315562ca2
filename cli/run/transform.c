/* Checks the variables of a run, with messages that name its flags, and makes
 * them. */
#include "transform.h"

#include <stdlib.h>

static lrgd_status check_scale(const cli_inputs *inputs, size_t p,
                               lrgd_error *error)
{
  char name[INPUT_NAME_SIZE];
  for (size_t i = 0; inputs->scale != NULL && i < p; i++)
    if (!(inputs->scale[i] > 0))
      return fail(error, LRGD_ERR_INVALID,
                  "--scale of %s (coordinate %zu) is %g; it must be > 0",
                  input_name(inputs, i, name), i + 1, inputs->scale[i]);
  return LRGD_OK;
}

static lrgd_status check_log(const cli_inputs *inputs,
                             const lrgd_problem *problem, size_t i,
                             lrgd_error *error)
{
  char name[INPUT_NAME_SIZE];
  double start = inputs->start[i];
  if (!(start > 0))
    return fail(error, LRGD_ERR_INVALID,
                "--log: %s (coordinate %zu) starts at %g; it must be > 0",
                input_name(inputs, i, name), i + 1, start);
  if (problem->upper != NULL && !(problem->upper[i] > 0))
    return fail(error, LRGD_ERR_INVALID,
                "--log: %s (coordinate %zu) is at most %g; it must be > 0",
                input_name(inputs, i, name), i + 1, problem->upper[i]);
  return LRGD_OK;
}

/* Marks the inputs whose logarithms are taken; NULL: out of memory. */
static unsigned char *mark(const cli_inputs *inputs, size_t p)
{
  unsigned char *marked = calloc(p, sizeof *marked);
  for (size_t k = 0; marked != NULL && k < inputs->log_count; k++)
    marked[(size_t)inputs->log[k] - 1] = 1;
  return marked;
}

lrgd_status transform_create(lrgd_variables **transform,
                             const cli_inputs *inputs,
                             const lrgd_problem *problem, lrgd_error *error)
{
  *transform = NULL;
  if (inputs->scale == NULL && inputs->log_count == 0) return LRGD_OK;
  lrgd_status status = check_scale(inputs, problem->dimension, error);
  for (size_t k = 0; k < inputs->log_count && status == LRGD_OK; k++)
    status = check_log(inputs, problem, (size_t)inputs->log[k] - 1, error);
  if (status != LRGD_OK) return status;
  unsigned char *log = mark(inputs, problem->dimension);
  if (log == NULL) return fail_memory(error);
  status = lrgd_variables_create(transform, problem, inputs->scale, log, error);
  free(log);
  return status;
}
