/* The loop of the phase: first points, which show whether the start is poor;
 * some more, if it is; then one step of the Gaussian process per value. */
#include "surrogate/surrogate_phase.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"
#include "solver/frame.h"
#include "surrogate/ball_step.h"
#include "surrogate/surrogate_rules.h"

#include <math.h>
#include <string.h>

enum { HERE, TRIAL, COLUMNS };

/* The state of the phase.  Over 20 members: the points known, the Gaussian
 * process and the scratch of its steps. */
typedef struct opening {
  lr_run *run;
  const lr_policy *policy;
  size_t p, budget;
  lr_frame frame;
  lrgd_block *columns;
  lr_point here;      /* the lowest point, which is the iterate */
  lr_gp gp;           /* the process through all points evaluated */
  double *f;          /* the values at these points */
  size_t best;        /* index of the lowest point */
  size_t first;       /* index of the lowest point before the first step */
  double highest;     /* the highest value, which replaces missing ones */
  double *y, *sorted; /* compressed values, and scratch */
  size_t chosen; /* number of points when the kernel's length was last chosen */
  double radius; /* radius of the trust ball */
  int failures;  /* consecutive steps that failed */
  double *z;     /* the next point */
  /* the lowest point minus the random move that led to it */
  double *settled;
  double *move; /* the random move of the next point */
  double *work;
} opening;

bool lr_surrogate_phase_suits(const lr_run *run)
{
  const lr_answers *a = &run->oracle.answers;
  bool by_value = (a->value || a->values) && !a->slopes && !a->gradient;
  return by_value && run->domain.k == 0 && lr_oracle_boxed(&run->oracle) &&
         lr_surrogate_suits(run->policy, run->space->dimension);
}

void lr_box_points_clear(lr_box_points *points)
{
  if (points->x) lr_free(&points->allocator, points->x);
  *points = (lr_box_points){0};
}

/* ---- creation and destruction ---- */

static lr_code no_memory(const opening *s)
{
  return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for a Gaussian process in %zu "
                         "dimensions",
                         s->p);
}

static lr_code open_process(opening *s)
{
  const lrgd_allocator *a = &s->run->allocator;
  lrgd_space *space = s->run->space;
  size_t p = s->p, n = s->budget;
  s->columns = space->ops->make(space, COLUMNS);
  s->f = lr_alloc(a, 3 * n + 3 * p + lr_ball_step_room(p), sizeof *s->f);
  if (!s->columns || !s->f ||
      lr_gp_init(&s->gp, a, p, n, lr_surrogate_first_length(s->policy, p)) !=
          LRGD_OK)
    return no_memory(s);
  s->y = s->f + n;
  s->sorted = s->y + n;
  s->z = s->sorted + n;
  s->settled = s->z + p;
  s->move = s->settled + p;
  s->work = s->move + p;
  s->radius = lr_surrogate_first_radius(s->policy, p);
  return LR_GO;
}

static void close(opening *s)
{
  lr_gp_clear(&s->gp);
  if (s->columns) s->run->space->ops->free(s->run->space, s->columns);
  lr_free(&s->run->allocator, s->f);
  lr_frame_close(&s->frame);
}

/* ---- evaluations ---- */

/* Adds the point s->z with the value f to the process; NaN: it could not be
 * evaluated, and the highest value replaces f. */
static void learn(opening *s, double f)
{
  size_t i = s->gp.n;
  lr_gp_add(&s->gp, s->z);
  s->f[i] = lr_finite(f) ? f : s->highest;
  s->highest = fmax(s->highest, s->f[i]);
  if (!(s->f[i] < s->f[s->best])) return;
  s->best = i;
  memcpy(s->settled, s->z, s->p * sizeof *s->z);
}

static lr_code arrive(opening *s, const lr_point *at)
{
  lr_run *run = s->run;
  run->space->ops->copy(run->space, s->here.x, at->x, 1);
  lr_oracle_know(&run->oracle, &s->here, at->f);
  lr_run_stand(run, &s->here);
  LR_TRY(lr_run_offer(run, &s->here));
  return lr_run_arrived(run);
}

static lr_code ask(opening *s)
{
  lr_run *run = s->run;
  lr_point at = {
      .x = {s->columns, TRIAL},
        .f = NAN
  };
  lr_frame_to(&s->frame, s->z, at.x);
  lr_oracle_rename(&run->oracle, &at);
  lr_code code = lr_oracle_value(&run->oracle, &at, LRGD_PURPOSE_SEARCH);
  if (code != LR_GO && code != LR_NOVALUE) return code;
  learn(s, code == LR_GO ? at.f : NAN);
  return code == LR_GO && at.f < s->here.f ? arrive(s, &at) : LR_GO;
}

/* The stream of the random numbers of the next point. */
static uint64_t stream(const opening *s)
{
  return LR_STREAM_SURROGATE + (s->run->progress.attempt << 32) + s->gp.n;
}

/* z = a point of the box, uniformly distributed. */
static void draw(const opening *s, double *z)
{
  uint32_t words[4];
  for (size_t i = 0; i < s->p; i++) {
    if (i % 4 == 0) lr_philox(s->run->oracle.seed, stream(s), i / 4, words);
    z[i] = ((double)words[i % 4] + 0.5) / 0x1p31 - 1;
  }
}

/* The standard deviation of the coordinates of s->z. */
static double deviation(const opening *s)
{
  double p = (double)s->p, mean = 0, square = 0;
  for (size_t i = 0; i < s->p; i++) mean += s->z[i] / p;
  for (size_t i = 0; i < s->p; i++)
    square += (s->z[i] - mean) * (s->z[i] - mean) / p;
  return sqrt(square);
}

/* Evaluates the start, which becomes the first point, the middle of the box,
 * and uniformly distributed points.  *poor: the start may be a poor one, and
 * one of the others is lower. */
static lr_code try_others(opening *s, bool *poor)
{
  lr_frame_from(&s->frame, s->here.x, s->z);
  s->highest = s->here.f;
  learn(s, s->here.f);
  if (!lr_surrogate_doubts(s->policy, deviation(s))) return LR_GO;
  memset(s->z, 0, s->p * sizeof *s->z);
  for (size_t i = 0; lr_surrogate_tries_again(s->policy, i) && !*poor; i++) {
    if (i > 0) draw(s, s->z);
    LR_TRY(ask(s));
    *poor = s->best > 0;
  }
  return LR_GO;
}

/* ---- steps ---- */

/* Fits the process to all values; returns the scale of their compression. */
static double fit(opening *s)
{
  size_t n = s->gp.n;
  double scale = lr_surrogate_compress(s->policy, n, s->f, s->y, s->sorted);
  if (lr_surrogate_refits(s->policy, n, s->chosen)) {
    lr_gp_choose_length(&s->gp, s->y);
    s->chosen = n;
  }
  lr_gp_fit(&s->gp, s->y);
  return scale;
}

/* s->z = the minimum of the process within the ball.  The search for it starts
 * at a random move from the lowest point.  If the lowest point was found after
 * such a move, that move is undone first: the process has learned from its
 * value, and moves would add up along directions that hardly matter.  *length:
 * of the step.  Returns the decrease of the mean. */
static double choose(opening *s, double *length)
{
  size_t p = s->p;
  const double *centre = s->gp.x + s->best * p;
  const lr_ball ball = {centre, s->radius};
  double far = lr_surrogate_move(s->policy, s->radius);
  lr_gaussian(s->run->oracle.seed, stream(s), 0, p, s->move);
  lr_scale(p, far / lr_norm(p, s->move), s->move);
  memcpy(s->z, s->settled, p * sizeof *s->z);
  lr_axpy(p, 1, s->move, s->z);
  lr_ball_step(&s->gp, &ball, lr_surrogate_kappa(s->policy, s->gp.n), s->z,
               s->work);
  memcpy(s->work, s->z, p * sizeof *s->z);
  lr_axpy(p, -1, centre, s->work);
  *length = lr_norm(p, s->work);
  return lr_gp_mean(&s->gp, centre) - lr_gp_mean(&s->gp, s->z);
}

static lr_code step(opening *s)
{
  lr_surrogate_step made;
  double before = s->f[s->best], scale = fit(s);
  size_t n = s->gp.n;
  made.promised = scale * choose(s, &made.length);
  LR_TRY(ask(s));
  made.decrease = before - s->f[n];
  if (s->best == n) lr_axpy(s->p, -1, s->move, s->settled);
  s->radius = lr_surrogate_radius(s->policy, s->radius, &made, &s->failures);
  return LR_GO;
}

static lr_code descend(opening *s)
{
  size_t probes = lr_surrogate_probes(s->policy);
  while (s->gp.n < probes) {
    draw(s, s->z);
    LR_TRY(ask(s));
  }
  s->first = s->best;
  while (s->gp.n < s->budget &&
         !lr_surrogate_is_fine(s->policy, s->radius, s->p))
    LR_TRY(step(s));
  return LR_GO;
}

/* ---- the end ---- */

/* Raises the estimate of |grad f| from which the tolerance follows: for a
 * convex f the mean slope from the lowest of the first points to the best one
 * is a lower bound of |grad f| there.  (f at the start may be a penalty, and is
 * not used.) */
static void note_slope(const opening *s)
{
  lrgd_space *space = s->run->space;
  lr_run_goal *goal = &s->run->goal;
  lrgd_vec way = {s->columns, TRIAL};
  double length = 0, minus = -1, fell = s->f[s->first] - s->f[s->best];
  lr_frame_to(&s->frame, s->gp.x + s->first * s->p, way);
  space->ops->add(space, way, s->here.x, 1, &minus);
  if (!space->ops->measure(space, way, &length) || !(length > 0)) return;
  goal->first_slope = fmax(goal->first_slope, fell / length);
}

static lr_code hand_over(const opening *s, lr_point *start,
                         lr_box_points *points)
{
  lr_run *run = s->run;
  size_t p = s->p, n = s->gp.n;
  *points = (lr_box_points){.allocator = run->allocator,
                            .p = p,
                            .n = n,
                            .best = s->best,
                            .radius = 0.5 * s->radius};
  points->x = lr_alloc(&run->allocator, n * (p + 1), sizeof *points->x);
  if (!points->x) return no_memory(s);
  points->f = points->x + n * p;
  for (size_t i = 0; i < n * p; i++) points->x[i] = 0.5 * (1 + s->gp.x[i]);
  memcpy(points->f, s->f, n * sizeof *s->f);
  note_slope(s);
  run->space->ops->copy(run->space, start->x, s->here.x, 1);
  lr_oracle_know(&run->oracle, start, s->here.f);
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_SURROGATE_ENDED,
                                     .count = n,
                                     .value = lr_run_told(run, s->here.f)});
  return LR_GO;
}

static lr_code go(opening *s, lr_point *start, lr_box_points *points)
{
  lr_run *run = s->run;
  bool good, poor = false;
  LR_TRY(lr_frame_open(&s->frame, run, &good));
  if (!good) return LR_GO;
  LR_TRY(open_process(s));
  s->here = (lr_point){
      .x = {s->columns, HERE}
  };
  run->space->ops->copy(run->space, s->here.x, start->x, 1);
  lr_oracle_know(&run->oracle, &s->here, start->f);
  LR_TRY(try_others(s, &poor));
  if (!poor) return LR_GO;
  run->whole = true;
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_SURROGATE,
                                     .value = lr_run_told(run, start->f),
                                     .level = lr_run_told(run, s->here.f)});
  LR_TRY(descend(s));
  return hand_over(s, start, points);
}

lr_code lr_surrogate_phase(lr_run *run, lr_point *start, lr_box_points *points)
{
  opening s = {.run = run, .policy = run->policy, .p = run->space->dimension};
  s.budget = lr_surrogate_budget(run->policy, s.p);
  LR_TRY(lr_oracle_value(&run->oracle, start, LRGD_PURPOSE_DESCEND));
  lr_run_stand(run, start);
  LR_TRY(lr_run_count(run, start));
  lr_code code = go(&s, start, points);
  /* the run's iterate is in memory of `s`, which is freed next */
  lr_run_stand(run, start);
  close(&s);
  return code;
}
