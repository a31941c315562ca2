/* Paths of a journal: steps that are the stored ones up to rounding, steps that
 * are not, and what is known of the function in the end. */
#include "check.h"
#include "journal_folder.h"

#include <lrgd/run.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { P = 6, STEPS = 5 };
static const double h = 1e-6; /* of the differences */

/* ---- a function that remembers what it was asked ---- */

typedef struct asked {
  size_t count;
  double x[200][P];
} asked;

static double value(size_t p, const double *x, void *user)
{
  asked *all = user;
  double sum = 0;
  if (all->count < 200) memcpy(all->x[all->count], x, p * sizeof *x);
  all->count++;
  for (size_t i = 0; i < p; i++)
    sum += (double)(i + 1) * (x[i] - 1) * (x[i] - 1);
  return sum;
}

/* ---- a run: gradient descent by forward differences, a little off ---- */

static lrgd_status open_run(lrgd_journal **journal, const char *seed,
                            int may_differ, lrgd_error *error)
{
  lrgd_setting settings[] = {
      {.key = "seed", .text = seed}
  };
  lrgd_journal_options options = lrgd_journal_options_default();
  options.dimension = P;
  options.settings = settings;
  options.setting_count = 1;
  options.may_differ = may_differ;
  return lrgd_journal_open(journal, path, &options, error);
}

/* Each step is off by `off` of its length, as another processor's sums might
 * have it; ends after `most` values.  x: where it ends. */
static void descend(const lrgd_problem *problem, double off, size_t most,
                    double x[P])
{
  double g[P], trial[P];
  size_t n = 0;
  for (size_t i = 0; i < P; i++) x[i] = 0.25 * (double)i;
  for (int step = 0; step < STEPS; step++) {
    if (n++ >= most) return;
    double f = problem->value(P, x, problem->user);
    for (size_t i = 0; i < P; i++) {
      if (n++ >= most) return;
      memcpy(trial, x, sizeof trial);
      trial[i] += h;
      g[i] = (problem->value(P, trial, problem->user) - f) / h;
    }
    for (size_t i = 0; i < P; i++)
      x[i] -= 0.05 * g[i] * (1 + off * (i % 2 ? 1 : -1));
  }
}

static lrgd_status run(const char *seed, double off, size_t most, asked *all,
                       lrgd_journal_summary *summary, lrgd_departure *departure)
{
  lrgd_journal *journal;
  lrgd_error error;
  double x[P];
  lrgd_problem problem = lrgd_problem_default(P);
  problem.value = value;
  problem.user = all;
  *all = (asked){0};
  if (!check(open_run(&journal, seed, 0, &error) == LRGD_OK, "%s", error.text))
    return error.status;
  check(lrgd_journal_wrap(journal, &problem, NULL, &problem, &error) == LRGD_OK,
        "%s", error.text);
  descend(&problem, off, most, x);
  *departure = lrgd_journal_departure(journal);
  lrgd_status status = lrgd_journal_status(journal, &error);
  check(lrgd_journal_summarize(journal, summary, NULL) == LRGD_OK, "summary");
  lrgd_journal_close(&journal);
  return status;
}

/* 3 iterations and the value of the fourth iterate. */
enum { FIRST = 3 * (P + 1) + 1 };
/* Points are of size 1, stored to 1e-13 of that, and displaced exactly but for
 * rounding. */
static const double TINY = 1e-12;

TEST("a step that is the stored one up to rounding is the stored one")
{
  asked all;
  lrgd_journal_summary summary;
  lrgd_departure departure;
  double base[P];
  lrgd_journal *journal;
  make_folder("paths");
  check(run("1", 0, FIRST, &all, &summary, &departure) == LRGD_OK, "begins");
  memcpy(base, all.x[FIRST - 1], sizeof base);
  check(run("1", 3e-7, 1000, &all, &summary, &departure) == LRGD_OK,
        "goes on; it departs at %llu: %s",
        (unsigned long long)departure.sequence, departure.how);
  check_int(summary.replayed, FIRST, "all that was stored is used");
  check_int(all.count, STEPS * (P + 1) - FIRST, "the rest is asked");
  /* the differences that are asked anew are taken from the stored iterate,
   * which the run itself holds to be elsewhere by some 1e-7 */
  for (size_t i = 0; i < P; i++)
    for (size_t j = 0; j < P; j++)
      check(fabs(all.x[i][j] - base[j] - (i == j ? h : 0)) <= TINY,
            "difference %zu, coordinate %zu", i, j);
  /* and once more, exactly as before: nothing is asked */
  check(run("1", 3e-7, 1000, &all, &summary, &departure) == LRGD_OK, "again");
  check_int(all.count, 0, "asked again");
  check(lrgd_journal_open_readonly(&journal, path, NULL) == LRGD_OK, "read");
  double stored[P];
  check(lrgd_journal_point(journal, FIRST + 1, stored, NULL) == LRGD_OK, "one");
  check(fabs(stored[0] - base[0] - h) <= TINY, "stored as asked");
  lrgd_journal_close(&journal);
  remove_folder();
}

TEST("a step that differs by more departs, and the message says where")
{
  asked all;
  lrgd_journal_summary summary;
  lrgd_departure departure;
  make_folder("paths");
  check(run("1", 0, FIRST, &all, &summary, &departure) == LRGD_OK, "begins");
  check(run("1", 1e-4, 1000, &all, &summary, &departure) == LRGD_ERR_REFUSED,
        "departs");
  check_int(departure.sequence, P + 2, "after the first step");
  check(strstr(departure.how, "coordinate ") == departure.how, "how: %s",
        departure.how);
  check_int(all.count, 0, "nothing was asked");
  check_int(summary.rows, FIRST, "nothing is lost");
  remove_folder();
}

/* ---- new paths ---- */

typedef struct seen {
  uint64_t rows[4];
  uint64_t last, failed, slopes;
  double best;
} seen;

static int see(const lrgd_stored *stored, void *user)
{
  seen *all = user;
  asked ignored = {0};
  check(stored->sequence > all->last, "in order");
  all->last = stored->sequence;
  all->rows[stored->path < 4 ? stored->path : 0]++;
  all->failed += isnan(stored->f) != 0;
  if (isnan(stored->f)) return 0;
  check_near(stored->f, value(P, stored->x, &ignored), 1e-9 * stored->f + 1e-12,
             "f belongs to x, row %llu", (unsigned long long)stored->sequence);
  if (stored->f < all->best) all->best = stored->f;
  return 0;
}

static void begin_second(const char *seed, asked *all)
{
  lrgd_journal *journal;
  lrgd_error error;
  double x[P];
  lrgd_setting settings[] = {
      {.key = "seed", .text = seed}
  };
  lrgd_problem problem = lrgd_problem_default(P);
  problem.value = value;
  problem.user = all;
  *all = (asked){0};
  require(open_run(&journal, seed, 1, &error) == LRGD_OK, "%s", error.text);
  check(strstr(lrgd_journal_difference(journal), "seed is 1 there, 2 here") !=
            NULL,
        "difference: %s", lrgd_journal_difference(journal));
  require(lrgd_journal_wrap(journal, &problem, NULL, &problem, &error) ==
              LRGD_OK,
          "%s", error.text);
  check(lrgd_journal_begin_path(journal, settings, 1, "another seed", &error) ==
            LRGD_OK,
        "%s", error.text);
  check_int(*lrgd_journal_difference(journal), 0, "no difference is left");
  descend(&problem, 0.3, FIRST, x);
  check(lrgd_journal_status(journal, &error) == LRGD_OK, "%s", error.text);
  lrgd_journal_close(&journal);
}

TEST("a new path asks anew, replays its own rows only, and all is known")
{
  asked all;
  lrgd_journal_summary summary;
  lrgd_departure departure;
  lrgd_journal *journal;
  seen found = {.best = INFINITY};
  make_folder("paths");
  check(run("1", 0, FIRST, &all, &summary, &departure) == LRGD_OK, "begins");
  begin_second("2", &all);
  check_int(all.count, FIRST, "a new path asks");
  check(run("2", 0.3, FIRST + 5, &all, &summary, &departure) == LRGD_OK,
        "the second path goes on");
  check_int(summary.replayed, FIRST, "its own rows are replayed");
  check_int(all.count, 5, "and no others are asked");
  check_int(summary.rows, 2 * FIRST + 5, "rows of both");
  check_int(summary.paths, 2, "paths");
  check_int(summary.path_first, FIRST + 1, "where the second began");
  check_int(summary.path_rows, FIRST + 5, "rows of the second");
  check(strcmp(summary.path_why, "another seed") == 0, "%s", summary.path_why);
  check(lrgd_journal_open_readonly(&journal, path, NULL) == LRGD_OK, "read");
  check(lrgd_journal_each(journal, 1, UINT64_MAX, see, &found, NULL) == LRGD_OK,
        "each");
  check_int(found.rows[1], FIRST, "rows of path 1");
  check_int(found.rows[2], FIRST + 5, "rows of path 2");
  check_near(found.best, summary.best_f, 0, "the best of all paths");
  found = (seen){.best = INFINITY};
  check(lrgd_journal_each(journal, 3, 7, see, &found, NULL) == LRGD_OK, "some");
  check_int(found.rows[1], 5, "those from 3 to 7");
  lrgd_journal_close(&journal);
  remove_folder();
}

TEST("without a new path a run with other settings asks nothing")
{
  asked all;
  lrgd_journal_summary summary;
  lrgd_departure departure;
  lrgd_journal *journal;
  lrgd_error error;
  double x[P];
  lrgd_problem problem = lrgd_problem_default(P);
  make_folder("paths");
  check(run("1", 0, FIRST, &all, &summary, &departure) == LRGD_OK, "begins");
  problem.value = value;
  problem.user = &all;
  all = (asked){0};
  check(open_run(&journal, "2", 0, &error) == LRGD_ERR_REFUSED, "refused");
  require(open_run(&journal, "2", 1, &error) == LRGD_OK, "%s", error.text);
  require(lrgd_journal_wrap(journal, &problem, NULL, &problem, &error) ==
              LRGD_OK,
          "%s", error.text);
  descend(&problem, 0, 1000, x);
  check(lrgd_journal_status(journal, &error) == LRGD_ERR_REFUSED, "refused");
  lrgd_journal_close(&journal);
  check_int(all.count, 0, "asked");
  check(run("1", 0, FIRST, &all, &summary, &departure) == LRGD_OK, "as before");
  check_int(summary.replayed, FIRST, "replayed");
  remove_folder();
}

/* ---- other kinds of answers ---- */

static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++)
      d[j] += 2 * (double)(i + 1) * (x[i] - 1) * U[j * p + i];
  }
  return x[0] > 5 ? NAN : value(p, x, user);
}

static int see_slope(const lrgd_stored *stored, void *user)
{
  seen *all = user;
  asked ignored = {0};
  double d;
  if (isnan(stored->f)) {
    check(stored->d == NULL, "a failure has no slope");
    all->failed++;
    return 0;
  }
  check(stored->kind == LRGD_KIND_SLOPES && stored->u && stored->d, "a slope");
  (void)slopes(P, stored->x, 1, stored->u, &d, &ignored);
  check_near(*stored->d, d, 1e-9 * fabs(d) + 1e-12, "d belongs to x and u");
  all->slopes++;
  return 0;
}

TEST("slopes and failures are known as numbers too")
{
  asked all = {0};
  lrgd_journal *journal;
  lrgd_error error;
  double x[P] = {0.5}, U[2 * P] = {0}, d[2];
  seen found = {0};
  lrgd_problem problem = lrgd_problem_default(P);
  make_folder("paths");
  U[0] = U[P + 2] = 1;
  problem.slopes = slopes;
  problem.user = &all;
  require(open_run(&journal, "1", 0, &error) == LRGD_OK, "%s", error.text);
  require(lrgd_journal_wrap(journal, &problem, NULL, &problem, &error) ==
              LRGD_OK,
          "%s", error.text);
  (void)problem.slopes(P, x, 2, U, d, problem.user);
  x[0] = 6;
  (void)problem.slopes(P, x, 1, U, d, problem.user);
  check(lrgd_journal_each(journal, 1, UINT64_MAX, see_slope, &found, &error) ==
            LRGD_OK,
        "%s", error.text);
  check_int(found.slopes, 2, "slopes");
  check_int(found.failed, 1, "failures");
  lrgd_journal_close(&journal);
  remove_folder();
}

/* r[i] = (i + 1) x[i] + x[0]^2 for M inputs, and its derivatives; no numbers
 * beyond x[0] = 5. */
enum { M = 2 };
static size_t derived;

static void residuals_at(const double *x, double *r)
{
  for (size_t i = 0; i < M; i++)
    r[i] = x[0] > 5 ? NAN : (double)(i + 1) * x[i] + x[0] * x[0];
}

static double slope_of(size_t i, const double *x, const double *u)
{
  return (double)(i + 1) * u[i] + 2 * x[0] * u[0];
}

static void jacobian(size_t p, const double *x, size_t m, double *r, double *J,
                     void *user)
{
  (void)user, derived++;
  residuals_at(x, r);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < p; j++) {
      double axis[P] = {0};
      axis[j] = 1;
      J[i * p + j] = slope_of(i, x, axis);
    }
}

static void along(size_t p, const double *x, size_t k, const double *U,
                  size_t m, double *r, double *D, void *user)
{
  (void)user, derived += k;
  residuals_at(x, r);
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < m; i++) D[j * m + i] = slope_of(i, x, U + j * p);
}

static int see_derived(const lrgd_stored *stored, void *user)
{
  seen *all = user;
  if (isnan(stored->f)) {
    check(stored->residual_count == 0, "a failure has no residuals");
    all->failed++;
    return 0;
  }
  size_t m = stored->residual_count;
  double r[M];
  check_int(m, M, "residuals");
  residuals_at(stored->x, r);
  for (size_t i = 0; i < m; i++)
    check_near(stored->residuals[i], r[i], 1e-12, "a residual");
  all->slopes++;
  const double *d = stored->residuals + m;
  if (stored->kind == LRGD_KIND_SLOPES)
    check_near(d[1], slope_of(1, stored->x, stored->u), 1e-12, "a slope");
  else
    check_near(d[1 * P + 0], 2 * stored->x[0], 1e-12, "an entry of J");
  return 0;
}

/* Asks for J, or the slopes along two directions, at two points; the second has
 * no residuals.  Returns the sum of what was answered at the first. */
static double ask_derived(const lrgd_problem *f)
{
  double x[P] = {0.5, 2}, U[2 * P] = {0}, r[M], D[M * P], sum = 0;
  U[0] = U[P + 1] = 1;
  for (int far = 0; far < 2; far++) {
    x[0] = far ? 6 : 0.5;
    if (f->residual_jacobian)
      f->residual_jacobian(P, x, M, r, D, f->user);
    else
      f->residual_slopes(P, x, 2, U, M, r, D, f->user);
    check(isnan(r[0]) == far, "a point without residuals has failed");
    for (size_t i = 0; !far && i < M; i++) sum += r[i] + D[M + i];
  }
  return sum;
}

TEST("derivatives of residuals are kept, and replayed without asking")
{
  for (int slopewise = 0; slopewise < 2; slopewise++) {
    double sums[2];
    seen found = {0};
    make_folder("paths");
    derived = 0;
    for (int time = 0; time < 2; time++) {
      lrgd_journal *journal;
      lrgd_error error;
      lrgd_problem problem = lrgd_problem_default(P);
      problem.residual_count = M;
      if (slopewise)
        problem.residual_slopes = along;
      else
        problem.residual_jacobian = jacobian;
      require(open_run(&journal, "1", 0, &error) == LRGD_OK, "%s", error.text);
      require(lrgd_journal_wrap(journal, &problem, NULL, &problem, &error) ==
                  LRGD_OK,
              "%s", error.text);
      sums[time] = ask_derived(&problem);
      if (time)
        check(lrgd_journal_each(journal, 1, UINT64_MAX, see_derived, &found,
                                &error) == LRGD_OK,
              "%s", error.text);
      lrgd_journal_close(&journal);
    }
    size_t each = slopewise ? 2 : 1;
    check_int(derived, 2 * each, "calls");
    check(sums[0] == sums[1], "%g is not %g", sums[0], sums[1]);
    check_int(found.slopes, each, "answers");
    check_int(found.failed, each, "failures");
    remove_folder();
  }
}
