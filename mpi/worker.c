/* The ranks that evaluate.
 * This file knows the form of a question, not why it is asked. */
#include "master.h"
#include "message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool spread_await(spread_setup *setup, char **flags)
{
  MPI_Status status;
  (void)message_await(0, INFINITY, &status);
  bool go = status.MPI_TAG == MESSAGE_SETUP;
  (void)MPI_Recv(setup, go ? (int)sizeof *setup : 0, MPI_BYTE, 0,
                 status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!go) return false;
  *flags = malloc(setup->flags + 1);
  /* ends the whole job, as no message can be sent */
  if (*flags == NULL) abort();
  (void)MPI_Recv(*flags, (int)setup->flags, MPI_BYTE, 0, MESSAGE_FLAGS,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return true;
}

bool spread_is_over(void)
{
  int here = 0;
  (void)MPI_Iprobe(0, MESSAGE_HOME, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE);
  return here != 0;
}

/* Writes f and its derivatives or residuals to out; returns how many
 * numbers. */
static size_t evaluate(const lrgd_problem *problem, int kind, double *x,
                       double *out)
{
  size_t p = problem->dimension;
  if (kind == MESSAGE_GRADIENT) {
    out[0] = problem->gradient(p, x, out + 1, problem->user);
    return p + 1;
  }
  if (kind == MESSAGE_SLOPE) {
    out[1] = NAN;
    out[0] = problem->slopes(p, x, 1, x + p, out + 1, problem->user);
    return 2;
  }
  if (problem->value != NULL)
    out[0] = problem->value(p, x, problem->user);
  else
    problem->values(p, 1, x, out, problem->user);
  return 1;
}

static void say_failure(const cli_source *source, double f)
{
  message_failure failure = {.f = f, .why = ""};
  lrgd_error error = {.text = ""};
  const char *why = source->pool ? lrgd_pool_last_failure(source->pool) : "";
  if (source->pool && lrgd_pool_status(source->pool, &error) != LRGD_OK)
    why = error.text;
  (void)snprintf(failure.why, sizeof failure.why, "%s", why);
  (void)MPI_Send(&failure, (int)sizeof failure, MPI_BYTE, 0, MESSAGE_FAILURE,
                 MPI_COMM_WORLD);
}

static void answer_all(const cli_source *source, double *x, double *out)
{
  for (;;) {
    MPI_Status status;
    int count = 0;
    (void)message_await(0, INFINITY, &status);
    if (status.MPI_TAG != MESSAGE_HOME)
      (void)MPI_Get_count(&status, MPI_DOUBLE, &count);
    (void)MPI_Recv(x, count, MPI_DOUBLE, 0, status.MPI_TAG, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    if (status.MPI_TAG == MESSAGE_HOME) return;
    size_t n = evaluate(&source->problem, status.MPI_TAG, x, out);
    if (isnan(out[0]))
      say_failure(source, out[0]);
    else
      (void)MPI_Send(out, (int)n, MPI_DOUBLE, 0, MESSAGE_ANSWER,
                     MPI_COMM_WORLD);
  }
}

void spread_serve(const cli_source *source, const lrgd_error *error)
{
  lrgd_error said = *error;
  size_t p = source->problem.dimension;
  double *x = malloc(2 * p * sizeof *x), *out = malloc((p + 1) * sizeof *out);
  if (said.status == LRGD_OK && (x == NULL || out == NULL))
    (void)fail_memory(&said);
  (void)MPI_Send(&said, (int)sizeof said, MPI_BYTE, 0, MESSAGE_READY,
                 MPI_COMM_WORLD);
  double nothing[1];
  if (said.status == LRGD_OK)
    answer_all(source, x, out);
  else
    /* evaluate nothing, and wait for the end of the job */
    answer_all(source, nothing, nothing);
  free(x);
  free(out);
}
