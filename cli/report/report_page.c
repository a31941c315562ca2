/* The page of a report: its head, its summary, and the order of its sections.
 * One file that loads nothing from a network: the content security policy in
 * its head allows the one script and the one style that it contains, by their
 * hashes. */
#include "report_page.h"

#include "cli/base/cli_text.h"
#include "cli/run/record.h"
#include "cli/run/workers.h"
#include "report_assets.h"

#include <math.h>
#include <string.h>
#include <time.h>

const char report_opening[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"generator\" content=\"lrgd report\">\n";

void report_section(cli_page *page, const char *id, const char *heading)
{
  page_add(page,
           "<section aria-labelledby=\"%s-h\">\n<h2 id=\"%s-h\">%s</h2>\n", id,
           id, heading);
}

void report_section_end(cli_page *page)
{
  page_raw(page, "</section>\n");
}

/* ---- the head of the page ---- */

static const char *source_name(const report_data *data)
{
  const char *problem = recorded_text(data->journal, "problem");
  const char *command = recorded_text(data->journal, "command");
  if (*problem != '\0') return problem;
  return *command != '\0' ? command : data->file;
}

static void write_head(cli_page *page, const report_data *data, int refresh_s)
{
  page_raw(page, report_opening);
  page_raw(page,
           "<meta http-equiv=\"Content-Security-Policy\" content=\""
           "default-src 'none'; script-src '");
  page_raw(page, report_script_sum);
  page_raw(page, "'; style-src '");
  page_raw(page, report_style_sum);
  page_raw(page,
           "'; base-uri 'none'; form-action 'none'\">\n"
           "<meta name=\"viewport\" "
           "content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n"
           "<meta name=\"referrer\" content=\"no-referrer\">\n");
  if (refresh_s > 0)
    page_add(page, "<meta http-equiv=\"refresh\" content=\"%d\">\n", refresh_s);
  page_raw(page, "<title>");
  page_text(page, report_state(data));
  page_raw(page, ": ");
  page_text(page, source_name(data));
  page_raw(page, " · lrgd</title>\n<style>");
  page_bytes(page, report_style, report_style_size);
  page_raw(page, "</style>\n</head>\n");
}

/* ---- the summary ---- */

/* The colour of a state: good, running, or in need of attention. */
static const char *mood_of(const char *state)
{
  if (strcmp(state, "converged") == 0 || strcmp(state, "target") == 0 ||
      strcmp(state, "compared") == 0)
    return "good";
  if (strcmp(state, "running") == 0) return "busy";
  if (strcmp(state, "failed") == 0 || strcmp(state, "unbounded") == 0)
    return "bad";
  return "short";
}

/* Writes the command that continues a run whose budget is spent with a larger
 * one. */
static void write_larger_budget(cli_page *page, const report_data *data)
{
  const lrgd_options *options = &data->options;
  if (strcmp(report_state(data), "budget") != 0) return;
  if (options->max_seconds > 0 && data->summary.seconds > options->max_seconds)
    page_add(page, " --max-seconds %g", 2 * options->max_seconds);
  else if (options->max_evals != LRGD_UNSET)
    page_add(page, " --max-evals %lld", 2 * (long long)options->max_evals);
  else
    page_add(page, " --max-iterations %lld",
             2 * (long long)options->max_iterations);
}

/* Writes advice for a run that would end the same way again. */
static void write_advice(cli_page *page, const report_data *data)
{
  if (data->path.known && data->path.result.noise > 0)
    page_raw(page,
             " To see further, f must be less noisy: tighter tolerances in "
             "the simulator, more digits in what it prints, or the mean of "
             "several runs as one evaluation.");
  else
    page_raw(page, " It would end there again: resuming it gains nothing.");
}

/* Writes a word with the quotes that a shell needs. */
static void write_quoted(cli_page *page, const char *command)
{
  page_raw(page, "'");
  for (;; command++) {
    size_t length = strcspn(command, "'");
    page_textn(page, command, length);
    command += length;
    if (*command == '\0') break;
    page_text(page, "'\\''");
  }
  page_raw(page, "'");
}

static void write_going_on(cli_page *page, const report_data *data)
{
  const char *command = recorded_text(data->journal, "command");
  if (data->compared) return; /* a comparison is resumed by its own command */
  page_raw(page, " It can go on: <code>lrgd resume ");
  page_text(page, data->file);
  if (*command != '\0') {
    page_raw(page, " --");
    page_text(page, recorded_text(data->journal, "kind"));
    page_raw(page, " ");
    write_quoted(page, command);
  } else {
    page_raw(page, " ");
    page_text(page, recorded_text(data->journal, "problem"));
  }
  write_larger_budget(page, data);
  page_raw(page, "</code>");
}

static void write_sentence(cli_page *page, const report_data *data)
{
  const report_path *path = &data->path;
  const char *mood = mood_of(report_state(data));
  page_raw(page, "<p class=\"lead\">");
  if (data->holder.in_use) {
    page_raw(page, "The run goes on (");
    page_text(page, data->holder.who);
    page_raw(page, "). ");
    if (path->phase_count > 0) {
      page_raw(page, "Last decision: ");
      page_text(page, path->phases[path->phase_count - 1].text);
      page_raw(page, ".");
    }
  } else if (data->diagnosed && data->study.known) {
    page_text(page, data->study.verdict);
  } else if (path->known && path->whole) {
    page_text(page, path->result.message);
    page_raw(page, ".");
  } else if (data->summary.outcome[0] == '\0') {
    page_raw(page, "The last session never came to its end.");
  } else {
    page_raw(page, "The last session ended as “");
    page_text(page, data->summary.outcome);
    page_raw(page, "”.");
  }
  if (strcmp(report_state(data), "stalled") == 0)
    write_advice(page, data);
  else if (strcmp(mood, "short") == 0)
    write_going_on(page, data);
  page_raw(page, "</p>\n");
}

static void fact(cli_page *page, const char *name)
{
  page_add(page, "<div><dt>%s</dt><dd>", name);
}

static void fact_note(cli_page *page)
{
  page_raw(page, "</dd><dd class=\"note\">");
}

static void fact_end(cli_page *page)
{
  page_raw(page, "</dd></div>\n");
}

static double first_value(const report_data *data)
{
  const cli_numbers *f = &data->rows.f;
  for (size_t i = 0; i < f->count; i++)
    if (!isnan(f->at[i])) return f->at[i];
  return NAN;
}

static void write_value_fact(cli_page *page, const report_data *data)
{
  fact(page, data->holder.in_use ? "Best value so far" : "Best value");
  page_number(page, data->f, 6);
  fact_note(page);
  page_raw(page, "from ");
  page_number(page, first_value(data), 6);
  page_raw(page, " at the start");
  if (report_is_limited(data))
    page_raw(page, data->outputs.violation <= LRGD_FEASIBLE
                       ? "; within all limits"
                       : "; NOT within its limits");
  fact_end(page);
}

static void write_count_fact(cli_page *page, const report_data *data)
{
  const lrgd_journal_summary *summary = &data->summary;
  fact(page, "Evaluations");
  page_count(page, summary->rows);
  fact_note(page);
  if (data->has_inputs && data->options.max_evals != LRGD_UNSET) {
    page_raw(page, "of ");
    page_count(page, (uint64_t)data->options.max_evals);
    page_raw(page, " allowed; ");
  }
  if (summary->failures > 0) {
    page_count(page, summary->failures);
    page_raw(page, " failed; ");
  }
  page_add(page, "%.3g s in %s", summary->seconds,
           summary->sessions == 1 ? "one session" : "");
  if (summary->sessions != 1) {
    page_count(page, summary->sessions);
    page_raw(page, " sessions");
  }
  cli_workers workers = workers_recorded(data->journal, summary);
  char text[WORKERS_TEXT];
  if (workers.count > 1 && workers_are_known(&workers))
    page_add(page, "; workers: %s", workers_text(&workers, text));
  fact_end(page);
}

static void write_rank_fact(cli_page *page, const report_data *data)
{
  const report_path *path = &data->path;
  fact(page, "Directions");
  if (path->known)
    page_count(page, path->result.rank);
  else
    page_raw(page, "not known");
  fact_note(page);
  page_raw(page, "of ");
  page_count(page, data->p);
  page_raw(page, data->p == 1 ? " input" : " inputs");
  fact_end(page);
}

static void write_gradient_fact(cli_page *page, const report_data *data)
{
  const lrgd_certificate *certificate = &data->path.result.certificate;
  bool valid = data->path.known && certificate->valid;
  fact(page,
       report_is_limited(data) ? "Gradient of the Lagrangian" : "Gradient");
  if (valid)
    page_add(page, "≤ %.3g", certificate->grad_norm_bound);
  else
    page_raw(page, "–");
  fact_note(page);
  if (!valid)
    page_raw(page, "nothing is certified");
  else if (certificate->confidence >= 1)
    page_raw(page, "measured in full");
  else
    page_add(page, "with %.4g %% confidence", 100 * certificate->confidence);
  fact_end(page);
}

static void write_descent_fact(cli_page *page, const report_data *data)
{
  double price = report_descent_price(data);
  double least = report_descent_least(data);
  double paid = (double)data->summary.rows;
  if (!data->path.known || data->options.method == LRGD_METHOD_GD ||
      data->p < 2 || !(paid > 0) || report_is_limited(data))
    return;
  fact(page, "Gradient descent");
  if (price > 0) {
    char count[TEXT_COUNT_SIZE];
    page_add(page, "≈ %s", text_count(count, (uint64_t)llround(price)));
    fact_note(page);
    if (price > paid)
      page_add(page, "evaluations: %.3g times as many", price / paid);
    else
      page_raw(page, "evaluations, no more than were paid");
  } else if (least > paid) {
    char count[TEXT_COUNT_SIZE];
    page_add(page, "≥ %s", text_count(count, (uint64_t)llround(least)));
    fact_note(page);
    page_add(page, "evaluations: %.3g times as many, at least", least / paid);
  } else {
    page_count(page, report_gradient_price(data));
    fact_note(page);
    page_raw(page, "evaluations for one of its steps");
  }
  fact_end(page);
}

static void write_hero(cli_page *page, const report_data *data)
{
  const char *state = report_state(data);
  page_add(page, "<header>\n<p class=\"state %s\">", mood_of(state));
  page_text(page, state);
  const char *name = source_name(data);
  page_raw(page,
           strlen(name) > 40 ? "</p>\n<h1 class=\"long\">" : "</p>\n<h1>");
  page_text(page, name);
  page_raw(page, "</h1>\n");
  write_sentence(page, data);
  page_raw(page, "<dl class=\"facts\">\n");
  write_value_fact(page, data);
  write_count_fact(page, data);
  write_rank_fact(page, data);
  write_gradient_fact(page, data);
  write_descent_fact(page, data);
  page_raw(page, "</dl>\n</header>\n");
}

static void write_foot(cli_page *page, const report_data *data)
{
  char now[32];
  time_t clock = time(NULL);
  struct tm utc;
  (void)gmtime_r(&clock, &utc);
  (void)strftime(now, sizeof now, "%Y-%m-%d %H:%M:%S UTC", &utc);
  page_raw(page, "<footer>\n<p>Written ");
  page_raw(page, now);
  page_raw(page, " by lrgd ");
  page_raw(page, lrgd_version());
  page_raw(page, " from <code>");
  page_text(page, data->file);
  page_raw(page, "</code>, run <code>");
  page_text(page, data->summary.run_id);
  page_raw(page, "</code>.</p>\n</footer>\n");
}

/* Lists what is missing once, before the sections that lack it. */
static void write_missing(cli_page *page, const report_data *data)
{
  if (data->path.known) return;
  page_raw(page,
           "<p class=\"warning\">The solver's own view of this run is not "
           "here: ");
  page_text(page, data->path.why_not);
  page_raw(page,
           ". Evaluations, failures and the best point are shown as they were "
           "recorded.</p>\n");
}

lrgd_status report_page(cli_page *page, const report_data *data, int refresh_s,
                        lrgd_error *error)
{
  static void (*const sections[])(cli_page *, const report_data *) = {
      report_progress,     report_outputs,     report_spending,  report_descent,
      report_certificate,  report_directions,  report_influence, report_summary,
      report_observations, report_uncertainty, report_failures,  report_best,
      report_settings};
  write_head(page, data, refresh_s);
  page_raw(page,
           "<body>\n<a class=\"skip\" href=\"#main\">To the charts</a>\n");
  write_hero(page, data);
  page_raw(page, "<main id=\"main\">\n");
  write_missing(page, data);
  for (size_t i = 0; i < COUNT_OF(sections); i++) sections[i](page, data);
  page_raw(page, "</main>\n");
  write_foot(page, data);
  page_raw(page,
           "<p id=\"live\" class=\"unseen\" role=\"status\"></p>\n<script>");
  page_bytes(page, report_script, report_script_size);
  page_raw(page, "</script>\n</body>\n</html>\n");
  return page->lost ? fail_memory(error) : LRGD_OK;
}
