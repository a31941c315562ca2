/* A diagnosis as JSON: everything, under the names that scripts rely on. */
#include "diagnosis_output.h"

#include <math.h>

static const char *const theorem_names[] = {"3.1", "3.2", "3.3", "3.4"};

static void add(json_t *object, const char *key, json_t *value)
{
  (void)json_object_set_new(object, key, value);
}

static json_t *eta_json(const lrgd_diagnosis_result *found)
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

/* Definition 2.2 for r directions: epsilon for each eta; if bounded, also the
 * bound of Proposition 2.3. */
static json_t *curve_json(const cli_study *shown, size_t r, bool bounded)
{
  static const double etas[] = {0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3};
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  json_t *rows = json_array();
  if (r == 0 || r > found->count) return rows;
  for (size_t i = 0; i < COUNT_OF(etas); i++) {
    double epsilon = lrgd_diagnosis_epsilon(shown->study, r, etas[i]);
    json_t *row = json_pack("{s:f, s:o}", "eta", etas[i], "epsilon",
                            json_double(epsilon));
    if (bounded)
      add(row, "least_epsilon",
          json_double(
              lrgd_least_epsilon(found->mu_seen, found->delta, etas[i])));
    json_array_append_new(rows, row);
  }
  return rows;
}

static json_t *curves_json(const cli_study *shown)
{
  json_t *rows = json_array();
  for (size_t r = 1; r <= lrgd_diagnosis_get(shown->study)->count; r++)
    json_array_append_new(rows,
                          json_pack("{s:I, s:o}", "r", (json_int_t)r, "curve",
                                    curve_json(shown, r, false)));
  return rows;
}

static json_t *calls_json(double calls)
{
  return isnan(calls) ? json_null() : json_real(ceil(calls));
}

/* The costs by method, for one kind of count, or lower bounds where there is no
 * prediction. */
static void add_costs(json_t *object, const char *key, const double *told,
                      const char *least_key, const double *least)
{
  json_t *costs = json_object(), *more = json_object();
  for (int i = 0; i < LRGD_PREDICTED_COUNT; i++) {
    const char *name = lrgd_predicted_text((lrgd_predicted)i);
    add(costs, name, calls_json(told[i]));
    if (isnan(told[i])) add(more, name, calls_json(least[i]));
  }
  add(object, key, costs);
  add(object, least_key, more);
}

/* The predicted ends, or why there is none. */
static void add_predictions(json_t *object, const lrgd_diagnosis_result *found)
{
  json_t *ends = json_object(), *why = json_object();
  add_costs(object, "predicted_evaluations", found->predicted_evaluations,
            "more_evaluations_than", found->evaluations_floor);
  add_costs(object, "predicted_calls", found->predicted_calls, "more_than",
            found->calls_floor);
  for (int i = 0; i < LRGD_PREDICTED_COUNT; i++) {
    const char *name = lrgd_predicted_text((lrgd_predicted)i);
    bool known = !isnan(found->predicted_calls[i]);
    add(ends, name,
        known ? json_string(lrgd_outcome_text(found->predicted_outcome[i]))
              : json_null());
    if (!known) add(why, name, json_string(found->predicted_why[i]));
  }
  add(object, "predicted_outcome", ends);
  add(object, "not_known_because", why);
}

static json_t *theorems_json(const cli_study *shown)
{
  json_t *rows = json_array();
  for (int t = 0; t < LRGD_THEOREM_COUNT; t++) {
    double epsilon;
    lrgd_theorem_bound claim = lrgd_diagnosis_theorem(
        shown->study, (lrgd_theorem)t, shown->options, &epsilon);
    json_t *conditions = json_array();
    for (size_t i = 0; i < claim.conditions; i++) {
      const lrgd_condition *c = &claim.condition[i];
      json_array_append_new(
          conditions, json_pack("{s:s, s:o, s:o, s:b}", "name", c->name, "left",
                                json_double(c->left), "right",
                                json_double(c->right), "holds", c->holds));
    }
    json_array_append_new(
        rows, json_pack("{s:s, s:o, s:o, s:b, s:o}", "theorem",
                        theorem_names[t], "bound", json_double(claim.bound),
                        "accuracy", json_double(epsilon), "conditions_hold",
                        claim.holds, "conditions", conditions));
  }
  return rows;
}

/* null: none */
static json_t *rank_json(size_t rank)
{
  return rank > 0 ? json_count(rank) : json_null();
}

static json_t *transforms_json(const cli_study *shown)
{
  const lrgd_logarithms *logs = &shown->logarithms;
  const lrgd_scaling *scaling = &shown->scaling;
  if (!shown->transforms) return json_null();
  json_t *log =
      json_pack("{s:I, s:o, s:o, s:o}", "inputs", (json_int_t)logs->taken,
                "exact_rank", rank_json(logs->exact_rank), "rank",
                rank_json(logs->rank), "p95", json_double(logs->p95));
  json_t *scale = json_pack(
      "{s:s, s:o, s:o, s:o}", "units", scaling->own_units ? "own" : "start",
      "rank", rank_json(scaling->rank), "plain_rank",
      rank_json(scaling->plain_rank), "p95", json_double(scaling->p95));
  return json_pack("{s:o, s:o}", "log", log, "scale", scale);
}

static void add_constants(json_t *object, const lrgd_diagnosis_result *found)
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

/* The propositions on the Hessian; null: they do not apply. */
static void add_propositions(json_t *object, const lrgd_diagnosis_result *found)
{
  size_t r = found->recommended_rank;
  bool convex = found->mu_seen > 0 && found->delta > 0 && r <= found->count;
  add(object, "proposition_2_3",
      !convex ? json_null()
              : json_pack(
                    "{s:o, s:o, s:o, s:o}", "mu", json_double(found->mu_seen),
                    "delta", json_double(found->delta), "least_epsilon",
                    json_double(
                        lrgd_least_epsilon(found->mu_seen, found->delta, 0)),
                    "sampled_epsilon", json_double(found->eta[r - 1].epsilon)));
  add(object, "local",
      isnan(found->local_M)
          ? json_null()
          : json_pack("{s:o, s:o, s:o, s:o, s:b}", "rank",
                      json_count(found->local_rank), "sigma_r",
                      json_double(found->local_sigma), "M",
                      json_double(found->local_M), "lasts",
                      json_double(found->local_lasts), "for_good",
                      isinf(found->local_lasts) != 0));
}

json_t *study_json(const cli_study *shown)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  json_t *object = json_object();
  add(object, "problem", json_string(shown->source->name));
  add(object, "dimension", json_count(shown->source->problem.dimension));
  add(object, "conclusive", json_boolean(found->conclusive));
  add(object, "low_rank", json_boolean(found->low_rank));
  add(object, "recommended_rank", json_count(found->recommended_rank));
  add(object, "exact_rank",
      found->exact_rank > 0 ? json_count(found->exact_rank) : json_null());
  add(object, "spectrum", json_doubles(found->count, found->spectrum));
  add(object, "band_low", json_doubles(found->count, found->band_low));
  add(object, "band_high", json_doubles(found->count, found->band_high));
  add(object, "eta", eta_json(found));
  add(object, "trade_off", curve_json(shown, found->recommended_rank, true));
  add(object, "trade_off_by_rank", curves_json(shown));
  add_predictions(object, found);
  char verdict[STUDY_VERDICT_SIZE];
  add(object, "verdict", json_string(study_verdict(shown, verdict)));
  add(object, "reason", json_string(found->reason));
  add(object, "evaluations", json_count(study_evaluations(shown)));
  add(object, "failures", json_count(shown->failures));
  add(object, "from_journal", json_count(shown->replayed));
  add(object, "known_before",
      json_count(lrgd_diagnosis_recalled(shown->study)));
  add(object, "known_gradients",
      json_count(lrgd_diagnosis_known_gradients(shown->study)));
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
  add_propositions(object, found);
  add(object, "transforms", transforms_json(shown));
  add(object, "seconds", json_double(shown->seconds));
  add(object, "seed", json_integer(shown->options->seed));
  return object;
}
