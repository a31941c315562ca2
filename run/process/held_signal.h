/* A signal that a write may cause must be an error, and not kill the host: it
 * is blocked for this thread while we write, and one that we caused is
 * consumed. */
#ifndef LR_RUN_HELD_SIGNAL_H
#define LR_RUN_HELD_SIGNAL_H

#include <signal.h>

typedef struct lr_held_signal {
  int signal;
  sigset_t before;
  int was_pending;
} lr_held_signal;

lr_held_signal lr_hold_signal(int signal);
void lr_release_signal(const lr_held_signal *held);

#endif
