/* f(x) = sum_i sigma(a_i . (x - c)): a sum of ridge functions on orthonormal
 * directions a_i.  Minimum 0 at c for every sigma here. */
#include <math.h>

#include "analytic.h"
#include "composite.h"

static const lr_parameter parameters[] = {
    {"p",     "100",     "dimension"                                     },
    {"rank",  "5",       "number of ridges; at most p"                   },
    {"sigma", "logcosh", "square|cosh|logcosh|sine: the shape of a ridge"},
    {"seed",  "1",       "of the directions and of c"                    },
};

/* sigma with its derivative, its complex form, and the bound of sigma''. */
typedef struct shape {
  double (*sigma)(double t, double *slope);
  double complex (*sigma_complex)(double complex t);
  double L; /* NaN: sigma'' has no bound */
} shape;

/* t^2 / 2 */
static double square(double t, double *slope)
{
  *slope = t;
  return 0.5 * t * t;
}

static double complex square_complex(double complex t)
{
  return 0.5 * t * t;
}

/* cosh(t) - 1 = 2 sinh(t/2)^2, which does not cancel near 0: convex, with
 * curvature that grows without bound */
static double cosh_less_one(double t, double *slope)
{
  double half = lr_sinh(0.5 * t);
  *slope = lr_sinh(t);
  return 2 * half * half;
}

static double complex cosh_less_one_complex(double complex t)
{
  double complex half = lr_csinh(0.5 * t);
  return 2 * half * half;
}

/* log cosh(t) = |t| + log((1 + exp(-2|t|)) / 2): convex, linear far away; near
 * 0 as log1p(cosh(t) - 1), because there the first form cancels */
static double logcosh(double t, double *slope)
{
  double size = fabs(t), half = lr_sinh(0.5 * size);
  *slope = lr_tanh(t);
  if (size < 1) return lr_log1p(2 * half * half);
  return size + lr_log1p(lr_exp(-2 * size)) - lr_log(2);
}

static double complex logcosh_complex(double complex t)
{
  double complex size = creal(t) < 0 ? -t : t;
  return size + lr_clog(1 + lr_cexp(-2 * size)) - lr_log(2);
}

/* t^2 + 3 sin(t)^2: curvature from -4 to 8, yet every stationary point is the
 * minimum (Karimi, Nutini and Schmidt's example of a Polyak-Lojasiewicz
 * function that is not convex, 2016) */
static double sine(double t, double *slope)
{
  double s = lr_sin(t);
  *slope = 2 * t + 3 * lr_sin(2 * t);
  return t * t + 3 * s * s;
}

static double complex sine_complex(double complex t)
{
  double complex s = lr_csin(t);
  return t * t + 3 * s * s;
}

static const shape shapes[] = {
    {square,        square_complex,        1          },
    {cosh_less_one, cosh_less_one_complex, (double)NAN},
    {logcosh,       logcosh_complex,       1          },
    {sine,          sine_complex,          8          },
};

typedef struct ridges {
  size_t q;
  const shape *shape;
} ridges;

static double ridge_h(const void *data, const double *z, double *dz)
{
  const ridges *r = data;
  double sum = 0, slope;
  for (size_t i = 0; i < r->q; i++) {
    sum += r->shape->sigma(z[i], &slope);
    if (dz) dz[i] = slope;
  }
  return sum;
}

static double complex ridge_h_complex(const void *data, const double complex *z)
{
  const ridges *r = data;
  double complex sum = 0;
  for (size_t i = 0; i < r->q; i++) sum += r->shape->sigma_complex(z[i]);
  return sum;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  size_t rank = lr_reader_rank(reader, "rank", p);
  size_t sigma = lr_reader_choice(reader, "sigma", "square|cosh|logcosh|sine");
  uint64_t seed = lr_reader_seed(reader);
  lr_composite f = {.q = rank, .h = ridge_h, .h_complex = ridge_h_complex};
  double *c;
  ridges *r;
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  c = lr_problem_numbers(problem, reader, p, 1);
  r = lr_problem_bytes(problem, reader, sizeof *r);
  f.A = lr_random_basis(problem, reader, rank, seed);
  if (reader->status) return reader->status;
  *r = (ridges){rank, &shapes[sigma]};
  f.data = r;
  lr_dice_normals((lr_dice){seed, LR_STREAM_CENTRE}, p, c);
  f.shift = lr_composite_shift(problem, reader, &f, c);
  problem->rank = rank;
  problem->minimum = 0;
  problem->minimiser = c;
  problem->smoothness = shapes[sigma].L;
  return lr_composite_install(problem, reader, &f);
}

const lr_problem_kind lr_kind_ridge = {
    "ridge", "sum of ridge functions sigma(a_i . x)", parameters,
    sizeof parameters / sizeof parameters[0], build};
