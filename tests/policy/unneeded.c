/* unneeded [ROW...]: which rows of the policy does no run need?
 *
 * tools/mutate tells whether the test that a row names notices a change.  This
 * tells whether a run does.  Each row is doubled and halved (a share p moved to
 * p/2 and (1+p)/2, a switch flipped) and then set to values that switch its
 * rule off on one side or the other (0 and 1e9; a share: 0 and 1).  With each
 * value the runs of runs.h are made, to their own end, until one of them takes
 * another number of evaluations, calls or iterations than by default, or ends
 * otherwise.  A line for each row:
 *
 *   needed ROW VALUE RUN     at twice, half, or the flipped switch
 *   loose ROW VALUE RUN      only where the rule is switched off
 *   unneeded ROW             by no value: only the row's own test needs it, or
 *                            a case that these runs do not contain
 *
 * A value that makes a run crash or take too long counts as a change.  The
 * trials are made in processes of their own, as many at once as there are
 * processors. */
#include "base/policy_table.h"
#include "problems.h"
#include "runs.h"

#include <lrgd/analysis.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RUNS = 500, MOST_KNOWN = 80, WORDS = 12, NUMBERS = 40 };

/* ---- one run ---- */

/* What is compared: counts, and how the run ended. */
typedef struct signature {
  double numbers[NUMBERS];
} signature;

/* A problem as a run sees it. */
typedef struct asked {
  const lrgd_problem *f;
  const run_case *run;
  const double *start, *minimiser;
  uint64_t count;
  double *known_x, *known_f; /* the first values, for later runs */
  size_t known;
} asked;

static double rounded(double f, int digits)
{
  char text[40];
  if (digits == 0) return f;
  snprintf(text, sizeof text, "%.*g", digits, f);
  return strtod(text, NULL);
}

/* A number in (-1, 1) that depends on the count of evaluations alone. */
static double chance(uint64_t n)
{
  n *= UINT64_C(0x9e3779b97f4a7c15);
  n ^= n >> 29;
  n *= UINT64_C(0xbf58476d1ce4e5b9);
  n ^= n >> 32;
  return 2 * (double)(n >> 11) / 9007199254740992.0 - 1;
}

/* How far x is on the way from the start to the minimiser, along inputs from
 * .. to - 1: 1 at the minimiser. */
static double way(const asked *a, const double *x, size_t from, size_t to)
{
  double at = 0, all = 0;
  for (size_t i = from; i < to; i++) {
    double whole = a->minimiser[i] - a->start[i];
    at += whole * (x[i] - a->start[i]);
    all += whole * whole;
  }
  return all > 0 ? at / all : 0;
}

static double value(size_t p, const double *x, void *user)
{
  asked *a = user;
  const run_case *run = a->run;
  double f = a->f->value(p, x, a->f->user);
  a->count++;
  if (run->wall == 'b' && (way(a, x, 2, 3) > 0.5 || way(a, x, 6, 7) > 0.5))
    f = NAN;
  if (run->wall == 's' && way(a, x, 0, 5) > 0.5) f = NAN;
  if (run->wall == 'p' && way(a, x, 2, 3) > 0.5) f = 1e10;
  f = rounded(f + run->noise * chance(a->count), run->digits);
  if (a->known_x && a->known < MOST_KNOWN) {
    memcpy(a->known_x + a->known * p, x, p * sizeof *x);
    a->known_f[a->known++] = f;
  }
  return f;
}

static lr_problem *made(const char *line)
{
  char words[256], *rest = NULL, *word;
  lr_setting settings[WORDS];
  size_t count = 0;
  lr_problem *problem = NULL;
  lrgd_error error = {.text = ""};
  snprintf(words, sizeof words, "%s", line);
  char *kind = strtok_r(words, " ", &rest);
  while (count < WORDS && (word = strtok_r(NULL, " ", &rest))) {
    char *text = strchr(word, '=');
    if (text) *text++ = '\0';
    settings[count++] = (lr_setting){word, text};
  }
  if (lr_problem_create(&problem, kind, settings, count, &error) != LRGD_OK) {
    fprintf(stderr, "%s: %s\n", line, error.text);
    exit(2);
  }
  return problem;
}

static void set_options(lrgd_options *o, const char *text)
{
  char words[256], *rest = NULL;
  lrgd_error error = {.text = ""};
  snprintf(words, sizeof words, "%s", text);
  for (char *w = strtok_r(words, " ", &rest); w;
       w = strtok_r(NULL, " ", &rest)) {
    char *number = strchr(w, '=');
    if (number) *number++ = '\0';
    if (!number || lrgd_options_set(o, w, number, &error) != LRGD_OK) {
      fprintf(stderr, "%s: %s\n", text, error.text);
      exit(2);
    }
  }
}

static double *numbers_of(size_t count)
{
  double *made = calloc(count ? count : 1, sizeof *made);
  if (!made) exit(2);
  return made;
}

static void sign_result(signature *s, const lrgd_result *r)
{
  double *to = s->numbers;
  *to++ = r->outcome;
  *to++ = (double)lrgd_counts_evaluations(&r->counts);
  *to++ = (double)r->iterations;
  for (int i = 0; i < LRGD_PURPOSE_ROOM; i++)
    *to++ = (double)r->counts.oracle_calls[i];
  *to++ = (double)r->counts.rounds;
}

static void sign_diagnosis(signature *s, const lrgd_problem *f,
                           const lrgd_options *o, const double *x0)
{
  lrgd_diagnosis *study = NULL;
  double *to = s->numbers;
  if (lrgd_diagnosis_create(&study, f, o, NULL, x0, NULL) != LRGD_OK) return;
  const lrgd_diagnosis_result *r = lrgd_diagnosis_get(study);
  *to++ = r->outcome;
  *to++ = (double)r->evaluations;
  *to++ = (double)r->recommended_rank;
  *to++ = (double)r->exact_rank;
  *to++ = r->low_rank;
  *to++ = r->conclusive;
  *to++ = (double)r->local_rank;
  for (int i = 0; i < LRGD_PREDICTED_ROOM; i++)
    *to++ = r->predicted_evaluations[i];
  *to++ = r->certified_eta;
  lrgd_diagnosis_destroy(&study);
}

/* Teaches the solver the values of the first run, or equations. */
static void teach(lrgd_solver *solver, const run_case *run, asked *a, size_t p)
{
  if (run->wall == 'e') {
    double *A = numbers_of(2 * p), b[2] = {0.5, -0.2};
    for (size_t i = 0; i < 2 * p; i++)
      A[i] = (double)(i * (i < p ? 7 : i) % 5) - 2;
    if (lrgd_solver_set_constraints(solver, 2, A, b, NULL) != LRGD_OK) exit(2);
    free(A);
  }
  if (run->wall != 'k' || a->known == 0) return;
  lrgd_evaluation all[MOST_KNOWN] = {{0}};
  for (size_t i = 0; i < a->known; i++)
    all[i] = (lrgd_evaluation){.x = a->known_x + i * p, .f = a->known_f[i]};
  if (lrgd_solver_learn(solver, a->known, all, 0, NULL) != LRGD_OK) exit(2);
}

static void minimise(signature *s, const lrgd_problem *f, const lrgd_options *o,
                     const double *x0, asked *a)
{
  size_t p = f->dimension;
  double *x = numbers_of(p);
  lrgd_solver *solver = NULL;
  lrgd_result result;
  int times = a->run->wall == 'k' ? 2 : 1;
  for (int turn = 0; turn < times; turn++) {
    lrgd_options own = *o;
    if (times == 2 && turn == 0) own.max_evals = 60;
    if (lrgd_solver_create(&solver, f, &own, NULL) != LRGD_OK) return;
    if (turn == times - 1) teach(solver, a->run, a, p);
    if (lrgd_solver_solve(solver, x0, x, &result, NULL) == LRGD_OK)
      sign_result(s, &result);
    else
      s->numbers[0] = -1;
    (void)lrgd_solver_destroy(&solver);
  }
  free(x);
}

static void box(lrgd_problem *f, double half, const double *x0, double *bounds)
{
  if (!(half > 0)) return;
  for (size_t i = 0; i < f->dimension; i++) {
    bounds[i] = x0[i] - half;
    bounds[f->dimension + i] = x0[i] + half;
  }
  f->lower = bounds;
  f->upper = bounds + f->dimension;
}

/* The problem of a run: by f with what the run does to it, by the callback
 * that the run names, or by residuals and outputs. */
static lrgd_problem problem_for(const run_case *run, const lr_problem *problem,
                                asked *a)
{
  const lrgd_problem *own = lr_problem_callbacks(problem);
  *a = (asked){.f = own,
               .run = run,
               .start = lr_problem_start(problem),
               .minimiser = lr_problem_minimiser(problem)};
  if (own->limits) return *own;
  if (run->by == 'r') return lr_problem_by_residuals(problem);
  lrgd_problem f = lrgd_problem_default(own->dimension);
  f.lower = own->lower;
  f.upper = own->upper;
  f.user = own->user;
  if (run->by == 'g')
    f.gradient = own->gradient;
  else if (run->by == 's')
    f.slopes = own->slopes;
  else
    f.value = value, f.user = a;
  return f;
}

static signature make_run(const run_case *run)
{
  signature s = {{0}};
  lr_problem *problem = made(run->problem);
  asked a;
  lrgd_problem f = problem_for(run, problem, &a);
  size_t p = f.dimension;
  lrgd_options o = lrgd_options_default();
  double *bounds = numbers_of(2 * p), *start = numbers_of(p);
  memcpy(start, lr_problem_start(problem), p * sizeof *start);
  box(&f, run->box, start, bounds);
  for (size_t i = 0; run->wall == 'x' && i < p; i++)
    start[i] += 0.95 * run->box * chance(i + 1);
  o.max_evals = (int64_t)(60 * p + 1500);
  set_options(&o, run->options);
  if (run->wall == 'k') {
    a.known_x = numbers_of(MOST_KNOWN * p);
    a.known_f = numbers_of(MOST_KNOWN);
  }
  if (run->wall == 'd')
    sign_diagnosis(&s, &f, &o, start);
  else
    minimise(&s, &f, &o, start, &a);
  free(a.known_x);
  free(a.known_f);
  free(bounds);
  free(start);
  lr_problem_destroy(&problem);
  return s;
}

/* ---- all runs ---- */

static size_t run_count;
static size_t order[MOST_RUNS]; /* of the runs, the fastest first */
static signature usual[MOST_RUNS];
static double took[MOST_RUNS];

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool same(const signature *a, const signature *b)
{
  return memcmp(a->numbers, b->numbers, sizeof a->numbers) == 0;
}

static int by_time(const void *a, const void *b)
{
  double left = took[*(const size_t *)a], right = took[*(const size_t *)b];
  return (left > right) - (left < right);
}

static void make_usual(void)
{
  double all = 0;
  for (run_count = 0; run_cases[run_count].problem; run_count++) {
    double before = now();
    if (run_count == MOST_RUNS) exit(2);
    usual[run_count] = make_run(&run_cases[run_count]);
    took[run_count] = now() - before;
    all += took[run_count];
    order[run_count] = run_count;
    if (getenv("SHOW"))
      fprintf(stderr, "%.3f %s (%s): outcome %g, %g\n", took[run_count],
              run_cases[run_count].problem, run_cases[run_count].options,
              usual[run_count].numbers[0], usual[run_count].numbers[1]);
  }
  qsort(order, run_count, sizeof *order, by_time);
  fprintf(stderr, "%zu runs in %.1f s\n", run_count, all);
}

/* In a process of its own: the number of the first run that differs, or
 * run_count. */
static size_t first_change(const char *row, double number)
{
  int ends[2], status = 0;
  size_t at = 0, last = 0;
  if (pipe(ends) != 0) exit(2);
  pid_t child = fork();
  if (child < 0) exit(2);
  if (child == 0) {
    close(ends[0]);
    (void)lr_policy_set(row, number);
    for (; at < run_count; at++) {
      alarm((unsigned)(3 + 20 * took[order[at]]));
      if (write(ends[1], &at, sizeof at) < 0) _exit(1);
      signature s = make_run(&run_cases[order[at]]);
      if (!same(&s, &usual[order[at]])) _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  while (read(ends[0], &at, sizeof at) == (ssize_t)sizeof at) last = at;
  close(ends[0]);
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? run_count : last;
}

static bool tries(const char *word, const lr_policy_row *row,
                  const double *numbers, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    size_t at = first_change(row->name, numbers[i]);
    if (at == run_count) continue;
    const run_case *run = &run_cases[order[at]];
    printf("%s %s %g %s (%s)\n", word, row->name, numbers[i], run->problem,
           run->options);
    return true;
  }
  return false;
}

static void judge(const lr_policy_row *row)
{
  double v = row->value;
  bool is_switch = strcmp(row->unit, "switch") == 0;
  bool share = strcmp(row->unit, "share") == 0;
  double near[2] = {is_switch ? 1 - v
                    : share   ? v / 2
                              : 2 * v,
                    is_switch ? 1 - v
                    : share   ? (1 + v) / 2
                              : v / 2};
  double far[2] = {0, share ? 1 : 1e9};
  if (!tries("needed", row, near, is_switch ? 1 : 2) &&
      (is_switch || !tries("loose", row, far, 2)))
    printf("unneeded %s\n", row->name);
  fflush(stdout);
}

static bool is_named(const char *name, int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], name) == 0) return true;
  return argc == 1;
}

int main(int argc, char **argv)
{
  const lr_policy_row *row;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  make_usual();
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (long core = 0; core < cores; core++) {
    pid_t child = fork();
    if (child < 0) return 2;
    if (child > 0) continue;
    for (size_t i = 0; (row = lr_policy_row_at(i)); i++)
      if ((long)(i % (size_t)cores) == core && is_named(row->name, argc, argv))
        judge(row);
    _exit(0);
  }
  while (wait(NULL) > 0) continue;
  return 0;
}
