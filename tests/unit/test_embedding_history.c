/* What an embedding has seen, and the estimates made of it. */
#include "auto/embedding_history.h"
#include "check.h"

#define P lr_policy_current()

/* Predictions, one letter each: r right, w wrong. */
static lr_predictions predictions(const char *text)
{
  lr_predictions s = {.count = 0};
  for (; *text; text++) lr_predictions_add(&s, *text == 'r');
  return s;
}

TEST("f looks quadratic where most predictions are right")
{
  static const struct {
    const char *text;
    bool quadratic;
  } cases[] = {
      {"rrrrr",              false}, /* too few */
      {"rrrrrr",             true },
      {"rrrrrrrrrrrrwwwwww", true }, /* two thirds */
      {"rrrrrrrrrrwwwwwwww", false},
      {"wwwwwwrrrrrrrrr",    true }, /* six in ten, in any order */
      {"wwwwwwrrrrrrrr",     false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lr_predictions s = predictions(cases[i].text);
    check_int(lr_predictions_quadratic(P, &s), cases[i].quadratic, "%s",
              cases[i].text);
  }
}

TEST("f is no quadratic where most predictions are wrong, however few")
{
  static const struct {
    const char *text;
    bool curved;
  } cases[] = {
      {"",      false},
      {"rr",    false},
      {"rrrww", false}, /* three in five */
      {"rrww",  true },
      {"w",     true },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lr_predictions s = predictions(cases[i].text);
    check_int(lr_predictions_curved(P, &s), cases[i].curved, "%s",
              cases[i].text);
  }
}

TEST("a rank is believed where a quarter of the last twelve are right")
{
  static const struct {
    const char *text;
    bool believed;
  } cases[] = {
      {"rrrwwwwwwwww",       true },
      {"rrwwwwwwwwww",       false},
      {"wwwwwwrrrwwwwwwwww", true },
      {"rrrrrrwwwwwwwwwwrr", false},
      {"rrrrwwwwwwwwwwww",   false},
      {"rrrwwwwwwwwwrr",     true },
      {"rrwwww",             true },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lr_predictions s = predictions(cases[i].text);
    check_int(lr_predictions_support_rank(P, &s), cases[i].believed, "%s",
              cases[i].text);
  }
}

/* ---- columns ---- */

enum { MOST = 40 };

static double ranks[MOST + 2];

TEST("the rank is that of a curvature which falls like 1 - k/r")
{
  lr_columns c = {.rank = ranks};
  const double r = 20;
  for (size_t k = 1; k <= 15; k++)
    (void)lr_columns_add(P, &c, k, 1e9, 1 - ((double)k - 0.5) / r);
  /* the mean of the last five belongs to k = 12.5 */
  check_near(c.rank[15], r, 1e-9, "the estimate at k = 15");
}

TEST("the rank is estimated from the last five columns")
{
  lr_columns c = {.rank = ranks};
  for (size_t k = 1; k <= 10; k++) (void)lr_columns_add(P, &c, k, 1e9, 0.9);
  for (size_t k = 11; k <= 15; k++) (void)lr_columns_add(P, &c, k, 1e9, 0.5);
  check_near(c.rank[14], (14 - 2.5) / 0.42, 1e-9, "one of the five is older");
  check_near(c.rank[15], (15 - 2.5) / 0.5, 1e-9, "none of the five is older");
}

TEST("curvature that V does not explain at all is no infinite rank")
{
  lr_columns c = {.rank = ranks};
  for (size_t k = 1; k <= 7; k++) (void)lr_columns_add(P, &c, k, 1e9, 1);
  check_near(c.rank[7], 4.5 / 0.01, 1e-9, "the estimate");
}

/* Columns until the rank is too high; 0: never, of 20. */
static size_t given_up(double p, double unexplained, size_t high_from)
{
  lr_columns c = {.rank = ranks};
  for (size_t k = 1; k <= 20; k++)
    if (lr_columns_add(P, &c, k, p, k >= high_from ? unexplained : 0)) return k;
  return 0;
}

TEST("two estimates in a row from eight directions on are needed to give up")
{
  check_int(given_up(100, 1, 1), 9, "nothing is explained from the start");
  check_int(given_up(100, 1, 11), 15,
            "nothing is explained from 11 on: one of the last five at k = 14");
}

TEST("a rank is too high whose price is 7 p evaluations")
{
  /* at k = 8 the rank is 5.5/0.1 = 55: 0.5 * 55^2 + 4 * 55 = 1732.5 */
  check_near(lr_embedding_price(P, 55), 1732.5, 1e-12, "the price");
  lr_columns c = {.rank = ranks};
  for (size_t k = 1; k <= 8; k++)
    (void)lr_columns_add(P, &c, k, 1732.5 / 6.5, 0.9);
  check_int(c.above, 0, "6.5 p is not too high");
  c = (lr_columns){.rank = ranks};
  for (size_t k = 1; k <= 8; k++)
    (void)lr_columns_add(P, &c, k, 1732.5 / 7.5, 0.9);
  check_int(c.above, 1, "7.5 p is");
}

TEST("windows of the policy that exceed their arrays are cut to these")
{
  static const double rows[] = {1e9, 0};
  for (size_t n = 0; n < 2; n++) {
    lr_policy odd = *P;
    struct { /* with what must stay as it is behind each record */
      lr_columns columns;
      lr_outside outside;
      double behind[MOST];
    } s = {.columns.rank = ranks};
    odd.column_window = odd.probe_window = odd.wait_window = rows[n];
    odd.early_rank_estimates = rows[n];
    for (size_t k = 1; k <= MOST; k++) {
      (void)lr_columns_add(&odd, &s.columns, k, 1e9, 0.5);
      check_int((long long)s.columns.count, (long long)k, "columns");
    }
    for (size_t k = 1; k <= MOST; k++) {
      lr_outside_add(&odd, &s.outside, k, MOST + 1, 2);
      check_int((long long)s.outside.probes, (long long)k, "probes");
    }
    check_near(s.columns.rank[MOST], (MOST - (n ? 0.5 : 0.5 * LR_WINDOW)) / 0.5,
               1e-9, "the window is %d", n ? 1 : LR_WINDOW);
    for (size_t i = 0; i < MOST; i++) check(s.behind[i] == 0, "behind: %zu", i);
    check(lr_columns_early_rank(&odd, &s.columns, MOST) > 0, "a rank");
  }
}

TEST("what V does not explain is the mean of the last two columns")
{
  lr_columns c = {.rank = ranks};
  check_near(lr_columns_unexplained(P, &c), 1, 0, "at first all");
  for (size_t k = 1; k <= 6; k++)
    (void)lr_columns_add(P, &c, k, 1e9, 0.1 * (double)k);
  check_near(lr_columns_unexplained(P, &c), 0.55, 1e-12, "0.5 and 0.6");
}

TEST("an early rank is the median of the estimates with 4 to 9 columns")
{
  lr_columns c = {.rank = ranks};
  static const double told[] = {90, 3, 7, 5, 1, 80};
  ranks[2] = ranks[3] = 1000;
  for (size_t i = 0; i < 6; i++) ranks[4 + i] = told[i];
  check_near(lr_columns_early_rank(P, &c, 9), 0, 0, "none with 9 columns");
  check_near(lr_columns_early_rank(P, &c, 10), 6, 1e-12, "between 5 and 7");
}

/* ---- probes ---- */

static lr_outside outside(void)
{
  return (lr_outside){.now = INFINITY};
}

TEST("the gradient outside V is estimated from the last five probes")
{
  lr_outside o = outside();
  for (int i = 0; i < 5; i++) lr_outside_add(P, &o, 2, 102, 3);
  for (int i = 0; i < 4; i++) lr_outside_add(P, &o, 2, 102, 1);
  check_near(o.now, 100 * 13.0 / 5, 1e-12, "one of the five is older");
  lr_outside_add(P, &o, 2, 102, 1);
  check_near(o.now, 100, 1e-12, "none of the five is older");
}

TEST("three probes make the first estimate, unless one is known")
{
  lr_outside o = outside();
  for (int i = 1; i <= 2; i++) lr_outside_add(P, &o, 0, 100, i);
  check_near(o.first, 0, 0, "after two probes");
  lr_outside_add(P, &o, 0, 100, 3);
  check_near(o.first, 100 * 14.0 / 3, 1e-12, "after three probes");
  lr_outside_add(P, &o, 0, 100, 100);
  check_near(o.first, 100 * 14.0 / 3, 1e-12, "it stays");
  o = outside();
  o.first = 5;
  for (int i = 1; i <= 3; i++) lr_outside_add(P, &o, 0, 100, i);
  check_near(o.first, 5, 0, "an earlier run knew it");
}
