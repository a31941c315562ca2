/* Draws a progress bar. */
#include "bar.h"

#include <stdio.h>
#include <time.h>

double clock_s(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

cli_bar bar_begin(bool quiet, const char *what)
{
  double now = clock_s();
  return (cli_bar){.mode = progress_choose(quiet),
                   .what = what,
                   .started = now,
                   .shown = now};
}

static void draw_bar(const cli_bar *bar, double part, double now,
                     const char *note)
{
  enum { WIDTH = 24 };
  int full = (int)(part * WIDTH);
  double spent = now - bar->started;
  fprintf(stderr, "\r\033[K%s [%.*s%*s] %3.0f %%", bar->what, full,
          "########################", WIDTH - full, "", 100 * part);
  if (part > 0) fprintf(stderr, "  %.0f s left", spent * (1 - part) / part);
  fprintf(stderr, "  %.30s", note);
}

/* Prints a first line soon; then one for every tenth, but not more than one in
 * five seconds. */
static void draw_line(cli_bar *bar, double part, double now, const char *note)
{
  size_t tenths = (size_t)(10 * part);
  bool first = bar->shown <= bar->started;
  if (now - bar->shown < (first ? 2 : 5)) return;
  if (!first && tenths <= bar->tenths) return;
  bar->tenths = tenths;
  bar->shown = now;
  fprintf(stderr, "lrgd: %s: %.0f %%, %.0f s, %s\n", bar->what, 100 * part,
          now - bar->started, note);
}

void bar_update(cli_bar *bar, double done, double total, const char *note)
{
  if (bar->mode == PROGRESS_NONE) return;
  double now = clock_s(), part = total > 0 ? done / total : 1;
  part = part < 1 ? part : 1;
  if (bar->mode == PROGRESS_LINES) {
    draw_line(bar, part, now, note);
  } else if (now - bar->shown >= 0.1) {
    bar->shown = now;
    bar->on_screen = true;
    draw_bar(bar, part, now, note);
  }
}

void bar_end(cli_bar *bar)
{
  if (bar->on_screen) fputs("\r\033[K", stderr);
  bar->on_screen = false;
}
