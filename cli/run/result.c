/* Prints a result: as one JSON object, or as a few lines of text. */
#include "result.h"

#include "answer_limits.h"

#include "cli/base/cli_text.h"
#include "decision_json.h"
#include "result_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void option_text(const cli_about *about, const char *name, char *text,
                        size_t size)
{
  if (lrgd_options_get(about->options, name, text, size) != LRGD_OK)
    snprintf(text, size, "?");
}

/* Whether the solver worked in variables other than x, to which gradients then
 * refer. */
static bool is_scaled(const cli_about *about)
{
  return about->inputs != NULL &&
         (about->inputs->scale != NULL || about->inputs->log_count > 0);
}

/* ---- JSON ---- */

static json_t *purposes_json(const uint64_t counts[LRGD_PURPOSE_COUNT])
{
  json_t *object = json_object();
  for (int i = 0; i < LRGD_PURPOSE_COUNT; i++)
    json_put(&object, lrgd_purpose_text((lrgd_purpose)i),
             json_count(counts[i]));
  return object;
}

/* The average number of evaluations in a round. */
static double busy_places(const lrgd_counts *counts)
{
  return counts->rounds > 0
             ? (double)lrgd_counts_evaluations(counts) / (double)counts->rounds
             : NAN;
}

static json_t *counts_json(const lrgd_counts *counts)
{
  json_t *kinds = json_object();
  for (int i = 0; i < LRGD_KIND_COUNT; i++)
    json_put(&kinds, lrgd_kind_text((lrgd_kind)i),
             purposes_json(counts->evaluations[i]));
  json_t *object = json_object();
  json_put(&object, "evaluations", kinds);
  json_put(&object, "oracle_calls", purposes_json(counts->oracle_calls));
  json_put(&object, "failures", json_count(counts->failures));
  json_put(&object, "rounds", json_count(counts->rounds));
  return object;
}

static json_t *hidden_bounds_json(const cli_run *run)
{
  json_t *array = json_array();
  for (size_t i = 0; i < lrgd_solver_hidden_bound_count(run->solver); i++) {
    lrgd_decision d = lrgd_variables_decision(
        run->transform, lrgd_solver_hidden_bound(run->solver, i));
    json_t *object = json_object();
    decision_json(&object, &d);
    if (json_array_append_new(array, object) == 0) continue;
    json_decref(array);
    return NULL;
  }
  return array;
}

/* Inputs that are at a bound given by the user. */
static json_t *active_bounds_json(const cli_run *run, const cli_about *about)
{
  json_t *array = json_array();
  for (size_t i = 1; about->bounded && i <= run->p; i++) {
    int side = lrgd_solver_active_bound(run->solver, i);
    if (side == 0) continue;
    json_t *object = json_object();
    json_put(&object, "input", json_count(i));
    json_put(&object, "side", json_string(side > 0 ? "upper" : "lower"));
    if (json_array_append_new(array, object) == 0) continue;
    json_decref(array);
    return NULL;
  }
  return array;
}

/* A decision as JSON; NULL for one of kind NONE. */
static json_t *end_json(const lrgd_decision *decision)
{
  if (decision->kind == LRGD_DECISION_KIND_NONE) return json_null();
  json_t *object = json_object();
  decision_json(&object, decision);
  return object;
}

static json_t *phases_json(const cli_run *run)
{
  json_t *array = json_array();
  for (size_t i = 0; i < lrgd_solver_phase_count(run->solver); i++) {
    lrgd_phase phase = run_phase(run, i);
    json_t *object = json_object();
    json_put(&object, "iteration", json_count(phase.iteration));
    json_put(&object, "evaluations", json_count(phase.evaluations));
    json_put(&object, "rank", json_count(phase.rank));
    json_put(&object, "f", json_double(phase.f));
    json_put(&object, "text", json_text(phase.text));
    decision_json(&object, &phase.decision);
    if (json_array_append_new(array, object) == 0) continue;
    json_decref(array);
    return NULL;
  }
  return array;
}

static json_t *certificate_json(const lrgd_certificate *certificate,
                                const cli_about *about)
{
  if (!certificate->valid) return json_null();
  json_t *object = json_object();
  json_put(&object, "grad_norm_bound",
           json_double(certificate->grad_norm_bound));
  json_put(&object, "confidence", json_double(certificate->confidence));
  json_put(&object, "probes", json_integer(certificate->probes));
  json_put(&object, "projected", json_boolean(about->bounded));
  return object;
}

/* Statistics of ranks, and repeated evaluations; reported also where only
 * earlier sessions used ranks. */
static json_t *ranks_json(const cli_ranks *ranks, uint64_t reissued)
{
  json_t *object = json_object();
  json_put(&object, "evaluating",
           json_count(ranks ? ranks->evaluator.jobs : 0));
  json_put(&object, "rested", json_count(ranks ? ranks->rested : 0));
  json_put(&object, "reissued", json_count(reissued));
  return object;
}

/* The journal's part of the result. */
static json_t *journal_json(const cli_about *about)
{
  const lrgd_journal_summary *kept = about->kept;
  json_t *object = json_object();
  json_put(&object, "file", json_string_nocheck(about->journal));
  json_put(&object, "sessions", json_count(kept->sessions));
  json_put(&object, "sittings", json_count(kept->sessions)); /* former name */
  json_put(&object, "replayed", json_count(kept->replayed));
  json_put(&object, "evaluations", json_count(kept->rows));
  json_put(&object, "in_flight", json_count(kept->in_flight));
  json_put(&object, "path", json_count(kept->paths));
  json_put(&object, "earlier_paths", json_count(kept->rows - kept->path_rows));
  json_put(&object, "checks", json_count(kept->checks));
  json_put(&object, "seconds_before", json_double(kept->seconds));
  return object;
}

static json_t *names_json(const char *names)
{
  json_t *array = json_array();
  for (const char *at = names; array != NULL && *at != '\0';) {
    size_t length = strcspn(at, "\n");
    (void)json_array_append_new(array, json_stringn(at, length));
    at += length + 1;
  }
  return array;
}

/* The residuals at x, to be freed by free(); NULL where the problem has none,
 * or none was evaluated. */
static double *residuals_of(const cli_run *run, size_t *count)
{
  *count = lrgd_solver_residual_count(run->solver);
  double *r = *count > 0 ? malloc(*count * sizeof *r) : NULL;
  if (r != NULL && lrgd_solver_residuals(run->solver, r) == LRGD_OK) return r;
  free(r);
  return NULL;
}

/* The multipliers of outputs, to be freed by free(); NULL: none. */
static double *multipliers_of(const cli_run *run, size_t m)
{
  double *multipliers = malloc(m * sizeof *multipliers);
  if (multipliers != NULL &&
      lrgd_solver_multipliers(run->solver, multipliers) == LRGD_OK)
    return multipliers;
  free(multipliers);
  return NULL;
}

static void put_outputs(json_t **object, const cli_run *run,
                        const cli_about *about, size_t m, const double *y)
{
  double *multipliers = multipliers_of(run, m);
  outputs_json(object, about->outputs, m, y, multipliers,
               lrgd_solver_violation(run->solver));
  free(multipliers);
}

static void put_residuals(json_t **object, const cli_run *run,
                          const cli_about *about)
{
  size_t m;
  double *r = residuals_of(run, &m);
  if (m == 0) return;
  if (about->outputs != NULL) {
    put_outputs(object, run, about, m, r);
    free(r);
    return;
  }
  json_put(object, "cost", json_double(run->result.f));
  if (about->misfit != NULL && r != NULL) misfit_clean(about->misfit, m, r);
  json_put(object, "residuals", r != NULL ? json_doubles(m, r) : json_array());
  free(r);
  if (about->misfit != NULL) (void)misfit_json(object, about->misfit);
  json_put(object, "uncertainty", uncertainty_json(about->uncertainty));
}

json_t *result_json(const cli_run *run, const cli_about *about)
{
  const lrgd_result *result = &run->result;
  char method[64];
  option_text(about, "method", method, sizeof method);
  json_t *object = json_object();
  json_put(&object, "outcome", json_string(lrgd_outcome_text(result->outcome)));
  json_put(&object, "message", json_text(result->message));
  json_put(&object, "end", end_json(&result->end));
  json_put(&object, "held", end_json(&result->held));
  json_put(&object, "failure",
           about->failure != NULL ? json_text(about->failure) : json_null());
  json_put(&object, "f", json_double(result->f));
  json_put(&object, "evaluations", json_count(run->evaluations));
  json_put(&object, "width", json_integer(about->options->width));
  json_put(&object, "rounds", json_count(result->counts.rounds));
  json_put(&object, "busy", json_double(busy_places(&result->counts)));
  json_put(&object, "workers", workers_json(&run->workers));
  json_put(&object, "oracle_calls",
           json_count(lrgd_counts_oracle_calls(&result->counts)));
  json_put(&object, "counts", counts_json(&result->counts));
  json_put(&object, "iterations", json_count(result->iterations));
  json_put(&object, "rank", json_count(result->rank));
  json_put(&object, "phases", phases_json(run));
  json_put(&object, "hidden_bounds", hidden_bounds_json(run));
  json_put(&object, "active_bounds", active_bounds_json(run, about));
  json_put(&object, "stall_reason",
           result->outcome == LRGD_OUTCOME_STALLED
               ? json_string(lrgd_stall_text(result->stall))
               : json_null());
  json_put(&object, "certificate",
           certificate_json(&result->certificate, about));
  json_put(&object, "grad_norm", json_double(result->grad_norm));
  json_put(&object, "sigma_r", json_double(result->sigma_r));
  json_put(&object, "noise", json_double(result->noise));
  json_put(&object, "seconds", json_double(result->seconds));
  json_put(&object, "seed", json_integer(about->options->seed));
  json_put(&object, "method", json_string(method));
  json_put(&object, "problem", json_string_nocheck(about->problem));
  json_put(&object, "dimension", json_count(run->p));
  json_put(&object, "x", json_doubles(run->p, run->x));
  json_put(&object, "scaled", json_boolean(is_scaled(about)));
  if (about->inputs != NULL && about->inputs->names != NULL)
    json_put(&object, "names", names_json(about->inputs->names));
  put_residuals(&object, run, about);
  if (about->ranks != NULL || run->reissued > 0)
    json_put(&object, "ranks", ranks_json(about->ranks, run->reissued));
  if (about->journal != NULL) json_put(&object, "journal", journal_json(about));
  return object;
}

/* ---- text ---- */

static const char *outcome_words(lrgd_outcome outcome)
{
  switch (outcome) {
  case LRGD_OUTCOME_CONVERGED: return "Converged";
  case LRGD_OUTCOME_TARGET: return "Target reached";
  case LRGD_OUTCOME_BUDGET: return "Budget spent";
  case LRGD_OUTCOME_STALLED: return "Stalled";
  case LRGD_OUTCOME_STOPPED: return "Stopped";
  case LRGD_OUTCOME_UNBOUNDED: return "Unbounded below";
  case LRGD_OUTCOME_FAILED: return "Failed";
  }
  return "?";
}

static void print_purposes(const lrgd_counts *counts)
{
  const char *before = "  (";
  for (int i = 0; i < LRGD_PURPOSE_COUNT; i++) {
    char text[TEXT_COUNT_SIZE];
    uint64_t sum = 0;
    for (int kind = 0; kind < LRGD_KIND_COUNT; kind++)
      sum += counts->evaluations[kind][i];
    if (sum == 0) continue;
    printf("%s%s %s", before, lrgd_purpose_text((lrgd_purpose)i),
           text_count(text, sum));
    before = ", ";
  }
  if (before[0] == ',') putchar(')');
  putchar('\n');
}

static void print_counts(const cli_run *run, const cli_about *about)
{
  char text[TEXT_COUNT_SIZE];
  const lrgd_counts *counts = &run->result.counts;
  printf("  evaluations   %s", text_count(text, run->evaluations));
  if (about->verbose)
    print_purposes(counts);
  else if (about->differences)
    printf("  (one gradient by differences: %s)\n", text_count(text, run->p));
  else
    putchar('\n');
  if (counts->failures > 0)
    printf("  failed        %s of them\n", text_count(text, counts->failures));
  if (about->options->width > 1)
    printf("  rounds        %s, with %.1f of %lld places busy\n",
           text_count(text, counts->rounds), busy_places(counts),
           (long long)about->options->width);
  if (run->workers.count > 1 && workers_are_known(&run->workers))
    printf("  workers       %s\n",
           workers_text(&run->workers, (char[WORKERS_TEXT]){""}));
  if (run->reissued > 0)
    printf("  asked twice   %s of them, which were late\n",
           text_count(text, run->reissued));
  if (!about->verbose) return;
  printf("  oracle calls  %s",
         text_count(text, lrgd_counts_oracle_calls(counts)));
  printf("  (one full gradient: %s)\n", text_count(text, run->p));
}

/* Prints the number of directions in which f was modelled at the end. */
static void print_directions(const cli_run *run)
{
  char count[TEXT_COUNT_SIZE], dimension[TEXT_COUNT_SIZE];
  size_t rank = run->result.rank;
  text_count(dimension, run->p);
  if (rank >= run->p)
    printf("  directions    all %s inputs\n", dimension);
  else
    printf("  directions    %s of %s\n", text_count(count, rank), dimension);
}

static void print_decisions(const cli_run *run)
{
  char count[TEXT_COUNT_SIZE];
  for (size_t i = 0; i < lrgd_solver_phase_count(run->solver); i++) {
    lrgd_phase phase = run_phase(run, i);
    printf("  %-13s after %s: ", i == 0 ? "decisions" : "",
           text_count(count, phase.evaluations));
    put_safe(stdout, phase.text);
    putchar('\n');
  }
}

static void print_outputs(const cli_run *run, const cli_about *about)
{
  size_t m;
  double *y = residuals_of(run, &m), *multipliers = multipliers_of(run, m);
  outputs_print(about->outputs, m, y, multipliers,
                lrgd_solver_violation(run->solver));
  free(y);
  free(multipliers);
}

static void print_residuals(const cli_run *run, const cli_about *about)
{
  if (about->outputs != NULL) {
    print_outputs(run, about);
    return;
  }
  size_t m, worst = 0;
  double *r = residuals_of(run, &m), sum = 0;
  char count[TEXT_COUNT_SIZE], number[TEXT_COUNT_SIZE];
  for (size_t i = 0; i < m && r != NULL; i++) {
    sum += r[i] * r[i];
    if (fabs(r[i]) > fabs(r[worst])) worst = i;
  }
  if (r != NULL)
    printf("  residuals     %s, rms %.4g, the largest %.4g (number %s)\n",
           text_count(count, m), sqrt(sum / (double)m), r[worst],
           text_count(number, worst + 1));
  free(r);
  if (about->misfit != NULL) misfit_print(about->misfit);
}

static void print_journal(const cli_about *about)
{
  char rows[TEXT_COUNT_SIZE], replayed[TEXT_COUNT_SIZE];
  const lrgd_journal_summary *kept = about->kept;
  printf("  journal       ");
  put_safe(stdout, about->journal);
  printf(": %s evaluations, %s of them replayed, session %s\n",
         text_count(rows, kept->rows), text_count(replayed, kept->replayed),
         text_count((char[TEXT_COUNT_SIZE]){""}, kept->sessions));
  if (kept->checks > 0)
    printf(
        "  checks        %s: a stored point asked again, as the command had "
        "changed\n",
        text_count(rows, kept->checks));
  if (kept->paths > 1)
    printf("  path          %s, which began after %s evaluations\n",
           text_count(rows, kept->paths),
           text_count(replayed, kept->rows - kept->path_rows));
}

static void print_ranks(const cli_ranks *ranks)
{
  char text[TEXT_COUNT_SIZE];
  printf("  ranks         %s evaluated",
         text_count(text, ranks->evaluator.jobs));
  if (ranks->rested > 0)
    printf("; those that failed were rested %s times",
           text_count(text, ranks->rested));
  putchar('\n');
}

static void print_certificate(const lrgd_certificate *certificate,
                              const cli_about *about)
{
  if (!certificate->valid) {
    printf("  certificate   none\n");
    return;
  }
  printf("  certificate   %s|grad %s| <= %.3g",
         about->bounded ? "projected " : "", about->outputs != NULL ? "L" : "f",
         certificate->grad_norm_bound);
  if (certificate->confidence >= 1)
    printf(", measured in full\n");
  else
    printf(" with %.4g %% confidence ", 100 * certificate->confidence);
  if (certificate->confidence < 1 && certificate->probes > 0)
    printf("(%lld probes)\n", (long long)certificate->probes);
  else if (certificate->confidence < 1)
    printf("(measured%s)\n", about->differences ? " by differences" : "");
  if (about->outputs != NULL)
    printf("                (L: the Lagrangian, of f and active limits)\n");
  if (about->bounded)
    printf("                (projected: without what the bounds hold back)\n");
}

/* Prints the outcome; where a program failed, its own error is more useful than
 * that the value is not finite. */
static void print_headline(const cli_run *run, const cli_about *about)
{
  const lrgd_result *result = &run->result;
  char line[256], text[1024];
  cli_naming naming;
  lrgd_wording wording = inputs_wording(about->inputs, &naming);
  printf("%s: ", outcome_words(result->outcome));
  if (result->outcome == LRGD_OUTCOME_FAILED && about->cause != NULL) {
    int length = (int)strcspn(about->cause, "\n");
    (void)snprintf(line, sizeof line, "%.*s", length, about->cause);
    wording.failure = line;
    (void)lrgd_end_text(&result->end, &result->held, &wording, text,
                        sizeof text);
    put_safe(stdout, text);
  } else
    put_safe(stdout, result->message);
  printf("\n\n");
}

void result_print(const cli_run *run, const cli_about *about)
{
  const lrgd_result *result = &run->result;
  char method[64], count[TEXT_COUNT_SIZE];
  char real[TEXT_REAL_SIZE];
  option_text(about, "method", method, sizeof method);
  print_headline(run, about);
  if (isnan(result->f))
    printf("  f             not known\n");
  else
    printf("  f             %s\n", text_real(real, result->f));
  print_residuals(run, about);
  result_print_point(run);
  if (about->inputs != NULL && about->inputs->names != NULL)
    result_print_moves(run, about->inputs);
  uncertainty_print(about->uncertainty);
  print_counts(run, about);
  print_directions(run);
  print_certificate(&result->certificate, about);
  if (is_scaled(about))
    printf("                (grad by the scaled variables, not by x)\n");
  printf("  method        %s, %s iteration%s, seed %lld\n", method,
         text_count(count, result->iterations),
         result->iterations == 1 ? "" : "s", (long long)about->options->seed);
  printf("  time          %.3g s\n", result->seconds);
  if (about->ranks != NULL) print_ranks(about->ranks);
  if (about->journal != NULL) print_journal(about);
  if (about->verbose) print_decisions(run);
}
