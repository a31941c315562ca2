/* Writes events.  A line that cannot be written does not stop a run: it is
 * reported at the end. */
#include "events.h"

#include "cli/base/files.h"
#include "cli/base/json_output.h"
#include "decision_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct cli_events {
  FILE *file;
  char *path;
  int trouble; /* errno of the first line that could not be written */
  uint64_t evaluations;
  lrgd_problem inner; /* the wrapped problem, where there is no pool */
};

lrgd_status events_open(cli_events **events, const char *path,
                        lrgd_error *error)
{
  *events = NULL;
  if (path == NULL) return LRGD_OK;
  cli_events *made = calloc(1, sizeof *made);
  if (made == NULL || (made->path = strdup(path)) == NULL) {
    free(made);
    return fail_memory(error);
  }
  made->file = file_open(path, "a");
  if (made->file == NULL) {
    lrgd_status status =
        fail(error, LRGD_ERR_STORAGE, "--events %s: %s", path, file_trouble());
    free(made->path);
    free(made);
    return status;
  }
  *events = made;
  return LRGD_OK;
}

void events_continue(cli_events *events, uint64_t evaluations)
{
  if (events != NULL) events->evaluations = evaluations;
}

/* Writes and releases object. */
static void put_line(cli_events *events, json_t *object)
{
  errno = 0;
  bool good = object != NULL && json_write(object, events->file) == 0;
  good = fputc('\n', events->file) != EOF && good;
  good = fflush(events->file) == 0 && good;
  if (!good && events->trouble == 0)
    events->trouble = errno != 0 ? errno : ENOMEM;
  json_decref(object);
}

/* ---- the solver's ---- */

void events_progress(cli_events *events, const lrgd_progress *news)
{
  if (events == NULL) return;
  bool iteration = news->event == LRGD_EVENT_ITERATION;
  json_t *object = json_pack(
      "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "event",
      iteration ? "iteration" : "phase", "iteration",
      json_count(news->iteration), "f", json_double(news->f), "best",
      json_double(news->best_f), "grad_norm", json_double(news->grad_norm),
      "rank", json_count(news->rank), "evaluations",
      json_count(lrgd_counts_evaluations(news->counts)), "seconds",
      json_double(news->seconds));
  if (object != NULL && !iteration && news->phase != NULL)
    (void)json_object_set_new(object, "text", json_text(news->phase));
  if (!iteration && news->decision != NULL)
    decision_json(&object, news->decision);
  if (object != NULL && news->event == LRGD_EVENT_FINAL)
    (void)json_object_set_new(object, "outcome",
                              json_string(lrgd_outcome_text(news->outcome)));
  put_line(events, object);
}

/* ---- evaluations ---- */

static void put_evaluation(cli_events *events, double f, double seconds,
                           const char *why)
{
  json_t *object = json_pack(
      "{s:s, s:o, s:o, s:o}", "event", isfinite(f) ? "evaluation" : "failure",
      "evaluation", json_count(++events->evaluations), "f", json_double(f),
      "seconds", json_double(seconds));
  if (object != NULL && why != NULL)
    (void)json_object_set_new(object, "why", json_text(why));
  put_line(events, object);
}

void events_pool(cli_events *events, const lrgd_pool_event *event)
{
  if (events == NULL) return;
  put_evaluation(events, event->f, event->seconds, event->why);
}

static double now_s(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double watch_value(size_t p, const double *x, void *user)
{
  cli_events *events = user;
  double began = now_s();
  double f = events->inner.value(p, x, events->inner.user);
  put_evaluation(events, f, now_s() - began, NULL);
  return f;
}

static void watch_values(size_t p, size_t m, const double *X, double *f,
                         void *user)
{
  cli_events *events = user;
  double began = now_s();
  events->inner.values(p, m, X, f, events->inner.user);
  double each = (now_s() - began) / (double)m;
  for (size_t j = 0; j < m; j++) put_evaluation(events, f[j], each, NULL);
}

static double watch_gradient(size_t p, const double *x, double *g, void *user)
{
  cli_events *events = user;
  double began = now_s();
  double f = events->inner.gradient(p, x, g, events->inner.user);
  put_evaluation(events, f, now_s() - began, NULL);
  return f;
}

static double watch_slopes(size_t p, const double *x, size_t k, const double *U,
                           double *d, void *user)
{
  cli_events *events = user;
  double began = now_s();
  double f = events->inner.slopes(p, x, k, U, d, events->inner.user);
  double each = (now_s() - began) / (double)(k > 0 ? k : 1);
  for (size_t j = 0; j < k; j++) put_evaluation(events, f, each, NULL);
  return f;
}

static lrgd_complex watch_complex(size_t p, const lrgd_complex *x, void *user)
{
  cli_events *events = user;
  double began = now_s();
  lrgd_complex f = events->inner.complex_value(p, x, events->inner.user);
  put_evaluation(events, f.re, now_s() - began, NULL);
  return f;
}

static size_t watch_unanswered(void *user)
{
  const cli_events *events = user;
  return events->inner.unanswered(events->inner.user);
}

void events_watch(cli_events *events, lrgd_problem *problem)
{
  if (events == NULL) return;
  events->inner = *problem;
  problem->user = events;
  if (problem->value != NULL) problem->value = watch_value;
  if (problem->values != NULL) problem->values = watch_values;
  if (problem->gradient != NULL) problem->gradient = watch_gradient;
  if (problem->slopes != NULL) problem->slopes = watch_slopes;
  if (problem->complex_value != NULL) problem->complex_value = watch_complex;
  if (problem->unanswered != NULL) problem->unanswered = watch_unanswered;
}

lrgd_status events_close(cli_events **events, lrgd_error *error)
{
  cli_events *gone = *events;
  lrgd_status status = LRGD_OK;
  if (gone == NULL) return LRGD_OK;
  if (fclose(gone->file) != 0 && gone->trouble == 0) gone->trouble = errno;
  if (gone->trouble != 0)
    status = fail(error, LRGD_ERR_STORAGE,
                  "--events %s: lines are missing in it: %s", gone->path,
                  strerror(gone->trouble));
  free(gone->path);
  free(gone);
  *events = NULL;
  return status;
}
