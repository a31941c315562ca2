/* The driver of a quadric in a box: which of its proposals are asked for, and
 * how far it is trusted.  The rules for the two radii are those of Powell's
 * BOBYQA (report DAMTP 2009/NA06); the first p + 1 values are enough for a
 * first step here, unless they only rose, and the model grows to 2 p + 1 points
 * on the way. */
#include "dfo/interpolation_phase.h"

#include "dfo/box_scaling.h"

#include <math.h>

enum {
  FEWEST = 24, /* dimensions: below, a gradient costs little more than a step */
  MOST = 200,  /* above, its matrices cost more than values do */
  LONGEST = 30 /* p values; gradients have made up for it by then */
};

/* Distances, in coordinates (chart.h): how far apart the first values are, and
 * the resolution at which it is over. */
static const double first_radius = 0.25, last_radius = 1e-3;

typedef struct survey {
  lr_run *run;
  lr_box_scaling chart;
  double radius; /* how far the model is trusted ... */
  double finest; /* ... at least, at this resolution */
  int fails;     /* steps in a row that did not fall */
  int unsound;   /* times in a row that no model could be made */
} survey;

bool lr_interpolation_phase_suits(const lr_run *run)
{
  const lr_answers *a = &run->oracle.answers;
  size_t p = run->space->dimension;
  bool by_value = (a->value || a->values) && !a->slopes && !a->gradient;
  return by_value && lr_oracle_boxed(&run->oracle) && run->domain.k == 0 &&
         p >= FEWEST && p <= MOST;
}

/* ---- the steps ---- */

/* The value just asked for goes into the model. */
static void learn(survey *s, double f, size_t instead_of)
{
  lr_interpolation_take(&s->chart.q, s->chart.x, f, s->radius, instead_of);
  s->unsound = s->chart.q.sound ? 0 : s->unsound + 1;
}

/* A radius near the finest is the finest. */
static void set_radius(survey *s, double radius)
{
  s->radius = radius < 1.5 * s->finest ? s->finest : radius;
}

/* How far to trust the model, after a step that brought `ratio` of what it
 * promised. */
static void retrust(survey *s, double size, double ratio)
{
  double half = 0.5 * s->radius;
  if (!(ratio > 0.1))
    set_radius(s, fmin(0.5 * size, half));
  else
    set_radius(s, fmax(half, ratio > 0.7 ? 2 * size : size));
}

/* To where the model is least.  *ratio: what that brought of what was
 * promised; *little: it was too short to be asked for. */
static lr_code go(survey *s, double *ratio, bool *little)
{
  lr_interpolation *q = &s->chart.q;
  double f, promised = lr_interpolation_step(q, s->radius, s->chart.d);
  double size = lr_norm(q->p, s->chart.d);
  *ratio = -1;
  *little = size < 0.5 * s->finest || !(promised > 0);
  if (*little) {
    set_radius(s, 0.1 * s->radius);
    return LR_GO;
  }
  double before = q->f[q->best];
  LR_TRY(lr_box_scaling_ask(&s->chart, &f));
  *ratio = (before - f) / promised;
  retrust(s, size, *ratio);
  learn(s, f, q->most);
  return LR_GO;
}

/* The first steps.  Where inputs act apart, the other side of the start tells
 * all that there is to know; where the first values rose and their slopes lead
 * nowhere, it takes it to tell slopes from bends. */
static lr_code set_out(survey *s, const lr_point *start)
{
  lr_box_scaling *c = &s->chart;
  bool apart, little;
  double ratio, before = c->best.f;
  LR_TRY(lr_box_scaling_try_apart(c, &apart));
  if (apart) return lr_box_scaling_look_behind(c, start, s->radius, false);
  if (!lr_box_scaling_bends(c)) return LR_GO;
  LR_TRY(go(s, &ratio, &little));
  if (little || ratio >= 0.1) return LR_GO;
  return lr_box_scaling_look_behind(c, start, s->radius, c->best.f < before);
}

/* Brings in the point that is farthest off, if it is far.  *moved: it was. */
static lr_code spread(survey *s, bool *moved)
{
  lr_interpolation *q = &s->chart.q;
  double far, f;
  size_t t = lr_interpolation_farthest(q, &far);
  *moved = far > fmax(2 * s->radius, 10 * s->finest) && q->sound;
  if (!*moved) return LR_GO;
  double reach = fmax(fmin(0.1 * far, s->radius), s->finest);
  lr_interpolation_spread(q, t, reach, s->chart.d);
  LR_TRY(lr_box_scaling_ask(&s->chart, &f));
  learn(s, f, t);
  return LR_GO;
}

/* One or two values, or a finer resolution. */
static lr_code once(survey *s)
{
  double ratio;
  bool little, moved;
  LR_TRY(go(s, &ratio, &little));
  if (ratio >= 0.1) {
    s->fails = 0;
    return LR_GO;
  }
  LR_TRY(spread(s, &moved));
  if (moved) {
    s->fails = 0;
    return LR_GO;
  }
  if (!little && (ratio > 0 || s->radius > s->finest || ++s->fails < 3))
    return LR_GO;
  s->fails = 0;
  lr_box_scaling_rescale(&s->chart, s->finest);
  s->radius = 0.5 * s->finest;
  s->finest *= 0.1;
  return LR_GO;
}

/* No model can be made, or the resolution is too fine for one. */
static bool at_end(const survey *s)
{
  return s->unsound >= 3 || s->finest < last_radius;
}

static lr_code spend(survey *s, uint64_t values)
{
  uint64_t end = lr_oracle_spent(&s->run->oracle) + values;
  while (lr_oracle_spent(&s->run->oracle) < end && !at_end(s)) LR_TRY(once(s));
  return LR_GO;
}

/* ---- the survey ---- */

/* Whether values alone pay: they are asked for half p, p, 2 p and 3 p values
 * after the first, f being what was reached.  Where nearly all that p values
 * bring comes with the first half of them, f is low-rank and that was its first
 * direction; or the minimum is near, as long as steps across a quarter of the
 * box are not too long.  (Not where the other half halves f: a sum of squares
 * is on its way to 0.)  Where later ones bring little, and no less each time,
 * the way along a curved valley has begun.  Gradients know both better. */
static bool pays(const survey *s, const double *f, int reached)
{
  if (reached < 2) return true;
  bool halved = f[2] > 0 && f[2] < 0.5 * f[1];
  bool once = f[1] - f[2] <= 0.015 * (f[0] - f[1]) && !halved &&
              s->finest < first_radius;
  if (reached == 2) return !once;
  bool no_less = f[2] - f[3] >= 0.5 * (f[1] - f[2]);
  if (reached == 3) return !(once && no_less);
  bool little = f[2] - f[4] < 0.05 * (f[0] - f[2]);
  return !(no_less && (once || little) && f[3] - f[4] >= 0.7 * (f[2] - f[3]));
}

/* Nothing more is to be had: the last p values brought nothing, or it is at
 * its end. */
static bool over(const survey *s, double before)
{
  double level = lr_oracle_level(&s->run->oracle, s->chart.best.f);
  return at_end(s) || !(before - s->chart.best.f > level);
}

/* As long as it pays, and there is something to be had. */
static lr_code go_on(survey *s)
{
  uint64_t p = s->chart.q.p;
  const uint64_t shares[] = {p - p / 2, p / 2, p, p};
  double f[5] = {s->chart.first};
  bool worked = true;
  for (int i = 0; i < 4 && worked; i++) {
    LR_TRY(spend(s, shares[i]));
    f[i + 1] = s->chart.best.f;
    worked = pays(s, f, i + 1);
  }
  double before = f[3];
  for (int i = 4; i < LONGEST && worked && !over(s, before); i++) {
    before = s->chart.best.f;
    LR_TRY(spend(s, p));
  }
  lr_run_decide(
      s->run,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_INTERPOLATION_ENDED,
                      .cause = worked ? LRGD_CAUSE_CONVERGED : LRGD_CAUSE_SLOW,
                      .value = lr_run_told(s->run, s->chart.best.f)});
  return LR_GO;
}

lr_code lr_interpolation_phase(lr_run *run, lr_point *start, lr_point *found)
{
  survey s;
  bool good = false;
  found->f = NAN;
  LR_TRY(lr_oracle_value(&run->oracle, start, LRGD_PURPOSE_DESCEND));
  run->at = *start;
  LR_TRY(lr_run_count(run, start));
  s = (survey){.run = run, .radius = first_radius, .finest = first_radius};
  lr_code code = lr_box_scaling_open(&s.chart, run, start);
  if (code == LR_GO)
    code = lr_box_scaling_begin(&s.chart, start, first_radius, &good);
  if (code == LR_GO && good) code = set_out(&s, start);
  if (code == LR_GO && good) code = go_on(&s);
  if (code == LR_GO && good) {
    run->space->ops->copy(run->space, found->x, s.chart.best.x, 1);
    lr_oracle_know(&run->oracle, found, s.chart.best.f);
    /* f was as steep at the start, at least, if it is convex; K's first
     * gradient, near a minimum, is no measure of what is small */
    run->goal.first_slope = lr_box_scaling_slope(&s.chart, start);
  }
  run->at = *start; /* not a column of the chart any more */
  lr_box_scaling_close(&s.chart);
  return code;
}
