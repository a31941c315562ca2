/* Draws the progress bar of a run, or prints plain lines. */
#include "progress.h"

#include "cli/base/cli_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { NARROWEST = 30, BAR_LEAST = 8, BAR_MOST = 30, LINE_ROOM = 1024 };
static const double bar_interval_s = 0.1;
static const double first_hint_s = 10, next_hint_s = 30;

static double now_s(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t terminal_width(void)
{
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 80;
  return size.ws_col;
}

static bool environment_is(const char *name, const char *value)
{
  const char *text = getenv(name);
  return text != NULL && strcmp(text, value) == 0;
}

/* Whether the environment's locale is UTF-8, without setting a locale. */
static bool environment_utf8(void)
{
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    const char *text = getenv(names[i]);
    if (text == NULL || text[0] == '\0') continue;
    return strstr(text, "UTF-8") != NULL || strstr(text, "utf8") != NULL;
  }
  return false;
}

static bool fits_bar(void)
{
  return isatty(STDERR_FILENO) && !environment_is("TERM", "dumb") &&
         getenv("TERM") != NULL && terminal_width() >= NARROWEST;
}

progress_mode progress_choose(bool quiet)
{
  if (quiet) return PROGRESS_NONE;
  return fits_bar() ? PROGRESS_BAR : PROGRESS_LINES;
}

void progress_begin(cli_progress *progress, bool quiet,
                    const lrgd_options *options)
{
  const char *no_color = getenv("NO_COLOR");
  *progress = (struct cli_progress){
      .mode = progress_choose(quiet),
      .colour = no_color == NULL || no_color[0] == '\0',
      .utf8 = environment_utf8(),
      .options = options,
      .started = now_s(),
      .best = NAN,
      .lowest = NAN,
      .grad_norm = NAN,
      .first_grad_norm = NAN,
  };
  progress->shown = progress->started;
  progress->hint_s = first_hint_s;
}

/* ---- the share that is done, and the time left ---- */

/* The share by the gradient norm, which falls geometrically: progress is linear
 * in its logarithm. */
static double gradient_share(const cli_progress *progress)
{
  const lrgd_options *options = progress->options;
  double first = progress->first_grad_norm, tol = 1e-6 * first;
  if (options->mu > 0 && options->epsilon > 0)
    tol = sqrt(2 * options->mu * options->epsilon);
  if (options->tol > 0) tol = options->tol;
  double share = log(first / progress->grad_norm) / log(first / tol);
  return share > 0 ? share : 0; /* NaN too */
}

static uint64_t evaluations_now(const cli_progress *progress)
{
  return progress->asked > progress->evaluations ? progress->asked
                                                 : progress->evaluations;
}

/* Evaluations a second, replayed ones not counted; 0: not known yet. */
static double rate_now(const cli_progress *progress, double seconds)
{
  uint64_t evaluations = evaluations_now(progress);
  if (evaluations <= progress->before) return 0;
  return (double)(evaluations - progress->before) / fmax(seconds, 1e-3);
}

/* From 0 to 1: the gradient's progress to the tolerance, or the share of a
 * budget, whichever is larger. */
static double share_done(const cli_progress *progress, double seconds)
{
  const lrgd_options *options = progress->options;
  double share = gradient_share(progress);
  double evaluations = (double)evaluations_now(progress);
  if (options->max_evals > 0)
    share = fmax(share, evaluations / (double)options->max_evals);
  if (options->max_seconds > 0)
    share = fmax(share, (progress->before_s + seconds) / options->max_seconds);
  return fmin(share, 0.99); /* the bar is full only at the end */
}

/* Seconds left by the budgets, or where there is none by the share done;
 * INFINITY: unknown. */
static double time_left(const cli_progress *progress, double seconds,
                        double share)
{
  const lrgd_options *options = progress->options;
  double left = INFINITY, rate = rate_now(progress, seconds);
  double open = (double)options->max_evals - (double)evaluations_now(progress);
  if (options->max_evals > 0 && rate > 0) left = fmax(open, 0) / rate;
  if (options->max_seconds > 0)
    left = fmin(left,
                fmax(options->max_seconds - progress->before_s - seconds, 0));
  if (options->max_evals > 0 || options->max_seconds > 0) return left;
  return share > 0.01 && share < 0.99 ? seconds * (1 - share) / share
                                      : INFINITY;
}

static void format_time(char *text, size_t size, double seconds)
{
  long whole = lround(fmin(seconds, 1e9));
  if (whole < 3600)
    snprintf(text, size, "%ld:%02ld", whole / 60, whole % 60);
  else if (whole < 360000)
    snprintf(text, size, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
  else
    snprintf(text, size, "%ld days", whole / 86400);
}

/* ---- the progress line ---- */

enum { PIECES = 7, PIECE_SIZE = 200 };
static const double long_wait_s = 5;

/* The pieces of the line, the most important first. */
static size_t make_pieces(const cli_progress *progress, double seconds,
                          double share, char pieces[PIECES][PIECE_SIZE])
{
  char count[TEXT_COUNT_SIZE], left[32];
  double rate = rate_now(progress, seconds);
  double remaining = time_left(progress, seconds, share);
  size_t n = 0;
  double best = progress->limited
                    ? progress->best
                    : fmin(progress->best, progress->lowest); /* NaN: none */
  if (progress->limited && !progress->feasible)
    snprintf(pieces[n++], PIECE_SIZE, "no point within the limits yet");
  else if (!isnan(best))
    snprintf(pieces[n++], PIECE_SIZE, "best %.6g", best);
  if (progress->launched > 0)
    snprintf(pieces[n++], PIECE_SIZE, "%s asked, 0 answered",
             text_count(count, progress->launched));
  else
    snprintf(pieces[n++], PIECE_SIZE, "%s evaluations",
             text_count(count, evaluations_now(progress)));
  if (isfinite(remaining)) {
    format_time(left, sizeof left, remaining);
    snprintf(pieces[n++], PIECE_SIZE, "~%s left", left);
  }
  if (progress->rank > 0 && progress->rank < progress->dimension)
    snprintf(pieces[n++], PIECE_SIZE, "%zu direction%s", progress->rank,
             progress->rank == 1 ? "" : "s");
  if (rate > 0)
    snprintf(pieces[n++], PIECE_SIZE, rate < 10 ? "%.2g/s" : "%.0f/s", rate);
  if (progress->waiting > 0 && progress->waiting_s > long_wait_s) {
    format_time(left, sizeof left, progress->waiting_s);
    snprintf(pieces[n++], PIECE_SIZE, "%zu running, the oldest for %s",
             progress->waiting, left);
  }
  if (progress->phase[0] != '\0')
    snprintf(pieces[n++], PIECE_SIZE, "%s", progress->phase);
  return n;
}

static size_t columns(const char *text)
{
  size_t count = 0;
  for (; *text != '\0'; text++) count += (*text & 0xC0) != 0x80;
  return count;
}

/* The bytes of text that make at most width columns. */
static size_t bytes_of_columns(const char *text, size_t width)
{
  size_t bytes = 0, seen = 0;
  for (; text[bytes] != '\0'; bytes++) {
    seen += (text[bytes] & 0xC0) != 0x80;
    if (seen > width) break;
  }
  return bytes;
}

/* Joins the pieces that fit into width columns; the last one, text, may be
 * truncated. */
static void join_pieces(char line[LINE_ROOM], size_t width,
                        char pieces[PIECES][PIECE_SIZE], size_t count)
{
  enum { WORTH_CUTTING = 12 };
  size_t used = 0, end = 0;
  /* a column takes at most 4 bytes */
  if (width > LINE_ROOM / 4) width = LINE_ROOM / 4;
  line[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    size_t gap = i > 0 ? 2 : 0, wanted = columns(pieces[i]);
    size_t room = used + gap < width ? width - used - gap : 0;
    if (wanted > room && (i + 1 < count || room < WORTH_CUTTING)) continue;
    if (wanted > room) wanted = room;
    end +=
        (size_t)snprintf(line + end, LINE_ROOM - end, "%*s%.*s", (int)gap, "",
                         (int)bytes_of_columns(pieces[i], wanted), pieces[i]);
    used += gap + wanted;
  }
}

static void put_bar(const cli_progress *progress, size_t width, double share)
{
  size_t full = (size_t)(share * (double)width);
  const char *done = progress->utf8 ? "━" : "=";
  const char *open = progress->utf8 ? "─" : "-";
  if (progress->colour) fputs("\033[36m", stderr);
  for (size_t i = 0; i < full; i++) fputs(done, stderr);
  if (progress->colour) fputs("\033[2m", stderr);
  for (size_t i = full; i < width; i++) fputs(open, stderr);
  if (progress->colour) fputs("\033[0m", stderr);
}

static void draw_bar(cli_progress *progress, double seconds)
{
  char pieces[PIECES][PIECE_SIZE], line[LINE_ROOM];
  size_t width = terminal_width();
  if (width < NARROWEST) return;
  double share = share_done(progress, seconds);
  size_t count = make_pieces(progress, seconds, share, pieces);
  size_t bar = width / 5;
  if (bar < BAR_LEAST) bar = BAR_LEAST;
  if (bar > BAR_MOST) bar = BAR_MOST;
  /* the last column stays free: some terminals wrap when it is written */
  join_pieces(line, width - bar - 9, pieces, count);
  fputs("\r\033[K", stderr);
  put_bar(progress, bar, share);
  fprintf(stderr, " %3.0f %%  ", 100 * share);
  put_safe(stderr, line);
  fflush(stderr);
  progress->on_screen = true;
}

static void print_line(const cli_progress *progress, double seconds)
{
  char pieces[PIECES][PIECE_SIZE], line[LINE_ROOM], passed[32];
  size_t count =
      make_pieces(progress, seconds, share_done(progress, seconds), pieces);
  join_pieces(line, LINE_ROOM, pieces, count);
  format_time(passed, sizeof passed, seconds);
  fprintf(stderr, "%s  ", passed);
  put_safe(stderr, line);
  fputc('\n', stderr);
}

/* Prints plain lines at growing intervals: the log of a week stays short. */
static void show(cli_progress *progress)
{
  double now = now_s();
  double seconds = now - progress->started;
  double wait = progress->mode == PROGRESS_BAR
                    ? bar_interval_s
                    : fmax(2, 0.1 * (progress->shown - progress->started));
  if (now - progress->shown < wait) return;
  progress->shown = now;
  if (progress->mode == PROGRESS_BAR) draw_bar(progress, seconds);
  if (progress->mode == PROGRESS_LINES) print_line(progress, seconds);
}

void progress_update(cli_progress *progress, const lrgd_progress *news)
{
  if (progress->mode == PROGRESS_NONE) return;
  progress->evaluations =
      progress->earlier + lrgd_counts_evaluations(news->counts);
  if (progress->evaluations > 0) progress->launched = 0;
  progress->best = news->best_f;
  bool told = news->decision != NULL;
  if (told && news->decision->kind == LRGD_DECISION_KIND_CONSTRAINED)
    progress->limited = true;
  if (told && news->decision->kind == LRGD_DECISION_KIND_FEASIBLE)
    progress->feasible = true;
  progress->rank = news->rank;
  progress->grad_norm = news->grad_norm;
  if (isnan(progress->first_grad_norm))
    progress->first_grad_norm = news->grad_norm;
  if (news->phase != NULL)
    snprintf(progress->phase, sizeof progress->phase, "%s", news->phase);
  show(progress);
}

void progress_continue(cli_progress *progress, uint64_t evaluations,
                       uint64_t earlier, double seconds)
{
  progress->before = evaluations;
  progress->earlier = earlier;
  progress->before_s = seconds;
}

/* Hints that a worker may not flush its output, where it never answers. */
static void hint_at_silence(cli_progress *progress,
                            const lrgd_pool_counts *counts)
{
  if (counts->answered + counts->failed > 0 ||
      counts->longest_s < progress->hint_s)
    return;
  progress->hint_s = counts->longest_s + next_hint_s;
  progress_end(progress);
  say("no answer yet after %.0f s%s (--timeout S limits the wait)",
      floor(counts->longest_s),
      progress->line_by_line ? ": does the program flush its output after each "
                               "line, and read line by line?"
                             : "");
}

void progress_beat(cli_progress *progress, const lrgd_pool_counts *counts)
{
  if (progress->mode == PROGRESS_NONE) return;
  uint64_t asked = progress->before + counts->answered + counts->failed;
  if (asked > progress->asked) progress->asked = asked;
  progress->waiting = counts->running;
  progress->waiting_s = counts->longest_s;
  bool silent = counts->answered + counts->failed == 0;
  progress->launched = silent && progress->before == 0 ? counts->asked : 0;
  hint_at_silence(progress, counts);
  show(progress);
}

void progress_end(cli_progress *progress)
{
  if (progress->on_screen) fputs("\r\033[K", stderr);
  progress->on_screen = false;
}

/* ---- the callbacks, passed through ---- */

void progress_answer(cli_progress *progress, double f)
{
  if (!isnan(f)) progress->lowest = fmin(f, progress->lowest);
}

static void asked(cli_progress *progress, uint64_t count)
{
  progress->asked += count;
  show(progress);
}

static double watch_value(size_t p, const double *x, void *user)
{
  cli_progress *progress = user;
  double f = progress->inner.value(p, x, progress->inner.user);
  progress_answer(progress, f);
  asked(progress, 1);
  return f;
}

static void watch_values(size_t p, size_t m, const double *X, double *f,
                         void *user)
{
  cli_progress *progress = user;
  progress->inner.values(p, m, X, f, progress->inner.user);
  for (size_t i = 0; i < m; i++) progress_answer(progress, f[i]);
  asked(progress, m);
}

static double watch_gradient(size_t p, const double *x, double *g, void *user)
{
  cli_progress *progress = user;
  double f = progress->inner.gradient(p, x, g, progress->inner.user);
  progress_answer(progress, f);
  asked(progress, 1);
  return f;
}

static double watch_slopes(size_t p, const double *x, size_t k, const double *U,
                           double *d, void *user)
{
  cli_progress *progress = user;
  double f = progress->inner.slopes(p, x, k, U, d, progress->inner.user);
  progress_answer(progress, f);
  asked(progress, k);
  return f;
}

static lrgd_complex watch_complex(size_t p, const lrgd_complex *x, void *user)
{
  cli_progress *progress = user;
  lrgd_complex f = progress->inner.complex_value(p, x, progress->inner.user);
  asked(progress, 1);
  return f;
}

static size_t watch_unanswered(void *user)
{
  const cli_progress *progress = user;
  return progress->inner.unanswered(progress->inner.user);
}

void progress_watch(cli_progress *progress, lrgd_problem *problem)
{
  if (progress->mode == PROGRESS_NONE) return;
  progress->inner = *problem;
  problem->user = progress;
  if (problem->value != NULL) problem->value = watch_value;
  if (problem->values != NULL) problem->values = watch_values;
  if (problem->gradient != NULL) problem->gradient = watch_gradient;
  if (problem->slopes != NULL) problem->slopes = watch_slopes;
  if (problem->complex_value != NULL) problem->complex_value = watch_complex;
  if (problem->unanswered != NULL) problem->unanswered = watch_unanswered;
}
