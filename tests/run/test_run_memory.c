/* The n-th allocation of the journal itself fails, for n = 1, 2, 3 ..., while
 * a run of slopes, values and complex values is replayed and goes on: the run
 * ends for lack of memory and for nothing else, no answer is made up, nothing
 * stored is asked again, and the next session ends as an uninterrupted one.
 *
 * The linker gives this program's allocations to the functions below (--wrap);
 * those of SQLite are in tests/cli/test_memory.py. */
#include "check.h"

#include <lrgd/run.h>

#include <stdlib.h>
#include <unistd.h>

/* ---- an allocator that fails once ---- */

static long countdown; /* to the allocation that fails; 0: none does */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static int fails(void)
{
  return countdown > 0 && --countdown == 0;
}

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
  return fails() ? NULL : __real_realloc(memory, size);
}

/* Nobody cuts the power here: SQLite need not wait for the disk. */
#define SEEN __attribute__((visibility("default")))

SEEN int fdatasync(int fd)
{
  (void)fd;
  return 0;
}

SEEN int fsync(int fd)
{
  (void)fd;
  return 0;
}

/* ---- a problem that counts ---- */

enum { P = 140, ROUNDS = 3, PER_ROUND = 7, MOST_AT_ONCE = 3 };

static long asked;

static double value(size_t p, const double *x, void *user)
{
  double f = 0;
  (void)user;
  asked++;
  for (size_t i = 0; i < p; i++) f += (x[i] - 1) * (x[i] - 1);
  return f;
}

static void values(size_t p, size_t m, const double *X, double *f, void *user)
{
  for (size_t j = 0; j < m; j++) f[j] = value(p, X + j * p, user);
}

static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  double f = value(p, x, user);
  asked += k > 1 ? (long)k - 1 : 0;
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++) d[j] += 2 * (x[i] - 1) * U[j * p + i];
  }
  return f;
}

static lrgd_complex complex_value(size_t p, const lrgd_complex *z, void *user)
{
  lrgd_complex y = {0, 0};
  (void)user;
  asked++;
  for (size_t i = 0; i < p; i++) {
    y.re += (z[i].re - 1) * (z[i].re - 1) - z[i].im * z[i].im;
    y.im += 2 * (z[i].re - 1) * z[i].im;
  }
  return y;
}

/* ---- a run ---- */

static char folder[64], path[80];
static lrgd_status ended; /* why the session ended, or LRGD_OK */

static void stop(lrgd_status status, void *user)
{
  (void)user;
  ended = status;
}

static lrgd_status open_journal(lrgd_journal **journal, lrgd_problem *problem)
{
  static const double logs[] = {1, 2, 3, 70, P};
  lrgd_error error;
  lrgd_setting setting = {.key = LRGD_SETTING_LOG, .numbers = logs, .count = 5};
  lrgd_journal_options options = lrgd_journal_options_default();
  options.dimension = P;
  options.settings = &setting;
  options.setting_count = 1;
  *problem = (lrgd_problem){.struct_size = sizeof *problem,
                            .dimension = P,
                            .value = value,
                            .values = values,
                            .slopes = slopes,
                            .complex_value = complex_value};
  lrgd_status status = lrgd_journal_open(journal, path, &options, &error);
  if (status) return status;
  lrgd_journal_on_fatal(*journal, stop, NULL);
  return lrgd_journal_wrap(*journal, problem, NULL, problem, &error);
}

/* Points of one round: some differ in one coordinate, some in all. */
static void make_points(int round, double *X)
{
  for (size_t j = 0; j < MOST_AT_ONCE; j++)
    for (size_t i = 0; i < P; i++)
      X[j * P + i] = 2 + 0.25 * round * (1 + (double)(i % 5)) +
                     (j == 1 && i == 7 ? 1 : 0) + (j == 2 ? 0.125 : 0);
}

static void expect(double got, double want)
{
  if (ended) return; /* what is given then is not used */
  check(got == want, "the answer is %.17g; it must be %.17g", got, want);
}

static void play_round(const lrgd_problem *f, int round)
{
  static double X[MOST_AT_ONCE * P];
  static lrgd_complex z[P];
  double got[MOST_AT_ONCE], d[2], want[2];
  long before = asked;
  make_points(round, X);
  double plain[MOST_AT_ONCE];
  values(P, MOST_AT_ONCE, X, plain, NULL);
  (void)slopes(P, X, 2, X + P, want, NULL);
  for (size_t i = 0; i < P; i++) z[i] = (lrgd_complex){X[i], 1e-20};
  double turned = complex_value(P, z, NULL).im;
  asked = before;
  f->values(P, MOST_AT_ONCE, X, got, f->user);
  for (int j = 0; j < MOST_AT_ONCE; j++) expect(got[j], plain[j]);
  if (ended) return;
  expect(f->slopes(P, X, 2, X + P, d, f->user), plain[0]);
  for (int j = 0; j < 2; j++) expect(d[j], want[j]);
  if (ended) return;
  expect(f->slopes(P, X, 0, NULL, NULL, f->user), plain[0]);
  if (ended) return;
  expect(f->complex_value(P, z, f->user).im, turned);
}

/* A session of so many rounds, in which the n-th allocation fails. */
static lrgd_status sit(int rounds, long n, uint64_t *rows)
{
  lrgd_journal *journal = NULL;
  lrgd_problem problem;
  lrgd_journal_summary summary;
  ended = LRGD_OK;
  countdown = n;
  lrgd_status status = open_journal(&journal, &problem);
  for (int r = 0; r < rounds && !status && !ended; r++) play_round(&problem, r);
  if (!status) status = ended;
  if (!status) status = lrgd_journal_finish(journal, "converged", NULL);
  countdown = 0;
  if (!status && rows) {
    status = lrgd_journal_summarize(journal, &summary, NULL);
    *rows = summary.rows;
  }
  lrgd_journal_close(&journal);
  return status;
}

static void make_folder(void)
{
  snprintf(folder, sizeof folder, "/tmp/lrgd-memory-XXXXXX");
  check(mkdtemp(folder) != NULL, "a folder");
  snprintf(path, sizeof path, "%s/run.db", folder);
}

static void remove_journal(void)
{
  static const char *const ends[] = {"", "-wal", "-shm"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char name[100];
    snprintf(name, sizeof name, "%s%s", path, ends[i]);
    (void)unlink(name);
  }
}

/* One n; whether the allocation was one that was made. */
static bool try_at(long n, int before)
{
  uint64_t rows = 0;
  remove_journal();
  asked = 0;
  if (before) check_int(sit(before, 0, NULL), LRGD_OK, "the first session");
  lrgd_status status = sit(ROUNDS, n, NULL);
  bool was_made = status != LRGD_OK;
  check(status == LRGD_OK || status == LRGD_ERR_NOMEM,
        "allocation %ld: status %d", n, (int)status);
  check_int(sit(ROUNDS, 0, &rows), LRGD_OK, "allocation %ld: the next", n);
  check_int(rows, ROUNDS * PER_ROUND, "allocation %ld: all are stored", n);
  check(asked <= ROUNDS * PER_ROUND + MOST_AT_ONCE,
        "allocation %ld: %ld asked, %d stored", n, asked, ROUNDS * PER_ROUND);
  return was_made;
}

/* Every n up to the first few that are not reached; some that are change
 * nothing (a cache that could not be had). */
static void try_all(int before)
{
  long n = 1, last = 0, tried = 0;
  make_folder();
  for (; n < last + 60 && check_broken == 0; n++, tried++)
    if (try_at(n, before)) last = n;
  remove_journal();
  (void)rmdir(folder);
  check(last > 50, "the last of %ld that mattered is %ld", tried, last);
}

TEST("a run that lacks memory once loses nothing and makes nothing up")
{
  try_all(0);
}

TEST("a replay that lacks memory once asks nothing again, and goes on later")
{
  try_all(2);
}

static int exists(const char *ending)
{
  char name[100];
  snprintf(name, sizeof name, "%s%s", path, ending);
  return access(name, F_OK) == 0;
}

TEST("reading a journal without enough memory leaves no file behind")
{
  lrgd_status status = LRGD_ERR_NOMEM;
  long n = 0;
  make_folder();
  check_int(sit(1, 0, NULL), LRGD_OK, "a journal");
  while (status == LRGD_ERR_NOMEM) {
    lrgd_journal *journal = NULL;
    countdown = ++n;
    status = lrgd_journal_open_readonly(&journal, path, NULL);
    countdown = 0;
    lrgd_journal_close(&journal);
    check(!exists("-wal") && !exists("-shm"), "allocation %ld: no file", n);
  }
  check_int(status, LRGD_OK, "read in the end");
  check(n > 5, "%ld allocations", n - 1);
  remove_journal();
  (void)rmdir(folder);
}
