/* Blocks a signal for a thread, and consumes one that came meanwhile. */
#include "held_signal.h"

#include <errno.h>
#include <time.h>

lr_held_signal lr_hold_signal(int signal)
{
  lr_held_signal held = {.signal = signal};
  sigset_t one, pending;
  (void)sigemptyset(&one);
  (void)sigaddset(&one, signal);
  (void)sigpending(&pending);
  held.was_pending = sigismember(&pending, signal);
  (void)pthread_sigmask(SIG_BLOCK, &one, &held.before);
  return held;
}

void lr_release_signal(const lr_held_signal *held)
{
  const struct timespec now = {0, 0};
  sigset_t one;
  (void)sigemptyset(&one);
  (void)sigaddset(&one, held->signal);
  if (!held->was_pending)
    while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR) continue;
  (void)pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}
