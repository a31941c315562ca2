/* When a bound on the gradient is believed: cases on both sides of each number
 * of the policy. */
#include "certificate/certificate_rules.h"
#include "check.h"

#define P lr_policy_current()

TEST("the error of each derivative in V counts twice")
{
  check_near(lr_certificate_inside(P, 1, 0.5, 0.01, 4), 1.54, 1e-15, "|g|");
}

TEST("more probes are taken where |g| looks small and a gradient is dear")
{
  static const struct {
    const char *what;
    double bound, estimate;
    size_t m, p;
    bool more;
  } cases[] = {
      {"the bound is within the tolerance", 0.9, 0.5, 8,  200, false},
      {"it is not, |g| may be 0.7 of it",   1.5, 0.7, 8,  200, true },
      {"|g| may be 0.8 of it",              1.5, 0.8, 8,  200, false},
      {"|g| may be 0.4 of it",              1.5, 0.4, 8,  200, true },
      {"24 probes for 80 inputs",           1.5, 0.5, 8,  80,  true },
      {"24 probes for 79 inputs",           1.5, 0.5, 8,  79,  false},
      {"30 probes for 100 inputs",          1.5, 0.5, 10, 100, true },
      {"30 probes for 99 inputs",           1.5, 0.5, 10, 99,  false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_certificate_repeats(P, cases[i].bound, cases[i].estimate, 1,
                                     cases[i].m, cases[i].p),
              cases[i].more, "%s", cases[i].what);
}

TEST("one probe of over one and a half times the tolerance denies it")
{
  check(lr_certificate_one_probe(P, 1.4 * 1.4, 1), "1.4");
  check(!lr_certificate_one_probe(P, 1.6 * 1.6, 1), "1.6");
  check(!lr_certificate_one_probe(P, NAN, 1), "no number");
}

TEST("an eighth of the coordinates may be near bounds")
{
  check(lr_certificate_has_room(P, 12, 100), "12 of 100");
  check(!lr_certificate_has_room(P, 13, 100), "13 of 100");
}

TEST("half of the coordinates may be measured one by one")
{
  check(!lr_certificate_too_many(P, 50, 100), "50 of 100");
  check(lr_certificate_too_many(P, 51, 100), "51 of 100");
  check(lr_certificate_too_many(P, 51, 101), "51 of 101");
}

TEST("truncation decides across the tolerance, and where it is most of a bound")
{
  check(!lr_truncation_decides(P, 0.5, 0.4, 1), "0.9 of the tolerance in all");
  check(lr_truncation_decides(P, 0.5, 0.6, 1), "1.1 of it in all");
  check(!lr_truncation_decides(P, 2, 0.55, 1), "0.28 of a bound");
  check(lr_truncation_decides(P, 2, 0.65, 1), "0.33 of a bound");
}

TEST("half of what longer steps change a gradient by is truncation")
{
  static const struct {
    const char *what;
    double change, noise2, error;
  } cases[] = {
      {"no noise",                        0.4,  0,    0.2     },
      {"noise of variance 0.14",          0.4,  0.14, 0.15    },
      {"all is noise",                    0.1,  0.04, 0       },
      {"0.45 of the bound for convex f",  0.45, 0,    0.225   },
      {"0.55 of that bound: not smooth",  0.55, 0,    INFINITY},
      {"0.65 of it, 2.9 errors by noise", 0.65, 0.05, 0.315238},
      {"0.7 of it, 3.1 errors by noise",  0.7,  0.05, INFINITY},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lr_two_lengths two = {1, 2, cases[i].change, cases[i].noise2};
    double got = lr_truncation_error(P, &two);
    check(isinf(got) == isinf(cases[i].error), "%s: %g", cases[i].what, got);
    check_near(got, cases[i].error, 1e-5, "%s", cases[i].what);
  }
  check_near(lr_truncation_error(P, &(lr_two_lengths){0.1, 0.2, 0.5, 0.1}), 0.1,
             0, "no more than the bound for convex f");
}

TEST("the bound for convex f stays where it does not double with the steps")
{
  static const struct {
    const char *what;
    double longer, noise2, error;
  } cases[] = {
      {"it doubles",                     2,    0,    0.2     },
      {"1.85 times",                     1.85, 0,    0.2     },
      {"1.75 times: no cubic",           1.75, 0,    1       },
      {"1.75 times, a third is noise",   1.75, 0.12, 0.158114},
      {"0.75 of it: convex may be",      0.75, 0,    1       },
      {"0.65 of it: it oscillates",      0.65, 0,    INFINITY},
      {"0.65 of it, noise of 0.11 each", 0.65, 0.02, 1       },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lr_two_lengths two = {1, cases[i].longer, 0.4, cases[i].noise2};
    double got = lr_truncation_error(P, &two);
    check(isinf(got) == isinf(cases[i].error), "%s: %g", cases[i].what, got);
    check_near(got, cases[i].error, 1e-5, "%s", cases[i].what);
  }
}

TEST("steps become so short that truncation is a tenth of the tolerance")
{
  check_near(lr_certificate_finer_steps(P, 0.4, 0.1, 1), 0.5, 1e-15, "by 2");
  check_near(lr_certificate_finer_steps(P, 0.15, 0.1, 1), 1, 0, "by 1.22");
  check_near(lr_certificate_finer_steps(P, 0.17, 0.1, 1), 0.766965, 1e-5,
             "by 1.3");
}

TEST(
    "steps do not become so short that noise is more than a quarter of "
    "the tolerance")
{
  check_near(lr_certificate_finer_steps(P, 0.4, 0.19, 1), 0.76, 1e-15,
             "by 1.3");
  check_near(lr_certificate_finer_steps(P, INFINITY, 0.05, 1), 0.2, 1e-15,
             "by 5");
  check_near(lr_certificate_finer_steps(P, 0.4, 0.21, 1), 1, 0, "not shorter");
}

TEST(
    "a gradient at the start of a tenth of the first one shows that the "
    "first was error")
{
  check(lr_certificate_stationary_start(P, 0.09, 1), "0.09 of it");
  check(!lr_certificate_stationary_start(P, 0.11, 1), "0.11 of it");
}

TEST("a bound means nothing where it changes f by a tenth of its decrease")
{
  check(lr_certificate_smooth(P, 0.09, 1), "0.09 of the decrease");
  check(!lr_certificate_smooth(P, 0.11, 1), "0.11 of the decrease");
  check(!lr_certificate_smooth(P, 0.01, -1), "f has not decreased");
}

TEST("an error of half the tolerance hides smaller gradients")
{
  check(!lr_certificate_error_hides(P, 0.45, 1), "0.45 of the tolerance");
  check(lr_certificate_error_hides(P, 0.55, 1), "0.55 of the tolerance");
}

TEST("a stalled run has three looks, each for half of what it has spent")
{
  check(lr_certificate_closes(P, 2, false, 50, 100), "two looks, 50 of 100");
  check(!lr_certificate_closes(P, 3, false, 50, 100), "three looks");
  check(!lr_certificate_closes(P, 0, false, 51, 100), "51 of 100");
}

TEST(
    "a run without a decrease may spend twice its cost on its last gradient, "
    "once")
{
  check(lr_certificate_closes(P, 0, true, 4000, 2000), "4000 of 2000");
  check(!lr_certificate_closes(P, 0, true, 4001, 2000), "4001 of 2000");
  check(!lr_certificate_closes(P, 1, true, 51, 100),
        "after one look 51 of 100");
}

TEST(
    "a short run that stalled at its start has 2,000 evaluations for the "
    "gradient there")
{
  check(lr_certificate_closes(P, 0, true, 2000, 100), "2000 of 100");
  check(!lr_certificate_closes(P, 0, true, 2001, 100), "2001 of 100");
  check(!lr_certificate_closes(P, 0, false, 2000, 100), "after a descent");
}

TEST("steps become so short that noise is half of the gradient seen before")
{
  check_near(lr_certificate_short_of_noise(P, 0.1, 1), 0.2, 1e-15, "0.1 of it");
  check_near(lr_certificate_short_of_noise(P, 0.6, 1), 1, 0, "0.6 of it");
}

TEST("steps become so short that f changes by three times its error")
{
  check_near(lr_certificate_shorter_steps(P, 12, 1), 0.25, 0, "by twelve");
  check_near(lr_certificate_shorter_steps(P, 2.9, 1), 1, 0, "by less");
}
