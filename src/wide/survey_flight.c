/* The survey where evaluations end in any order.
 *
 * In place of rounds there are generations: W values that came since the model
 * promised its decrease.  A generation ends early where a point brings a share
 * of the promise that makes it a success. */
#include "wide/survey_flight.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"
#include "wide/wide_rules.h"

#include <math.h>
#include <string.h>

/* A point under way. */
typedef struct waiting {
  double step; /* step of a landing: its distance from the best point; else 0 */
  uint64_t generation;
  bool start; /* the start of the survey */
} waiting;

typedef struct flight {
  lr_survey_model *m;
  lr_rounds *rounds;
  lr_frame *frame;     /* NULL: coordinates are those of `span` */
  lr_span *span;       /* the subspace searched, if no frame */
  double unit;         /* unit of length of its coordinates */
  double *under_way;   /* p coordinates for each of W places, and one more */
  waiting *waits;      /* for each of W places */
  size_t opening;      /* the next point of the first model */
  bool opened;         /* the first model is there */
  uint64_t generation; /* number of the present model */
  size_t landed;       /* landings of this model that were started */
  size_t came;         /* values that came since this model was made */
  double before;       /* the lowest value before this model */
  double step;         /* step of the lowest landing, or 0 */
  bool landing;        /* whether the lowest point of it is a landing */
  bool at_start;       /* the point being placed is the start itself */
} flight;

/* ---- points ---- */

static double *coordinates(const flight *q, size_t at)
{
  return q->under_way + at * q->m->p;
}

static void to_user(flight *q, const double *z, lrgd_vec x)
{
  if (q->frame) {
    lr_frame_to(q->frame, z, x);
    return;
  }
  double *c = q->m->step;
  for (size_t i = 0; i < q->m->p; i++) c[i] = q->unit * z[i];
  lr_span_place(q->span, c, q->m->p, x);
}

/* The start is evaluated as it was given, without the rounding of its way
 * through coordinates. */
static void place(void *self, size_t i, lrgd_vec x)
{
  flight *q = self;
  if (q->at_start)
    q->m->run->space->ops->copy(q->m->run->space, x, q->rounds->here.x, 1);
  else
    to_user(q, coordinates(q, i), x);
}

/* to = the next point of the first model: the start, a point beside it along
 * each axis, then those on the opposite sides.  False: there are no more. */
static bool open_by(flight *q, double *to)
{
  lr_survey_model *m = q->m;
  size_t p = m->p;
  const double *z = m->points;
  double D = m->radius;
  for (; q->opening <= 2 * p; q->opening++) {
    size_t i = q->opening;
    memcpy(to, z, p * sizeof *to);
    if (i > 0) {
      size_t j = (i - 1) % p;
      double first = z[j] + (z[j] + D <= 1 ? D : -D);
      to[j] = i <= p ? first : 2 * z[j] - first;
      if (fabs(to[j]) > 1) continue;
    }
    q->opening++;
    return true;
  }
  return false;
}

/* Chooses the next point: a landing of the model that has not been started, or
 * a random point around the first landing. */
static waiting choose(flight *q, double *to)
{
  lr_survey_model *m = q->m;
  waiting made = {.generation = q->generation, .start = q->opening == 0};
  if (!q->opened && open_by(q, to)) return made;
  made.start = false;
  if (q->opened && q->landed < m->landings) {
    memcpy(to, m->land + q->landed * m->p, m->p * sizeof *to);
    made.step = m->lengths[q->landed++];
    return made;
  }
  lr_survey_explore(m, to);
  return made;
}

static lr_code start_points(flight *q)
{
  size_t spare = q->rounds->width, at;
  double *to = coordinates(q, spare);
  while (lr_rounds_free(q->rounds) > 0) {
    waiting made = choose(q, to);
    q->at_start = made.start;
    LR_TRY(lr_rounds_start(q->rounds, place, q, spare, &at));
    memcpy(coordinates(q, at), to, q->m->p * sizeof *to);
    q->waits[at] = made;
  }
  return LR_GO;
}

/* ---- values ---- */

static double highest(const lr_survey_model *m)
{
  double high = -INFINITY;
  for (size_t i = 0; i < m->count; i++) high = fmax(high, m->f[i]);
  return high;
}

static lr_code arrive(flight *q)
{
  lr_survey_model *m = q->m;
  lrgd_vec x = {q->rounds->points, 0};
  to_user(q, lr_survey_point(m, m->best), x);
  return lr_rounds_arrive(q->rounds, x, m->f[m->best]);
}

/* The value at the start, which is point number 0. */
static lr_code add_start(flight *q, double f)
{
  lr_run *run = q->m->run;
  if (!lr_finite(f)) return LR_NOVALUE;
  q->m->f[0] = f;
  lr_oracle_know(&run->oracle, &q->rounds->here, f);
  lr_run_stand(run, &q->rounds->here);
  return lr_run_count(run, &q->rounds->here);
}

/* Adds a known point.  One without a value gets the highest known one. */
static lr_code add(flight *q, size_t at, double f)
{
  lr_survey_model *m = q->m;
  const waiting *w = &q->waits[at];
  size_t i = m->count;
  if (w->start) return add_start(q, f);
  if (!lr_finite(f)) f = highest(m);
  if (!lr_finite(f)) return LR_GO;
  memcpy(lr_survey_point(m, i), coordinates(q, at), m->p * sizeof(double));
  m->f[i] = f;
  m->count++;
  q->came++;
  if (!q->opened || !(f < m->f[m->best])) return LR_GO;
  m->best = i;
  q->step = w->step;
  q->landing = w->step > 0 && w->generation == q->generation;
  return arrive(q);
}

static lr_code finish_point(flight *q)
{
  size_t at;
  double f;
  LR_TRY(lr_rounds_finish(q->rounds, &at, &f));
  return add(q, at, f);
}

/* ---- generations ---- */

static void begin_generation(flight *q)
{
  lr_survey_model *m = q->m;
  q->generation++;
  q->landed = q->came = 0;
  q->landing = false;
  q->before = m->f[m->best];
  lr_survey_land(m);
}

/* Whether a landing has brought the share of the predicted decrease that makes
 * the generation a success, or W values have come. */
static bool is_done(const flight *q)
{
  const lr_survey_model *m = q->m;
  double gain = q->before - m->f[m->best];
  bool success = gain > 0 && gain > m->run->policy->survey_gain * m->promised;
  return q->came >= m->width || (success && q->landing);
}

static void end_generation(flight *q)
{
  lr_survey_model *m = q->m;
  const lr_policy *P = m->run->policy;
  double gain = q->before - m->f[m->best];
  /* the longer landings may still be under way */
  double step = q->step;
  if (q->came < m->width)
    step = lr_survey_early_step(P, gain, m->promised, step, m->radius);
  m->radius = lr_survey_radius(P, m->radius, gain, m->promised, q->landing,
                               step, (double)q->came, (double)m->p);
  m->radius = fmin(m->radius, P->dfo_first_radius * sqrt((double)m->p));
  lr_survey_learn(m);
  begin_generation(q);
}

/* Whether the predicted decrease is not worth another generation. */
static bool promises_nothing(const flight *q)
{
  const lr_survey_model *m = q->m;
  double f = m->f[m->best], level = lr_oracle_level(&m->run->oracle, f);
  return q->span &&
         lr_inside_ends(m->run->policy, m->promised, m->f[0] - f, level);
}

static lr_code go(flight *q)
{
  begin_generation(q);
  while (!lr_survey_is_over(q->m) && !promises_nothing(q)) {
    LR_TRY(start_points(q));
    LR_TRY(finish_point(q));
    if (is_done(q)) end_generation(q);
  }
  return LR_GO;
}

/* ---- the two doors ---- */

static lr_code open(flight *q)
{
  size_t p = q->m->p, width = q->rounds->width;
  const lrgd_allocator *a = &q->m->run->allocator;
  q->under_way = lr_alloc(a, (width + 1) * p, sizeof *q->under_way);
  q->waits = lr_alloc(a, width, sizeof *q->waits);
  if (q->under_way && q->waits) return LR_GO;
  return lr_oracle_fault(&q->m->run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for %zu evaluations under way", width);
}

static void close(flight *q)
{
  const lrgd_allocator *a = &q->m->run->allocator;
  lr_oracle_drain(&q->m->run->oracle);
  lr_free(a, q->under_way);
  lr_free(a, q->waits);
}

/* Builds the first model in a box as soon as the start and p other values are
 * known.  They determine fewer than p slopes where some are of opposite points:
 * the model of least change has zero slopes along the other axes.  Where the
 * start takes long, no more points come before it than a model uses, as there
 * is room for so many. */
static lr_code open_box(flight *q)
{
  lr_survey_model *m = q->m;
  double f = q->rounds->here.f;
  lr_frame_from(q->frame, q->rounds->here.x, m->points);
  m->count = 1;
  m->f[0] = NAN;
  q->opening = lr_finite(f) ? 1 : 0;
  if (q->opening > 0) LR_TRY(add_start(q, f));
  while (isnan(m->f[0]) || m->count <= m->p) {
    if (m->count < m->most) LR_TRY(start_points(q));
    LR_TRY(finish_point(q));
  }
  for (size_t i = 1; i < m->count; i++)
    if (m->f[i] < m->f[m->best]) m->best = i;
  memcpy(m->model_at, lr_survey_point(m, m->best), m->p * sizeof(double));
  lr_survey_learn(m);
  m->cut = m->count;
  m->cut_f = m->f[m->best];
  q->opened = true;
  return m->best > 0 ? arrive(q) : LR_GO;
}

lr_code lr_survey_box_in_flight(lr_survey_model *m, lr_rounds *rounds,
                                lr_frame *frame)
{
  flight q = {.m = m, .rounds = rounds, .frame = frame};
  lr_code code = open(&q);
  if (code == LR_GO) code = open_box(&q);
  if (code == LR_GO) code = go(&q);
  close(&q);
  return code;
}

/* Takes over the model of the span, whose centre is its start. */
static void open_span(flight *q)
{
  lr_survey_model *m = q->m;
  const lr_span *s = q->span;
  size_t k = s->k;
  m->half = INFINITY;
  m->window = lr_survey_window(m->run->policy, m->width, k);
  m->count = 1;
  m->f[0] = m->cut_f = s->f;
  m->cut = 1;
  q->unit = s->radius / m->radius;
  for (size_t j = 0; j < k; j++) {
    m->g[j] = q->unit * s->g[j];
    for (size_t i = 0; i < k; i++)
      m->H[j * k + i] = q->unit * q->unit * s->B[j * s->most + i];
  }
  q->opened = true;
}

/* Leaves the model at the best point as that of the span. */
static void leave_span(flight *q)
{
  lr_survey_model *m = q->m;
  lr_span *s = q->span;
  size_t k = s->k;
  double unit = q->unit;
  if (m->count > 1) lr_survey_learn(m);
  for (size_t j = 0; j < k; j++) {
    s->c[j] = unit * lr_survey_point(m, m->best)[j];
    s->g[j] = m->g[j] / unit;
    for (size_t i = 0; i < k; i++)
      s->B[j * s->most + i] = m->H[j * k + i] / (unit * unit);
  }
  s->f = m->f[m->best];
  s->radius = unit * m->radius;
}

lr_code lr_survey_span_in_flight(lr_span *s)
{
  lr_survey_model m;
  flight q = {.m = &m, .rounds = s->rounds, .span = s};
  double far = s->unit * sqrt((double)lr_run_dimension(s->run));
  if (!(s->radius > 0)) return LR_GO;
  s->radius = fmin(s->radius, far); /* all inputs by their size */
  lr_code code = lr_survey_open(&m, s->run, s->k, s->rounds->points);
  if (code == LR_GO) code = open(&q);
  if (code == LR_GO) {
    open_span(&q);
    code = go(&q);
  }
  if (code == LR_GO) leave_span(&q);
  close(&q);
  lr_survey_close(&m);
  return code;
}
