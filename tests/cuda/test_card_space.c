/* The suite of the space's operations on a GPU, or on the stand-in for one, and
 * what only a card can get wrong.  Without a card it says so and passes. */
#include "conformance/backend.h"

#include "card.h"

static lrgd_space *card_double(size_t p)
{
  return lrgd_cuda_space(p, LRGD_SCALAR_DOUBLE, NULL);
}

static lrgd_space *card_float(size_t p)
{
  return lrgd_cuda_space(p, LRGD_SCALAR_FLOAT, NULL);
}

/* clang-format off */
static const backend backends[] = {
    {"card double", card_double, DBL_EPSILON, DBL_MAX, DBL_MIN, 1},
    {"card float",  card_float,  FLT_EPSILON, FLT_MAX, FLT_MIN, 1},
};
/* clang-format on */
enum { BACKENDS = sizeof backends / sizeof *backends };

#include "conformance/spaces.h"

TEST("random numbers on the card have the bits of the host's")
{
  enum { MANY = 40001 };
  lrgd_space *card = card_double(MANY);
  lrgd_space *host = lrgd_host_space(MANY, LRGD_SCALAR_DOUBLE, NULL);
  lrgd_vec a = {card->ops->make(card, 1), 0}, b = {host->ops->make(host, 1), 0};
  double *x = malloc(MANY * sizeof *x);
  require(a.block && b.block && x, "memory");
  for (uint64_t seed = 1; seed < 4; seed++) {
    card->ops->gaussian(card, a, seed, 7 * seed);
    host->ops->gaussian(host, b, seed, 7 * seed);
    card->ops->get(card, a, 0, MANY, x);
    check(memcmp(x, lrgd_host_data(b), MANY * sizeof *x) == 0, "seed %u",
          (unsigned)seed);
  }
  free(x);
  card->ops->free(card, a.block);
  host->ops->free(host, b.block);
  lrgd_space_destroy(&card);
  lrgd_space_destroy(&host);
}

TEST("sums over many columns are the same to the bit, however often made")
{
  enum { LONG = 100003, MANY = 30 };
  lrgd_space *card = card_float(LONG);
  lrgd_block *U = card->ops->make(card, MANY + 1);
  double c[2][MANY];
  require(U != NULL, "memory");
  for (uint64_t j = 0; j <= MANY; j++)
    card->ops->gaussian(card, (lrgd_vec){U, j}, 5, j);
  for (int turn = 0; turn < 2; turn++)
    card->ops->dot(card, (lrgd_vec){U, 0}, MANY, (lrgd_vec){U, MANY}, c[turn]);
  check(memcmp(c[0], c[1], sizeof c[0]) == 0, "the same bits");
  check(lrgd_cuda_stride(card) >= LONG && lrgd_cuda_stride(card) % 64 == 0,
        "columns are %zu numbers apart", lrgd_cuda_stride(card));
  card->ops->free(card, U);
  lrgd_space_destroy(&card);
}

/* f(x) = 1/2 sum_i (i + 1) (s_i - 1)^2, s_i the sum of every RANK-th input over
 * the root of their number: as a slope along the columns of U. */
enum { RANK = 3 };

static double sums_of(const double *x, size_t p, size_t i)
{
  double s = 0;
  for (size_t j = i; j < p; j += RANK) s += x[j];
  return s * sqrt((double)RANK / (double)p);
}

static double slopes(lrgd_vec x, lrgd_vec U, size_t k, double *d, void *user)
{
  lrgd_space *space = user;
  double at[P], u[P], f = 0;
  space->ops->get(space, x, 0, P, at);
  for (size_t j = 0; j < k; j++) d[j] = 0;
  for (size_t i = 0; i < RANK; i++) {
    double off = sums_of(at, P, i) - 1;
    f += 0.5 * (double)(i + 1) * off * off;
    for (size_t j = 0; j < k; j++) {
      space->ops->get(space, (lrgd_vec){U.block, U.col + j}, 0, P, u);
      d[j] += (double)(i + 1) * off * sums_of(u, P, i);
    }
  }
  return f;
}

static lrgd_result minimum_in(lrgd_space *space)
{
  lrgd_space_problem problem = lrgd_space_problem_default(space);
  lrgd_options options = lrgd_options_default();
  lrgd_solver *solver;
  lrgd_result result = {0};
  lrgd_error error;
  lrgd_vec x = {space->ops->make(space, 1), 0};
  problem.slopes = slopes;
  problem.user = space;
  options.tol = 1e-5;
  space->ops->scale(space, x, 0);
  if (lrgd_solver_create_in(&solver, &problem, &options, &error) != LRGD_OK ||
      lrgd_solver_solve_in(solver, x, &result, &error) != LRGD_OK)
    check(false, "%s", error.text);
  lrgd_solver_destroy(&solver);
  space->ops->free(space, x.block);
  return result;
}

TEST("a run on the card takes as many evaluations as one on the host")
{
  lrgd_space *host = lrgd_host_space(P, LRGD_SCALAR_DOUBLE, NULL);
  lrgd_space *card = card_double(P);
  lrgd_result a = minimum_in(host), b = minimum_in(card);
  check(a.outcome == LRGD_OUTCOME_CONVERGED && b.outcome == a.outcome,
        "outcomes %d and %d", (int)a.outcome, (int)b.outcome);
  check(lrgd_counts_evaluations(&a.counts) ==
            lrgd_counts_evaluations(&b.counts),
        "%llu and %llu evaluations",
        (unsigned long long)lrgd_counts_evaluations(&a.counts),
        (unsigned long long)lrgd_counts_evaluations(&b.counts));
  check(fabs(a.f - b.f) <= 1e-10, "f is %g and %g", a.f, b.f);
  check(lrgd_cuda_failure(card) == NULL, "nothing failed");
  lrgd_space_destroy(&host);
  lrgd_space_destroy(&card);
}

TEST("more columns than the card holds are refused, and the space goes on")
{
  lrgd_space *card = card_double(P);
  size_t far_too_many = (size_t)1 << 40;
  check(card->ops->make(card, far_too_many) == NULL, "a petabyte");
  check(card->ops->make(card, (size_t)-1) == NULL, "more than can be counted");
  lrgd_block *one = card->ops->make(card, 1);
  require(one != NULL, "one column");
  double norm;
  card->ops->gaussian(card, (lrgd_vec){one, 0}, 1, 1);
  check(card->ops->measure(card, (lrgd_vec){one, 0}, &norm) && norm > 0,
        "its norm is %g", norm);
  check(lrgd_cuda_failure(card) == NULL, "no failure of the card");
  card->ops->free(card, one);
  lrgd_space_destroy(&card);
}

TEST("a space of no dimension is refused in a sentence")
{
  lrgd_error error = {0};
  check(lrgd_cuda_space(0, LRGD_SCALAR_DOUBLE, &error) == NULL, "refused");
  check(strstr(error.text, "dimension 0") != NULL, "%s", error.text);
}
