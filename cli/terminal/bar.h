/* A bar for work of known length: a bar on a terminal, otherwise a line now and
 * then, nothing when quiet. */
#ifndef CLI_BAR_H
#define CLI_BAR_H

#include "progress.h"

typedef struct cli_bar {
  progress_mode mode;
  const char *what;      /* borrowed */
  double started, shown; /* seconds on the clock */
  size_t tenths;         /* tenths of the work reported by lines so far */
  bool on_screen;        /* a bar stands on the current line */
} cli_bar;

cli_bar bar_begin(bool quiet, const char *what);
/* note: a word about the state, borrowed for the call. */
void bar_update(cli_bar *bar, double done, double total, const char *note);
void bar_end(cli_bar *bar);

/* Seconds on a monotonic clock. */
double clock_s(void);

#endif
