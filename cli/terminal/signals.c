/* Signal handling; the only place.  Handlers use async-signal-safe functions
 * only: the stop functions of a solver or a diagnosis and lrgd_pool_interrupt
 * are, by contract. */
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
enum { WATCHED = sizeof watched / sizeof watched[0] };

static _Atomic(signals_stop) stop_running;
static _Atomic(void *) running;
static _Atomic(lrgd_pool *) running_pool;
static atomic_int first_signal, signal_count;
static struct sigaction before[WATCHED];
/* standard error is a terminal, on which a bar may be drawn */
static volatile sig_atomic_t on_terminal;

/* Prints that the run is stopping, since waiting for a long evaluation would
 * look like no reaction. */
static void tell_stopping(void)
{
  static const char line[] =
      "\nlrgd: stopping after the evaluation that is running; once more to "
      "stop now\n";
  int kept = errno;
  size_t skip = on_terminal ? 0 : 1;
  ssize_t ignored = write(STDERR_FILENO, line + skip, sizeof line - 1 - skip);
  (void)ignored;
  errno = kept;
}

/* First signal: no new evaluation starts, and results of running ones are kept.
 * Second: running programs are killed.  Third, and without programs the second:
 * exits at once. */
static void on_signal(int number)
{
  int none = 0;
  int count = atomic_fetch_add(&signal_count, 1) + 1;
  (void)atomic_compare_exchange_strong(&first_signal, &none, number);
  void *what = atomic_load(&running);
  signals_stop stop = atomic_load(&stop_running);
  lrgd_pool *pool = atomic_load(&running_pool);
  if (count > 2 || (count == 2 && pool == NULL)) _exit(128 + number);
  if (count == 1) tell_stopping();
  if (what != NULL) stop(what);
  if (pool != NULL)
    lrgd_pool_interrupt(pool, count == 1 ? LRGD_INTERRUPT_DRAIN
                                         : LRGD_INTERRUPT_KILL);
}

void signals_prepare(void)
{
  /* open gives the lowest free number, so this fills 0, 1, 2 in order */
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDWR) == -1) _exit(1);
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  sigemptyset(&ignore.sa_mask);
  sigaction(SIGPIPE, &ignore, NULL);
  sigaction(SIGXFSZ, &ignore, NULL);
}

void signals_watch(signals_stop stop, void *what, lrgd_pool *pool)
{
  on_terminal = isatty(STDERR_FILENO);
  atomic_store(&running_pool, pool);
  atomic_store(&stop_running, stop);
  atomic_store(&running, what);
  if (atomic_load(&first_signal) != 0) stop(what);
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < WATCHED; i++) {
    sigaction(watched[i], NULL, &before[i]);
    /* nohup ignores SIGHUP on purpose: leave it so */
    if (before[i].sa_handler != SIG_IGN) sigaction(watched[i], &action, NULL);
  }
}

static void drain(int number)
{
  (void)number;
  lrgd_pool *pool = atomic_load(&running_pool);
  if (pool != NULL) lrgd_pool_interrupt(pool, LRGD_INTERRUPT_DRAIN);
}

void signals_leave_to_others(lrgd_pool *pool)
{
  struct sigaction action = {.sa_handler = drain, .sa_flags = SA_RESTART};
  atomic_store(&running_pool, pool);
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < WATCHED; i++) sigaction(watched[i], &action, NULL);
}

void signals_release(void)
{
  for (size_t i = 0; i < WATCHED; i++) sigaction(watched[i], &before[i], NULL);
  atomic_store(&running, NULL);
  atomic_store(&running_pool, NULL);
}

int signals_seen(void)
{
  return atomic_load(&first_signal);
}
