/* Quasi-Newton, by rounds. */
#include "wide/wide_descent.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"
#include "space/vec.h"
#include "wide/box_region.h"
#include "wide/region.h"
#include "wide/secants.h"
#include "wide/wide_rules.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { LENGTHS = 12 };
enum { HERE, GRADIENT, FRESH, WORK, STEP, STEPS, COLUMNS = STEPS + LENGTHS };

/* The state of the phase, and the arrays of one round. */
typedef struct descent {
  lr_rounds *rounds;
  lr_run *run;
  lrgd_space *space;
  lr_frame *frame; /* NULL: no box */
  lr_secants secants;
  lr_region region;    /* used without a box */
  lr_box_region boxed; /* used in a box */
  double *dense;       /* the dense model for a box: g (p) and H (p x p) */
  double *z;           /* p numbers of scratch */
  lrgd_block *columns; /* the columns named above */
  double f, radius, unit, first; /* first: |gradient| at the start */
  size_t n;                      /* steps of the round */
  /* of these steps; promised: the decrease predicted for the first */
  double lengths[LENGTHS], promised;
  size_t stencil; /* the step at whose end differences are taken */
  size_t offset;  /* points of the round before those of the differences */
  /* spent: the predicted decrease is negligible; closer: noise was measured */
  bool spent, closer;
  /* the round's values, and the lengths of its differences */
  double *values, *h;
  /* where evaluations end in any order: the lengths of the differences of the
   * gradient at the iterate, and the number of the first of them */
  double *last_h;
  uint64_t last_first;
  size_t age; /* pairs added since the one that ended at the iterate */
} descent;

static lrgd_vec column(const descent *q, size_t j)
{
  return (lrgd_vec){q->columns, j};
}

/* ---- memory ---- */

static lr_code open(descent *q)
{
  const lrgd_allocator *a = &q->run->allocator;
  size_t p = q->space->dimension;
  const lr_policy *P = q->run->policy;
  q->columns = q->space->ops->make(q->space, COLUMNS);
  q->values = lr_alloc(a, 3 * p + LENGTHS, sizeof *q->values);
  bool good = q->columns && q->values &&
              lr_secants_init(&q->secants, P, q->space, a) == LRGD_OK;
  if (good && q->frame) {
    q->dense = lr_alloc(a, p * (p + 2), sizeof *q->dense);
    good = q->dense && lr_box_region_init(&q->boxed, P, a, p) == LRGD_OK;
  } else if (good) {
    good = lr_region_init(&q->region, a, q->secants.room) == LRGD_OK;
  }
  if (!good)
    return lr_oracle_fault(&q->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for quasi-Newton in dimension %zu",
                           p);
  q->h = q->values + p + LENGTHS;
  q->last_h = q->h + p;
  if (q->frame) q->z = q->dense + p * (p + 1);
  return LR_GO;
}

static void close(descent *q)
{
  const lrgd_allocator *a = &q->run->allocator;
  if (q->columns) q->space->ops->free(q->space, q->columns);
  lr_free(a, q->values);
  lr_free(a, q->dense);
  lr_secants_clear(&q->secants);
  lr_region_clear(&q->region);
  lr_box_region_clear(&q->boxed);
}

/* ---- points ---- */

/* Writes the user's inputs for coordinates z of the frame to x. */
static void put(descent *q, lrgd_vec z, lrgd_vec x)
{
  if (!q->frame) {
    q->space->ops->copy(q->space, x, z, 1);
    return;
  }
  q->space->ops->get(q->space, z, 0, q->space->dimension, q->frame->z);
  lr_frame_to(q->frame, q->frame->z, x);
}

/* The length of the difference along input i from z. */
static double difference(const descent *q, lrgd_vec z, size_t i)
{
  double sigma = q->secants.count > 0 ? q->secants.sigma : 0, at;
  double h = lr_oracle_step(&q->run->oracle, q->unit, q->f, -sigma);
  if (!q->frame) return h;
  q->space->ops->get(q->space, z, i, 1, &at);
  return at + h > 1 ? -h : h;
}

static void place(void *self, size_t i, lrgd_vec x)
{
  descent *q = self;
  if (i < q->offset) {
    put(q, column(q, STEPS + i), x);
    return;
  }
  size_t j = i - q->offset;
  lrgd_vec z = column(q, STEPS + q->stencil), w = column(q, WORK);
  q->space->ops->copy(q->space, w, z, 1);
  q->h[j] = q->space->ops->add_at(q->space, w, j, difference(q, z, j));
  put(q, w, x);
}

/* How many of the p differences need not be waited for. */
static size_t late(const descent *q)
{
  if (!lr_rounds_async(q->rounds) || q->secants.count == 0) return 0;
  return lr_wide_late(q->run->policy, q->rounds->width, q->space->dimension,
                      false);
}

/* G = the gradient by the differences, f being the value at their base and d
 * those at their points; late ones are as predicted.  False: more of them have
 * no value. */
static bool read_gradient(descent *q, double f, const double *d, lrgd_vec G)
{
  size_t p = q->space->dimension, left = late(q);
  if (left > 0) {
    lrgd_vec step = column(q, WORK);
    q->space->ops->axpy_into(q->space, step, column(q, STEPS + q->stencil),
                             column(q, HERE), -1);
    lr_secants_predict(&q->secants, column(q, GRADIENT), step, G);
  }
  for (size_t j = 0; j < p; j++) {
    double slope = (d[j] - f) / q->h[j];
    bool known = lr_finite(slope);
    if (!known && left-- == 0) return false;
    if (!known) continue;
    q->space->ops->put(q->space, G, j, 1, &slope);
    lr_oracle_count_slope(&q->run->oracle, LRGD_PURPOSE_DESCEND);
  }
  return true;
}

/* ---- the model ---- */

/* In a box: the model as a dense one, within the bounds. */
static bool expand(descent *q)
{
  size_t p = q->space->dimension;
  double *H = q->dense + p, *z = q->z;
  q->space->ops->get(q->space, column(q, GRADIENT), 0, p, q->dense);
  lr_secants_expand(&q->secants, column(q, WORK), H, q->frame->z, z);
  q->space->ops->get(q->space, column(q, HERE), 0, p, z);
  for (size_t i = 0; i < p; i++) {
    q->boxed.lower[i] = -1 - z[i];
    q->boxed.upper[i] = 1 - z[i];
  }
  return lr_box_region_set(&q->boxed, q->dense, H);
}

static bool set_model(descent *q)
{
  lr_secants *s = &q->secants;
  if (!lr_secants_model(s, column(q, GRADIENT))) return false;
  if (q->frame) return expand(q);
  return lr_region_set(&q->region, s->Z.k, s->g, s->H, s->room,
                       (lr_region_errors){.slope = INFINITY});
}

/* STEP = the model's step within a radius; returns the predicted decrease. */
static double step_within(descent *q, double radius, double *size)
{
  lrgd_vec w = column(q, STEP);
  double fall;
  if (q->frame) {
    fall = lr_box_region_step(&q->boxed, radius, q->z);
    q->space->ops->put(q->space, w, 0, q->frame->p, q->z);
  } else {
    double *c = q->secants.scratch;
    fall = lr_region_step(&q->region, radius, c);
    q->space->ops->scale(q->space, w, 0);
    lr_basis_expand(&q->secants.Z, w, c);
  }
  (void)q->space->ops->measure(q->space, w, size);
  return fall;
}

/* step = the way from the iterate to the end of step j; its length. */
static double step_to(descent *q, size_t j, lrgd_vec step)
{
  double size = 0;
  q->space->ops->axpy_into(q->space, step, column(q, STEPS + j),
                           column(q, HERE), -1);
  (void)q->space->ops->measure(q->space, step, &size);
  return size;
}

/* The distance between a step and the step stored as number `other`. */
static double apart(descent *q, lrgd_vec step, size_t other)
{
  lrgd_vec w = column(q, WORK);
  double minus = -1, size = 0;
  q->space->ops->axpy_into(q->space, w, column(q, HERE), step, 1);
  q->space->ops->add(q->space, w, column(q, STEPS + other), 1, &minus);
  (void)q->space->ops->measure(q->space, w, &size);
  return size;
}

/* Adds STEP to the steps of the round, unless it is one of them. */
static bool add_step(descent *q, double length, double size)
{
  lrgd_vec step = column(q, STEP);
  bool differs = size > 0;
  for (size_t j = 0; j < q->n && differs; j++)
    differs = lr_wide_differs(q->run->policy, apart(q, step, j), size);
  if (!differs) return false;
  q->space->ops->axpy_into(q->space, column(q, STEPS + q->n), column(q, HERE),
                           step, 1);
  q->lengths[q->n++] = length;
  return true;
}

/* Proposes up to `most` distinct steps: those for several radii and, where
 * these are the same, multiples of the first one (in a box, parts of it). */
static void propose(descent *q, size_t most)
{
  double size = 0, fall;
  most = most < LENGTHS ? most : LENGTHS;
  q->n = 0;
  for (size_t i = 0; i < most; i++) {
    double length = lr_wide_length(i);
    fall = step_within(q, q->radius * length, &size);
    if (add_step(q, length, size) && q->n == 1) q->promised = fall;
  }
  for (size_t i = 1; q->n > 0 && q->n < most && i < LENGTHS; i++) {
    double length = lr_wide_length(i);
    if (q->frame && length > 1) continue;
    size = length * step_to(q, 0, column(q, STEP));
    q->space->ops->scale(q->space, column(q, STEP), length);
    (void)add_step(q, length, size);
  }
}

/* ---- rounds ---- */

/* Adds a secant pair: step j, and the change of the gradient to G. */
static double add_pair(descent *q, size_t j, lrgd_vec G, bool outside)
{
  lr_secants *s = &q->secants;
  lrgd_vec step = lr_secants_step(s), change = lr_secants_change(s);
  double size = step_to(q, j, step);
  q->space->ops->axpy_into(q->space, change, G, column(q, GRADIENT), -1);
  if (!(size > 0)) return 0;
  if (outside || s->count == 0) lr_secants_set_outside(s, step, change);
  lr_secants_add(s);
  q->age++;
  return size;
}

/* Remembers how the gradient at the iterate was measured, for its late values.
 */
static void adopt(descent *q)
{
  memcpy(q->last_h, q->h, q->space->dimension * sizeof *q->h);
  q->last_first = q->rounds->first + q->offset;
  q->age = 0;
}

/* A difference of the gradient at the iterate, which was predicted until now.
 */
static void amend(void *self, uint64_t serial, double f)
{
  descent *q = self;
  size_t p = q->space->dimension;
  lrgd_vec g = column(q, GRADIENT);
  if (serial < q->last_first || serial >= q->last_first + p) return;
  size_t j = (size_t)(serial - q->last_first);
  double slope = (f - q->f) / q->last_h[j], was;
  if (!lr_finite(slope)) return;
  q->space->ops->get(q->space, g, j, 1, &was);
  q->space->ops->put(q->space, g, j, 1, &slope);
  for (size_t age = 0; age < q->age; age++)
    lr_secants_amend(&q->secants, age, j, was - slope);
  lr_secants_amend(&q->secants, q->age, j, slope - was);
  lr_oracle_count_slope(&q->run->oracle, LRGD_PURPOSE_DESCEND);
}

static lr_code move(descent *q, size_t j, lrgd_vec G)
{
  lrgd_vec x = column(q, WORK);
  q->space->ops->copy(q->space, column(q, HERE), column(q, STEPS + j), 1);
  q->space->ops->copy(q->space, column(q, GRADIENT), G, 1);
  q->f = q->values[j];
  adopt(q);
  put(q, column(q, HERE), x);
  (void)q->space->ops->measure(q->space, G, &q->run->progress.grad_norm);
  return lr_rounds_arrive(q->rounds, x, q->f);
}

/* Evaluates the gradient at the end of step j. */
static lr_code ask_gradient(descent *q, size_t j, bool *whole)
{
  size_t p = q->space->dimension;
  q->stencil = j;
  q->offset = 0;
  LR_TRY(lr_rounds_ask_most(q->rounds, p, p - late(q), place, q,
                            q->values + LENGTHS));
  *whole =
      read_gradient(q, q->values[j], q->values + LENGTHS, column(q, FRESH));
  return LR_GO;
}

static size_t lowest(const descent *q)
{
  size_t best = 0;
  for (size_t i = 1; i < q->n; i++)
    if (q->values[i] < q->values[best] || !lr_finite(q->values[best])) best = i;
  return best;
}

/* Evaluates the steps of the round, with the differences at the end of the
 * first where the round is ahead. */
static lr_code ask_steps(descent *q, bool ahead)
{
  size_t p = q->space->dimension, n = q->n + (ahead ? p : 0);
  size_t spare =
      !lr_rounds_async(q->rounds) ? 0
      : ahead                     ? late(q)
              : lr_wide_late(q->run->policy, q->rounds->width, q->n, true);
  LR_TRY(lr_rounds_ask_most(q->rounds, n, n - spare, place, q, q->values));
  bool falls = q->values[lowest(q)] < q->f;
  return spare > 0 && !falls ? lr_rounds_rest(q->rounds, q->values) : LR_GO;
}

static void shrink(descent *q)
{
  double least = 1, size = step_to(q, 0, column(q, WORK));
  for (size_t i = 0; i < q->n; i++) least = fmin(least, q->lengths[i]);
  q->radius = lr_wide_shrunk(q->run->policy, least, q->radius, size);
}

/* One iteration: a round of steps together with the gradient at the end of the
 * first one (ahead), or followed by the gradient at the best of them. */
static lr_code iterate(descent *q, bool ahead, bool *falls, bool *whole)
{
  const lr_policy *P = q->run->policy;
  size_t p = q->space->dimension, width = q->rounds->width;
  size_t left = (width - (p + 1) % width) % width;
  size_t most = ahead                   ? lr_wide_lengths(P, 1 + left)
                : q->secants.count == 0 ? LENGTHS
                                        : lr_wide_lengths(P, width);
  propose(q, most < width ? most : width);
  q->stencil = 0;
  q->offset = q->n;
  *falls = false;
  *whole = q->n > 0;
  if (!*whole) return LR_GO;
  double *d = q->values + q->n;
  LR_TRY(ask_steps(q, ahead));
  lrgd_vec G = column(q, FRESH);
  bool known =
      ahead && lr_finite(q->values[0]) && read_gradient(q, q->values[0], d, G);
  size_t best = lowest(q);
  double size = 0, fall = q->f - q->values[0], more = q->f - q->values[best];
  *falls = q->values[best] < q->f;
  if (known) size = add_pair(q, 0, G, *falls);
  if (*falls && known && lr_wide_accepts(P->wide_accept, fall, more)) {
    best = 0;
  } else if (*falls) {
    LR_TRY(ask_gradient(q, best, whole));
    if (!*whole) return LR_GO;
    size = add_pair(q, best, G, true);
  } else {
    shrink(q);
    return LR_GO;
  }
  q->radius = lr_wide_grown(P, q->radius, q->lengths[best], size);
  return move(q, best, G);
}

/* Evaluates the gradient at the iterate. */
static lr_code measure_here(descent *q, bool *whole)
{
  q->space->ops->copy(q->space, column(q, STEPS), column(q, HERE), 1);
  q->values[0] = q->f;
  LR_TRY(ask_gradient(q, 0, whole));
  if (*whole)
    q->space->ops->copy(q->space, column(q, GRADIENT), column(q, FRESH), 1);
  return LR_GO;
}

/* Evaluates f and its gradient at the start. */
static lr_code begin(descent *q, bool *whole)
{
  lr_run *run = q->run;
  lrgd_vec z = column(q, HERE);
  LR_TRY(lr_oracle_value(&run->oracle, &q->rounds->here, LRGD_PURPOSE_DESCEND));
  LR_TRY(lr_run_count(run, &q->rounds->here));
  q->f = q->rounds->here.f;
  if (q->frame) {
    lr_frame_from(q->frame, q->rounds->here.x, q->z);
    q->space->ops->put(q->space, z, 0, q->frame->p, q->z);
  } else {
    q->space->ops->copy(q->space, z, q->rounds->here.x, 1);
  }
  LR_TRY(measure_here(q, whole));
  if (*whole)
    (void)q->space->ops->measure(q->space, column(q, GRADIENT), &q->first);
  return LR_GO;
}

/* Whether to stop: the gradient is within the tolerance, or no model can be
 * made. */
static bool is_small(descent *q)
{
  double size = 0;
  (void)q->space->ops->measure(q->space, column(q, GRADIENT), &size);
  return size <= q->run->policy->default_tolerance * q->first || !set_model(q);
}

/* Before the phase ends, once: measures the noise, and the gradient again if
 * differences were too short for that noise. */
static lr_code look_closer(descent *q, bool *again)
{
  lr_oracle *o = &q->run->oracle;
  double noise = o->differences.noise;
  *again = false;
  if (q->closer) return LR_GO;
  lr_oracle_drain(o);
  q->closer = true;
  LR_TRY(lr_oracle_measure_noise(o, &q->rounds->here, UINT64_MAX - 1));
  if (!(o->differences.noise > noise)) return LR_GO;
  q->secants.count = 0;
  return measure_here(q, again);
}

static lr_code go(descent *q)
{
  const lr_policy *P = q->run->policy;
  bool whole = false, falls, first = true;
  size_t rounds = 0, p = q->space->dimension;
  LR_TRY(begin(q, &whole));
  double start = q->f, window = q->f;
  for (unsigned failed = 0; whole; failed++) {
    double level = lr_oracle_level(&q->run->oracle, q->f);
    if (is_small(q) || lr_wide_fails(P, failed) || q->spent) {
      LR_TRY(look_closer(q, &whole));
      failed = UINT_MAX; /* wraps to 0 at the first round without a decrease */
      q->spent = false;
      first = true;
      continue;
    }
    bool ahead = !first && lr_wide_is_ahead(P, q->rounds->width, (double)p);
    LR_TRY(iterate(q, ahead, &falls, &whole));
    first = false;
    if (falls) failed = UINT_MAX;
    q->spent = (falls && !(q->promised > level)) ||
               lr_wide_creeps(P, ++rounds, window - q->f, start - q->f);
    if ((double)rounds < P->wide_window) continue;
    rounds = 0;
    window = q->f;
  }
  return LR_GO;
}

lr_code lr_descent(lr_rounds *rounds, lr_frame *frame, double radius,
                   double *slope)
{
  lr_run *run = rounds->run;
  descent q = {.rounds = rounds,
               .run = run,
               .space = run->space,
               .frame = frame,
               .radius = radius,
               .unit = frame ? 1 : lr_scale_of(run->space, rounds->here.x)};
  run->whole = true;
  lr_code code = open(&q);
  rounds->late = amend;
  rounds->late_self = &q;
  if (code == LR_GO) code = go(&q);
  rounds->late = NULL;
  *slope = q.first;
  close(&q);
  return code;
}
