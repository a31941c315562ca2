/* What `auto` promises of problems it was not tuned on: counts, not seconds.
 * Each test has seeds of its own; a median stands for all of them. */
#include <problems.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* A value oracle on a built-in problem. */
typedef struct watched {
  const lrgd_problem *f;
  double target;  /* ... */
  size_t calls;   /* values asked so far */
  size_t reached; /* how many until one was at most the target; 0: none */
} watched;

static double value(size_t p, const double *x, void *user)
{
  watched *w = user;
  double f = w->f->value(p, x, w->f->user);
  w->calls++;
  if (w->reached == 0 && f <= w->target) w->reached = w->calls;
  return f;
}

static lr_problem *made(const char *line, int seed)
{
  char words[256], number[24], *rest = NULL, *word;
  lr_setting settings[12];
  size_t count = 0;
  lr_problem *problem = NULL;
  lrgd_error error = {.text = ""};
  (void)snprintf(words, sizeof words, "%s", line);
  (void)snprintf(number, sizeof number, "%d", seed);
  const char *kind = strtok_r(words, " ", &rest);
  while (count < 11 && (word = strtok_r(NULL, " ", &rest))) {
    char *text = strchr(word, '=');
    if (text) *text++ = '\0';
    settings[count++] = (lr_setting){word, text};
  }
  settings[count++] = (lr_setting){"seed", number};
  check(lr_problem_create(&problem, kind, settings, count, &error) == LRGD_OK,
        "%s: %s", line, error.text);
  return problem;
}

/* Runs auto; w tells how it went.  share: of the first gap, to be reached. */
static lrgd_result run(watched *w, const char *line, int seed, double share,
                       lrgd_options o)
{
  lr_problem *problem = made(line, seed);
  lrgd_result result = {.f = NAN};
  lrgd_error error = {.text = ""};
  *w = (watched){.f = lr_problem_callbacks(problem)};
  size_t p = w->f->dimension;
  double *x = malloc(p * sizeof *x), min = lr_problem_minimum(problem);
  lrgd_problem seen = lrgd_problem_default(p);
  if (!x) abort();
  memcpy(x, lr_problem_start(problem), p * sizeof *x);
  w->target = min + share * (w->f->value(p, x, w->f->user) - min);
  seen.value = value;
  seen.user = w;
  o.seed = seed;
  check(lrgd_minimize(&seen, &o, x, &result, &error) == LRGD_OK, "%s: %s", line,
        error.text);
  free(x);
  lr_problem_destroy(&problem);
  return result;
}

TEST("a step that goes nowhere does not spoil the model")
{
  /* the first landing of seed 8 finds nothing lower: the secant over its last
   * trial, 1e-14 long, once made a curvature of 1e13 of rounding errors */
  lrgd_options o = lrgd_options_default();
  watched w;
  o.max_evals = 400;
  lrgd_result result = run(&w, "chained-rosenbrock p=1000 n=10", 8, 0.1, o);
  check(w.reached > 0, "f is %g after %zu values", result.f, w.calls);
}
