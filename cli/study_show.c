/* A study as a page of text and as JSON.  Knows wording, not mathematics. */
#include "study.h"

#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL_SIZE = 16 };

static const char *const theorem_names[] = {"3.1", "3.2", "3.3", "3.4"};

void study_announce(const cli_study *shown)
{
  char total[TEXT_COUNT_SIZE], one[TEXT_COUNT_SIZE], many[TEXT_COUNT_SIZE];
  const lrgd_study_plan *plan = &shown->plan;
  say("at most %s evaluations: %s for a gradient, of which up to %s are "
      "sampled (2r + 2 where the rank is r), %llu points held out, the rest to "
      "rehearse methods",
      text_count(total, plan->total), text_count(one, plan->gradient),
      text_count(many, plan->gradients), (unsigned long long)plan->held_out);
}

void study_wants(const cli_study *shown)
{
  char total[TEXT_COUNT_SIZE], least[TEXT_COUNT_SIZE];
  const lrgd_study_plan *enough = &shown->enough;
  say("the budget was too small: --max-evals %llu is enough in any case (%s "
      "evaluations, %s of them to sample gradients and check them)",
      (unsigned long long)enough->total, text_count(total, enough->total),
      text_count(least, enough->sampling + enough->checking));
}

uint64_t study_evaluations(const cli_study *shown)
{
  uint64_t asked = lrgd_study_get(shown->study)->evaluations;
  return asked > shown->unanswered ? asked - shown->unanswered : 0;
}

/* ---- the theorems' conditions for this function ---- */

/* The eta that goes with an additive epsilon on the held-out points. */
static double eta_for(const lrgd_study *study, size_t r, double additive)
{
  double low = 0, high = 1;
  if (!(lrgd_study_epsilon(study, r, 0) > additive)) return 0;
  for (int i = 0; i < 60; i++) {
    double eta = 0.5 * (low + high);
    if (lrgd_study_epsilon(study, r, eta) > additive)
      low = eta;
    else
      high = eta;
  }
  return high;
}

lrgd_promise study_promise(const cli_study *shown, lrgd_theorem theorem)
{
  const lrgd_study_result *found = lrgd_study_get(shown->study);
  const lrgd_options *o = shown->options;
  bool convex = theorem == LRGD_THEOREM_3_1 || theorem == LRGD_THEOREM_3_2;
  size_t r = found->recommended_rank;
  lrgd_premises of = {.p = shown->subject->problem.dimension,
                      .r = r,
                      .L = found->L,
                      .mu = found->mu,
                      .Delta0 = found->Delta0,
                      .sigma_r = found->sigma_r,
                      .least_sample = found->least_sample};
  if (isnan(of.Delta0)) /* |grad f|^2 / 2L: what one step gains at least */
    of.Delta0 = found->grad_norm * found->grad_norm / (2 * found->L);
  of.epsilon = convex ? 1e-3 * of.Delta0 : 1e-3 * found->grad_norm;
  if (convex && o->epsilon > 0) of.epsilon = o->epsilon;
  if (!convex && o->tol > 0) of.epsilon = o->tol;
  of.additive = convex ? sqrt(of.mu * of.epsilon / 5) : of.epsilon / 3;
  if (theorem == LRGD_THEOREM_3_1 || theorem == LRGD_THEOREM_3_3)
    of.eta = found->exact_rank == r ? 0 : found->certified_eta;
  else
    of.eta = eta_for(shown->study, r, of.additive);
  return lrgd_theorem_promise(theorem, &of);
}

/* ---- JSON ---- */

static void add(json_t *object, const char *key, json_t *value)
{
  (void)json_object_set_new(object, key, value);
}

static json_t *eta_json(const lrgd_study_result *found)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < found->count; i++) {
    const lrgd_eta *row = &found->eta[i];
    json_array_append_new(
        rows,
        json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "r", (json_int_t)row->r,
                  "energy", json_double(row->energy), "median",
                  json_double(row->median), "p95", json_double(row->p95), "max",
                  json_double(row->max), "epsilon", json_double(row->epsilon)));
  }
  return rows;
}

static json_t *trade_off_json(const cli_study *shown)
{
  static const double etas[] = {0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3};
  const lrgd_study_result *found = lrgd_study_get(shown->study);
  size_t r = found->recommended_rank;
  json_t *rows = json_array();
  if (r == 0 || r > found->count) return rows;
  for (size_t i = 0; i < COUNT_OF(etas); i++)
    json_array_append_new(
        rows,
        json_pack("{s:f, s:o}", "eta", etas[i], "epsilon",
                  json_double(lrgd_study_epsilon(shown->study, r, etas[i]))));
  return rows;
}

static json_t *calls_json(double calls)
{
  return isnan(calls) ? json_null() : json_real(ceil(calls));
}

/* By method: what it would pay; more than what, where that is not known; and
 * how it would end. */
static void add_predictions(json_t *object, const lrgd_study_result *found)
{
  json_t *calls = json_object(), *more = json_object(), *ends = json_object();
  for (int i = 0; i < LRGD_PREDICTIONS; i++) {
    const char *name = lrgd_predicted_text((lrgd_predicted)i);
    bool known = !isnan(found->predicted_calls[i]);
    add(calls, name, calls_json(found->predicted_calls[i]));
    if (!known) add(more, name, calls_json(found->calls_floor[i]));
    add(ends, name,
        known ? json_string(lrgd_outcome_text(found->predicted_outcome[i]))
              : json_null());
  }
  add(object, "predicted_calls", calls);
  add(object, "more_than", more);
  add(object, "predicted_outcome", ends);
}

static json_t *theorems_json(const cli_study *shown)
{
  json_t *rows = json_array();
  for (int t = 0; t < LRGD_THEOREMS; t++) {
    lrgd_promise promise = study_promise(shown, (lrgd_theorem)t);
    json_t *conditions = json_array();
    for (size_t i = 0; i < promise.conditions; i++) {
      const lrgd_condition *c = &promise.condition[i];
      json_array_append_new(
          conditions, json_pack("{s:s, s:o, s:o, s:b}", "name", c->name, "left",
                                json_double(c->left), "right",
                                json_double(c->right), "holds", c->holds));
    }
    json_array_append_new(
        rows, json_pack("{s:s, s:o, s:b, s:o}", "theorem", theorem_names[t],
                        "bound", json_double(promise.bound), "conditions_hold",
                        promise.holds, "conditions", conditions));
  }
  return rows;
}

static json_t *transforms_json(const cli_study *shown)
{
  const lrgd_logarithms *logs = &shown->logarithms;
  if (!shown->transforms) return json_null();
  return json_pack(
      "{s:{s:I, s:o, s:o, s:o}}", "log", "inputs", (json_int_t)logs->taken,
      "exact_rank",
      logs->exact_rank > 0 ? json_count(logs->exact_rank) : json_null(), "rank",
      logs->rank > 0 ? json_count(logs->rank) : json_null(), "p95",
      json_double(logs->p95));
}

static void add_constants(json_t *object, const lrgd_study_result *found)
{
  add(object, "constants",
      json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "L", json_double(found->L),
                "mu", json_double(found->mu), "Delta0",
                json_double(found->Delta0), "grad_norm",
                json_double(found->grad_norm), "sigma_r",
                json_double(found->sigma_r), "least_sample",
                json_double(found->least_sample)));
  add(object, "certificate",
      json_pack("{s:o, s:o, s:f, s:I}", "eta",
                json_double(found->certified_eta), "share",
                json_double(found->certified_share), "confidence",
                found->confidence, "points", (json_int_t)found->held_out));
}

json_t *study_json(const cli_study *shown)
{
  const lrgd_study_result *found = lrgd_study_get(shown->study);
  json_t *object = json_object();
  add(object, "problem", json_string(shown->subject->name));
  add(object, "dimension", json_count(shown->subject->problem.dimension));
  add(object, "low_rank", json_boolean(found->low_rank));
  add(object, "recommended_rank", json_count(found->recommended_rank));
  add(object, "exact_rank",
      found->exact_rank > 0 ? json_count(found->exact_rank) : json_null());
  add(object, "spectrum", json_doubles(found->count, found->spectrum));
  add(object, "band_low", json_doubles(found->count, found->band_low));
  add(object, "band_high", json_doubles(found->count, found->band_high));
  add(object, "eta", eta_json(found));
  add(object, "trade_off", trade_off_json(shown));
  add_predictions(object, found);
  add(object, "verdict", json_string(found->verdict));
  add(object, "reason", json_string(found->reason));
  add(object, "evaluations", json_count(study_evaluations(shown)));
  add(object, "from_journal", json_count(shown->replayed));
  add(object, "planned_evaluations", json_count(shown->plan.total));
  add(object, "samples", json_count(found->samples));
  add(object, "held_out", json_count(found->held_out));
  add(object, "failed", json_count(found->failed));
  add(object, "outcome", json_string(lrgd_outcome_text(found->outcome)));
  add(object, "region", json_string(found->region));
  add(object, "tolerance", json_double(found->tolerance));
  add(object, "invariance", json_double(found->invariance));
  add(object, "noise", json_double(found->noise));
  add_constants(object, found);
  add(object, "theorems", theorems_json(shown));
  add(object, "transforms", transforms_json(shown));
  add(object, "seconds", json_double(shown->seconds));
  add(object, "seed", json_integer(shown->options->seed));
  return object;
}

/* ---- text ---- */

/* A number in so many columns, "-" where it was not measured. */
static const char *cell(char text[CELL_SIZE], double number)
{
  snprintf(text, CELL_SIZE, "%.2g", number);
  return isnan(number) ? "-" : text;
}

static void print_spectrum(const lrgd_study_result *found)
{
  enum { ROWS = 12 };
  size_t r = found->recommended_rank;
  printf(
      "\n   r   energy of r      its band           eta: median     95 %%"
      "      max\n");
  for (size_t i = 0; i < found->count && i < ROWS; i++) {
    const lrgd_eta *row = &found->eta[i];
    char c[5][CELL_SIZE];
    printf("%s%3zu   %-12.6g  %8s .. %-8s     %9s %9s %9s\n",
           row->r == r ? ">" : " ", row->r, row->energy,
           cell(c[0], found->band_low[i]), cell(c[1], found->band_high[i]),
           cell(c[2], row->median), cell(c[3], row->p95), cell(c[4], row->max));
  }
  if (found->count > ROWS)
    printf("    ... and %zu more (--json has them)\n", found->count - ROWS);
  printf(
      "  The band is that of the r-th share of the energy, had other points "
      "been drawn.\n  eta = |g - Pg| / |g| on points kept aside.\n");
}

/* One method: "gd 1,200", "lrgd stalls at 300", "auto more than 900". */
static void print_prediction(const lrgd_study_result *found, int which)
{
  char count[TEXT_COUNT_SIZE];
  double calls = found->predicted_calls[which];
  double least = found->calls_floor[which];
  bool stalls = found->predicted_outcome[which] == LRGD_STALLED;
  bool known = !isnan(calls) && calls < 1e15;
  double told = known ? calls : least;
  printf(" %s ", lrgd_predicted_text((lrgd_predicted)which));
  if (isnan(told))
    printf("?");
  else
    printf("%s%s",
           !known   ? "more than "
           : stalls ? "stalls after "
                    : "",
           text_count(count, (uint64_t)ceil(told)));
}

static void print_predictions(const lrgd_study_result *found)
{
  printf("\nWhat each method would cost, in oracle calls:\n ");
  for (int i = 0; i < LRGD_PREDICTIONS; i++) {
    print_prediction(found, i);
    printf("%s", i + 1 < LRGD_PREDICTIONS ? " ·" : "\n");
  }
}

static void print_theorems(const cli_study *shown)
{
  printf("\nThe paper's theorems, with what was measured around the start:\n");
  for (int t = 0; t < LRGD_THEOREMS; t++) {
    lrgd_promise promise = study_promise(shown, (lrgd_theorem)t);
    if (promise.holds) {
      printf("  %s holds: at most %.3g calls\n", theorem_names[t],
             promise.bound);
      continue;
    }
    printf("  %s does not apply:", theorem_names[t]);
    for (size_t i = 0; i < promise.conditions; i++) {
      const lrgd_condition *c = &promise.condition[i];
      if (c->holds) continue;
      printf(" %s is %.2g, may be %.2g", c->name, c->left, c->right);
      break;
    }
    printf("\n");
  }
}

static void print_transforms(const cli_study *shown)
{
  const lrgd_logarithms *logs = &shown->logarithms;
  size_t p = shown->subject->problem.dimension;
  if (!shown->transforms) return;
  printf("\n");
  if (logs->taken == 0)
    printf("No input is positive throughout: logarithms cannot be taken.\n");
  else if (logs->exact_rank > 0)
    printf(
        "In the logarithms of %zu inputs f is of rank %zu of %zu, up to %.1g "
        "of "
        "|grad f|.\n",
        logs->taken, logs->exact_rank, p,
        lrgd_study_get(shown->study)->tolerance);
  else if (logs->rank > 0)
    printf(
        "In the logarithms of %zu inputs %zu of %zu directions leave eta at "
        "%.2g.\n",
        logs->taken, logs->rank, p, logs->p95);
  else
    printf("Logarithms of the inputs do not help.\n");
}

static void print_certificate(const lrgd_study_result *found)
{
  if (isnan(found->certified_eta) || !found->low_rank) return;
  printf(
      "Certified at %.3g %%: on at most %.2g %% of the region is eta above "
      "%.2g for r = %zu.\n",
      100 * found->confidence, 100 * found->certified_share,
      found->certified_eta, found->recommended_rank);
}

void study_print(const cli_study *shown)
{
  const lrgd_study_result *found = lrgd_study_get(shown->study);
  char count[TEXT_COUNT_SIZE];
  printf("%s: %zu inputs, %s\n\n%s\n", shown->subject->name,
         shown->subject->problem.dimension, found->region, found->verdict);
  if (found->reason[0] != '\0' && !strstr(found->verdict, found->reason))
    printf("  Because %s.\n", found->reason);
  if (found->count > 0) {
    print_spectrum(found);
    print_certificate(found);
    print_predictions(found);
    if (!isnan(found->L) && found->low_rank) print_theorems(shown);
  }
  print_transforms(shown);
  printf("\n%s evaluations (%zu gradients, %zu points held out",
         text_count(count, study_evaluations(shown)), found->samples,
         found->held_out);
  if (found->failed > 0) printf(", %zu failed", found->failed);
  if (shown->replayed > 0)
    printf(", %s from the journal", text_count(count, shown->replayed));
  printf(
      ")%s%s, %.2g s\n", found->outcome == LRGD_CONVERGED ? "" : ", cut off: ",
      found->outcome == LRGD_CONVERGED ? "" : lrgd_outcome_text(found->outcome),
      shown->seconds);
}
