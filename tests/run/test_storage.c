/* The n-th write, truncation or sync of a journal fails, for n = 1, 2, 3 ...,
 * once and for ever: nothing that was acknowledged is lost, and what is given
 * back is what was answered.
 *
 * The calls below take the place of the C library's for SQLite too. */
#include "check.h"

#include <lrgd/run.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* seen by the libraries this program is linked with */
#define SEEN __attribute__((visibility("default")))

typedef enum fault { FULL, BROKEN, SHORT, NO_SYNC, FAULTS } fault;
static const char *const names[] = {"no space", "write error", "short write",
                                    "sync error"};

static fault kind;
static long countdown; /* to the call that fails; 0: none does */
static int for_ever;
static long injected;

static int fails(int sync)
{
  if (countdown <= 0 || sync != (kind == NO_SYNC)) return 0;
  if (countdown > 1) {
    countdown--;
    return 0;
  }
  if (!for_ever) countdown = 0;
  injected++;
  return 1;
}

static ssize_t write_at(int fd, const void *data, size_t size, off_t at)
{
  if (!fails(0)) return syscall(SYS_pwrite64, fd, data, size, at);
  if (kind == SHORT && size > 1 && !for_ever)
    return syscall(SYS_pwrite64, fd, data, size / 2, at);
  errno = kind == BROKEN ? EIO : ENOSPC;
  return -1;
}

SEEN ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
  return write_at(fd, data, size, at);
}

SEEN ssize_t pwrite64(int fd, const void *data, size_t size, off_t at)
{
  return write_at(fd, data, size, at);
}

static int sync_file(long call, int fd)
{
  if (!fails(1)) return (int)syscall(call, fd);
  errno = EIO;
  return -1;
}

SEEN int fdatasync(int fd)
{
  return sync_file(SYS_fdatasync, fd);
}

SEEN int fsync(int fd)
{
  return sync_file(SYS_fsync, fd);
}

/* ---- a run ---- */

enum { P = 3, STEPS = 6 };
static char path[200];
static int asked;
static double answers[STEPS * 4];
static int stopped;

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
  for (size_t i = 0; i < m; i++) f[i] = value(p, X + i * p, user);
}

static void stop(lrgd_status status, void *user)
{
  (void)status;
  (void)user;
  stopped = 1;
}

static lrgd_status open_journal(lrgd_journal **journal, lrgd_problem *problem)
{
  lrgd_error error;
  lrgd_setting setting = {.key = "seed", .text = "1"};
  lrgd_journal_options options = lrgd_journal_options_default();
  options.dimension = P;
  options.settings = &setting;
  options.setting_count = 1;
  options.storage_wait_s = 0;
  lrgd_problem inner = {.struct_size = sizeof inner,
                        .dimension = P,
                        .value = value,
                        .values = values};
  lrgd_status status = lrgd_journal_open(journal, path, &options, &error);
  if (!status)
    status = lrgd_journal_wrap(*journal, &inner, NULL, problem, &error);
  if (!status) lrgd_journal_on_fatal(*journal, stop, NULL);
  return status;
}

/* The answers it was given, and how many before it was stopped. */
static int run(double *got)
{
  lrgd_journal *journal;
  lrgd_problem problem;
  double x[P] = {0.5, -0.5, 2}, X[3 * P];
  int n = 0;
  stopped = asked = 0;
  if (open_journal(&journal, &problem)) return 0;
  for (int step = 0; step < STEPS; step++) {
    got[n] = problem.value(P, x, problem.user);
    if (stopped) break;
    n++;
    for (int j = 0; j < 3; j++) {
      memcpy(X + j * P, x, sizeof x);
      X[j * P + j] += 1e-3;
    }
    problem.values(P, 3, X, got + n, problem.user);
    if (stopped) break;
    for (int j = 0; j < 3; j++) x[j] -= 100 * (got[n + j] - got[n - 1]);
    n += 3;
  }
  lrgd_journal_close(&journal);
  return n;
}

static void remove_journal(void)
{
  static const char *const ends[] = {"", "-wal", "-shm", "-journal", ".lock"};
  char name[250];
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    snprintf(name, sizeof name, "%s%s", path, ends[i]);
    (void)unlink(name);
  }
}

/* 1: the fault came too late to be met. */
static int fail_at(long n)
{
  double got[STEPS * 4], again[STEPS * 4];
  long before = injected;
  remove_journal();
  countdown = n;
  int given = run(got);
  countdown = 0;
  int met = injected > before;
  check(!memcmp(got, answers, (size_t)given * sizeof *got),
        "%s at %ld: wrong answers", names[kind], n);
  int whole = run(again);
  check_int(whole, STEPS * 4, "%s at %ld: it goes on", names[kind], n);
  check(!memcmp(again, answers, sizeof again), "%s at %ld: the same path",
        names[kind], n);
  check(asked <= STEPS * 4 - given, "%s at %ld: %d asked again, %d were given",
        names[kind], n, asked, given);
  return !met;
}

static void fail_everywhere(fault what)
{
  long step = getenv("SOAK") ? 1 : 4;
  snprintf(path, sizeof path, "%s/lrgd-storage-%ld.db",
           getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (long)getpid());
  kind = what;
  remove_journal();
  require(run(answers) == STEPS * 4, "the run without a fault");
  for (for_ever = 0; for_ever < 2; for_ever++)
    for (long n = 1; n < 10000; n += step)
      if (fail_at(n) || check_broken) break;
  remove_journal();
}

TEST("a disk that is full at the n-th write loses nothing committed")
{
  fail_everywhere(FULL);
}

TEST("a disk that fails at the n-th write loses nothing committed")
{
  fail_everywhere(BROKEN);
}

TEST("a write that is cut short loses nothing committed")
{
  fail_everywhere(SHORT);
}

TEST("a journal whose sync fails loses nothing committed")
{
  fail_everywhere(NO_SYNC);
  if (getenv("SOAK")) printf(" (%ld faults in all)", injected);
}
