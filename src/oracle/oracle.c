/* Creation and settings of the oracle, its limits on evaluations, and the end
 * of a run.  This file does not know what is evaluated, and why. */
#include "oracle/oracle.h"

#include "base/memory.h"
#include "base/options.h"
#include "base/rounding.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double lr_oracle_seconds(const lr_oracle *o)
{
  return now() - o->session.start_time;
}

/* The number of points of a batch: at most 256, enough for many workers, in at
 * most 32 MiB; no request has more than 2 p + 8.  It must not depend on how
 * many workers evaluate it, since the path of a run must not.  Where one point
 * is evaluated at a time, there is room for a pair.  With a width it is whole
 * rounds, at least one. */
static size_t batch_size(size_t p, bool many, size_t width)
{
  size_t batch = many ? ((size_t)1 << 22) / p : 2;
  batch = batch < 2 ? 2 : batch > 256 ? 256 : batch;
  if (batch > 2 * p + 8) batch = 2 * p + 8;
  if (width <= 1) return batch;
  return batch < width ? (width < 8 ? 8 : width) : batch - batch % width;
}

/* Points evaluated ahead, each of which takes p numbers: whole rounds, with
 * room for the two-sided differences of a certificate. */
static size_t ahead_size(size_t width)
{
  enum { CERTIFICATE = 16, MOST = 64 };
  size_t rounds = (CERTIFICATE + width - 1) / width;
  return width < MOST ? rounds * width : MOST;
}

/* Memory for points that are evaluated ahead. */
static lrgd_status init_ahead(lr_oracle *o)
{
  const lr_answers *a = &o->answers;
  bool by_value = (a->value || a->values) && !a->slopes && !a->gradient;
  if (o->width == 1 || !by_value || a->residuals) return LRGD_OK;
  o->ahead.room = ahead_size(o->width);
  o->ahead.points = o->space->ops->make(o->space, o->ahead.room);
  /* the oracle writes one number more than a batch has */
  o->ahead.f = lr_alloc(&o->allocator, o->ahead.room + 1, sizeof *o->ahead.f);
  return o->ahead.points && o->ahead.f ? LRGD_OK : LRGD_ERR_NOMEM;
}

/* Memory for evaluations under way, as many as the width, where the run is
 * asynchronous. */
static lrgd_status init_flight(lr_oracle *o)
{
  const lr_answers *a = &o->answers;
  if (!o->options->async || !a->start || o->width == 1) return LRGD_OK;
  lr_oracle_flight *flight = &o->flight;
  flight->room = o->width;
  flight->points = o->space->ops->make(o->space, flight->room);
  flight->places =
      lr_alloc(&o->allocator, flight->room, sizeof *flight->places);
  return flight->points && flight->places ? LRGD_OK : LRGD_ERR_NOMEM;
}

static void clear_flight(lr_oracle *o)
{
  if (o->flight.points) o->space->ops->free(o->space, o->flight.points);
  lr_free(&o->allocator, o->flight.places);
  o->flight = (lr_oracle_flight){0};
}

lrgd_status lr_oracle_init(lr_oracle *o, lrgd_space *space,
                           const lr_answers *answers,
                           const lrgd_options *options, const lrgd_allocator *a)
{
  *o = (lr_oracle){.space = space,
                   .answers = *answers,
                   .options = options,
                   .policy = lr_policy_current(),
                   .seed = (uint64_t)options->seed,
                   .width = (size_t)options->width,
                   .allocator = *a};
  bool many = answers->values || answers->slopes || o->width > 1;
  o->room.batch = batch_size(space->dimension, many, o->width);
  o->room.points = space->ops->make(space, o->room.batch);
  o->room.dir = space->ops->make(space, 4);
  o->room.values = lr_alloc(a, o->room.batch + 1, sizeof *o->room.values);
  o->room.steps = lr_alloc(a, o->room.batch, sizeof *o->room.steps);
  o->room.slopes = lr_alloc(a, o->room.batch, sizeof *o->room.slopes);
  bool all = o->room.points && o->room.dir && o->room.values && o->room.steps &&
             o->room.slopes;
  if (!all || init_ahead(o) != LRGD_OK) return LRGD_ERR_NOMEM;
  return init_flight(o);
}

void lr_oracle_clear(lr_oracle *o)
{
  if (!o->space) return;
  if (o->ahead.points) o->space->ops->free(o->space, o->ahead.points);
  lr_free(&o->allocator, o->ahead.f);
  clear_flight(o);
  o->space->ops->free(o->space, o->room.points);
  o->space->ops->free(o->space, o->room.dir);
  lr_free(&o->allocator, o->room.values);
  lr_free(&o->allocator, o->room.steps);
  lr_free(&o->allocator, o->room.slopes);
  *o = (lr_oracle){0};
}

static const lrgd_box nowhere = {
    {NULL, 0},
    {NULL, 0}
};

void lr_oracle_restart(lr_oracle *o, atomic_int *stop)
{
  bool central = o->options->differences == LRGD_DIFFERENCES_CENTRAL;
  o->counts = (lrgd_counts){0};
  if (o->answers.forget_residuals) o->answers.forget_residuals(o->answers.self);
  o->recalled = 0;
  o->ahead.planned = o->ahead.known = o->ahead.taken = 0;
  o->flight.started = o->flight.last = 0;
  o->session.stop = stop;
  o->session.start_time = now();
  o->differences = (lr_difference_settings){.stretch = 1, .two_sided = central};
  o->seen = (lr_oracle_seen){.low = INFINITY, .high = -INFINITY, .unit = 1};
  o->refusals = (lr_sentinel){.first = NAN, .number = NAN};
  o->kept = (lr_oracle_kept){.next_id = 1};
  o->accuracy.errors = (lr_errors){0};
  o->accuracy.slope_noise = NAN;
  o->accuracy.widen = 1;
  o->fold = nowhere;
  o->forgiving = o->incomplete = false;
  o->ending.stall = LRGD_STALL_NONE;
  o->ending.why = o->ending.held =
      (lrgd_decision){.kind = LRGD_DECISION_KIND_NONE};
  (void)fegetenv(&o->session.fenv);
}

void lr_oracle_listen(lr_oracle *o, const lr_oracle_listener *listener)
{
  o->listener = *listener;
}

void lr_oracle_recall_by(lr_oracle *o,
                         bool (*recall)(void *self, lrgd_vec x, double *f))
{
  o->listener.recall = recall;
}

void lr_oracle_use_box(lr_oracle *o, lrgd_box box)
{
  o->box = box;
  o->fold = nowhere;
}

void lr_oracle_use_fold(lr_oracle *o, lrgd_box box)
{
  o->box = nowhere;
  o->fold = box;
}

void lr_oracle_use_plane(lr_oracle *o, bool plane)
{
  o->plane = plane;
}

void lr_oracle_resolve(lr_oracle *o, const double *tol)
{
  o->accuracy.tol = tol;
}

void lr_oracle_believe_flat(lr_oracle *o)
{
  o->differences.doubted = true;
}

void lr_oracle_use_two_sided(lr_oracle *o)
{
  o->differences.two_sided = true;
}

void lr_oracle_set_noise(lr_oracle *o, double noise)
{
  o->differences.noise = noise;
}

void lr_oracle_set_scale(lr_oracle *o, double f_scale)
{
  o->seen.f_scale = f_scale;
}

void lr_oracle_forgive(lr_oracle *o)
{
  o->forgiving = true;
}

void lr_oracle_begin_gradient(lr_oracle *o)
{
  o->incomplete = false;
}

void lr_oracle_miss_slope(lr_oracle *o)
{
  o->incomplete = true;
}

void lr_oracle_widen(lr_oracle *o, double times)
{
  o->accuracy.widen = times;
}

void lr_oracle_set_errors(lr_oracle *o, const lr_errors *errors)
{
  o->accuracy.errors = *errors;
}

void lr_oracle_is_whole_gradient(lr_oracle *o, const lr_point *at)
{
  o->accuracy.errors.id = at->id;
}

void lr_oracle_want(lr_oracle *o, lrgd_vec u)
{
  o->differences.wanted = u;
  o->kept.wanted_id = 0;
}

void lr_oracle_want_any(lr_oracle *o)
{
  o->differences.wanted.block = NULL;
}

void lr_oracle_know_partial(lr_oracle *o, const lr_point *at,
                            const double *partial)
{
  o->kept.partial = partial;
  o->kept.partial_id = partial ? at->id : 0;
}

void lr_oracle_meet_cliff(lr_oracle *o)
{
  o->seen.cliffs++;
}

void lr_oracle_count_slope(lr_oracle *o, lrgd_purpose why)
{
  o->counts.oracle_calls[why]++;
}

void lr_oracle_rename(lr_oracle *o, lr_point *at)
{
  at->id = o->kept.next_id++;
  at->f = NAN;
  o->room.finite.block = NULL;
}

void lr_oracle_know(lr_oracle *o, lr_point *at, double f)
{
  lr_oracle_rename(o, at);
  at->f = f;
}

double lr_oracle_level(const lr_oracle *o, double f)
{
  double rounding = lr_value_rounding(o->policy, f);
  return fmax(fmax(o->differences.noise, rounding), DBL_MIN);
}

double lr_oracle_scale(lr_oracle *o, const lr_point *at)
{
  if (o->kept.scale_id != at->id) {
    o->kept.scale = lr_scale_of(o->space, at->x);
    o->kept.scale_id = at->id;
  }
  return o->kept.scale;
}

lr_code lr_oracle_end(lr_oracle *o, lrgd_outcome outcome, lrgd_decision why)
{
  o->ending.outcome = outcome;
  o->ending.stall = LRGD_STALL_NONE;
  o->ending.why = why;
  o->ending.held = (lrgd_decision){.kind = LRGD_DECISION_KIND_NONE};
  return LR_END;
}

lr_code lr_oracle_stall(lr_oracle *o, lrgd_stall reason, lrgd_decision why)
{
  (void)lr_oracle_end(o, LRGD_OUTCOME_STALLED, why);
  o->ending.stall = reason;
  return LR_END;
}

void lr_oracle_hold(lr_oracle *o, lrgd_decision held)
{
  o->ending.held = held;
}

lr_code lr_oracle_fault(lr_oracle *o, lrgd_status status, const char *format,
                        ...)
{
  va_list args;
  va_start(args, format);
  (void)vsnprintf(o->ending.error.text, sizeof o->ending.error.text, format,
                  args);
  va_end(args);
  o->ending.error.status = status;
  return LR_FAULT;
}

/* ---- limits on evaluations ---- */

bool lr_oracle_agree(const lr_oracle *o, bool mine)
{
  return LR_HAS(o->space, agree) ? o->space->ops->agree(o->space, mine) : mine;
}

static bool time_is_over(const lr_oracle *o)
{
  return lr_given(o->options->max_seconds) &&
         lr_oracle_seconds(o) > o->options->max_seconds;
}

lr_code lr_oracle_end_stopped(lr_oracle *o)
{
  return lr_oracle_end(o, LRGD_OUTCOME_STOPPED,
                       (lrgd_decision){.kind = LRGD_DECISION_KIND_STOPPED});
}

lr_code lr_oracle_afford(lr_oracle *o, uint64_t n)
{
  bool stop = atomic_load(o->session.stop) != 0, over = time_is_over(o);
  /* one reduction over all processes; a second one only at the end */
  bool end = lr_oracle_agree(o, stop || over);
  if (end && lr_oracle_agree(o, stop)) return lr_oracle_end_stopped(o);
  const lrgd_options *opt = o->options;
  uint64_t used = lrgd_counts_evaluations(&o->counts);
  if (opt->max_evals != LRGD_UNSET && used + n > (uint64_t)opt->max_evals)
    return lr_oracle_end(
        o, LRGD_OUTCOME_BUDGET,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_EVALUATIONS_USED,
                        .count = used,
                        .limit = (double)opt->max_evals,
                        .level = (double)n});
  if (end)
    return lr_oracle_end(
        o, LRGD_OUTCOME_BUDGET,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_SECONDS_USED,
                        .limit = opt->max_seconds});
  return LR_GO;
}
