/* A small run around the library, for tests that kill it from outside:
 * driver KEY=VALUE ...; prints one JSON object.
 *
 *   worker= program=   the command
 *   dim=5 steps=4      a fixed descent: a value and a batch of differences a
 *                      step, the same path whoever answers
 *   method=            a method of the core instead: lrgd, gd, ...
 *   oracle=value|gradient|slope  jobs= timeout= grace= drain= journal= orphans=
 *   residuals=found|M  the program answers residuals, for method=auto
 *   max_output= storage_wait= spawn_wait= resume= seed= ack=FILE
 *   new_path=1         other settings begin a new path
 *   function=1         another command must be the same function
 *
 * ack: after every answer that the run was given, its number is appended to
 * FILE: what was acknowledged must be in the journal. */
#include <lrgd/run.h>

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count;
static char **words;
static lrgd_pool *pool;
static lrgd_journal *journal;
static lrgd_solver *solver;
static volatile sig_atomic_t stops, fatal;
static int ack = -1;
static uint64_t evaluations;

/* The driver's own memory: what is tested is the library's. */
static double *numbers(size_t n)
{
  double *x = calloc(n, sizeof *x);
  if (!x) exit(1);
  return x;
}

static const char *get(const char *key, const char *otherwise)
{
  size_t n = strlen(key);
  for (int i = 1; i < count; i++)
    if (!strncmp(words[i], key, n) && words[i][n] == '=')
      return words[i] + n + 1;
  return otherwise;
}

static double number(const char *key, double otherwise)
{
  const char *text = get(key, NULL);
  return text ? strtod(text, NULL) : otherwise;
}

static void on_signal(int signal)
{
  (void)signal;
  stops++;
  if (solver) lrgd_solver_stop(solver);
  lrgd_pool_interrupt(pool,
                      stops > 1 ? LRGD_INTERRUPT_KILL : LRGD_INTERRUPT_DRAIN);
}

static void on_fatal(lrgd_status status, void *user)
{
  (void)status;
  (void)user;
  fatal = 1;
  if (solver) lrgd_solver_stop(solver);
}

static void show_text(const char *key, const char *text)
{
  printf("\"%s\": \"", key);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\' || c < 32)
      printf("\\u%04x", c);
    else
      putchar(c);
  }
  printf("\"");
}

static int exit_status(lrgd_status status)
{
  switch (status) {
  case LRGD_OK: return 0;
  case LRGD_ERR_SPAWN:
  case LRGD_ERR_INVALID: return 2;
  case LRGD_ERR_STORAGE: return 6;
  case LRGD_ERR_REFUSED: return 7;
  case LRGD_ERR_LOCKED: return 8;
  default: return 1;
  }
}

static int fail(lrgd_status status, const lrgd_error *error)
{
  printf("{");
  show_text("error", error->text);
  printf(", \"status\": %d}\n", (int)status);
  return exit_status(status);
}

/* ---- what runs ---- */

static void acknowledge(size_t n)
{
  char byte = 'x';
  evaluations += n;
  for (size_t i = 0; ack >= 0 && i < n; i++)
    if (write(ack, &byte, 1) != 1) exit(90);
}

static double ask_value(const lrgd_problem *problem, const double *x)
{
  size_t p = problem->dimension;
  double f;
  if (problem->gradient) {
    double *g = numbers(p);
    f = problem->gradient(p, x, g, problem->user);
    free(g);
  } else if (problem->slopes) {
    f = problem->slopes(p, x, 0, NULL, NULL, problem->user);
  } else {
    f = problem->value(p, x, problem->user);
  }
  if (!stops && !fatal) acknowledge(1);
  return f;
}

/* d[j]: the slope along coordinate j. */
static void ask_slopes(const lrgd_problem *problem, const double *x, double f,
                       double *d)
{
  size_t p = problem->dimension;
  double *X = numbers(p * p);
  int slopes = problem->slopes != NULL;
  const double h = 1e-3;
  for (size_t j = 0; j < p; j++) {
    if (!slopes) memcpy(X + j * p, x, p * sizeof *x);
    X[j * p + j] += slopes ? 1 : h;
  }
  if (problem->gradient)
    (void)problem->gradient(p, x, d, problem->user);
  else if (slopes)
    (void)problem->slopes(p, x, p, X, d, problem->user);
  else
    problem->values(p, p, X, d, problem->user);
  if (!stops && !fatal) acknowledge(problem->gradient ? 1 : p);
  for (size_t j = 0; j < p && problem->values; j++) d[j] = (d[j] - f) / h;
  free(X);
}

static double descend(const lrgd_problem *problem, double *x)
{
  size_t p = problem->dimension;
  double f = NAN, *d = numbers(p);
  for (int step = 0; step < (int)number("steps", 4) && !stops && !fatal;
       step++) {
    f = ask_value(problem, x);
    ask_slopes(problem, x, f, d);
    for (size_t j = 0; j < p && !stops && !fatal; j++)
      if (isfinite(d[j])) x[j] -= 0.1 * d[j];
  }
  free(d);
  return f;
}

static lrgd_status solve(const lrgd_problem *problem, double *x, double *f,
                         lrgd_error *error)
{
  lrgd_options options = lrgd_options_default();
  lrgd_result result;
  lrgd_status status =
      lrgd_options_set(&options, "method", get("method", "lrgd"), error);
  options.rank = (int64_t)number("rank", 2);
  options.seed = (int64_t)number("seed", 1);
  options.max_evals = (int64_t)number("max_evals", 200);
  options.retries = (int64_t)number("retries", 0);
  options.max_failures = (int64_t)number("max_failures", LRGD_UNSET);
  if (!status) status = lrgd_solver_create(&solver, problem, &options, error);
  if (!status) status = lrgd_solver_solve(solver, x, x, &result, error);
  *f = status ? NAN : result.f;
  if (!status) evaluations = lrgd_counts_evaluations(&result.counts);
  (void)lrgd_solver_destroy(&solver);
  return status;
}

/* ---- opening and closing ---- */

/* What belongs to the run. */
static void fill_settings(lrgd_setting settings[4], size_t p, const double *x)
{
  memset(settings, 0, 4 * sizeof *settings);
  settings[0].key = "method";
  settings[0].text = get("method", "descend");
  settings[1].key = "seed";
  settings[1].text = get("seed", "1");
  settings[2].key = "start";
  settings[2].numbers = x;
  settings[2].count = p;
  settings[3].key = "command";
  settings[3].text = get("worker", get("program", ""));
  settings[3].may_change = LRGD_SETTING_MAY_CHANGE;
  if (number("function", 0) > 0)
    settings[3].may_change |= LRGD_SETTING_FUNCTION;
}

static lrgd_status open_journal(size_t p, const double *x, lrgd_error *error)
{
  const char *path = get("journal", NULL);
  if (!path) return LRGD_OK;
  lrgd_journal_options keep = lrgd_journal_options_default();
  lrgd_setting settings[4];
  fill_settings(settings, p, x);
  keep.dimension = p;
  keep.settings = settings;
  keep.setting_count = 4;
  keep.storage_wait_s = number("storage_wait", 0);
  keep.must_exist = (int64_t)number("resume", 0);
  keep.may_differ = (int64_t)number("new_path", 0);
  return lrgd_journal_open(&journal, path, &keep, error);
}

static lrgd_status open_pool(lrgd_error *error)
{
  lrgd_pool_options how = lrgd_pool_options_default();
  const char *oracle = get("oracle", "value");
  how.command = get("worker", get("program", NULL));
  how.mode =
      get("program", NULL) ? LRGD_POOL_MODE_PROGRAM : LRGD_POOL_MODE_WORKER;
  how.oracle = !strcmp(oracle, "slope")      ? LRGD_ORACLE_SLOPE
               : !strcmp(oracle, "gradient") ? LRGD_ORACLE_GRADIENT
                                             : LRGD_ORACLE_VALUE;
  how.jobs = (int64_t)number("jobs", 1);
  how.residuals = strcmp(get("residuals", "0"), "found") == 0
                      ? LRGD_RESIDUALS_FOUND
                      : (int64_t)number("residuals", 0);
  how.timeout_s = number("timeout", 0);
  how.grace_s = number("grace", 0.3);
  how.drain_s = number("drain", 0);
  how.max_output = (int64_t)number("max_output", 1 << 20);
  how.spawn_wait_s = number("spawn_wait", 2);
  how.work_root = get("work_root", NULL);
  if (journal) how.run_id = lrgd_journal_run_id(journal);
  return lrgd_pool_create(&pool, &how, error);
}

static uint64_t hash(const double *x, size_t p)
{
  uint64_t sum = 1;
  for (size_t i = 0; i < p; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    sum = (sum ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
  }
  return sum;
}

static lrgd_status report(const double *x, size_t p, double f,
                          lrgd_error *error)
{
  lrgd_journal_summary summary = {0};
  lrgd_status status = journal ? lrgd_journal_status(journal, error) : LRGD_OK;
  if (!status) status = lrgd_pool_finish(pool, error);
  lrgd_pool_counts counts = lrgd_pool_count(pool);
  lrgd_error ignored;
  if (journal && lrgd_journal_summarize(journal, &summary, &ignored))
    summary.rows = 0;
  double value = 0; /* of the simulators, in their order of summing */
  for (size_t i = 0; i < p; i++)
    value += (x[i] - (double)(i % 7)) * (x[i] - (double)(i % 7));
  printf("{\"value\": %.17g, ", isfinite(value) ? value : 0);
  printf("\"f\": \"%a\", \"hash\": \"%016llx\", \"evaluations\": %llu, ", f,
         (unsigned long long)hash(x, p), (unsigned long long)evaluations);
  printf("\"unused\": %llu, ", (unsigned long long)lrgd_pool_unused(pool));
  printf("\"asked\": %llu, \"failed\": %llu, \"unanswered\": %llu, ",
         (unsigned long long)counts.asked, (unsigned long long)counts.failed,
         (unsigned long long)counts.unanswered);
  printf("\"started\": %llu, \"rows\": %llu, \"replayed\": %llu, ",
         (unsigned long long)counts.started, (unsigned long long)summary.rows,
         (unsigned long long)summary.replayed);
  printf("\"in_flight\": %llu, \"sessions\": %llu, \"status\": %d, ",
         (unsigned long long)summary.in_flight,
         (unsigned long long)summary.sessions, (int)status);
  printf("\"paths\": %llu, \"path_rows\": %llu, \"checks\": %llu, ",
         (unsigned long long)summary.paths,
         (unsigned long long)summary.path_rows,
         (unsigned long long)summary.checks);
  show_text("failure", lrgd_pool_last_failure(pool));
  printf(", ");
  show_text("error", status ? error->text : "");
  printf("}\n");
  return status;
}

static lrgd_status run(size_t p, double *x, lrgd_error *error)
{
  size_t m = 0;
  lrgd_status status = LRGD_OK;
  size_t tries = 1 + (size_t)number("retries", 0);
  if (get("residuals", NULL))
    status = journal ? lrgd_journal_find_residuals(journal, pool, x, tries, &m,
                                                   error)
                     : lrgd_pool_find_residuals(pool, p, x, tries, &m, error);
  if (status) return status;
  lrgd_problem problem = lrgd_pool_problem(pool, p);
  if (get("residuals", NULL)) problem.residual_count = m ? m : 1;
  if (journal)
    status = lrgd_journal_wrap(journal, &problem, pool, &problem, error);
  if (!status && journal && *lrgd_journal_difference(journal)) {
    lrgd_setting settings[4];
    fill_settings(settings, p, x);
    status = lrgd_journal_begin_path(journal, settings, 4, "asked for", error);
  }
  if (status) return status;
  if (journal) lrgd_journal_on_fatal(journal, on_fatal, NULL);
  lrgd_pool_on_fatal(pool, on_fatal, NULL);
  (void)sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
  (void)sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
  double f = NAN;
  if (get("method", NULL))
    status = solve(&problem, x, &f, error);
  else
    f = descend(&problem, x);
  if (!status) status = report(x, p, f, error);
  lrgd_error ignored;
  if (journal && !stops && !fatal &&
      lrgd_journal_finish(journal, "converged", &ignored))
    return LRGD_ERR_STORAGE;
  return status;
}

int main(int argc, char **argv)
{
  count = argc;
  words = argv;
  lrgd_error error = {0};
  size_t p = (size_t)number("dim", 5);
  double *x = numbers(p);
  const char *acks = get("ack", NULL);
  if (acks) ack = open(acks, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  for (size_t i = 0; i < p; i++) x[i] = 0.25 * (double)(i % 5);
  lrgd_status status = LRGD_OK;
  if (number("orphans", 0) > 0) status = lrgd_run_adopt_orphans(&error);
  if (!status) status = open_journal(p, x, &error);
  if (!status && journal) (void)lrgd_run_sweep(lrgd_journal_run_id(journal));
  if (!status) status = open_pool(&error);
  if (status) {
    lrgd_journal_close(&journal);
    free(x);
    return fail(status, &error);
  }
  status = run(p, x, &error);
  lrgd_journal_close(&journal);
  lrgd_pool_destroy(&pool);
  free(x);
  return exit_status(status);
}
