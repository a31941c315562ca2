/* f(x) = scale * (sum_i lambda_i z_i^2 + tail * (|x - c|^2 - |z|^2)) with
 * z = A^T (x - c), A of p x rank with orthonormal columns.
 *
 * The second term gives the directions outside A the curvature tail, without a
 * p x p matrix.  With scale = 1/2 the eigenvalues of the Hessian are lambda and
 * tail.  The paper's f = x^T H x with H = diag(L, 1) is, to the last bit,
 *   p=2 spectrum=L,1 rotation=none centre=zero scale=1. */
#include <math.h>

#include "base/elementary.h"
#include "composite.h"

static const lr_parameter parameters[] = {
    {"p",        "100",    "dimension"                                        },
    {"rank",     "5",      "number of lambda; at most p"                      },
    {"kappa",    "100",    "lambda runs from kappa to 1 in equal ratios; >= 1"},
    {"spectrum", "",       "lambda itself: numbers with commas between"       },
    {"rotation", "random", "random|none: A random, or the first coordinates"  },
    {"centre",   "random", "random|zero: c; the start is 0, or ones for zero" },
    {"tail",     "0",      "curvature of the other p - rank directions"       },
    {"scale",    "0.5",    "f = scale * (...); 1 for the paper's x^T H x; > 0"},
    {"seed",     "1",      "of A and c"                                       },
};

/* scale * (lambda_i - tail): what |z|^2 takes off the tail is in the core. */
typedef struct spectrum {
  size_t q;
  const double *weight;
} spectrum;

static double quadratic_h(const void *data, const double *z, double *dz)
{
  const spectrum *s = data;
  double sum = 0;
  for (size_t i = 0; i < s->q; i++) {
    sum += s->weight[i] * (z[i] * z[i]);
    if (dz) dz[i] = 2 * s->weight[i] * z[i];
  }
  return sum;
}

static double complex quadratic_h_complex(const void *data,
                                          const double complex *z)
{
  const spectrum *s = data;
  double complex sum = 0;
  for (size_t i = 0; i < s->q; i++) sum += s->weight[i] * (z[i] * z[i]);
  return sum;
}

/* How many lambda: as many as spectrum gives, where it is given. */
static size_t read_rank(lr_reader *reader, size_t p)
{
  size_t count = lr_reader_list(reader, "spectrum", 0, NULL), rank;
  int given;
  lr_reader_text(reader, "rank", &given);
  if (count == 0) return lr_reader_rank(reader, "rank", p);
  if (count > p)
    lr_reader_fail(reader, LRGD_ERR_INVALID,
                   "rank %zu exceeds dimension %zu (spectrum has %zu numbers)",
                   count, p, count);
  rank = given ? lr_reader_rank(reader, "rank", p) : count;
  if (rank != count)
    lr_reader_fail(reader, LRGD_ERR_INVALID,
                   "rank is %zu but spectrum has %zu numbers", rank, count);
  return count;
}

/* The lambda, in memory of the problem. */
static double *read_lambda(lr_problem *problem, lr_reader *reader, size_t rank)
{
  double kappa = lr_reader_real(reader, "kappa", 1);
  double *lambda = lr_problem_numbers(problem, reader, rank, 1);
  if (reader->status || lr_reader_list(reader, "spectrum", rank, lambda) > 0)
    return lambda;
  for (size_t i = 0; i < rank; i++)
    lambda[i] =
        rank == 1 ? 1 : lr_pow(kappa, 1 - (double)i / ((double)rank - 1));
  return lambda;
}

/* Rank, L and the minimum follow from the eigenvalues of the Hessian. */
static void set_facts(lr_problem *problem, const lr_composite *f, double scale,
                      const double *lambda, const double *c)
{
  size_t p = problem->callbacks.dimension, rest = p - f->q;
  double tail = f->tail / scale, least = rest ? tail : lambda[0];
  double largest = rest ? fabs(tail) : 0;
  problem->rank = tail != 0 ? rest : 0;
  for (size_t i = 0; i < f->q; i++) {
    problem->rank += lambda[i] != 0;
    largest = fmax(largest, fabs(lambda[i]));
    least = fmin(least, lambda[i]);
  }
  problem->smoothness = 2 * scale * largest;
  problem->minimum = least >= 0 ? 0 : -INFINITY;
  problem->minimiser = least >= 0 ? c : NULL;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader), rank = read_rank(reader, p);
  size_t plain = lr_reader_choice(reader, "rotation", "random|none");
  size_t zero = lr_reader_choice(reader, "centre", "random|zero");
  double scale = lr_reader_positive(reader, "scale");
  double tail = lr_reader_real(reader, "tail", -INFINITY);
  uint64_t seed = lr_reader_seed(reader);
  lr_composite f = {.q = rank,
                    .tail = scale * tail,
                    .h = quadratic_h,
                    .h_complex = quadratic_h_complex};
  double *lambda, *c, *weight;
  spectrum *s;
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  weight = lr_problem_numbers(problem, reader, rank, 1);
  c = lr_problem_numbers(problem, reader, p, 1);
  s = lr_problem_bytes(problem, reader, sizeof *s);
  if (!plain && !reader->status)
    f.A = lr_random_basis(problem, reader, rank, seed);
  lambda = read_lambda(problem, reader, rank);
  if (reader->status) return reader->status;
  for (size_t i = 0; i < rank; i++) weight[i] = scale * (lambda[i] - tail);
  *s = (spectrum){rank, weight};
  f.data = s;
  if (zero) {
    for (size_t i = 0; i < p; i++) problem->start[i] = 1;
  } else {
    lr_dice_normals((lr_dice){seed, LR_STREAM_CENTRE}, p, c);
    f.centre = c;
    f.shift = lr_composite_shift(problem, reader, &f, c);
  }
  set_facts(problem, &f, scale, lambda, c);
  return lr_composite_install(problem, reader, &f);
}

const lr_problem_kind lr_kind_quadratic = {
    "quadratic", "quadratic with a given spectrum on a random subspace",
    parameters, sizeof parameters / sizeof parameters[0], build};
