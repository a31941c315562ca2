/* Linear least squares whose Jacobian has few large singular values, a tail,
 * or both: F(x) = B S A^T (x - c) + misfit e, A (p x q) and B (m x q) random
 * with orthonormal columns, q = the rank, or with a tail min(p, m).  Singular
 * values fall from kappa to 1 in equal ratios over the rank, and go on as
 * tail / j^decay.  e is orthogonal to the columns of B, |e| = |B S A^T c|: so
 * the minimum is misfit^2 |e|^2 / 2, attained at c. */
#include <limits.h>
#include <math.h>

#include "base/elementary.h"
#include "base/vector.h"
#include "kind.h"

static const lr_parameter parameters[] = {
    {"p",      "100", "dimension"                                             },
    {"m",      "60",  "residuals; more than the rank"                         },
    {"rank",   "10",  "singular values from kappa to 1"                       },
    {"kappa",  "10",  "the largest of them; >= 1"                             },
    {"tail",   "0",   "those that follow, j = 1, 2, ...: tail / j^decay; >= 0"},
    {"decay",  "1",   "how fast the tail falls; >= 0"                         },
    {"misfit", "0",   "what cannot be fitted, as a share of F(0); >= 0"       },
    {"seed",   "1",   "of A, B, c and e"                                      },
};

typedef struct linear {
  size_t p, m, q;
  const double *A, *B, *S; /* p x q, m x q, q numbers */
  const double *constant;  /* m numbers: F = B S A^T x + constant */
} linear;

static int forward(const linear *l, const double *x, double *F)
{
  double small[LR_SMALL];
  double *z = lr_room(small, sizeof small, l->q * sizeof *z);
  if (!z) return 0;
  lr_gemv_t(l->p, l->q, l->A, l->p, x, z);
  for (size_t j = 0; j < l->q; j++) z[j] *= l->S[j];
  for (size_t i = 0; i < l->m; i++) F[i] = l->constant[i];
  lr_gemv(l->m, l->q, l->B, l->m, z, F);
  lr_room_free(z, small);
  return 1;
}

static void residuals(size_t p, const double *x, size_t m, double *F,
                      void *user)
{
  const linear *l = ((const lr_problem *)user)->data;
  (void)p;
  if (forward(l, x, F)) return;
  for (size_t i = 0; i < m; i++) F[i] = NAN;
}

static double half_squares(size_t m, const double *F)
{
  return 0.5 * lr_dot(m, F, F);
}

static double value(size_t p, const double *x, void *user)
{
  const linear *l = ((const lr_problem *)user)->data;
  double small[LR_SMALL], f = NAN;
  double *F = lr_room(small, sizeof small, l->m * sizeof *F);
  (void)p;
  if (F && forward(l, x, F)) f = half_squares(l->m, F);
  lr_room_free(F, small);
  return f;
}

/* A S B^T F */
static double gradient(size_t p, const double *x, double *g, void *user)
{
  const linear *l = ((const lr_problem *)user)->data;
  double small[LR_SMALL], f = NAN;
  double *F = lr_room(small, sizeof small, (l->m + l->q) * sizeof *F);
  double *z = F ? F + l->m : NULL;
  int able = F && forward(l, x, F);
  for (size_t i = 0; i < p; i++) g[i] = able ? 0 : NAN;
  if (able) {
    f = half_squares(l->m, F);
    lr_gemv_t(l->m, l->q, l->B, l->m, F, z);
    for (size_t j = 0; j < l->q; j++) z[j] *= l->S[j];
    lr_gemv(p, l->q, l->A, p, z, g);
  }
  lr_room_free(F, small);
  return f;
}

/* J = B S A^T */
static void jacobian(const lr_problem *problem, const double *x, double *J)
{
  const linear *l = problem->data;
  (void)x;
  for (size_t i = 0; i < l->m * l->p; i++) J[i] = 0;
  for (size_t j = 0; j < l->q; j++)
    for (size_t k = 0; k < l->p; k++)
      lr_axpy(l->m, l->S[j] * l->A[j * l->p + k], l->B + j * l->m,
              J + k * l->m);
}

/* ---- building ---- */

/* One more column than B has is the direction of the misfit. */
static double *draw_rows(lr_problem *problem, lr_reader *reader, size_t m,
                         size_t q, uint64_t seed)
{
  lr_dice dice = {seed, LR_STREAM_SAMPLES};
  double *B = lr_problem_numbers(problem, reader, m, q + 1);
  double *work = lr_problem_numbers(problem, reader, q + 1, 1);
  if (reader->status) return NULL;
  lr_dice_normals(dice, m * (q + 1), B);
  lr_orthonormalise(m, q + 1, B, work);
  return B;
}

static void draw_spectrum(size_t q, size_t rank, double kappa, double tail,
                          double decay, double *S)
{
  for (size_t j = 0; j < rank; j++)
    S[j] = rank > 1 ? lr_pow(kappa, 1 - (double)j / ((double)rank - 1)) : kappa;
  for (size_t j = rank; j < q; j++)
    S[j] = tail * lr_pow((double)(j - rank) + 1, -decay);
}

/* constant = misfit |B S A^T c| e - B S A^T c, c being the minimiser. */
static double place(linear *l, double misfit, const double *c, double *constant)
{
  double size;
  l->constant = constant;
  if (!forward(l, c, constant)) return NAN;
  size = lr_norm(l->m, constant);
  lr_scale(l->m, -1, constant);
  lr_axpy(l->m, misfit * size, l->B + l->q * l->m, constant);
  return 0.5 * misfit * misfit * size * size;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  size_t m = lr_reader_size(reader, "m", 2, INT_MAX);
  size_t rank = lr_reader_rank(reader, "rank", p);
  double kappa = lr_reader_real(reader, "kappa", 1);
  double tail = lr_reader_real(reader, "tail", 0);
  double decay = lr_reader_real(reader, "decay", 0);
  double misfit = lr_reader_real(reader, "misfit", 0);
  uint64_t seed = lr_reader_seed(reader);
  size_t q = tail > 0 ? (p < m ? p : m - 1) : rank;
  double *S, *c, *constant;
  linear *l;
  if (rank >= m)
    lr_reader_fail(reader, LRGD_ERR_INVALID,
                   "rank %zu needs more than %zu "
                   "residuals",
                   rank, m);
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  l = lr_problem_bytes(problem, reader, sizeof *l);
  S = lr_problem_numbers(problem, reader, q, 1);
  c = lr_problem_numbers(problem, reader, p, 1);
  constant = lr_problem_numbers(problem, reader, m, 1);
  if (reader->status) return reader->status;
  *l = (linear){.p = p, .m = m, .q = q, .S = S};
  l->A = lr_random_basis(problem, reader, q, seed);
  l->B = draw_rows(problem, reader, m, q, seed);
  if (reader->status) return reader->status;
  draw_spectrum(q, rank, kappa, tail, decay, S);
  lr_dice_normals((lr_dice){seed, LR_STREAM_CENTRE}, p, c);
  problem->minimum = place(l, misfit, c, constant);
  problem->minimiser = c;
  problem->rank = q;
  problem->smoothness = fmax(kappa, tail) * fmax(kappa, tail);
  problem->data = l;
  lr_problem_answers(problem, value, gradient);
  lr_problem_give_residuals(problem, m, residuals);
  problem->jacobian = jacobian;
  return reader->status;
}

const lr_problem_kind lr_kind_linear_residuals = {
    "linear-residuals", "linear residuals of low rank, with a tail or misfit",
    parameters, sizeof parameters / sizeof parameters[0], build};
