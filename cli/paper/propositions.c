/* lrgd propositions: the lemma on level sets, Proposition 2.2 and the algebra
 * of the paper, tested numerically on a function. */
#include "cli/base/json_output.h"
#include "cli/commands/commands.h"
#include "cli/run/problem_source.h"

#include <lrgd/analysis.h>
#include <math.h>
#include <stdio.h>

static const int flag_ids[] = {SOURCE_FLAGS, FLAG_JSON, FLAG_QUIET, FLAG_HELP};

static const double etas[] = {0, 0.1, 0.5};

/* ---- JSON ---- */

static json_t *why_json(const char *why)
{
  return *why != '\0' ? json_string(why) : json_null();
}

static json_t *lemma_json(const lrgd_propositions *found)
{
  return json_pack("{s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "holds",
                   found->lemma_holds, "level", json_double(found->level),
                   "reached", json_double(found->reached), "alignment",
                   json_double(found->alignment), "grad_norm",
                   json_double(found->grad_norm), "distance",
                   json_double(found->distance), "mu", json_double(found->mu),
                   "delta", json_double(found->delta), "not_tried_because",
                   why_json(found->lemma_why));
}

static json_t *proposition_json(const lrgd_propositions *found)
{
  json_t *shares = json_array(), *least = json_array();
  for (size_t i = 0; i < found->shares; i++)
    json_array_append_new(
        shares, json_pack("{s:o, s:o}", "step", json_double(found->step[i]),
                          "share", json_double(found->share[i])));
  for (size_t i = 0; i < COUNT_OF(etas) && found->shares > 0; i++)
    json_array_append_new(
        least, json_pack("{s:f, s:o}", "eta", etas[i], "least_epsilon",
                         json_double(found->least_epsilon[i])));
  return json_pack(
      "{s:b, s:o, s:o, s:o, s:o}", "holds", found->proposition_holds,
      "directions", json_count(found->directions), "outside", shares, "epsilon",
      least, "not_tried_because", why_json(found->proposition_why));
}

static json_t *algebra_json(const lrgd_propositions *found)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < found->rows; i++) {
    const lrgd_algebra *row = &found->algebra[i];
    json_array_append_new(
        rows, json_pack("{s:s, s:o, s:o, s:b}", "function", row->made,
                        "rank_at_most", json_count(row->bound), "rank",
                        json_count(row->rank), "holds", row->holds));
  }
  return rows;
}

static json_t *all_json(const cli_source *source,
                        const lrgd_propositions *found)
{
  return json_pack(
      "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "problem", source->name,
      "dimension", json_count(source->problem.dimension), "rank",
      json_count(found->rank), "f_minimum", json_double(found->f_minimum),
      "lemma", lemma_json(found), "proposition_2_2", proposition_json(found),
      "algebra", algebra_json(found), "evaluations",
      json_count(found->evaluations));
}

/* ---- text ---- */

static const char *holds(int yes)
{
  return yes ? "holds" : "is not seen";
}

static void print_lemma(const lrgd_propositions *found)
{
  if (found->lemma_why[0] != '\0') {
    printf("Lemma (gradients on level sets): not tried: %s.\n",
           found->lemma_why);
    return;
  }
  printf(
      "Lemma (gradients on level sets): %s.\n"
      "  at %.4g above the minimum there is a point whose gradient, %.3g "
      "long,\n  makes a cosine of %.6f with a random direction, %.3g away "
      "from the minimum\n",
      holds(found->lemma_holds), found->reached, found->grad_norm,
      found->alignment, found->distance);
  if (found->delta > 0)
    printf(
        "  (the lemma: less than %.3g, with the smallest curvature met, "
        "%.3g, for mu)\n",
        found->delta, found->mu);
}

static void print_proposition(const lrgd_propositions *found)
{
  if (found->proposition_why[0] != '\0') {
    printf("Proposition 2.2: says nothing: %s.\n", found->proposition_why);
    return;
  }
  printf(
      "Proposition 2.2: %s.\n  step from the minimum    share of the "
      "gradient outside %zu directions\n",
      holds(found->proposition_holds), found->directions);
  for (size_t i = 0; i < found->shares; i++)
    printf("  %20.3g    %.6f\n", found->step[i], found->share[i]);
  printf("  so that epsilon is at least");
  for (size_t i = 0; i < COUNT_OF(etas); i++)
    printf("%s %.3g for eta = %g", i > 0 ? "," : "",
           fmax(found->least_epsilon[i], 0), etas[i]);
  printf("\n");
}

static void print_all(const lrgd_propositions *found)
{
  print_lemma(found);
  print_proposition(found);
  printf("Algebra, with g of rank 2: %s.\n  function  rank at most  rank\n",
         holds(found->algebra_holds));
  for (size_t i = 0; i < found->rows; i++)
    printf("  %-8s  %12zu  %4zu\n", found->algebra[i].made,
           found->algebra[i].bound, found->algebra[i].rank);
  printf("%llu evaluations\n", (unsigned long long)found->evaluations);
}

static int run_propositions(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  cli_source source;
  lrgd_propositions found;
  if (source_create(&source, flags, NULL, &error) != LRGD_OK)
    return exit_with(&error);
  lrgd_status status = lrgd_propositions_try(
      &found, &source.problem, &flags->options, source.start, &error);
  if (status == LRGD_OK && source.pool != NULL)
    status = lrgd_pool_finish(source.pool, &error);
  int code = EXIT_FINE;
  if (status != LRGD_OK)
    code = exit_with(&error);
  else if (flags_has(flags, FLAG_JSON))
    code = json_print(all_json(&source, &found));
  else
    print_all(&found);
  source_destroy(&source);
  return status == LRGD_OK ? finish_output(code) : code;
}

const cli_command propositions_command = {
    .name = "propositions",
    .words = "[PROBLEM] [flags]",
    .summary = "Tries the paper's lemma, Proposition 2.2 and algebra on f.",
    .details =
        "PROBLEM is as in lrgd minimize.  From the start a minimum is found,\n"
        "and then\n"
        "  the lemma: a point of a level set whose gradient points along a\n"
        "    random direction (--seed)\n"
        "  Proposition 2.2: gradients near the minimum that lie outside the\n"
        "    directions f varies along most, and the epsilon that follows\n"
        "  the algebra: the ranks of -3 f, f + g, f g and exp f, g being of\n"
        "    rank 2, beside what the paper promises\n"
        "Bounds are not for these.  It costs some hundreds of gradients.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .solver_options = true,
    .run = run_propositions,
};
