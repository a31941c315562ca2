/* What a run returns: a point that was asked for, with the answer it had, and
 * the lowest of all, unless a certified one is as low within the noise. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "watched.h"

enum { MOST_P = 40, MOST_ASKED = 1200 };

/* What f is like, and every answer it gave. */
typedef struct logged {
  size_t p;
  int shape;
  double centre[MOST_P], curvature[MOST_P];
  double hole, noise; /* share of failures; standard deviation */
  bool derivatives;   /* are given */
  unsigned random;
  double x[MOST_ASKED][MOST_P], f[MOST_ASKED];
  size_t n;
} logged;

static const char *const shapes[] = {"bowl",    "waves",   "kinks",  "cliff",
                                     "plateau", "quartic", "scaled", "fit"};
enum { SHAPES = 8 };

static double term(const logged *w, size_t i, double x, double *slope)
{
  double t = x - w->centre[i], c = w->curvature[i];
  double kink = t > 0 ? 1 : -1;
  double size = pow(10, 3 * ((double)(i % 3) - 1)), s = t * size;
  switch (w->shape) {
  case 1:
    *slope = c * t + 9 * cos(3 * t);
    return c * t * t / 2 + 3 * sin(3 * t);
  case 2: *slope = c * kink; return c * fabs(t);
  case 3: *slope = c * t; return c * t * t / 2 + (t > 0.5 ? 1e6 : 0);
  case 4: *slope = t * t < 4 ? c * t : 0; return c * fmin(t * t, 4) / 2;
  case 5: *slope = 4 * c * t * t * t - t; return c * t * t * t * t - t * t / 2;
  case 6: /* several minima, inputs of sizes a million apart */
    *slope = size * (c * s + 6 * cos(2 * s));
    return c * s * s / 2 + 3 * sin(2 * s);
  case 7: /* a residual that grows exponentially on one side */
    s = exp(fmin(6 * t, 300));
    *slope = t < 50 ? 12 * c * s * (s - 1) : 0;
    return c * (s - 1) * (s - 1);
  default: *slope = c * t; return c * t * t / 2;
  }
}

/* f, its gradient, and the answer in the log. */
static double answer(logged *w, const double *x, double *g)
{
  double f = 0, sum = 0, slope;
  for (size_t i = 0; i < w->p; i++) {
    f += term(w, i, x[i], &slope);
    g[i] = slope;
    sum += x[i];
  }
  f += sin(sum) + w->noise * (chance_share(&w->random) - 0.5);
  for (size_t i = 0; i < w->p; i++) g[i] += cos(sum);
  if (w->n > 0 && chance_share(&w->random) < w->hole) f = NAN;
  if (!isfinite(f) || w->n == MOST_ASKED) return f;
  memcpy(w->x[w->n], x, w->p * sizeof *x);
  w->f[w->n++] = f;
  return f;
}

static double log_value(size_t p, const double *x, void *user)
{
  double g[MOST_P];
  (void)p;
  return answer(user, x, g);
}

static void log_values(size_t p, size_t m, const double *X, double *f,
                       void *user)
{
  for (size_t i = 0; i < m; i++) f[i] = log_value(p, X + i * p, user);
}

static double log_gradient(size_t p, const double *x, double *g, void *user)
{
  (void)p;
  return answer(user, x, g);
}

static double log_slopes(size_t p, const double *x, size_t k, const double *U,
                         double *d, void *user)
{
  double g[MOST_P], f = answer(user, x, g);
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++) d[j] += g[i] * U[j * p + i];
  }
  return f;
}

static size_t lowest(const logged *w)
{
  size_t low = 0;
  for (size_t i = 1; i < w->n; i++)
    if (w->f[i] < w->f[low]) low = i;
  return low;
}

static bool was_answered(const logged *w, const double *x, double f)
{
  for (size_t i = 0; i < w->n; i++)
    if (w->f[i] == f && memcmp(w->x[i], x, w->p * sizeof *x) == 0) return true;
  return false;
}

/* How much lower than the point returned another may have been: by rounding and
 * noise, and by the differences that have certified the point, which are no
 * longer than twice a thousandth of the size of x, or by next to nothing. */
static double allowed(const logged *w, const lrgd_result *r, const double *x)
{
  size_t low = lowest(w);
  double away = 0, size_of_x = 1, descent = w->f[0] - w->f[low];
  if (!r->certificate.valid) return 0;
  for (size_t i = 0; i < w->p; i++) {
    away = hypot(away, x[i] - w->x[low][i]);
    size_of_x = fmax(size_of_x, 1 + fabs(x[i]));
  }
  double size = fmax(fabs(r->f), fabs(w->f[low])) + descent;
  double rounding = fmax(16 * DBL_EPSILON * size, 6 * r->noise);
  double longest = r->noise > 0 ? 1 : 2e-3;
  bool near =
      r->outcome == LRGD_OUTCOME_CONVERGED && !w->derivatives &&
      (away <= longest * size_of_x || r->f - w->f[low] <= 1e-9 * descent);
  return fmax(rounding, near ? r->certificate.grad_norm_bound * away : 0);
}

static void check_result(const logged *w, const lrgd_result *r, const double *x,
                         const char *what)
{
  double f = w->f[lowest(w)];
  check(was_answered(w, x, r->f), "%s: %.17g was no answer there", what, r->f);
  check(r->f - f <= allowed(w, r, x), "%s: %s at %.17g, but %.17g was seen",
        what, lrgd_outcome_text(r->outcome), r->f, f);
  check(r->outcome != LRGD_OUTCOME_CONVERGED || r->certificate.valid,
        "%s: converged without a certificate", what);
}

/* A random function, options and box. */
static lrgd_problem draw_problem(logged *w, unsigned *random, int kind)
{
  static const size_t dimensions[] = {1, 3, 8, MOST_P};
  size_t p = dimensions[(int)(4 * chance_share(random))];
  w->p = p;
  w->n = 0;
  w->shape = (int)(SHAPES * chance_share(random));
  w->hole = chance_share(random) < 0.3 ? 0.1 : 0;
  w->noise = chance_share(random) < 0.25 ? 1e-3 : 0;
  w->random = *random;
  for (size_t i = 0; i < p; i++) {
    w->centre[i] = 4 * chance_share(random) - 2;
    w->curvature[i] = exp(4 * chance_share(random) - 2);
  }
  lrgd_problem problem = lrgd_problem_default(p);
  problem.user = w;
  w->derivatives = kind == ASK_SLOPES || kind == ASK_GRADIENT;
  if (kind == ASK_VALUE) problem.value = log_value;
  if (kind == ASK_BATCH) problem.values = log_values;
  if (kind == ASK_SLOPES) problem.slopes = log_slopes;
  if (kind == ASK_GRADIENT) problem.gradient = log_gradient;
  return problem;
}

static lrgd_options draw_options(unsigned *random, int method, size_t p)
{
  lrgd_options o = chosen(method, 0, p > 2 ? 2 : 1, 0.1);
  o.max_evals =
      5 + (int64_t)(chance_share(random) < 0.5 ? 60 * chance_share(random)
                                               : 1000 * chance_share(random));
  o.seed = (int64_t)(1e6 * chance_share(random));
  if (chance_share(random) < 0.2) o.restarts = 1;
  if (chance_share(random) < 0.2) o.tol = 1e-2;
  if (chance_share(random) < 0.1) o.target = -1;
  return o;
}

static void run_one(logged *w, unsigned *random, int method, int kind)
{
  double x[MOST_P], lower[MOST_P], upper[MOST_P];
  char what[160];
  lrgd_result result = {.f = NAN};
  lrgd_error error = {LRGD_OK, ""};
  unsigned drawn = *random;
  lrgd_problem problem = draw_problem(w, random, kind);
  lrgd_options o = draw_options(random, method, w->p);
  int box = (int)(4 * chance_share(random));
  for (size_t i = 0; i < w->p; i++) {
    x[i] = 2 * chance_share(random) - 1;
    lower[i] = x[i] - chance_share(random);
    upper[i] = x[i] + chance_share(random);
  }
  if (box > 1) problem.lower = lower;
  if (box == 3) problem.upper = upper;
  (void)snprintf(what, sizeof what,
                 "%s, %s, %s, p = %zu, box %d, noise %g, %g "
                 "fail, %d restarts, random %u",
                 method_names[method], ask_names[kind], shapes[w->shape], w->p,
                 box, w->noise, w->hole, (int)o.restarts, drawn);
  lrgd_status status = lrgd_minimize(&problem, &o, x, &result, &error);
  check(status == LRGD_OK, "%s: %s", what, error.text);
  if (w->n > 0) check_result(w, &result, x, what);
}

TEST("the lowest value seen is what a run returns")
{
  enum { TIMES = 60 };
  logged *w = calloc(1, sizeof *w);
  unsigned random = 20;
  if (!w) abort();
  for (int i = 0; i < TIMES; i++)
    for (int method = 0; method < METHODS; method++)
      for (int kind = 0; kind < ASK_COMPLEX; kind++)
        run_one(w, &random, method, kind);
  free(w);
}
