/* Shows a result: as one JSON object, or as a few lines of text.
 * Knows the names that scripts rely on. */
#include "result.h"

#include "cli/base/cli_text.h"

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

/* Whether the solver worked in other variables than x: what is said about
 * gradients is then about those. */
static bool is_scaled(const cli_about *about)
{
  return about->inputs != NULL &&
         (about->inputs->scale != NULL || about->inputs->log_count > 0);
}

/* ---- JSON ---- */

/* json_object_set_new frees value on failure and refuses NULL: one lost part
 * spoils the whole, which is told once at the end. */
static void put(json_t **object, const char *key, json_t *value)
{
  if (*object != NULL && json_object_set_new(*object, key, value) == 0) return;
  if (*object == NULL) json_decref(value);
  json_decref(*object);
  *object = NULL;
}

static json_t *purposes_json(const uint64_t counts[LRGD_PURPOSE_COUNT])
{
  json_t *object = json_object();
  for (int i = 0; i < LRGD_PURPOSE_COUNT; i++)
    put(&object, lrgd_purpose_text((lrgd_purpose)i), json_count(counts[i]));
  return object;
}

static json_t *counts_json(const lrgd_counts *counts)
{
  json_t *kinds = json_object();
  for (int i = 0; i < LRGD_KIND_COUNT; i++)
    put(&kinds, lrgd_kind_text((lrgd_kind)i),
        purposes_json(counts->evaluations[i]));
  json_t *object = json_object();
  put(&object, "evaluations", kinds);
  put(&object, "oracle_calls", purposes_json(counts->oracle_calls));
  put(&object, "failures", json_count(counts->failures));
  return object;
}

static json_t *phases_json(const cli_run *run)
{
  json_t *array = json_array();
  for (size_t i = 0; i < lrgd_solver_phase_count(run->solver); i++) {
    lrgd_phase phase = run_phase(run, i);
    json_t *object = json_object();
    put(&object, "iteration", json_count(phase.iteration));
    put(&object, "evaluations", json_count(phase.evaluations));
    put(&object, "rank", json_count(phase.rank));
    put(&object, "f", json_double(phase.f));
    put(&object, "text", json_string(phase.text));
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
  put(&object, "grad_norm_bound", json_double(certificate->grad_norm_bound));
  put(&object, "confidence", json_double(certificate->confidence));
  put(&object, "probes", json_integer(certificate->probes));
  put(&object, "projected", json_boolean(about->bounded));
  return object;
}

/* How those did who evaluated, and what they were asked twice; also where only
 * earlier sittings had ranks. */
static json_t *ranks_json(const cli_ranks *ranks, uint64_t reissued)
{
  json_t *object = json_object();
  put(&object, "evaluating", json_count(ranks ? ranks->answerer.jobs : 0));
  put(&object, "rested", json_count(ranks ? ranks->rested : 0));
  put(&object, "reissued", json_count(reissued));
  return object;
}

/* How the run came about, where it was kept. */
static json_t *journal_json(const cli_about *about)
{
  const lrgd_journal_summary *kept = about->kept;
  json_t *object = json_object();
  put(&object, "file", json_string_nocheck(about->journal));
  put(&object, "sittings", json_count(kept->sittings));
  put(&object, "replayed", json_count(kept->replayed));
  put(&object, "evaluations", json_count(kept->rows));
  put(&object, "in_flight", json_count(kept->in_flight));
  put(&object, "path", json_count(kept->paths));
  put(&object, "earlier_paths", json_count(kept->rows - kept->path_rows));
  put(&object, "checks", json_count(kept->checks));
  put(&object, "seconds_before", json_double(kept->seconds));
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

json_t *result_json(const cli_run *run, const cli_about *about)
{
  const lrgd_result *result = &run->result;
  char method[64];
  option_text(about, "method", method, sizeof method);
  json_t *object = json_object();
  put(&object, "outcome", json_string(lrgd_outcome_text(result->outcome)));
  put(&object, "message", json_string(result->message));
  put(&object, "failure",
      about->failure != NULL ? json_text(about->failure) : json_null());
  put(&object, "f", json_double(result->f));
  put(&object, "evaluations", json_count(run->evaluations));
  put(&object, "oracle_calls",
      json_count(lrgd_counts_oracle_calls(&result->counts)));
  put(&object, "counts", counts_json(&result->counts));
  put(&object, "iterations", json_count(result->iterations));
  put(&object, "rank", json_count(result->rank));
  put(&object, "phases", phases_json(run));
  put(&object, "stall_reason",
      result->outcome == LRGD_OUTCOME_STALLED
          ? json_string(lrgd_stall_text(result->stall))
          : json_null());
  put(&object, "certificate", certificate_json(&result->certificate, about));
  put(&object, "grad_norm", json_double(result->grad_norm));
  put(&object, "sigma_r", json_double(result->sigma_r));
  put(&object, "noise", json_double(result->noise));
  put(&object, "seconds", json_double(result->seconds));
  put(&object, "seed", json_integer(about->options->seed));
  put(&object, "method", json_string(method));
  put(&object, "problem", json_string_nocheck(about->problem));
  put(&object, "dimension", json_count(run->p));
  put(&object, "x", json_doubles(run->p, run->x));
  put(&object, "scaled", json_boolean(is_scaled(about)));
  if (about->inputs != NULL && about->inputs->names != NULL)
    put(&object, "names", names_json(about->inputs->names));
  if (about->ranks != NULL || run->reissued > 0)
    put(&object, "ranks", ranks_json(about->ranks, run->reissued));
  if (about->journal != NULL) put(&object, "journal", journal_json(about));
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

static void print_counts(const cli_run *run)
{
  char text[TEXT_COUNT_SIZE];
  const lrgd_counts *counts = &run->result.counts;
  printf("  evaluations   %s", text_count(text, run->evaluations));
  print_purposes(counts);
  if (counts->failures > 0)
    printf("  failed        %s of them\n", text_count(text, counts->failures));
  if (run->reissued > 0)
    printf("  asked twice   %s of them, which were late\n",
           text_count(text, run->reissued));
  printf("  oracle calls  %s",
         text_count(text, lrgd_counts_oracle_calls(counts)));
  printf("  (one full gradient: %s)\n", text_count(text, run->p));
}

static void print_point(const cli_run *run)
{
  enum { FEW = 4 };
  printf("  x             ");
  for (size_t i = 0; i < run->p && i < FEW; i++) printf("%.6g ", run->x[i]);
  if (run->p > FEW) {
    char text[TEXT_COUNT_SIZE];
    printf("... (%s numbers: --json or --save FILE)", text_count(text, run->p));
  }
  putchar('\n');
}

/* The coordinates that moved furthest, by name where they have names; shown
 * where the point itself does not fit or nobody could read it. */
static void print_moves(const cli_run *run, const cli_inputs *inputs)
{
  enum { MOST = 5 };
  size_t top[MOST], count = 0;
  for (size_t i = 0; i < run->p; i++) {
    double move = fabs(run->x[i] - inputs->start[i]);
    size_t at = count;
    while (at > 0 &&
           move > fabs(run->x[top[at - 1]] - inputs->start[top[at - 1]]))
      at--;
    if (at == MOST) continue;
    if (count < MOST) count++;
    memmove(top + at + 1, top + at, (count - at - 1) * sizeof *top);
    top[at] = i;
  }
  for (size_t k = 0; k < count; k++) {
    char name[INPUT_NAME_SIZE];
    printf("  %s ", k == 0 ? "moved most   " : "             ");
    put_safe(stdout, input_name(inputs, top[k], name));
    printf(": %.6g -> %.6g\n", inputs->start[top[k]], run->x[top[k]]);
  }
}

static void print_journal(const cli_about *about)
{
  char rows[TEXT_COUNT_SIZE], replayed[TEXT_COUNT_SIZE];
  const lrgd_journal_summary *kept = about->kept;
  printf("  journal       ");
  put_safe(stdout, about->journal);
  printf(": %s evaluations, %s of them replayed, sitting %s\n",
         text_count(rows, kept->rows), text_count(replayed, kept->replayed),
         text_count((char[TEXT_COUNT_SIZE]){""}, kept->sittings));
  if (kept->paths > 1)
    printf("  path          %s, which began after %s evaluations\n",
           text_count(rows, kept->paths),
           text_count(replayed, kept->rows - kept->path_rows));
}

static void print_ranks(const cli_ranks *ranks)
{
  char text[TEXT_COUNT_SIZE];
  printf("  ranks         %s evaluated",
         text_count(text, ranks->answerer.jobs));
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
  printf("  certificate   %s|grad f| <= %.3g",
         about->bounded ? "projected " : "", certificate->grad_norm_bound);
  if (certificate->confidence >= 1)
    printf(", measured in full\n");
  else
    printf(" with %.4g %% confidence ", 100 * certificate->confidence);
  if (certificate->confidence < 1 && certificate->probes > 0)
    printf("(%lld probes)\n", (long long)certificate->probes);
  else if (certificate->confidence < 1)
    printf("(measured%s)\n", about->differences ? " by differences" : "");
  if (about->bounded)
    printf("                (projected: without what the bounds hold back)\n");
}

/* "evaluation 3: exit status 2", and lines after it: "exit status 2". */
static void print_cause(const char *failure)
{
  static const char before[] = "evaluation ";
  const char *cause = failure;
  if (strncmp(failure, before, sizeof before - 1) == 0) {
    cause += sizeof before - 1;
    cause += strspn(cause, "0123456789");
    cause = strncmp(cause, ": ", 2) == 0 ? cause + 2 : failure;
  }
  printf(": ");
  put_safe_part(stdout, cause, strcspn(cause, "\n"));
}

/* A message; the first "input 14" in it has its name, if there are names. */
static void print_message(const char *message, size_t length, size_t p,
                          const cli_inputs *inputs)
{
  const char *number = strstr(message, "input ");
  char *end = NULL, name[INPUT_NAME_SIZE];
  size_t i = number ? strtoul(number + 6, &end, 10) : 0;
  bool named = inputs != NULL && inputs->names != NULL && i > 0 && i <= p &&
               end <= message + length;
  size_t before = named ? (size_t)(end - message) : length;
  put_safe_part(stdout, message, before);
  if (!named) return;
  printf(" (");
  put_safe(stdout, input_name(inputs, i - 1, name));
  printf(")");
  put_safe_part(stdout, end, length - before);
}

/* Where a program failed, why it did says more than that its answer is not
 * finite. */
static void print_headline(const cli_run *run, const cli_about *about)
{
  static const char vague[] = ": the answer is not finite";
  const lrgd_result *result = &run->result;
  const char *message = result->message, *failure = about->failure;
  size_t length = strlen(message), tail = sizeof vague - 1;
  bool told = result->outcome == LRGD_OUTCOME_FAILED && failure != NULL;
  if (told && length > tail && strcmp(message + length - tail, vague) == 0)
    length -= tail;
  printf("%s: ", outcome_words(result->outcome));
  print_message(message, length, run->p, about->inputs);
  if (told) print_cause(failure);
  printf("\n\n");
}

void result_print(const cli_run *run, const cli_about *about)
{
  const lrgd_result *result = &run->result;
  char method[64], count[TEXT_COUNT_SIZE], dimension[TEXT_COUNT_SIZE];
  char real[TEXT_REAL_SIZE];
  option_text(about, "method", method, sizeof method);
  print_headline(run, about);
  if (isnan(result->f))
    printf("  f             not known\n");
  else
    printf("  f             %s\n", text_real(real, result->f));
  print_point(run);
  if (about->inputs != NULL && about->inputs->names != NULL)
    print_moves(run, about->inputs);
  print_counts(run);
  printf("  rank          %s of %s\n", text_count(count, result->rank),
         text_count(dimension, run->p));
  print_certificate(&result->certificate, about);
  if (is_scaled(about))
    printf("                (grad by the scaled variables, not by x)\n");
  printf("  method        %s, %s iteration%s, seed %lld\n", method,
         text_count(count, result->iterations),
         result->iterations == 1 ? "" : "s", (long long)about->options->seed);
  printf("  time          %.3g s\n", result->seconds);
  if (about->ranks != NULL) print_ranks(about->ranks);
  if (about->journal != NULL) print_journal(about);
}
