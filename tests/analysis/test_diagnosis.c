/* Studies: the rank is right, the price is kept, the predictions come true. */
#include <float.h>

#include "diagnosed.h"

TEST("the rank of exactly low-rank functions is found")
{
  const struct {
    const char *line;
    size_t rank;
  } known[] = {
      {"quadratic p=60 rank=7",                      7 },
      {"quadratic p=300 rank=20",                    20},
      {"ridge p=100 rank=3 sigma=cosh",              3 },
      {"ridge p=100 rank=9 sigma=sine",              9 },
      {"least-squares p=80 rank=4",                  4 },
      {"logistic p=80 rank=6",                       6 },
      {"log-sum-exp p=50 rank=5",                    5 },
      {"rosenbrock p=40 n=6",                        6 },
      {"powell p=50",                                4 },
      {"beale p=30",                                 2 },
      {"linear p=25",                                1 },
 /* differences err by more than they were thought to, at one sample */
      {"least-squares p=100 rank=2 seed=66",         2 },
      {"rosenbrock p=50 n=8 seed=23",                8 },
      {"quadratic p=200 rank=10 kappa=1000 seed=39", 10},
      {"ridge p=300 rank=10 sigma=logcosh seed=47",  10},
      {"predator p=60",                              6 },
 /* the last direction is a small part of the sample it was met in */
      {"predator p=100",                             6 },
 /* nearly zero in most of the ball, where its errors are too */
      {"hartmann",                                   6 },
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    lr_problem *made;
    lrgd_diagnosis *study = study_of(known[i].line, &made, NULL, false);
    require(study, "%s", known[i].line);
    const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
    check_int(found->exact_rank, known[i].rank, "%s", known[i].line);
    check_int(found->recommended_rank, known[i].rank, "%s", known[i].line);
    check(found->low_rank, "%s: %s", known[i].line, found->verdict);
    check(found->invariance < 1e-5, "%s: f changes by %g off H", known[i].line,
          found->invariance);
    done(&study, &made);
  }
}

/* A tail that touches all directions: the rank is that of the rest. */
TEST("a small tail does not change the rank recommended")
{
  const char *const tried[] = {"quadratic p=120 rank=5 tail=0.001",
                               "quadratic p=120 rank=3 kappa=10 tail=0.01",
                               "log-sum-exp p=100 rank=4 mu=0.0001"};
  const size_t ranks[] = {5, 3, 4};
  for (size_t i = 0; i < 3; i++) {
    lr_problem *made;
    lrgd_diagnosis *study = study_of(tried[i], &made, NULL, false);
    require(study, "%s", tried[i]);
    check_int(lrgd_diagnosis_get(study)->recommended_rank, ranks[i], "%s",
              tried[i]);
    check(lrgd_diagnosis_get(study)->low_rank, "%s", tried[i]);
    done(&study, &made);
  }
}

TEST("rank 5 of 1,000 inputs costs at most 25 gradients, as announced")
{
  lr_problem *made;
  lrgd_diagnosis_options want = lrgd_diagnosis_options_default();
  lrgd_diagnosis *study = study_of("ridge p=1000 rank=5", &made, NULL, true);
  require(study, "made");
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
  lrgd_problem f = *lr_problem_callbacks(made);
  f.gradient = NULL;
  f.slopes = NULL;
  f.complex_value = NULL;
  lrgd_diagnosis_plan plan = lrgd_diagnosis_cost(&f, NULL, &want);
  /* held-out points and constants: 5 + 8 probes and a value each */
  check(found->evaluations <= 25 * 1001 + 100 * 14 + 100, "%g evaluations",
        (double)found->evaluations);
  check(found->evaluations <= plan.total, "%g planned", (double)plan.total);
  check_int(plan.gradient, 1001, "a gradient");
  check_int(plan.exact_gradients, 5, "r gradients' worth are promised");
  done(&study, &made);
}

/* The published example: 8 inputs, of which r = 4 hold all but 1e-5. */
TEST(
    "borehole: four directions hold 0.999 of the energy, eta is near "
    "0.0015 and 0.005")
{
  lr_problem *made;
  lrgd_diagnosis *study = study_of("borehole", &made, NULL, false);
  require(study, "made");
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
  const lrgd_eta *row = &found->eta[3];
  check(row->energy > 0.999, "energy %g", row->energy);
  check(row->median > 0.0007 && row->median < 0.003, "median %g", row->median);
  check(row->p95 > 0.0025 && row->p95 < 0.01, "95 %%: %g", row->p95);
  check(found->low_rank && found->recommended_rank <= 4, "%s", found->verdict);
  /* the heads enter as a difference; a seventh direction is 2e-6 of |g| */
  check(found->exact_rank == 6 || found->exact_rank == 7, "%zu exactly",
        found->exact_rank);
  done(&study, &made);
}

TEST("robot arm: four directions are not enough")
{
  lr_problem *made;
  lrgd_diagnosis *study = study_of("robot-arm", &made, NULL, false);
  require(study, "made");
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
  check(!found->low_rank, "%s", found->verdict);
  check_int(found->exact_rank, 7, "the shoulder does not matter");
  check(found->eta[3].p95 > 0.3, "eta at r = 4 is %g", found->eta[3].p95);
  check(strstr(found->verdict, "Do not use low rank"), "%s", found->verdict);
  done(&study, &made);
}

/* Published: one direction for the T-cells (Loudon and Pankavich), for the
 * diffusion with a long correlation length (Constantine, Dow and Wang), few
 * for the engineering examples (Constantine, Active Subspaces, 2015). */
TEST("the other real functions have their published dimensions")
{
  const struct {
    const char *line;
    size_t most;
  } known[] = {
      {"otl-circuit", 3},
      {"piston",      3},
      {"wing-weight", 4},
      {"ebola",       4},
      {"elliptic",    1},
      {"hiv",         1},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    lr_problem *made;
    lrgd_diagnosis *study = study_of(known[i].line, &made, NULL, false);
    require(study, "%s", known[i].line);
    const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
    check(found->low_rank && found->recommended_rank <= known[i].most,
          "%s: %zu, %s", known[i].line, found->recommended_rank,
          found->verdict);
    done(&study, &made);
  }
}

/* Two ridges in the first twenty inputs; the last ten are told in units of a
 * thousandth, so that a ball reaches a thousand times too far along them. */
static double in_mixed_units(size_t p, const double *x, void *user)
{
  double f = 0;
  (void)user;
  for (size_t j = 1; j <= 2; j++) {
    double t = -1;
    for (size_t i = 0; i < 20; i++) t += cos((double)(i * j)) * x[i] / 4;
    f += 0.5 * t * t;
  }
  for (size_t i = 20; i < p; i++) f += 1.5 * x[i] * x[i];
  return f;
}

TEST(
    "scaling inputs by their size at the start lowers the rank where "
    "units are mixed")
{
  double x0[30];
  lrgd_problem f = lrgd_problem_default(30);
  lrgd_diagnosis *study = NULL;
  lrgd_scaling found;
  f.value = in_mixed_units;
  for (int i = 0; i < 30; i++) x0[i] = i < 20 ? 1 : 1e-3;
  require(lrgd_diagnosis_create(&study, &f, NULL, NULL, x0, NULL) == LRGD_OK,
          "a study");
  check(lrgd_diagnosis_scaling(study, &found) == LRGD_OK, "other units");
  check(!found.own_units && found.taken == 30, "by the start");
  check(found.rank > 0 &&
            (found.plain_rank == 0 || found.rank < found.plain_rank),
        "rank %zu, %zu in the units given", found.rank, found.plain_rank);
  lrgd_diagnosis_destroy(&study);
  x0[7] = 0;
  require(lrgd_diagnosis_create(&study, &f, NULL, NULL, x0, NULL) == LRGD_OK,
          "a study");
  check(lrgd_diagnosis_scaling(study, &found) == LRGD_OK, "other units");
  check(found.taken == 29 && found.rank == 0, "not where one has no size");
  lrgd_diagnosis_destroy(&study);
}

TEST("Hartmann flow has rank 4, in logarithms exactly 2; the product 1")
{
  const char *const tried[] = {"hartmann-mhd", "hartmann-mhd output=field",
                               "product p=6"};
  const size_t in_logs[] = {2, 2, 1}, plain[] = {4, 4, 6};
  for (size_t i = 0; i < 3; i++) {
    lr_problem *made;
    lrgd_logarithms logs;
    lrgd_diagnosis *study = study_of(tried[i], &made, NULL, false);
    require(study, "%s", tried[i]);
    check_int(lrgd_diagnosis_get(study)->count, plain[i], "%s", tried[i]);
    check(lrgd_diagnosis_logarithms(study, &logs) == LRGD_OK, "logarithms");
    check_int(logs.exact_rank, in_logs[i], "%s in logs", tried[i]);
    check_int(logs.taken, plain[i], "%s: all inputs", tried[i]);
    done(&study, &made);
  }
}

TEST("the reduced function can be minimised instead of f")
{
  lr_problem *made;
  lrgd_composite *sigma;
  lrgd_diagnosis *study = study_of("ridge p=100 rank=4", &made, NULL, false);
  require(study, "made");
  require(lrgd_diagnosis_ridge(study, 4, &sigma, NULL) == LRGD_OK, "sigma");
  double z[4] = {0};
  lrgd_result result;
  lrgd_options o = lrgd_options_default();
  o.method = LRGD_METHOD_GD;
  o.step = LRGD_STEP_BFGS;
  lrgd_status status =
      lrgd_minimize(lrgd_composite_problem(sigma), &o, z, &result, NULL);
  check(status == LRGD_OK && result.f < 1e-8, "f = %g in 4 variables",
        result.f);
  check(lrgd_counts_evaluations(&result.counts) < 200, "at 5 a gradient");
  lrgd_composite_destroy(&sigma);
  done(&study, &made);
}

/* Paid by a run of the method, in oracle calls. */
static double paid(const lr_problem *made, lrgd_predicted which, size_t r)
{
  static const lrgd_method methods[] = {
      LRGD_METHOD_GD,       LRGD_METHOD_LRGD, LRGD_METHOD_ITERATED,
      LRGD_METHOD_ADAPTIVE, LRGD_METHOD_AUTO, LRGD_METHOD_GD};
  lrgd_problem f = *lr_problem_callbacks(made);
  lrgd_options o = lrgd_options_default();
  lrgd_result result;
  double x[1000];
  f.gradient = NULL;
  f.slopes = NULL;
  f.complex_value = NULL;
  o.method = methods[which];
  if (which == LRGD_PREDICTED_LBFGS) o.step = LRGD_STEP_BFGS;
  if (which == LRGD_PREDICTED_LRGD || which == LRGD_PREDICTED_ITERATED)
    o.rank = (int64_t)r;
  memcpy(x, lr_problem_start(made), f.dimension * sizeof *x);
  lrgd_status status = lrgd_minimize(&f, &o, x, &result, NULL);
  return status == LRGD_OK ? (double)lrgd_counts_oracle_calls(&result.counts)
                           : NAN;
}

TEST("predicted oracle calls are those of a run, within a factor of two")
{
  const char *const tried[] = {"quadratic p=200 rank=6 kappa=30",
                               "ridge p=300 rank=4",
                               "logistic p=120 rank=5",
                               "least-squares p=150",
                               "beale p=60",
                               "ridge p=500 rank=8 sigma=sine"};
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
    lr_problem *made;
    lrgd_diagnosis *study = study_of(tried[i], &made, NULL, true);
    require(study, "%s", tried[i]);
    const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
    for (int m = 0; m < LRGD_PREDICTED_COUNT; m++) {
      lrgd_predicted which = (lrgd_predicted)m;
      double calls = paid(made, which, found->recommended_rank);
      double predicted = found->predicted_calls[m];
      check(predicted <= 2 * calls && predicted >= 0.5 * calls,
            "%s, %s: %g predicted, %g paid", tried[i],
            lrgd_predicted_text(which), predicted, calls);
    }
    done(&study, &made);
  }
}

/* Trial runs that are cut off: by the curvature at the minimum, by the solver's
 * patience; or not at all, and then a floor.  3 s in all. */
TEST("a trial run that was cut off gives a prediction or a lower bound")
{
  const struct {
    const char *line;
    lrgd_predicted sure; /* must be predicted, or have a floor */
  } tried[] = {
      {"quadratic p=120 rank=3 kappa=10 tail=0.01", LRGD_PREDICTED_GD      },
      {"quadratic p=60 rank=4 kappa=3000",          LRGD_PREDICTED_GD      },
      {"rosenbrock p=60 n=6",                       LRGD_PREDICTED_GD      },
      {"chained-rosenbrock p=60",                   LRGD_PREDICTED_GD      },
      {"powell p=60",                               LRGD_PREDICTED_GD      },
      {"borehole",                                  LRGD_PREDICTED_ITERATED},
      {"piston",                                    LRGD_PREDICTED_ADAPTIVE},
      {"exponentials p=50",                         LRGD_PREDICTED_AUTO    },
  };
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
    lr_problem *made;
    lrgd_diagnosis *study = study_of(tried[i].line, &made, NULL, true);
    require(study, "%s", tried[i].line);
    const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
    check(!isnan(found->predicted_calls[tried[i].sure]) ||
              found->calls_floor[tried[i].sure] > 0,
          "%s: %s is predicted, or at least so much", tried[i].line,
          lrgd_predicted_text(tried[i].sure));
    for (int m = 0; m < LRGD_PREDICTED_COUNT; m++) {
      double told = found->predicted_calls[m], least = found->calls_floor[m];
      if (isnan(told) && m == LRGD_PREDICTED_GD) continue; /* too long to try */
      double calls = paid(made, (lrgd_predicted)m, found->recommended_rank);
      check(isnan(told) ? least <= calls
                        : told <= 2 * calls && told >= 0.5 * calls,
            "%s, %s: %g told, %g at least, %g paid", tried[i].line,
            lrgd_predicted_text((lrgd_predicted)m), told, least, calls);
    }
    done(&study, &made);
  }
}

TEST("a budget is kept to the evaluation, and what is known is reported")
{
  const int64_t budgets[] = {0, 5, 150, 1000, 3000};
  for (size_t i = 0; i < 5; i++) {
    lr_problem *made;
    lrgd_options o = lrgd_options_default();
    o.max_evals = budgets[i];
    lrgd_diagnosis *study = study_of("ridge p=100 rank=5", &made, &o, true);
    require(study, "made");
    const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
    check(found->evaluations <= (uint64_t)budgets[i], "%g of %g",
          (double)found->evaluations, (double)budgets[i]);
    check(found->verdict[0] != '\0', "there is a verdict");
    if (budgets[i] < 1000) check(!found->low_rank, "%s", found->verdict);
    done(&study, &made);
  }
}

/* ---- what is paid ---- */

typedef struct counted {
  const lrgd_problem *f;
  uint64_t asked;
} counted;

static double count_value(size_t p, const double *x, void *user)
{
  counted *c = user;
  c->asked++;
  return c->f->value(p, x, c->f->user);
}

/* On f itself and reduced, with an outlook for gradient descent and without.
 * Under 1 s in all. */
TEST("the evaluations reported are those that were made")
{
  const char *const tried[] = {"quadratic p=30 rank=4 kappa=3000",
                               "quadratic p=60 rank=4 kappa=3000",
                               "quadratic p=120 rank=3 kappa=10 tail=0.01",
                               "rosenbrock p=30 n=6", "powell p=60"};
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
    lr_problem *made;
    lrgd_error error = {LRGD_OK, ""};
    lrgd_diagnosis *study;
    require(make(&made, tried[i], &error) == LRGD_OK, "%s", error.text);
    counted c = {.f = lr_problem_callbacks(made)};
    lrgd_problem f = lrgd_problem_default(c.f->dimension);
    f.value = count_value;
    f.user = &c;
    require(lrgd_diagnosis_create(&study, &f, NULL, NULL,
                                  lr_problem_start(made), &error) == LRGD_OK,
            "%s: %s", tried[i], error.text);
    check_int(lrgd_diagnosis_get(study)->evaluations, c.asked, "%s", tried[i]);
    done(&study, &made);
  }
}

/* These budgets cut the trial run of gradient descent off before its first
 * iteration, with another method's minimum known. */
TEST("no end is predicted for gradient descent that took no step")
{
  const int64_t budgets[] = {500, 600, 900, 1000};
  for (size_t i = 0; i < 4; i++) {
    lr_problem *made;
    lrgd_diagnosis *study = NULL;
    lrgd_options o = lrgd_options_default();
    lrgd_diagnosis_options want = lrgd_diagnosis_options_default();
    require(make(&made, "quadratic p=60 rank=2", NULL) == LRGD_OK, "made");
    lrgd_problem f = lrgd_problem_default(60);
    f.value = lr_problem_callbacks(made)->value;
    f.user = lr_problem_callbacks(made)->user;
    o.max_evals = budgets[i];
    o.tol = 1e-4; /* known without an iteration */
    want.gradients = want.held_out = 2;
    require(lrgd_diagnosis_create(&study, &f, &o, &want, lr_problem_start(made),
                                  NULL) == LRGD_OK,
            "a study");
    const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
    double told = found->predicted_evaluations[LRGD_PREDICTED_GD];
    bool arrives =
        found->predicted_outcome[LRGD_PREDICTED_GD] == LRGD_OUTCOME_CONVERGED;
    check(arrives ? isfinite(told) : !isinf(told),
          "%g evaluations: %g told of a run that %s", (double)budgets[i], told,
          arrives ? "arrives" : "does not arrive");
    check(isnan(told) == (found->predicted_why[LRGD_PREDICTED_GD][0] != '\0'),
          "%g evaluations: %g told, and \"%s\"", (double)budgets[i], told,
          found->predicted_why[LRGD_PREDICTED_GD]);
    done(&study, &made);
  }
}
