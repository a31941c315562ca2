/* lrgd report: the run of a journal as one self-contained page.  Reads the
 * journal only, and writes the page only. */
#include "cli/base/cli_text.h"
#include "cli/base/files.h"
#include "cli/base/flags.h"
#include "cli/base/output_path.h"
#include "cli/terminal/signals.h"
#include "report_page.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const int flag_ids[] = {FLAG_OUTPUT, FLAG_DIAGNOSIS, FLAG_WATCH,
                               FLAG_FORCE,  FLAG_QUIET,     FLAG_HELP};

enum { PATH_SIZE = 4096, REFRESH_S = 5 };

/* ---- the path of the page ---- */

/* The page's path: RUN.html beside RUN.db, unless -o says otherwise. */
static lrgd_status find_place(const cli_flags *flags, char path[PATH_SIZE],
                              lrgd_error *error)
{
  const char *given = flags_text(flags, FLAG_OUTPUT);
  const char *journal = flags->words[0];
  const char *name = strrchr(journal, '/');
  const char *dot = strrchr(name != NULL ? name : journal, '.');
  size_t stem = dot != NULL ? (size_t)(dot - journal) : strlen(journal);
  int length = given != NULL
                   ? snprintf(path, PATH_SIZE, "%s", given)
                   : snprintf(path, PATH_SIZE, "%.*s.html", (int)stem, journal);
  if (length < 0 || length >= PATH_SIZE - 8)
    return fail(error, LRGD_ERR_INVALID, "the name of the page is too long");
  struct stat read, page;
  if (stat(journal, &read) == 0 && stat(path, &page) == 0 &&
      read.st_ino == page.st_ino && read.st_dev == page.st_dev)
    return fail(error, LRGD_ERR_INVALID, "%.400s is the journal itself", path);
  return place_check(flags, FLAG_OUTPUT, path, PLACE_RENAMED, error);
}

/* Whether the file exists and is not a page of lrgd.  Pipes and devices are
 * written directly. */
static bool is_foreign(const char *path)
{
  char begin[256] = "";
  struct stat facts;
  if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  FILE *file = file_open(path, "r");
  if (file == NULL) return true;
  size_t length = fread(begin, 1, sizeof begin, file);
  (void)fclose(file);
  size_t ours = strlen(report_opening);
  return facts.st_size > 0 &&
         (length < ours || memcmp(begin, report_opening, ours) != 0);
}

static lrgd_status check_place(const cli_flags *flags, const char *path,
                               lrgd_error *error)
{
  if (!flags_has(flags, FLAG_FORCE) && is_foreign(path))
    return fail(error, LRGD_ERR_INVALID,
                "%.400s is there and is no page of lrgd report; --force "
                "overwrites it",
                path);
  return LRGD_OK;
}

/* ---- writing ---- */

static lrgd_status cannot_write(const char *path, lrgd_error *error)
{
  return fail(error, LRGD_ERR_STORAGE, "%.400s: cannot be written: %s", path,
              file_trouble());
}

static lrgd_status write_to(const char *path, const cli_page *page, bool sync,
                            lrgd_error *error)
{
  FILE *file = file_open(path, "w");
  if (file == NULL) return cannot_write(path, error);
  bool good = fwrite(page->text, 1, page->length, file) == page->length &&
              fflush(file) == 0;
  if (good && sync) good = fsync(fileno(file)) == 0;
  lrgd_status status = good ? LRGD_OK : cannot_write(path, error);
  if (fclose(file) != 0 && status == LRGD_OK)
    status = cannot_write(path, error);
  return status;
}

/* Writes the page atomically: a reader sees the old page or the new one. */
static lrgd_status write_page(const char *path, const cli_page *page,
                              lrgd_error *error)
{
  char part[PATH_SIZE];
  struct stat facts;
  if (lstat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
    return write_to(path, page, false, error);
  (void)snprintf(part, sizeof part, "%.4080s.part", path);
  lrgd_status status = write_to(part, page, true, error);
  if (status == LRGD_OK && rename(part, path) != 0)
    status = cannot_write(path, error);
  if (status != LRGD_OK) (void)remove(part);
  return status;
}

typedef struct cli_reported {
  bool running;
  uint64_t rows;
  size_t bytes;
  double written_s; /* time at which the last page was written */
} cli_reported;

static double now_s(void)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static lrgd_status report_once(const cli_flags *flags, const char *path,
                               cli_reported *reported, lrgd_error *error)
{
  report_data data;
  cli_page page = {0};
  bool watch = flags_has(flags, FLAG_WATCH);
  lrgd_status status = report_data_read(
      &data, flags->words[0], flags_text(flags, FLAG_DIAGNOSIS), error);
  /* an interrupted replay is not the whole run */
  if (status == LRGD_OK && signals_seen() != 0)
    status = fail(error, LRGD_ERR_BUSY, "stopped; the page was not written");
  bool running = status == LRGD_OK && data.holder.in_use;
  if (status == LRGD_OK)
    status = report_page(&page, &data, watch && running ? REFRESH_S : 0, error);
  if (status == LRGD_OK) status = write_page(path, &page, error);
  *reported = (cli_reported){running, data.summary.rows, page.length, now_s()};
  page_free(&page);
  report_data_free(&data);
  return status;
}

/* ---- watching ---- */

/* The time to make a page grows with the evaluations.  So a page is written
 * when the run has grown by some per cent, which bounds the cost of all pages
 * by a multiple of the last; and every few minutes, for slow runs. */
static const double FURTHER = 1.02, PATIENCE_S = 300;
/* The largest share of the time that is spent on pages and on checking whether
 * one is due. */
static const double SHARE = 0.02;

static lrgd_status is_further(const char *journal, const cli_reported *before,
                              bool *further, lrgd_error *error)
{
  lrgd_journal *open;
  lrgd_journal_summary summary;
  lrgd_status status = lrgd_journal_open_readonly(&open, journal, error);
  if (status != LRGD_OK) return status;
  status = lrgd_journal_summarize(open, &summary, error);
  *further = (double)summary.rows >= FURTHER * (double)before->rows ||
             (summary.rows != before->rows &&
              now_s() - before->written_s > PATIENCE_S);
  lrgd_journal_close(&open);
  return status;
}

/* Rewrites the page until the run is over, which its lock shows at no cost. */
static lrgd_status watch(const cli_flags *flags, const char *path,
                         cli_reported *reported, lrgd_error *error)
{
  const char *journal = flags->words[0];
  lrgd_holder holder;
  lrgd_status status = LRGD_OK;
  double due = 0;
  while (status == LRGD_OK && reported->running) {
    (void)nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    double began = now_s();
    status = lrgd_journal_find_holder(journal, &holder, error);
    bool news = !holder.in_use;
    if (!news && began < due) continue;
    if (status == LRGD_OK && !news)
      status = is_further(journal, reported, &news, error);
    if (status == LRGD_OK && news)
      status = report_once(flags, path, reported, error);
    due = now_s() + (now_s() - began) / SHARE;
  }
  return status;
}

static int run_report(const cli_flags *flags)
{
  char path[PATH_SIZE];
  lrgd_error error = {.text = ""};
  cli_reported reported;
  if (flags->word_count != 1) {
    say("report of which journal? lrgd report RUN.db -o run.html");
    return EXIT_USAGE;
  }
  bool watching = flags_has(flags, FLAG_WATCH);
  lrgd_status status = find_place(flags, path, &error);
  if (status == LRGD_OK) status = check_place(flags, path, &error);
  if (status == LRGD_OK) status = report_once(flags, path, &reported, &error);
  if (status == LRGD_OK && watching)
    status = watch(flags, path, &reported, &error);
  if (status != LRGD_OK) {
    int code = exit_with(&error);
    return signals_seen() != 0 ? EXIT_SIGNAL + signals_seen() : code;
  }
  char count[TEXT_COUNT_SIZE];
  if (!flags_has(flags, FLAG_QUIET)) {
    put_safe(stdout, path);
    printf(": %s evaluations, %.0f kB\n", text_count(count, reported.rows),
           (double)reported.bytes / 1000);
  }
  return finish_output(EXIT_FINE);
}

const cli_command report_command = {
    .name = "report",
    .words = "RUN.db [-o FILE.html] [--diagnosis FILE.db] [--watch] [--force]",
    .summary = "Writes the run of a journal as one page to look at.",
    .details =
        "The page needs no network and nothing beside itself: charts, what "
        "was\n"
        "paid for, directions, failures, the best point, what is certified.\n"
        "Nothing is evaluated: the solver is run again on what the journal\n"
        "holds.  While the run goes on, --watch writes the page anew as it\n"
        "gets further, and ends with it.  A run that looked along random\n"
        "directions does not know which inputs matter: --diagnosis takes that\n"
        "from a journal of lrgd diagnose.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .run = run_report,
};
