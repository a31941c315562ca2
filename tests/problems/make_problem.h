/* What the tests of built-in problems share: making one from a line of text,
 * the lines to try, random points, and measuring at all of them. */
#ifndef MADE_H
#define MADE_H

#include <float.h>
#include <problems.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "check.h"

/* Makes "kind key=value ...".  Copies line, so that it may be a literal; at
 * most 12 settings. */
static inline lrgd_status make(lr_problem **problem, const char *line,
                               lrgd_error *error)
{
  char words[256], *rest = NULL, *kind, *word;
  lr_setting settings[12];
  size_t count = 0;
  strncpy(words, line, sizeof words - 1);
  words[sizeof words - 1] = '\0';
  kind = strtok_r(words, " ", &rest);
  while (count < 12 && (word = strtok_r(NULL, " ", &rest))) {
    char *text = strchr(word, '=');
    if (text) *text++ = '\0';
    settings[count++] = (lr_setting){word, text};
  }
  return lr_problem_create(problem, kind, settings, count, error);
}

/* Each kind, and each branch of it, at sizes where p x p is cheap. */
static const char *const lines[] = {
    "quadratic p=12 rank=4",
    "quadratic p=12 rank=4 tail=0.01",
    "quadratic p=12 rank=12 kappa=1",
    "quadratic p=12 rotation=none centre=zero scale=1 spectrum=7,3,0,2",
    "quadratic p=12 rotation=none spectrum=1,2 tail=0.5",
    "quadratic p=12 spectrum=1,-2",
    "quadratic p=1 rank=1",
    "ridge p=12 rank=3 sigma=square",
    "ridge p=12 rank=3 sigma=cosh",
    "ridge p=12 rank=3 sigma=logcosh",
    "ridge p=12 rank=3 sigma=sine",
    "ridge p=300 rank=260 sigma=sine",
    "least-squares p=12 rank=3",
    "least-squares p=12 rank=5 n=5 noise=0",
    "least-squares p=20 rank=3 n=1000",
    "logistic p=12 rank=3",
    "logistic p=12 rank=3 n=600 lambda=0.1 flip=0",
    "network inputs=7 hidden=3",
    "network inputs=3 hidden=2 latent=3 n=9 noise=0.1",
    "rosenbrock p=12",
    "rosenbrock p=12 n=6 seed=3",
    "powell p=12",
    "powell p=12 n=8",
    "beale p=12",
    "log-sum-exp p=12 rank=3",
    "log-sum-exp p=12 rank=3 m=600 mu=0.1",
    "product",
    "product p=5 lower=0 upper=1",
    "product transform=log",
    "product p=3 lower=2 upper=3",
    "linear p=12",
    "constant p=12 value=-3.5",
    "borehole units=box",
    "otl-circuit units=box",
    "piston units=box",
    "wing-weight units=box",
    "robot-arm units=box",
    "robot-arm",
    "ebola units=box",
    "hartmann-mhd units=box",
    "hartmann-mhd output=field units=box",
};
enum { LINES = sizeof lines / sizeof lines[0], POINTS = 5, MOST = 300 };

/* Fixed seeds; the library's own generator is not trusted to test itself. */
static uint64_t state;

static inline double uniform(void)
{
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}

static inline void spread(size_t p, double *x)
{
  for (size_t i = 0; i < p; i++) x[i] = 2 * uniform() - 1;
}

/* A point within the bounds, around the start where there are none. */
static inline void draw_point(const lr_problem *problem, double *x)
{
  const lrgd_problem *f = lr_problem_callbacks(problem);
  spread(f->dimension, x);
  for (size_t i = 0; i < f->dimension; i++)
    x[i] = f->lower
               ? f->lower[i] + (0.5 + 0.5 * x[i]) * (f->upper[i] - f->lower[i])
               : lr_problem_start(problem)[i] + x[i];
}

static inline double *numbers(size_t count)
{
  double *made = calloc(count ? count : 1, sizeof *made);
  if (!made) abort();
  return made;
}

static inline double dot(size_t p, const double *x, const double *y)
{
  return lr_dot(p, x, y);
}

static inline double norm(size_t p, const double *x)
{
  return lr_norm(p, x);
}

/* f at x + t u. */
static inline double along(const lrgd_problem *c, const double *x, double t,
                           const double *u)
{
  double y[MOST];
  for (size_t i = 0; i < c->dimension; i++) y[i] = x[i] + t * u[i];
  return c->value(c->dimension, y, c->user);
}

/* Hands the problem of each line to look. */
static inline void on_each(const char *const *tried, size_t count,
                           void (*look)(const char *line,
                                        const lr_problem *problem))
{
  for (size_t l = 0; l < count; l++) {
    lr_problem *problem;
    lrgd_error error = {LRGD_OK, ""};
    lrgd_status status = make(&problem, tried[l], &error);
    require(status == LRGD_OK, "%s: %s", tried[l], error.text);
    state = l + 1;
    look(tried[l], problem);
    lr_problem_destroy(&problem);
  }
}

/* Runs measure at POINTS points of every problem; x and g = grad f(x), f. */
typedef void (*measure_fn)(const char *line, const lr_problem *problem,
                           const double *x, const double *g, double f);

static inline void at_points(measure_fn measure)
{
  for (size_t l = 0; l < LINES; l++) {
    lr_problem *problem;
    lrgd_error error = {LRGD_OK, ""};
    double x[MOST], g[MOST];
    lrgd_status status = make(&problem, lines[l], &error);
    require(status == LRGD_OK, "%s: %s", lines[l], error.text);
    state = l;
    for (int i = 0; i < POINTS; i++) {
      const lrgd_problem *c = lr_problem_callbacks(problem);
      double f;
      draw_point(problem, x);
      f = c->gradient(c->dimension, x, g, c->user);
      measure(lines[l], problem, x, g, f);
    }
    lr_problem_destroy(&problem);
  }
}

#endif
