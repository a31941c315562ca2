/* A diagnosis as a page of text. */
#include "diagnosis_output.h"

#include "cli/base/cli_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL_SIZE = 16, AMOUNT_SIZE = 48 };

static const char *const theorem_names[] = {"3.1", "3.2", "3.3", "3.4"};

void study_announce(const cli_study *shown)
{
  char total[TEXT_COUNT_SIZE], one[TEXT_COUNT_SIZE], many[TEXT_COUNT_SIZE];
  const lrgd_diagnosis_plan *plan = &shown->plan;
  say("at most %s evaluations: %s for a gradient, of which up to %s are "
      "sampled, %llu points held out, the rest for trial runs of methods",
      text_count(total, plan->total), text_count(one, plan->gradient),
      text_count(many, plan->gradients), (unsigned long long)plan->held_out);
  if (plan->exact_gradients > 0)
    say("where f is of exact rank r and not noisy: %llu r gradients' worth at "
        "most, and r + %llu evaluations for each point held out",
        (unsigned long long)plan->exact_gradients,
        (unsigned long long)plan->probes + 1);
}

void study_wants(const cli_study *shown)
{
  char total[TEXT_COUNT_SIZE], least[TEXT_COUNT_SIZE];
  const lrgd_diagnosis_plan *enough = &shown->enough;
  say("the budget was too small: --max-evals %llu is enough in any case (%s "
      "evaluations, %s of them to sample gradients and check them)",
      (unsigned long long)enough->total, text_count(total, enough->total),
      text_count(least, enough->sampling + enough->checking));
}

uint64_t study_evaluations(const cli_study *shown)
{
  uint64_t asked = lrgd_diagnosis_get(shown->study)->evaluations;
  uint64_t none = lrgd_diagnosis_recalled(shown->study);
  return asked > none ? asked - none : 0;
}

/* ---- the verdict, and whether logarithms change it ---- */

/* Whether f has a low rank, even if no method profits from it. */
static bool has_rank(const cli_study *shown)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  size_t r = found->recommended_rank;
  return found->conclusive && r > 0 && r < shown->source->problem.dimension;
}

/* Whether f has a lower rank in the logarithms of its inputs. */
static bool logs_help(const cli_study *shown)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  const lrgd_logarithms *logs = &shown->logarithms;
  size_t rank = logs->exact_rank > 0 ? logs->exact_rank : logs->rank;
  size_t plain = has_rank(shown) ? found->recommended_rank
                                 : shown->source->problem.dimension;
  if (logs->exact_rank == 0 && found->exact_rank > 0) return false;
  return shown->transforms && rank > 0 && rank < plain;
}

const char *study_verdict(const cli_study *shown, char text[STUDY_VERDICT_SIZE])
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  const lrgd_logarithms *logs = &shown->logarithms;
  size_t p = shown->source->problem.dimension;
  if (!logs_help(shown))
    snprintf(text, STUDY_VERDICT_SIZE, "%s", found->verdict);
  else
    snprintf(text, STUDY_VERDICT_SIZE,
             "Low-rank in logarithms: f is %s of rank %zu of %zu in the "
             "logarithms of its inputs; minimise it with --log.  In the inputs "
             "as they are: %c%s",
             logs->exact_rank > 0 ? "exactly" : "nearly",
             logs->exact_rank > 0 ? logs->exact_rank : logs->rank, p,
             found->verdict[0] == 'D' ? 'd' : found->verdict[0],
             found->verdict + (found->verdict[0] != '\0'));
  return text;
}

/* ---- text ---- */

/* A number in so many columns, "-" where it was not measured. */
static const char *cell(char text[CELL_SIZE], double number)
{
  snprintf(text, CELL_SIZE, "%.2g", number);
  return isnan(number) ? "-" : text;
}

/* The rows up to the recommended rank and a few more. */
static size_t row_count(const lrgd_diagnosis_result *found)
{
  enum { MOST = 12, MORE = 2, FEW = 5 };
  size_t rows = found->recommended_rank + MORE;
  if (rows < FEW) rows = FEW;
  if (rows > MOST) rows = MOST;
  return rows < found->count ? rows : found->count;
}

static void print_spectrum(const lrgd_diagnosis_result *found)
{
  size_t rows = row_count(found);
  printf(
      "\nHow well r directions do, at points %s:\n\n"
      "     r   energy held     missed: middle   95 %%      worst\n",
      found->region);
  for (size_t i = 0; i < rows; i++) {
    const lrgd_eta *row = &found->eta[i];
    char c[3][CELL_SIZE];
    printf("%s%4zu   %9.6g %%          %-8s %-9s %s\n",
           row->r == found->recommended_rank ? " >" : "  ", row->r,
           100 * row->energy, cell(c[0], row->median), cell(c[1], row->p95),
           cell(c[2], row->max));
  }
  if (found->count > rows)
    printf("    ... and %zu more (--json has them)\n", found->count - rows);
  printf(
      "  energy: the share of the squared gradients at %zu sampled points.\n",
      found->samples);
  if (found->held_out > 0)
    printf(
        "  missed: the part of the gradient outside the r directions (the "
        "paper's "
        "eta), 0 to 1,\n  at %zu held-out points: half of them lie below the "
        "middle.\n",
        found->held_out);
  else
    printf("  missed: not known, as nothing was left for held-out points.\n");
}

/* A count in words: "1,200", "more than 900", "not known". */
static const char *amount(char text[AMOUNT_SIZE], double told, double least)
{
  char count[TEXT_COUNT_SIZE];
  bool known = !isnan(told) && told < 1e15;
  double number = known ? told : least;
  if (isnan(number)) return "not known";
  snprintf(text, AMOUNT_SIZE, "%s%s", known ? "" : "more than ",
           text_count(count, (uint64_t)ceil(number)));
  return text;
}

/* A remark on a method beside its costs. */
static const char *remark(const lrgd_diagnosis_result *found, int which)
{
  if (isnan(found->predicted_calls[which])) return found->predicted_why[which];
  switch (found->predicted_outcome[which]) {
  case LRGD_OUTCOME_CONVERGED: return "";
  case LRGD_OUTCOME_STALLED: return "stalls there";
  case LRGD_OUTCOME_UNBOUNDED: return "f falls without end";
  default: return "fails there";
  }
}

static void print_prediction(const lrgd_diagnosis_result *found, int which)
{
  char a[AMOUNT_SIZE], b[AMOUNT_SIZE];
  const char *said = remark(found, which);
  printf("  %-10s %20s %20s%s%s\n", lrgd_predicted_text((lrgd_predicted)which),
         amount(a, found->predicted_evaluations[which],
                found->evaluations_floor[which]),
         amount(b, found->predicted_calls[which], found->calls_floor[which]),
         said[0] != '\0' ? "   " : "", said);
}

/* Classes of methods: with a predicted cost, predicted not to converge, with a
 * lower bound only, without a prediction. */
static int class_of(const lrgd_diagnosis_result *found, int which)
{
  if (!isnan(found->predicted_calls[which]))
    return found->predicted_outcome[which] == LRGD_OUTCOME_CONVERGED ? 0 : 1;
  return isnan(found->calls_floor[which]) ? 3 : 2;
}

static bool before(const lrgd_diagnosis_result *found, int a, int b)
{
  int first = class_of(found, a), second = class_of(found, b);
  if (first != second) return first < second;
  return found->predicted_evaluations[a] < found->predicted_evaluations[b];
}

/* Whether all predictions are missing for the same reason. */
static bool all_unknown(const lrgd_diagnosis_result *found)
{
  for (int i = 0; i < LRGD_PREDICTED_COUNT; i++)
    if (!isnan(found->evaluations_floor[i]) ||
        !isnan(found->predicted_calls[i]) ||
        strcmp(found->predicted_why[i], found->predicted_why[0]) != 0)
      return false;
  return true;
}

/* Prints the predictions, the cheapest first. */
static void print_predictions(const cli_study *shown)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  bool done[LRGD_PREDICTED_COUNT] = {false};
  if (all_unknown(found)) {
    printf("\nWhat each method would cost is not known: %s.\n",
           found->predicted_why[0]);
    return;
  }
  printf(
      "\nWhat each method would cost, in evaluations of f and in oracle calls "
      "(the paper's\nmeasure: a slope is 1, a gradient %zu):\n\n"
      "  method              evaluations         oracle calls\n",
      shown->source->problem.dimension);
  for (int k = 0; k < LRGD_PREDICTED_COUNT; k++) {
    int next = -1;
    for (int i = 0; i < LRGD_PREDICTED_COUNT; i++)
      if (!done[i] && (next < 0 || before(found, i, next))) next = i;
    done[next] = true;
    print_prediction(found, next);
  }
}

static void print_theorem(const cli_study *shown, int t)
{
  double epsilon;
  lrgd_theorem_bound claim = lrgd_diagnosis_theorem(
      shown->study, (lrgd_theorem)t, shown->options, &epsilon);
  const char *goal = t <= LRGD_THEOREM_3_2 ? "f within" : "|grad f| below";
  if (claim.holds && claim.bound < 1e15) {
    char count[TEXT_COUNT_SIZE];
    printf("  Theorem %s: at most %s oracle calls to bring %s %.2g%s\n",
           theorem_names[t], text_count(count, (uint64_t)ceil(claim.bound)),
           goal, epsilon, t <= LRGD_THEOREM_3_2 ? " of its minimum" : "");
    return;
  }
  printf("  Theorem %s says nothing:", theorem_names[t]);
  for (size_t i = 0; i < claim.conditions; i++) {
    const lrgd_condition *c = &claim.condition[i];
    if (c->holds) continue;
    if (isnan(c->left) || isnan(c->right))
      printf(" %s is not known here (mu was not seen to be positive)", c->name);
    else if (isinf(c->left))
      printf(" f is flat outside H, and so not strongly convex");
    else
      printf(" %s is %.2g, may be %.2g", c->name, c->left, c->right);
    break;
  }
  printf("\n");
}

static void print_propositions(const lrgd_diagnosis_result *found)
{
  size_t r = found->recommended_rank;
  double least = lrgd_least_epsilon(found->mu_seen, found->delta, 0);
  if (least > 0 && r <= found->count)
    printf(
        "  Proposition 2.3: were f curved by %.2g in every direction, any %zu "
        "directions would miss\n    a slope of %.2g somewhere within %.2g of "
        "the minimum; the largest met was %.2g%s\n",
        found->mu_seen, r, least, found->delta, found->eta[r - 1].epsilon,
        found->eta[r - 1].epsilon < least ? " (a sample can miss the worst)"
                                          : "");
  if (isnan(found->local_M) || r < 2) return;
  if (found->local_rank == 0)
    printf(
        "  By its Hessian at the start (last appendix) no fewer than %zu "
        "directions stay good for a step\n",
        r);
  else if (found->local_lasts > 1e4)
    printf(
        "  By its Hessian at the start (last appendix) %zu of the %zu "
        "directions stay good for more than 10,000 steps of 1/L\n",
        found->local_rank, r);
  else
    printf(
        "  By its Hessian at the start (last appendix) %zu of the %zu "
        "directions stay good for some %.3g steps of 1/L\n",
        found->local_rank, r, found->local_lasts);
}

static void print_theory(const cli_study *shown)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  if (isnan(found->L) || !has_rank(shown)) return;
  printf("\nWhat the paper promises, for constants measured at the start:\n");
  for (int t = 0; t < LRGD_THEOREM_COUNT; t++) print_theorem(shown, t);
  print_propositions(found);
}

static void print_scaling(const lrgd_scaling *found, size_t p)
{
  const char *units = found->own_units ? "the inputs' own units"
                                       : "units of their size at the start";
  if (found->taken < p)
    printf(
        "Other units cannot be tried: not every input has a size at the "
        "start.\n");
  else if (found->rank == 0 ||
           (found->plain_rank > 0 && found->rank >= found->plain_rank))
    printf("%s%s do not lower it.\n", found->own_units ? "T" : "U", units + 1);
  else
    printf("In %s f is nearly of rank %zu%s.\n", units, found->rank,
           found->own_units ? ": what runs without --scale see"
                            : ": minimise it with --scale");
}

static void print_transforms(const cli_study *shown)
{
  const lrgd_logarithms *logs = &shown->logarithms;
  if (!shown->transforms) return;
  printf("%s", logs_help(shown) ? "\n"
               : logs->taken == 0
                   ? "\nLogarithms of the inputs cannot be tried: none is "
                     "positive throughout.\n"
                   : "\nLogarithms of the inputs do not lower the rank.\n");
  print_scaling(&shown->scaling, shown->source->problem.dimension);
}

static void print_certificate(const cli_study *shown)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  if (isnan(found->certified_eta) || !has_rank(shown)) return;
  printf(
      "Certified (confidence %.3g %%): %zu direction%s miss%s more than %.2g "
      "on "
      "at most %.2g %% of the region.\n",
      100 * found->confidence, found->recommended_rank,
      found->recommended_rank > 1 ? "s" : "",
      found->recommended_rank > 1 ? "" : "es", found->certified_eta,
      100 * found->certified_share);
}

static void print_known(const cli_study *shown)
{
  char count[TEXT_COUNT_SIZE];
  uint64_t recalled = lrgd_diagnosis_recalled(shown->study);
  size_t gradients = lrgd_diagnosis_known_gradients(shown->study);
  if (recalled > 0)
    printf("; %s answers more were known before", text_count(count, recalled));
  if (gradients > 0)
    printf("; %zu of the gradients %s known before", gradients,
           gradients == 1 ? "was" : "were");
}

static void print_cost(const cli_study *shown)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  char count[TEXT_COUNT_SIZE];
  bool whole = found->outcome == LRGD_OUTCOME_CONVERGED;
  printf("\n%s evaluations", text_count(count, study_evaluations(shown)));
  if (shown->failures > 0)
    printf(", %s of which failed", text_count(count, shown->failures));
  printf(" (%zu gradients, %zu held-out points", found->samples,
         found->held_out);
  if (found->failed > 0)
    printf(", %zu points given up as they failed", found->failed);
  if (shown->replayed > 0)
    printf(", %s from the journal", text_count(count, shown->replayed));
  print_known(shown);
  printf(")%s%s, %.2g s\n", whole ? "" : ", cut off: ",
         whole ? "" : lrgd_outcome_text(found->outcome), shown->seconds);
}

void study_print(const cli_study *shown)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  char verdict[STUDY_VERDICT_SIZE];
  put_safe(stdout, shown->source->name);
  printf(": %zu input%s\n\n%s\n", shown->source->problem.dimension,
         shown->source->problem.dimension == 1 ? "" : "s",
         study_verdict(shown, verdict));
  if (found->reason[0] != '\0' && !found->reason_in_verdict)
    printf("  Because %s.\n", found->reason);
  if (found->count > 0) {
    print_predictions(shown);
    print_spectrum(found);
    print_certificate(shown);
    print_theory(shown);
  }
  print_transforms(shown);
  print_cost(shown);
}
