/* A witness between the library and a built-in problem: hands on what is
 * asked, counts it by kind, sees whether a point left the box, and remembers
 * what was answered.  Knows nothing of the library's own counting. */
#ifndef WATCHED_H
#define WATCHED_H

#include <float.h>
#include <problems.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* What the problem lets the library ask. */
typedef enum ask_kind {
  ASK_VALUE,
  ASK_BATCH,
  ASK_SLOPES,
  ASK_GRADIENT,
  ASK_COMPLEX,
  ASK_KINDS
} ask_kind;

static const char *const ask_names[ASK_KINDS] = {"value", "batch", "slopes",
                                                 "gradient", "complex"};

typedef struct watched {
  const lrgd_problem *inner;
  uint64_t values, slopes, gradients; /* evaluations, by kind */
  uint64_t calls;                     /* of any callback */
  uint64_t outside;                   /* points that left the box */
  uint64_t unanswerable;              /* points that are not finite */
  double lowest;                      /* of all values answered */
  uint64_t stop_at;                   /* ask this solver to stop at this call */
  lrgd_solver *solver;
  void (*each)(struct watched *w); /* at every call, before it is answered */
} watched;

static inline void watch_point(watched *w, const double *x)
{
  const lrgd_problem *f = w->inner;
  bool out = false, odd = false;
  for (size_t i = 0; i < f->dimension; i++) {
    out |= (f->lower && x[i] < f->lower[i]) || (f->upper && x[i] > f->upper[i]);
    odd |= !isfinite(x[i]);
  }
  w->outside += out;
  w->unanswerable += odd;
}

static inline void watch_call(watched *w)
{
  w->calls++;
  if (w->each) w->each(w);
  if (w->solver && w->calls == w->stop_at) lrgd_solver_stop(w->solver);
}

static inline double watch_answer(watched *w, double f)
{
  if (!(w->lowest <= f)) w->lowest = f;
  return f;
}

static inline double watch_value(size_t p, const double *x, void *user)
{
  watched *w = user;
  watch_call(w);
  watch_point(w, x);
  w->values++;
  return watch_answer(w, w->inner->value(p, x, w->inner->user));
}

static inline void watch_values(size_t p, size_t m, const double *X, double *f,
                                void *user)
{
  watched *w = user;
  watch_call(w);
  w->values += m;
  for (size_t i = 0; i < m; i++) {
    watch_point(w, X + i * p);
    f[i] = watch_answer(w, w->inner->value(p, X + i * p, w->inner->user));
  }
}

static inline double watch_slopes(size_t p, const double *x, size_t k,
                                  const double *U, double *d, void *user)
{
  watched *w = user;
  watch_call(w);
  watch_point(w, x);
  w->slopes += k;
  return watch_answer(w, w->inner->slopes(p, x, k, U, d, w->inner->user));
}

static inline double watch_gradient(size_t p, const double *x, double *g,
                                    void *user)
{
  watched *w = user;
  watch_call(w);
  watch_point(w, x);
  w->gradients++;
  return watch_answer(w, w->inner->gradient(p, x, g, w->inner->user));
}

static inline lrgd_complex watch_complex(size_t p, const lrgd_complex *x,
                                         void *user)
{
  watched *w = user;
  watch_call(w);
  w->values++;
  lrgd_complex f = w->inner->complex_value(p, x, w->inner->user);
  (void)watch_answer(w, f.re);
  return f;
}

/* The problem as the library sees it; w must outlive it. */
static inline lrgd_problem watch(watched *w, const lrgd_problem *inner,
                                 ask_kind kind)
{
  lrgd_problem seen = lrgd_problem_default(inner->dimension);
  *w = (watched){.inner = inner, .lowest = NAN};
  seen.lower = inner->lower;
  seen.upper = inner->upper;
  seen.user = w;
  switch (kind) {
  case ASK_VALUE: seen.value = watch_value; break;
  case ASK_BATCH: seen.values = watch_values; break;
  case ASK_SLOPES: seen.slopes = watch_slopes; break;
  case ASK_GRADIENT: seen.gradient = watch_gradient; break;
  default: seen.complex_value = watch_complex; break;
  }
  return seen;
}

static inline uint64_t watched_evaluations(const watched *w)
{
  return w->values + w->slopes + w->gradients;
}

/* f at x the way this kind of oracle says it. */
static inline double watched_f(const lrgd_problem *f, ask_kind kind,
                               const double *x)
{
  size_t p = f->dimension;
  double y = NAN, *work = calloc(2 * p + 1, sizeof *work);
  lrgd_complex *z = (lrgd_complex *)(void *)work;
  if (!work) abort();
  if (kind == ASK_VALUE || kind == ASK_BATCH) y = f->value(p, x, f->user);
  if (kind == ASK_GRADIENT) y = f->gradient(p, x, work, f->user);
  if (kind == ASK_SLOPES) y = f->slopes(p, x, 1, work, work + p, f->user);
  if (kind == ASK_COMPLEX) {
    for (size_t i = 0; i < p; i++) z[i] = (lrgd_complex){x[i], 0};
    y = f->complex_value(p, z, f->user).re;
  }
  free(work);
  return y;
}

/* |grad f(x)| by the formula; in a box the length of the step -grad f(x) that
 * the box allows, which is the same thing inside and zero where bounds hold. */
static inline double true_norm(const lrgd_problem *f, const double *x)
{
  size_t p = f->dimension;
  double sum = 0, *g = calloc(p, sizeof *g);
  if (!g) abort();
  (void)f->gradient(p, x, g, f->user);
  for (size_t i = 0; i < p; i++) {
    double to = x[i] - g[i];
    if (f->lower) to = fmax(to, f->lower[i]);
    if (f->upper) to = fmin(to, f->upper[i]);
    g[i] = f->lower || f->upper ? x[i] - to : g[i];
    sum += g[i] * g[i];
  }
  free(g);
  return sqrt(sum);
}

/* Makes "kind key=value ..."; at most 12 settings. */
static inline lr_problem *made(const char *line)
{
  char words[256], *rest = NULL, *word;
  lr_setting settings[12];
  lrgd_error error = {LRGD_OK, ""};
  lr_problem *problem = NULL;
  size_t count = 0;
  (void)snprintf(words, sizeof words, "%s", line);
  char *kind = strtok_r(words, " ", &rest);
  while (count < 12 && (word = strtok_r(NULL, " ", &rest))) {
    char *text = strchr(word, '=');
    if (text) *text++ = '\0';
    settings[count++] = (lr_setting){word, text};
  }
  if (lr_problem_create(&problem, kind, settings, count, &error) != LRGD_OK) {
    fprintf(stderr, "%s: %s\n", line, error.text);
    abort();
  }
  return problem;
}

/* ---- every method with every step ---- */

static const char *const method_names[] = {
    "auto", "gd", "lrgd", "iterated", "adaptive", "quasi-newton"};
enum { METHODS = 6 };

static const char *const step_names[] = {"auto",     "fixed",   "backtracking",
                                         "wolfe",    "bfgs",    "heavy-ball",
                                         "nesterov", "adagrad", "adam"};
enum { STEPS = 9 };

/* auto and quasi-newton choose their steps themselves: one round for them is
 * enough.
 */
static inline bool combines(int method, int step)
{
  return step == 0 ||
         (method != LRGD_METHOD_AUTO && method != LRGD_METHOD_QUASI_NEWTON);
}

/* Options for one of them; rank 1 .. p is for those who need it. */
static inline lrgd_options chosen(int method, int step, int64_t rank,
                                  double alpha)
{
  lrgd_options o = lrgd_options_default();
  o.method = method;
  o.step = step;
  if (method == LRGD_METHOD_LRGD || method == LRGD_METHOD_ITERATED)
    o.rank = rank;
  if (step == LRGD_STEP_FIXED) o.alpha = alpha;
  return o;
}

#endif
