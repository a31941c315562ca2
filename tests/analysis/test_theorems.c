/* Theorems 3.1-3.4: every cell holds, bounds are tight where they are, and no
 * condition is taken on trust. */
#include "analysis/theorem_trials.h"

#include "check.h"

static lrgd_theorem_cell run(lrgd_theorem theorem, size_t p, size_t r)
{
  lrgd_theorem_cell cell;
  lrgd_error error = {LRGD_OK, ""};
  lrgd_status status = lrgd_theorem_run(&cell, theorem, p, r, 1, &error);
  check(status == LRGD_OK, "3.%d at p %zu, r %zu: %s", theorem + 1, p, r,
        error.text);
  return cell;
}

static lrgd_theorem_cell vary(lrgd_theorem theorem, size_t p, size_t r,
                              int random_samples, int accuracy)
{
  lrgd_theorem_cell cell;
  lrgd_error error = {LRGD_OK, ""};
  lrgd_status status = lrgd_theorem_vary(&cell, theorem, p, r, 1,
                                         random_samples, accuracy, &error);
  check(status == LRGD_OK, "3.%d at p %zu, r %zu: %s", theorem + 1, p, r,
        error.text);
  return cell;
}

TEST(
    "conditions, bound and lemma hold at 9 sizes, with samples along H and "
    "random ones, for 3 accuracies")
{
  const size_t ps[] = {50, 200, 1000}, rs[] = {1, 5, 20};
  for (int t = 0; t < LRGD_THEOREM_COUNT; t++)
    /* under sanitizers a fifth of them, of every kind */
    for (int i = CHECK_SANITIZED ? t : 0; i < 54;
         i += CHECK_SANITIZED ? 5 : 1) {
      lrgd_theorem_cell cell =
          vary((lrgd_theorem)t, ps[i / 18], rs[i / 6 % 3], i / 3 % 2, i % 3);
      check(cell.constants.sigma_r <= 1, "sigma_r is %g",
            cell.constants.sigma_r);
      check(cell.conditions_hold, "3.%d, cell %d: conditions", t + 1, i);
      check(cell.bound_holds && cell.calls <= cell.claim.bound,
            "3.%d, cell %d: %g calls, bound %g", t + 1, i, cell.calls,
            cell.claim.bound);
      check(cell.lemma_error <= 1, "3.%d, cell %d: lemma", t + 1, i);
      check(cell.reached <= cell.constants.epsilon, "the accuracy is reached");
      if (t == LRGD_THEOREM_3_2 || t == LRGD_THEOREM_3_4)
        check(cell.constants.eta > 0 && cell.eta_share >= 0.5 &&
                  cell.lemma_error > 0,
              "eta is %g of what is allowed, the lemma's error %g of it",
              cell.eta_share, cell.lemma_error);
      if (t >= LRGD_THEOREM_3_3)
        check(cell.lowest_curvature < 0, "3.%d is not convex", t + 1);
    }
}

TEST("the epsilon that is measured is not the one that is allowed")
{
  for (int t = LRGD_THEOREM_3_2; t < LRGD_THEOREM_COUNT; t += 2)
    for (int i = 0; i < 6; i++) {
      lrgd_theorem_cell cell = vary((lrgd_theorem)t, 50, 20, i / 3, i % 3);
      double measured = cell.constants.additive;
      double allowed = cell.claim.additive_tilde;
      check(measured > 0 && measured < 0.9 * allowed, "%g of %g", measured,
            allowed);
    }
}

TEST("the accuracy varies, and finer ones cost more")
{
  for (int t = 0; t < LRGD_THEOREM_COUNT; t++)
    for (int random_samples = 0; random_samples < 2; random_samples++)
      for (int i = 1; i < LRGD_ACCURACY_COUNT; i++) {
        lrgd_theorem_cell a = vary((lrgd_theorem)t, 50, 5, random_samples, i),
                          b = vary((lrgd_theorem)t, 50, 5, random_samples,
                                   i - 1);
        check(a.constants.epsilon < 0.6 * b.constants.epsilon &&
                  a.calls > b.calls && a.claim.bound > b.claim.bound,
              "3.%d: %g at %g, %g at %g", t + 1, a.calls, a.constants.epsilon,
              b.calls, b.constants.epsilon);
      }
}

TEST("random samples have a smaller sigma_r, so that less eta is allowed")
{
  lrgd_theorem_cell along = vary(LRGD_THEOREM_3_2, 50, 20, 0, 2);
  lrgd_theorem_cell drawn = vary(LRGD_THEOREM_3_2, 50, 20, 1, 2);
  check(drawn.constants.sigma_r < 0.1 * along.constants.sigma_r, "%g and %g",
        drawn.constants.sigma_r, along.constants.sigma_r);
  check(drawn.constants.eta < 0.1 * along.constants.eta, "%g and %g",
        drawn.constants.eta, along.constants.eta);
  check(drawn.random_samples == 1 && along.random_samples == 0, "told apart");
}

TEST("an accuracy that does not exist is refused")
{
  lrgd_theorem_cell cell;
  lrgd_error error = {LRGD_OK, ""};
  check(lrgd_theorem_vary(&cell, LRGD_THEOREM_3_1, 50, 5, 1, 0, 3, &error) ==
                LRGD_ERR_INVALID &&
            strstr(error.text, "accuracy is 3"),
        "%s", error.text);
}

/* r = 1, p = 1000: 1,001 calls where 3.1 allows 1,010. */
TEST("half of the bound of Theorem 3.1 would not hold")
{
  lrgd_theorem_cell cell = run(LRGD_THEOREM_3_1, 1000, 1);
  check(cell.calls > 0.5 * cell.claim.bound, "%g calls of %g", cell.calls,
        cell.claim.bound);
}

/* The step terms, where one step is needed and one is allowed.  For 3.1:
 * f = L|x|^2/2 in H, step 1/L reaches the minimum at once, and kappa = 1,
 * Delta0/epsilon = e^1.2 allow 1.2 steps.  For 3.3: |g0| = 1.1 epsilon needs
 * one step, and 2 L Delta0 / epsilon^2 = (|g0|/epsilon)^2 = 1.21. */
TEST("half of the step term of Theorems 3.1 and 3.3 would not hold")
{
  lrgd_theorem_constants of = {
      .p = 10, .r = 2, .L = 3, .mu = 3, .Delta0 = exp(1.2), .epsilon = 1};
  double steps = 1, r = 2, pr = 20;
  lrgd_theorem_bound claim = lrgd_theorem_bound_of(LRGD_THEOREM_3_1, &of);
  check(claim.holds && steps * r <= claim.bound - pr, "3.1 holds");
  check(steps * r > 0.5 * (claim.bound - pr), "and is tight");
  of.epsilon = 1;
  of.Delta0 = 1.1 * 1.1 / (2 * of.L);
  claim = lrgd_theorem_bound_of(LRGD_THEOREM_3_3, &of);
  check(claim.holds && steps * r <= claim.bound - pr, "3.3 holds");
  check(steps * r > 0.5 * (claim.bound - pr), "and is tight");
}

TEST("bounds and steps are those of the paper")
{
  lrgd_theorem_constants of = {.p = 100,
                               .r = 3,
                               .L = 8,
                               .mu = 2,
                               .Delta0 = 5,
                               .epsilon = 0.1,
                               .sigma_r = 1,
                               .least_sample = 100};
  const double k = 4, pr = 300;
  const double want[] = {k * 3 * log(50) + pr, 16 * k * 3 * log(100) + pr,
                         2 * 3 * 8 * 5 / 0.01 + pr, 72 * 3 * 8 * 5 / 0.01 + pr};
  const double alpha[] = {1.0 / 8, 1.0 / 64, 1.0 / 8, 1.0 / 64};
  for (int t = 0; t < LRGD_THEOREM_COUNT; t++) {
    lrgd_theorem_bound claim = lrgd_theorem_bound_of((lrgd_theorem)t, &of);
    check_near(claim.bound, want[t], 1e-14, "3.%d", t + 1);
    check_near(claim.alpha, alpha[t], 1e-15, "3.%d", t + 1);
    check(claim.holds, "3.%d: all is well", t + 1);
  }
}

/* Each condition broken alone. */
TEST("no claim is made where one condition fails")
{
  const lrgd_theorem_constants good = {.p = 100,
                                       .r = 3,
                                       .L = 8,
                                       .mu = 2,
                                       .Delta0 = 5,
                                       .epsilon = 0.1,
                                       .eta = 0.001,
                                       .additive = 0.01,
                                       .sigma_r = 1,
                                       .least_sample = 100};
  for (int t = 0; t < LRGD_THEOREM_COUNT; t++) {
    lrgd_theorem theorem = (lrgd_theorem)t;
    bool exact = t == LRGD_THEOREM_3_1 || t == LRGD_THEOREM_3_3;
    lrgd_theorem_constants of = good;
    of.eta = exact ? 0 : of.eta;
    check(lrgd_theorem_bound_of(theorem, &of).holds, "3.%d holds", t + 1);
    of.eta = exact ? 0.001 : 0.1;
    check(!lrgd_theorem_bound_of(theorem, &of).holds, "3.%d: eta", t + 1);
    of = good;
    of.L = -1;
    check(!lrgd_theorem_bound_of(theorem, &of).holds, "3.%d: L", t + 1);
    if (t <= LRGD_THEOREM_3_2) {
      of = good;
      of.eta = 0;
      of.mu = 0;
      check(!lrgd_theorem_bound_of(theorem, &of).holds, "3.%d: mu", t + 1);
      of.additive = 0; /* which is then all that 3.2 allows */
      check(!lrgd_theorem_bound_of(theorem, &of).holds, "3.%d: mu = 0", t + 1);
      of.mu = -1;
      check(!lrgd_theorem_bound_of(theorem, &of).holds, "3.%d: mu < 0", t + 1);
    }
    if (exact) continue;
    of = good;
    of.additive = 1;
    check(!lrgd_theorem_bound_of(theorem, &of).holds, "3.%d: additive", t + 1);
    of = good;
    of.sigma_r = 0.002;
    check(!lrgd_theorem_bound_of(theorem, &of).holds, "3.%d: sigma_r", t + 1);
    of = good;
    of.least_sample = 0.1;
    check(!lrgd_theorem_bound_of(theorem, &of).holds, "3.%d: epsilon'", t + 1);
  }
}

TEST("where f is not convex it is that condition that is said to fail")
{
  lrgd_theorem_constants of = {.p = 100,
                               .r = 3,
                               .L = 8,
                               .mu = -8,
                               .Delta0 = NAN,
                               .epsilon = 0.1,
                               .sigma_r = 1,
                               .least_sample = 100};
  for (int t = LRGD_THEOREM_3_1; t <= LRGD_THEOREM_3_2; t++) {
    lrgd_theorem_bound claim = lrgd_theorem_bound_of((lrgd_theorem)t, &of);
    int failed = 0;
    for (size_t i = 0; i < claim.conditions; i++)
      failed += strstr(claim.condition[i].name, "convexity") != NULL &&
                !claim.condition[i].holds;
    check(!claim.holds && failed == 1, "3.%d: %d", t + 1, failed);
  }
}

TEST("eta~ of the lemma is eta + 2 r (eta + epsilon~/epsilon')/sigma_r")
{
  lrgd_theorem_constants of = {.p = 9,
                               .r = 2,
                               .L = 1,
                               .mu = 0.5,
                               .Delta0 = 1,
                               .epsilon = 0.9,
                               .eta = 0.01,
                               .sigma_r = 0.5,
                               .least_sample = 10};
  lrgd_theorem_bound claim = lrgd_theorem_bound_of(LRGD_THEOREM_3_4, &of);
  check_near(claim.additive_tilde, 0.3, 1e-15, "epsilon / 3");
  check_near(claim.eta_tilde, 0.01 + 8 * (0.01 + 0.03), 1e-14, "eta~");
  check(!claim.holds, "0.33 is more than 1/sqrt(10)");
  of.least_sample = 10.9;
  check(lrgd_theorem_bound_of(LRGD_THEOREM_3_4, &of).holds, "0.310 is less");
  claim = lrgd_theorem_bound_of(LRGD_THEOREM_3_2, &of);
  check_near(claim.additive_tilde, 0.3, 1e-15, "sqrt(mu epsilon / 5)");
}

TEST("a cell fails by its bound, its accuracy, a condition or its region")
{
  lrgd_theorem_cell cell = {.calls = 100, .claim = {.bound = 100}};
  cell.claim.holds = 1;
  lr_theorem_judge(&cell, true, false);
  check(cell.bound_holds && cell.conditions_hold, "all is well");
  lr_theorem_judge(&cell, false, false);
  check(!cell.bound_holds && cell.conditions_hold, "the accuracy");
  lr_theorem_judge(&cell, true, true);
  check(cell.bound_holds && !cell.conditions_hold, "the region");
  cell.calls = 100.5;
  lr_theorem_judge(&cell, true, false);
  check(!cell.bound_holds, "the bound");
  cell.claim.holds = 0;
  lr_theorem_judge(&cell, true, false);
  check(!cell.conditions_hold, "a condition");
}
