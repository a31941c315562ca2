/* The opening of `auto` in a box from a poor start: by a Gaussian process of
 * all values, whose points interpolation takes over. */
#include <lrgd/lrgd.h>
#include <stdlib.h>

#include "chance.h"
#include "check.h"

enum { P = 40, MOST = 8 * P };

typedef struct asked {
  size_t calls, failed;
  double scale[P];            /* of the inputs, powers of two */
  double wall;                /* f cannot be evaluated where x_0 is beyond */
  double shift;               /* size of the inputs at the minimum */
  double outside;             /* how far a point was outside of the box */
  bool penalty;               /* f is 1e10 at the first point */
  bool opened;                /* a Gaussian process was begun ... */
  size_t ended, interpolated; /* ... and ended, after so many values */
  double x[MOST][P], f[MOST];
} asked;

static double centre(const asked *a, size_t i)
{
  return i % 2 ? a->shift : -a->shift;
}

/* Varies along three directions, which meet all inputs, and less along
 * all; its minimum, 0, is at the centre. */
static double value(size_t p, const double *x, void *user)
{
  asked *a = user;
  double y[3] = {0}, f = 0;
  for (size_t i = 0; i < p; i++) {
    double u = x[i] / a->scale[i];
    a->outside = fmax(a->outside, fabs(u) - 1);
    for (size_t k = 0; k < 3; k++)
      y[k] += (u - centre(a, i)) * sin((double)((k + 1) * (i + 2)));
    f += 0.2 * (u - centre(a, i)) * (u - centre(a, i));
    if (a->calls < MOST) a->x[a->calls][i] = u;
  }
  f += y[0] * y[0] + 0.1 * (y[1] * y[1] - y[0]) * (y[1] * y[1] - y[0]) +
       2 * y[2] * y[2];
  bool fails = x[0] / a->scale[0] > a->wall;
  if (a->calls < MOST) a->f[a->calls] = fails ? NAN : f;
  if (a->calls == 0 && a->penalty) f = 1e10;
  a->calls++;
  a->failed += fails;
  return fails ? NAN : f;
}

static void watch(const lrgd_progress *seen, void *user)
{
  asked *a = user;
  if (seen->event != LRGD_EVENT_PHASE || !seen->decision) return;
  switch (seen->decision->kind) {
  case LRGD_DECISION_KIND_SURROGATE: a->opened = true; break;
  case LRGD_DECISION_KIND_SURROGATE_ENDED: a->ended = a->calls; break;
  case LRGD_DECISION_KIND_INTERPOLATION: a->interpolated = a->calls; break;
  default: break;
  }
}

static asked *nothing(void)
{
  asked *a = calloc(1, sizeof *a);
  if (!a) abort();
  a->wall = INFINITY;
  a->shift = 0.2;
  for (int i = 0; i < P; i++) a->scale[i] = 1;
  return a;
}

/* Starts: a random point of the box, one near its middle, one near the
 * minimiser, one near a corner. */
typedef enum place { RANDOM, NEAR, LOWEST, CORNER } place;

static void set_start(const asked *a, place where, double *x)
{
  unsigned state = 7;
  for (int i = 0; i < P; i++) {
    double u = chance(&state);
    if (where == NEAR) u *= 0.5;
    if (where == CORNER) u = 0.1 * u - 0.9;
    if (where == LOWEST) u = 0.01 * u + centre(a, (size_t)i);
    x[i] = a->scale[i] * u;
  }
}

/* In the box of -1 to 1, of whose bounds `open` have no upper one. */
static lrgd_result minimise(asked *a, place where, int64_t evals, int open,
                            lrgd_method method)
{
  double x[P], low[P], high[P];
  lrgd_problem f = lrgd_problem_default(P);
  lrgd_options o = lrgd_options_default();
  lrgd_result result = {.f = NAN};
  set_start(a, where, x);
  for (int i = 0; i < P; i++) {
    low[i] = -a->scale[i];
    high[i] = i < open ? INFINITY : a->scale[i];
  }
  f.value = value;
  f.user = a;
  f.lower = low;
  f.upper = high;
  o.max_evals = evals;
  o.method = method;
  o.progress = watch;
  o.progress_user = a;
  check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "runs");
  check(lrgd_counts_evaluations(&result.counts) == a->calls,
        "%zu values were asked for", a->calls);
  return result;
}

TEST(
    "from a random start f is a tenth of quasi-Newton's after p and 2 p values")
{
  for (int rounds = 1; rounds <= 2; rounds++) {
    asked *one = nothing(), *two = nothing();
    lrgd_result a = minimise(one, RANDOM, rounds * P, 0, LRGD_METHOD_AUTO);
    lrgd_result b =
        minimise(two, RANDOM, rounds * P, 0, LRGD_METHOD_QUASI_NEWTON);
    check(one->opened && !two->opened, "the opening is one of auto's");
    check(a.f < 0.1 * b.f, "%g for %g after %d p", a.f, b.f, rounds);
    check(one->outside <= 1e-12, "%g outside", one->outside);
    free(one);
    free(two);
  }
}

static bool opens(place where)
{
  asked *a = nothing();
  minimise(a, where, 2 * P, 0, LRGD_METHOD_AUTO);
  bool opened = a->opened;
  free(a);
  return opened;
}

TEST("a start near the middle of the box or near a corner is kept")
{
  check(opens(RANDOM), "a random start is not");
  check(!opens(NEAR), "near the middle");
  check(!opens(CORNER), "near a corner");
}

TEST("a penalty at the start does not set the tolerance on the gradient")
{
  asked *a = nothing();
  a->penalty = true;
  lrgd_result result = minimise(a, RANDOM, 50 * P, 0, LRGD_METHOD_AUTO);
  check(a->opened, "a Gaussian process");
  check(result.f < 1e-6, "%g: %s", result.f, result.message);
  free(a);
}

TEST("a start that is lower than three other points is kept")
{
  asked *a = nothing();
  a->shift = 0.75;
  minimise(a, LOWEST, P, 0, LRGD_METHOD_AUTO);
  check(!a->opened, "no Gaussian process");
  for (size_t i = 1; i <= 3; i++)
    check(a->f[i] > a->f[0], "value %zu is %g", i, a->f[i]);
  bool middle = true;
  for (int i = 0; i < P; i++) middle = middle && a->x[1][i] == 0;
  check(middle, "the first of them is at the middle");
  free(a);
}

TEST("a box that is open on one side has no opening by a Gaussian process")
{
  asked *a = nothing();
  minimise(a, RANDOM, 2 * P, 1, LRGD_METHOD_AUTO);
  check(!a->opened, "no Gaussian process");
  free(a);
}

/* Whether point i of a run differs from another one along one input only. */
static bool is_beside(const asked *a, size_t i, size_t other)
{
  int differ = 0;
  for (int j = 0; j < P; j++)
    differ += fabs(a->x[i][j] - a->x[other][j]) > 1e-12;
  return differ == 1;
}

TEST(
    "interpolation continues with the points of the opening, without "
    "values beside the lowest")
{
  asked *a = nothing();
  minimise(a, RANDOM, 5 * P, 0, LRGD_METHOD_AUTO);
  require(a->ended > 0 && a->ended < MOST, "%zu values", a->ended);
  check_int((int)a->interpolated, (int)a->ended, "values before interpolation");

  size_t best = 0, beside = 0;
  for (size_t i = 0; i < a->ended; i++)
    if (a->f[i] < a->f[best]) best = i;
  for (size_t i = a->ended; i < a->ended + P / 2; i++)
    beside += is_beside(a, i, best);
  check(beside == 0, "%zu points beside it", beside);
  free(a);
}

TEST("points that cannot be evaluated count as failed steps")
{
  asked *a = nothing();
  a->wall = 0.1;
  lrgd_result result = minimise(a, RANDOM, 3 * P, 0, LRGD_METHOD_AUTO);
  check(a->failed > 0, "%zu values could not be had", a->failed);
  check(result.f < 0.1 * a->f[0], "%g at the end, %g at the start", result.f,
        a->f[0]);
  free(a);
}

TEST("the units of the inputs do not matter to the opening")
{
  asked *one = nothing(), *two = nothing();
  for (int i = 0; i < P; i++) two->scale[i] = ldexp(1, i % 30 - 15);
  lrgd_result a = minimise(one, RANDOM, 2 * P, 0, LRGD_METHOD_AUTO);
  lrgd_result b = minimise(two, RANDOM, 2 * P, 0, LRGD_METHOD_AUTO);
  check(a.f == b.f, "%.17g and %.17g", a.f, b.f);
  free(one);
  free(two);
}

/* An allocator that fails after `left` blocks, and what is in use. */
typedef struct short_memory {
  size_t left, blocks;
} short_memory;

static void *take(size_t bytes, void *user)
{
  short_memory *m = user;
  if (m->left == 0) return NULL;
  m->left--;
  void *memory = malloc(bytes);
  m->blocks += memory != NULL;
  return memory;
}

static void give(void *memory, void *user)
{
  short_memory *m = user;
  m->blocks -= memory != NULL;
  free(memory);
}

/* The status of a run to the first steps of interpolation after the opening. */
static lrgd_status minimise_within(short_memory *m)
{
  asked *a = nothing();
  const lrgd_allocator allocator = {take, give, m};
  double x[P], low[P], high[P];
  lrgd_problem f = lrgd_problem_default(P);
  lrgd_options o = lrgd_options_default();
  lrgd_result result;
  set_start(a, RANDOM, x);
  for (int i = 0; i < P; i++) {
    low[i] = -1;
    high[i] = 1;
  }
  f.value = value;
  f.user = a;
  f.lower = low;
  f.upper = high;
  o.max_evals = 3 * P + 5;
  o.allocator = &allocator;
  lrgd_status status = lrgd_minimize(&f, &o, x, &result, NULL);
  free(a);
  return status;
}

TEST("a failed allocation anywhere is reported, and no memory leaks")
{
  lrgd_status status = LRGD_ERR_NOMEM;
  size_t n = 0;
  for (; status == LRGD_ERR_NOMEM && n < 1000; n++) {
    short_memory m = {.left = n};
    status = minimise_within(&m);
    check(m.blocks == 0, "%zu blocks are left after %zu", m.blocks, n);
  }
  check(status == LRGD_OK, "with %zu blocks: status %d", n, (int)status);
}
