/* f* of a problem whose minimum is not known: L-BFGS with analytic gradients,
 * projected on the bounds (coordinates held at a bound by the sign of the
 * gradient stand still: Bertsekas's two-metric projection, 1982).  Slow and
 * sure; none of the solvers compared is used. */
#include "bench.h"
#include "levenberg_marquardt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 40, ITERATIONS = 30000, PATIENCE = 30 };

typedef struct descent {
  const bench_problem *problem;
  size_t p;
  double *x, *g, *d, *y,
      *gy;       /* point, gradient, step, trial and its gradient */
  double *S, *Y; /* PAIRS columns of p numbers each, in a ring */
  double rho[PAIRS];
  size_t kept, next;
  bool *held;
  double f;
} descent;

static bool hold(descent *s)
{
  const lrgd_problem *f = &s->problem->f;
  bool changed = false;
  for (size_t i = 0; f->lower && i < s->p; i++) {
    bool held = (s->x[i] <= f->lower[i] && s->g[i] > 0) ||
                (s->x[i] >= f->upper[i] && s->g[i] < 0);
    changed |= held != s->held[i];
    s->held[i] = held;
  }
  return changed;
}

static void strike(const descent *s, double *v)
{
  for (size_t i = 0; i < s->p; i++)
    if (s->held[i]) v[i] = 0;
}

/* Sums in the order of the coordinates, so that f* does not depend on a
 * BLAS. */
static double dot(size_t p, const double *u, const double *v)
{
  double sum = 0;
  for (size_t i = 0; i < p; i++) sum += u[i] * v[i];
  return sum;
}

static void add(size_t p, double c, const double *u, double *v)
{
  for (size_t i = 0; i < p; i++) v[i] += c * u[i];
}

/* d = -H g by the two loops of Nocedal (1980). */
static void direction(descent *s)
{
  double a[PAIRS];
  size_t p = s->p;
  for (size_t i = 0; i < p; i++) s->d[i] = -s->g[i];
  strike(s, s->d);
  for (size_t n = 0; n < s->kept; n++) {
    size_t j = (s->next + PAIRS - 1 - n) % PAIRS;
    a[j] = s->rho[j] * dot(p, s->S + j * p, s->d);
    add(p, -a[j], s->Y + j * p, s->d);
  }
  if (s->kept > 0) {
    const double *y = s->Y + ((s->next + PAIRS - 1) % PAIRS) * s->p;
    size_t last = (s->next + PAIRS - 1) % PAIRS;
    double scale = 1 / (s->rho[last] * dot(p, y, y));
    for (size_t i = 0; i < p; i++) s->d[i] *= scale;
  }
  for (size_t n = s->kept; n-- > 0;) {
    size_t j = (s->next + PAIRS - 1 - n) % PAIRS;
    double b = s->rho[j] * dot(p, s->Y + j * p, s->d);
    add(p, a[j] - b, s->S + j * p, s->d);
  }
  strike(s, s->d);
}

static void clip(const descent *s, double *x)
{
  const lrgd_problem *f = &s->problem->f;
  for (size_t i = 0; f->lower && i < s->p; i++)
    x[i] = fmin(fmax(x[i], f->lower[i]), f->upper[i]);
}

/* Halves the step until f decreases enough; false: it never does. */
static bool search(descent *s, double t, double *f)
{
  const lrgd_problem *problem = &s->problem->f;
  for (int halving = 0; halving < 60; halving++) {
    double fall = 0;
    for (size_t i = 0; i < s->p; i++) s->y[i] = s->x[i] + t * s->d[i];
    clip(s, s->y);
    for (size_t i = 0; i < s->p; i++) fall += s->g[i] * (s->y[i] - s->x[i]);
    *f = problem->gradient(s->p, s->y, s->gy, problem->user);
    if (isfinite(*f) && fall < 0 && *f <= s->f + 1e-4 * fall && *f < s->f)
      return true;
    t *= 0.5;
  }
  return false;
}

/* Accepts the trial point; stores its secant pair if its curvature is
 * positive. */
static void move(descent *s, double f)
{
  double *step = s->S + s->next * s->p, *change = s->Y + s->next * s->p, sy;
  for (size_t i = 0; i < s->p; i++) {
    step[i] = s->y[i] - s->x[i];
    change[i] = s->gy[i] - s->g[i];
  }
  strike(s, step);
  strike(s, change);
  sy = dot(s->p, step, change);
  if (sy >
      1e-12 * sqrt(dot(s->p, step, step)) * sqrt(dot(s->p, change, change))) {
    s->rho[s->next] = 1 / sy;
    s->next = (s->next + 1) % PAIRS;
    if (s->kept < PAIRS) s->kept++;
  }
  memcpy(s->x, s->y, s->p * sizeof *s->x);
  memcpy(s->g, s->gy, s->p * sizeof *s->g);
  s->f = f;
}

static void descend(descent *s)
{
  int idle = 0;
  for (int i = 0; i < ITERATIONS && idle < PATIENCE; i++) {
    double before = s->f, f, norm;
    if (hold(s)) s->kept = 0;
    direction(s);
    norm = sqrt(dot(s->p, s->d, s->d));
    if (!(norm > 0)) return;
    if (search(s, s->kept ? 1 : 1 / norm, &f)) {
      move(s, f);
    } else {
      if (s->kept == 0) return; /* not even steepest descent decreases f */
      s->kept = 0;
    }
    idle = before - s->f <= 1e-15 * fabs(s->problem->f0 - s->f) ? idle + 1 : 0;
  }
}

/* Whether the problem is an unbounded sum of squares with an analytic
 * Jacobian. */
static bool is_smooth_fit(const bench_problem *problem)
{
  size_t m = lr_problem_residual_count(problem->made);
  double *J;
  bool there;
  if (m == 0 || problem->f.lower) return false;
  J = malloc(m * problem->p * sizeof *J);
  if (!J) bench_die("no memory for a Jacobian");
  there = lr_problem_jacobian(problem->made, problem->x0, J) != 0;
  free(J);
  return there;
}

static double fit_reference(const bench_problem *problem)
{
  double *x = malloc(problem->p * sizeof *x), f;
  if (!x) bench_die("no memory for %zu numbers", problem->p);
  memcpy(x, problem->x0, problem->p * sizeof *x);
  f = levenberg_marquardt(problem->made, x);
  free(x);
  return f;
}

double bench_reference(const bench_problem *problem)
{
  size_t p = problem->p;
  if (problem->made && is_smooth_fit(problem)) return fit_reference(problem);
  descent s = {.problem = problem, .p = p};
  double *room = calloc((5 + 2 * PAIRS) * p, sizeof *room);
  s.held = calloc(p, sizeof *s.held);
  if (!room || !s.held) bench_die("no memory for a reference minimum");
  s.x = room;
  s.g = room + p;
  s.d = room + 2 * p;
  s.y = room + 3 * p;
  s.gy = room + 4 * p;
  s.S = room + 5 * p;
  s.Y = s.S + PAIRS * p;
  memcpy(s.x, problem->x0, p * sizeof *s.x);
  clip(&s, s.x);
  s.f = problem->f.gradient(p, s.x, s.g, problem->f.user);
  descend(&s);
  free(room);
  free(s.held);
  return s.f;
}
