/* Probes: what they prove about the gradient outside a subspace. */
#include "subspace/probe.h"
#include "unit_spaces.h"

enum { P = 30, K = 5, REPETITIONS = 2000 };

typedef struct room {
  lrgd_space *space;
  lr_basis U, none;
  lrgd_block *w;
  double g[P];
} room;

/* U: K random directions; g: a gradient with |g outside U| = 1. */
static room enter(void)
{
  room r = {.space = doubles(P)};
  bool kept;
  r.w = block_of(r.space, 2);
  if (lr_basis_init(&r.U, r.space, &lr_malloc, K) != LRGD_OK) abort();
  for (uint64_t j = 0; j < K; j++) {
    r.space->ops->gaussian(r.space, (lrgd_vec){r.w, 0}, 3, j);
    if (lr_basis_append(&r.U, (lrgd_vec){r.w, 0}, 1e-10, &kept) != LRGD_OK)
      abort();
  }
  r.space->ops->gaussian(r.space, (lrgd_vec){r.w, 0}, 4, 0);
  double left = lr_basis_reject(&r.U, (lrgd_vec){r.w, 0});
  for (int i = 0; i < P; i++)
    r.g[i] = column(r.w, 0)[i] / left + 10 * column(r.U.block, 0)[i];
  return r;
}

static void leave(room *r)
{
  lr_basis_clear(&r->U);
  r->space->ops->free(r->space, r->w);
  lrgd_space_destroy(&r->space);
}

/* |w| times the slope of g along probe number `stream`. */
static double look(room *r, lr_basis *domain, uint64_t stream)
{
  lrgd_vec w = {r->w, 0}, spare = {r->w, 1};
  double length = 0, d = 0;
  check(lr_probe_direction(&r->U, domain, w, spare, 1, stream, &length),
        "there is something outside");
  for (int i = 0; i < P; i++) d += column(r->w, 0)[i] * r->g[i];
  return length * d;
}

TEST("a probe has norm one and is orthogonal to the subspace")
{
  room r = enter();
  double c[K], norm = 0;
  (void)look(&r, &r.none, 17);
  lr_basis_project(&r.U, (lrgd_vec){r.w, 0}, c);
  (void)r.space->ops->measure(r.space, (lrgd_vec){r.w, 0}, &norm);
  check_near(norm, 1, 1e-14, "the norm");
  for (int j = 0; j < K; j++) check_within(c[j], 0, 1e-14, "column %d", j);
  leave(&r);
}

TEST("a probe stays in the domain it is given")
{
  room r = enter();
  lr_basis domain;
  bool kept;
  if (lr_basis_init(&domain, r.space, &lr_malloc, 9) != LRGD_OK) abort();
  for (uint64_t j = 0; j < 9; j++) {
    r.space->ops->gaussian(r.space, (lrgd_vec){r.w, 0}, 5, j);
    if (lr_basis_append(&domain, (lrgd_vec){r.w, 0}, 1e-10, &kept) != LRGD_OK)
      abort();
  }
  r.U.k = 0;
  (void)look(&r, &domain, 3);
  check(outside(&domain, column(r.w, 0)) < 1e-14, "nothing is outside");
  lr_basis_clear(&domain);
  leave(&r);
}

TEST("slopes along probes are normal with the size of the gradient outside")
{
  room r = enter();
  double n = 20000, mean = 0, square = 0;
  for (uint64_t i = 0; i < 20000; i++) {
    double s = look(&r, NULL, i);
    mean += s / n;
    square += s * s / n;
  }
  check_within(mean, 0, 5 / sqrt(n), "mean");
  check_within(square, 1, 5 * sqrt(2 / n), "variance: |g outside| is one");
  leave(&r);
}

/* How often the bound from m probes lies below the truth. */
static double wrong(room *r, size_t m, double delta)
{
  double failures = 0;
  uint64_t stream = 0;
  for (int i = 0; i < REPETITIONS; i++) {
    double S = 0;
    for (size_t j = 0; j < m; j++) {
      double s = look(r, NULL, ++stream);
      S += s * s;
    }
    failures += lr_probe_bound(S, m, delta) < 1;
  }
  return failures / REPETITIONS;
}

TEST("the bound fails as often as it says, over 2,000 repetitions")
{
  static const struct {
    size_t m;
    double delta;
  } cases[] = {
      {1,  0.05},
      {4,  0.05},
      {8,  0.05},
      {8,  0.2 },
      {20, 0.01}
  };
  room r = enter();
  for (size_t i = 0; i < 5; i++) {
    double delta = cases[i].delta, share = wrong(&r, cases[i].m, delta);
    double error = sqrt(delta * (1 - delta) / REPETITIONS);
    check_within(share, delta, 4 * error, "m = %zu", cases[i].m);
  }
  leave(&r);
}

TEST("a bound is about 2.1 times the truth at 5 probes, 1.6 at 10, 1.4 at 20")
{
  check_within(lr_probe_bound(5, 5, 0.05), 2.1, 0.05, "5 probes");
  check_within(lr_probe_bound(10, 10, 0.05), 1.6, 0.05, "10 probes");
  check_within(lr_probe_bound(20, 20, 0.05), 1.4, 0.05, "20 probes");
}

TEST("repeated looks share the error: all together stay within it")
{
  double sum = 0;
  for (uint64_t j = 1; j <= 1000000; j++) sum += lr_probe_share(0.05, j);
  check(sum < 0.05 && sum > 0.0499999, "the sum is %.10g", sum);
  check(lr_probe_share(0.05, 1) == 0.025, "the first look gets half");
}

TEST("stopping at the first pass of twenty looks is wrong no oftener than said")
{
  room r = enter();
  double failures = 0, n = 500;
  uint64_t stream = 0;
  for (int i = 0; i < 500; i++) {
    bool passed = false;
    for (uint64_t j = 1; j <= 20; j++) {
      double S = 0;
      for (int l = 0; l < 8; l++) {
        double s = look(&r, NULL, ++stream);
        S += s * s;
      }
      passed |= lr_probe_bound(S, 8, lr_probe_share(0.05, j)) < 1;
    }
    failures += passed;
  }
  check(failures / n < 0.05 + 4 * sqrt(0.05 / n), "%g of %g", failures, n);
  leave(&r);
}

TEST("where the subspace is everything there is no probe")
{
  room r = enter();
  double length;
  bool kept;
  for (uint64_t j = K; j < P; j++) {
    r.space->ops->gaussian(r.space, (lrgd_vec){r.w, 0}, 3, j);
    if (lr_basis_append(&r.U, (lrgd_vec){r.w, 0}, 1e-10, &kept) != LRGD_OK)
      abort();
  }
  check_int(r.U.k, P, "directions");
  check(!lr_probe_direction(&r.U, NULL, (lrgd_vec){r.w, 0}, (lrgd_vec){r.w, 1},
                            1, 1, &length),
        "nothing is outside");
  leave(&r);
}

TEST("one direction outside is probed with its right size")
{
  room r = enter();
  bool kept;
  double n = 5000, square = 0;
  for (uint64_t j = K; r.U.k < P - 1; j++) {
    r.space->ops->gaussian(r.space, (lrgd_vec){r.w, 0}, 3, j);
    if (lr_basis_append(&r.U, (lrgd_vec){r.w, 0}, 1e-10, &kept) != LRGD_OK)
      abort();
  }
  double truth = outside(&r.U, r.g);
  for (uint64_t i = 0; i < 5000; i++) {
    double s = look(&r, NULL, i);
    square += s * s / n;
  }
  check_near(square, truth * truth, 5 * sqrt(2 / n), "variance");
  leave(&r);
}
