/* The survey of a box, by rounds.
 *
 * A round evaluates the minimum of the model for several radii, and points
 * around the first of these along a random orthonormal cycle. */
#include "wide/survey.h"

#include "base/finite.h"
#include "base/vector.h"
#include "wide/survey_flight.h"
#include "wide/survey_model.h"
#include "wide/wide_rules.h"

#include <math.h>
#include <string.h>

typedef struct survey {
  lr_rounds *rounds;
  lr_frame *frame;
  lr_survey_model m;
} survey;

static double *point(const survey *q, size_t i)
{
  return lr_survey_point(&q->m, i);
}

/* ---- rounds ---- */

static void place(void *self, size_t i, lrgd_vec x)
{
  survey *q = self;
  lr_frame_to(q->frame, point(q, q->m.count + i), x);
}

/* Evaluates the n points after the known ones.  A point without a value gets
 * the highest known value. *best: the lowest of them. */
static lr_code ask(survey *q, size_t n, size_t *best)
{
  double high = -INFINITY;
  LR_TRY(lr_rounds_ask(q->rounds, n, place, q, q->m.f + q->m.count));
  for (size_t i = 0; i < q->m.count + n; i++)
    if (lr_finite(q->m.f[i])) high = fmax(high, q->m.f[i]);
  *best = q->m.count;
  for (size_t i = q->m.count; i < q->m.count + n; i++) {
    if (!lr_finite(q->m.f[i])) q->m.f[i] = high;
    if (q->m.f[i] < q->m.f[*best]) *best = i;
  }
  q->m.count += n;
  if (!(q->m.f[*best] < q->m.f[q->m.best])) return LR_GO;
  q->m.best = *best;
  lrgd_vec x = {q->rounds->points, 0};
  lr_frame_to(q->frame, point(q, q->m.best), x);
  return lr_rounds_arrive(q->rounds, x, q->m.f[q->m.best]);
}

/* Places p points beside the start, and some on the opposite sides, which fill
 * up the last round; returns their number. */
static size_t open_around(survey *q)
{
  size_t p = q->m.p, width = q->rounds->width, n = p;
  size_t left = (width - (p + 1) % width) % width;
  double D = q->m.radius, *z = q->m.points;
  for (size_t i = 0; i < p + (left < p ? left : p); i++) {
    size_t j = i % p;
    double to = z[j] + (z[j] + D <= 1 ? D : -D);
    if (i >= p) to = 2 * z[j] - to;
    if (fabs(to) > 1) continue;
    double *y = point(q, 1 + (i < p ? i : n++));
    memcpy(y, z, p * sizeof *y);
    y[j] = to;
  }
  return n;
}

/* Evaluates the start, together with the first of the n points around it, whose
 * number is *known. */
static lr_code ask_start(survey *q, size_t n, size_t *known)
{
  lr_run *run = q->m.run;
  lr_oracle *o = &run->oracle;
  lr_point *here = &q->rounds->here;
  lrgd_vec x = {q->rounds->points, 0};
  *known = 0;
  if (!lr_finite(here->f)) {
    bool more = lr_oracle_begin_plan(o) && lr_oracle_plan(o, here->x);
    for (size_t i = 1; i <= n && more; i++) {
      lr_frame_to(q->frame, point(q, i), x);
      more = lr_oracle_plan(o, x);
    }
    LR_TRY(lr_oracle_ask_planned(o, LRGD_PURPOSE_DESCEND));
    if (o->ahead.known > 0) *known = o->ahead.known - 1;
    LR_TRY(lr_oracle_value(o, here, LRGD_PURPOSE_DESCEND));
  }
  lr_run_stand(run, here);
  q->m.f[0] = q->m.cut_f = here->f;
  return lr_run_count(run, here);
}

/* Builds the first model. */
static lr_code begin(survey *q)
{
  size_t p = q->m.p, known, best;
  double *z = q->m.points;
  lr_frame_from(q->frame, q->rounds->here.x, z);
  size_t n = open_around(q);
  LR_TRY(ask_start(q, n, &known));
  q->m.count = 1;
  if (known > 0) LR_TRY(ask(q, known, &best));
  if (known < n) LR_TRY(ask(q, n - known, &best));
  for (size_t j = 0; j < p; j++)
    q->m.g[j] = (q->m.f[1 + j] - q->m.f[0]) / (point(q, 1 + j)[j] - z[j]);
  memcpy(q->m.model_at, z, p * sizeof *z);
  q->m.cut = q->m.count;
  return LR_GO;
}

/* The points of a round: landings, and points around the first of them. */
static void choose(survey *q)
{
  lr_survey_model *m = &q->m;
  size_t n = m->count + m->landings;
  memcpy(point(q, m->count), m->land, m->landings * m->p * sizeof(double));
  for (size_t i = n; i < m->count + m->width; i++)
    lr_survey_explore(m, point(q, i));
}

static lr_code iterate(survey *q)
{
  lr_survey_model *m = &q->m;
  const lr_policy *P = m->run->policy;
  size_t width = m->width, n = m->count, best;
  double f = m->f[m->best];
  lr_survey_learn(m);
  lr_survey_land(m);
  choose(q);
  LR_TRY(ask(q, width, &best));
  bool landing = best < n + m->landings;
  double step = landing ? m->lengths[best - n] : 0;
  m->radius = lr_survey_radius(P, m->radius, f - m->f[m->best], m->promised,
                               landing, step, (double)width, (double)m->p);
  m->radius = fmin(m->radius, P->dfo_first_radius * sqrt((double)m->p));
  return LR_GO;
}

static lr_code go(survey *q)
{
  lr_survey_model *m = &q->m;
  LR_TRY(begin(q));
  while (!lr_survey_is_over(m)) LR_TRY(iterate(q));
  return LR_GO;
}

lr_code lr_survey(lr_rounds *rounds, lr_frame *frame, double *radius)
{
  lr_run *run = rounds->run;
  survey q = {.rounds = rounds, .frame = frame};
  run->whole = true;
  lr_code code = lr_survey_open(&q.m, run, frame->p, rounds->points);
  if (code == LR_GO)
    code = lr_rounds_async(rounds)
               ? lr_survey_box_in_flight(&q.m, rounds, frame)
               : go(&q);
  *radius = q.m.radius;
  lr_survey_close(&q.m);
  return code;
}
