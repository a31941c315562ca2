/* Theorems 3.1-3.4 tried: for each a family that meets its assumptions, the
 * solver run on it, and everything the theorem speaks of measured.
 *
 *   f(x) = sum_i h_i (t_i^2/2 + beta (1 - cos t_i))           inside H
 *        + delta sum_i h_i (sqrt(1 + t_i^2) - 1) s_i          a leak out of it
 *        + m/2 |x - U t|^2                                    outside
 *
 * with t = U'x, s = W'x, U and W random and orthogonal.  f* = 0 at x = 0.
 *   3.1  beta = delta = m = 0: exactly rank r, strongly convex in H
 *   3.2  beta = 0: the leak tilts grad f out of H by delta, to the same side
 *        for t and -t, so that no other H is better; m/2 makes f strongly
 *        convex.  By Proposition 2.3 that cannot hold on all of R^p: the
 *        conditions are checked at the samples and along the path.
 *   3.3  beta = 3, delta = m = 0: curvature from -2 h to 4 h
 *   3.4  both
 * delta is chosen so that eta is at least half of what the condition allows.
 *
 * Definition 2.2 has two numbers, and a smaller one asks for a larger other:
 * eta is measured where gradients are long, at the samples and the start, and
 * epsilon is what is then left along the path.  The theorem compares it with
 * an epsilon of its own, which comes from the accuracy.
 *
 * Sample points are a_j u_j with a_j = 20 / h_j: one along each direction, so
 * that sigma_r is near 1 and all sampled gradients are about 20 long.  Or they
 * are random: sigma_r is then smaller (0.008 at r = 20), and with it the eta
 * and the accuracy that the condition allows. */
#include "analysis/theorem_trials.h"
#include "analysis/standalone_oracle.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/vector.h"
#include "subspace/identify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The experiment: |t0| along each direction of H, and the length of samples.
 * The numbers of set_accuracy(), begin() and tune() define it as well: they
 * were chosen so that the conditions of the theorems hold with some room, and
 * decide nothing in the solver. */
static const double start_t = 10, sample_length = 20;

/* eta~ of the lemma may be 1/sqrt(10) in 3.2 and 3.4. */
static const double most_tilde = 0.31622776601683794;

/* A member of the family: the letters of the formula above, its constants, and
 * scratch.  Over 20 members: the formula uses all of them. */
typedef struct family {
  size_t p, r;
  lrgd_space *space;
  lr_basis UW;        /* U, then W */
  lr_basis Uhat;      /* what Algorithm 1 identifies */
  double *h, *ts, *c; /* r, 2 r and 2 r numbers */
  double *x, *g, *e;  /* p numbers each */
  double beta, delta, m;
  double L, mu, epsilon;
  double additive; /* the epsilon of Definition 2.2 that the theorem allows */
  int accuracy;
  bool random;     /* sample points */
  bool stationary; /* the goal is |grad f| <= epsilon, not f - f* */
} family;

/* ---- the function ---- */

static double leak(double t)
{
  return sqrt(1 + t * t) - 1;
}

/* f, and grad f = U a + W b + m x. */
static double family_gradient(size_t p, const double *x, double *g, void *user)
{
  family *f = user;
  size_t r = f->r;
  const double *U = lr_standalone_oracle_data(f->UW.block, 0);
  double *t = f->ts, *s = t + r, *a = f->c, *b = a + r;
  double value = 0, inside = 0;
  lr_gemv_t(p, 2 * r, U, p, x, t);
  for (size_t i = 0; i < r; i++) {
    double h = f->h[i], tilt = f->delta * h;
    inside += t[i] * t[i];
    value += h * (0.5 * t[i] * t[i] + f->beta * (1 - lr_cos(t[i]))) +
             tilt * leak(t[i]) * s[i];
    a[i] = h * (t[i] + f->beta * lr_sin(t[i])) +
           tilt * t[i] / sqrt(1 + t[i] * t[i]) * s[i] - f->m * t[i];
    b[i] = tilt * leak(t[i]);
  }
  value += 0.5 * f->m * (lr_dot(p, x, x) - inside);
  for (size_t i = 0; i < p; i++) g[i] = f->m * x[i];
  lr_gemv(p, 2 * r, U, p, f->c, g);
  return value;
}

/* The smallest second derivative along u_1 ... u_r, at the t and s last seen.
 */
static double curvature(const family *f)
{
  double low = INFINITY;
  for (size_t i = 0; i < f->r; i++) {
    double t = f->ts[i], s = f->ts[f->r + i], root = sqrt(1 + t * t);
    double bend = 1 + f->beta * lr_cos(t) + f->delta * s / (root * root * root);
    low = fmin(low, f->h[i] * bend);
  }
  return low;
}

/* L and mu in the region |s_i| <= 1, from the 2 x 2 blocks (u_i, w_i):
 * [h (1 + beta cos t) + delta h s leak''   delta h leak']
 * [delta h leak'                           m            ], |leak'|, leak'' <= 1
 */
static void set_constants(family *f)
{
  f->L = f->m;
  f->mu = f->m > 0 ? f->m : INFINITY;
  for (size_t i = 0; i < f->r; i++) {
    double h = f->h[i], d = f->delta * h;
    double most = h * (1 + f->beta) + d, least = h - d;
    double half = 0.5 * (least - f->m);
    f->L = fmax(f->L, fmax(most, f->m) + d);
    f->mu =
        fmin(f->mu, f->m > 0 ? 0.5 * (least + f->m) - lr_hypot(half, d) : h);
  }
}

/* ---- a member of the family ---- */

static lrgd_status directions(family *f, uint64_t seed)
{
  lrgd_block *w = f->space->ops->make(f->space, 1);
  if (!w) return LRGD_ERR_NOMEM;
  lrgd_status status = lr_basis_init(&f->UW, f->space, &lr_malloc, 2 * f->r);
  for (uint64_t i = 0; f->UW.k < 2 * f->r && status == LRGD_OK; i++) {
    bool kept;
    f->space->ops->gaussian(f->space, (lrgd_vec){w, 0}, seed, i);
    status = lr_basis_append(&f->UW, (lrgd_vec){w, 0}, 1e-3, &kept);
  }
  f->space->ops->free(f->space, w);
  return status;
}

static void family_clear(family *f)
{
  lr_basis_clear(&f->UW);
  lr_basis_clear(&f->Uhat);
  lr_free(&lr_malloc, f->h);
  lr_free(&lr_malloc, f->x);
  if (f->space) lrgd_space_destroy(&f->space);
}

static lrgd_status family_init(family *f, lrgd_theorem theorem, size_t p,
                               size_t r, uint64_t seed)
{
  bool approximate = theorem == LRGD_THEOREM_3_2 || theorem == LRGD_THEOREM_3_4;
  *f = (family){.p = p, .r = r, .stationary = theorem >= LRGD_THEOREM_3_3};
  f->space = lrgd_host_space(p, LRGD_SCALAR_DOUBLE, NULL);
  f->h = lr_alloc(&lr_malloc, 5 * r, sizeof *f->h);
  f->x = lr_alloc(&lr_malloc, 3 * p, sizeof *f->x);
  if (!f->space || !f->h || !f->x) return LRGD_ERR_NOMEM;
  f->ts = f->h + r;
  f->c = f->ts + 2 * r;
  f->g = f->x + p;
  f->e = f->g + p;
  double spread =
      f->stationary ? 10 : 50; /* largest over smallest curvature in H */
  for (size_t i = 0; i < r; i++)
    f->h[i] = r > 1 ? lr_pow(spread, -(double)i / (double)(r - 1)) : 1;
  f->beta = f->stationary ? 3 : 0;
  f->m = approximate ? 0.02 : 0;
  lrgd_status status = directions(f, seed);
  if (status != LRGD_OK) return status;
  return lr_basis_init(&f->Uhat, f->space, &lr_malloc, r);
}

/* x0 = U t0, and a little outside: |m x_out| = additive / 16. */
static void set_start(const family *f, uint64_t seed, double *x)
{
  const double *U = lr_standalone_oracle_data(f->UW.block, 0);
  size_t p = f->p;
  for (size_t i = 0; i < p; i++) x[i] = 0;
  if (f->m > 0) {
    lrgd_block *w = f->space->ops->make(f->space, 1);
    if (!w) return;
    lr_basis U_only = f->UW;
    U_only.k = f->r;
    f->space->ops->gaussian(f->space, (lrgd_vec){w, 0}, seed, 1000);
    double norm = lr_basis_reject(&U_only, (lrgd_vec){w, 0});
    lr_axpy(p, 0.0625 * f->additive / (f->m * norm),
            lr_standalone_oracle_data(w, 0), x);
    f->space->ops->free(f->space, w);
  }
  for (size_t j = 0; j < f->r; j++) lr_axpy(p, start_t, U + j * p, x);
}

/* Sets the accuracy.  The condition of 3.2 and 3.4 is a sum of two terms: the
 * additive epsilon takes a share, eta the rest.  A share below a tenth is
 * impossible: where grad f vanishes in H it is about delta outside, and the
 * family has at least that epsilon.  For r = 1 half of it would exceed the
 * whole decrease of f: the accuracy is at most `coarsest`. */
static void set_accuracy(family *f, const lrgd_theorem_constants *of)
{
  static const double share[LRGD_ACCURACY_COUNT] = {0.5, 0.25, 0.125};
  static const double in_f[LRGD_ACCURACY_COUNT] = {0.1, 0.01, 1e-3};
  static const double in_norm[LRGD_ACCURACY_COUNT] = {0.5, 0.15, 0.05};
  static const double coarsest[LRGD_ACCURACY_COUNT] = {0.5, 0.15, 0.05};
  double spread = 2 * (double)f->r / of->sigma_r;
  f->epsilon = f->stationary ? in_norm[f->accuracy] : in_f[f->accuracy];
  f->additive = 0;
  if (!(f->m > 0)) return;
  f->additive = share[f->accuracy] * most_tilde / spread * of->least_sample;
  if (!f->stationary)
    f->additive = fmin(f->additive, sqrt(f->mu * coarsest[f->accuracy] / 5));
  f->epsilon =
      f->stationary ? 3 * f->additive : 5 * f->additive * f->additive / f->mu;
}

/* ---- measurements along the path ---- */

typedef struct path {
  family *f;
  lrgd_solver *solver;
  lrgd_theorem_cell *cell; /* NULL: gradient descent, nothing to measure */
  uint64_t steps;          /* until the goal was met */
  double reached;
  bool met, left; /* left: an iterate left the region |s_i| <= 1, where L and mu
                     hold */
} path;

/* |v - B B'v| for the first k columns of B; v is unchanged. */
static double outside(family *f, const lr_basis *B, size_t k, const double *v)
{
  const double *columns = lr_standalone_oracle_data(B->block, 0);
  size_t p = f->p;
  memcpy(f->e, v, f->p * sizeof *v);
  for (int pass = 0; pass < 2; pass++) {
    lr_gemv_t(p, k, columns, p, f->e, f->c);
    lr_scale(k, -1, f->c);
    lr_gemv(p, k, columns, p, f->c, f->e);
  }
  return lr_norm(p, f->e);
}

/* Definition 2.2 at points with a large gradient: the share of g outside H. */
static void note_eta(family *f, lrgd_theorem_cell *cell, const double *g)
{
  double norm = lr_norm(f->p, g), off = outside(f, &f->UW, f->r, g);
  if (norm > 0) cell->constants.eta = fmax(cell->constants.eta, off / norm);
}

/* Along the path: the part of the gradient outside beyond that share. */
static void note_additive(family *f, lrgd_theorem_cell *cell, const double *g)
{
  lrgd_theorem_constants *of = &cell->constants;
  double off = outside(f, &f->UW, f->r, g);
  of->additive = fmax(of->additive, off - of->eta * lr_norm(f->p, g));
}

static void watch(const lrgd_progress *news, void *user)
{
  path *way = user;
  family *f = way->f;
  if (news->event != LRGD_EVENT_ITERATION || way->met) return;
  double value = family_gradient(f->p, news->x, f->g, f);
  double norm = lr_norm(f->p, f->g);
  lrgd_theorem_cell *cell = way->cell;
  if (cell) {
    cell->lowest_curvature = fmin(cell->lowest_curvature, curvature(f));
    for (size_t i = f->r; i < 2 * f->r; i++) way->left |= fabs(f->ts[i]) > 1;
    note_additive(f, cell, f->g);
    /* the lemma: |g - Pg| <= eta~ |g| + epsilon~ */
    const lrgd_theorem_bound *claim = &cell->claim;
    double off = outside(f, &f->Uhat, f->Uhat.k, f->g);
    double may = claim->eta_tilde * norm + claim->additive_tilde;
    if (may > 0) cell->lemma_error = fmax(cell->lemma_error, off / may);
  }
  way->steps = news->iteration;
  way->reached = f->stationary ? norm : value;
  way->met = way->reached <= f->epsilon;
  if (way->met) lrgd_solver_stop(way->solver);
}

/* Fixed steps alpha in span U (NULL: everywhere) until the goal is met. */
static lrgd_status descend(path *way, double alpha, const lr_basis *U,
                           const double *x0, lrgd_error *error)
{
  family *f = way->f;
  lrgd_problem problem = lrgd_problem_default(f->p);
  lrgd_options o = lrgd_options_default();
  problem.gradient = family_gradient;
  problem.user = f;
  o.method = LRGD_METHOD_GD;
  o.step = LRGD_STEP_FIXED;
  o.alpha = alpha;
  o.tol = 1e-300;
  o.max_iterations = o.stall_iterations =
      20000; /* ten times the most that any cell needs */
  o.progress = watch;
  o.progress_user = way;
  lrgd_status status = lrgd_solver_create(&way->solver, &problem, &o, error);
  if (status == LRGD_OK && U)
    status = lrgd_solver_set_basis(
        way->solver, U->k, lr_standalone_oracle_data(U->block, 0), error);
  memcpy(f->x, x0, f->p * sizeof *x0);
  if (status == LRGD_OK)
    status = lrgd_solver_solve(way->solver, f->x, f->x, NULL, error);
  (void)lrgd_solver_destroy(&way->solver);
  return status;
}

/* The j-th sample point: a_j u_j, or U t for a Gaussian t. */
static void set_sample(const family *f, uint64_t seed, size_t j, double *x)
{
  const double *U = lr_standalone_oracle_data(f->UW.block, 0);
  for (size_t i = 0; i < f->p; i++) x[i] = 0;
  for (size_t i = 0; i < f->r; i++) {
    double t = i == j ? sample_length / f->h[j] : 0;
    if (f->random) {
      lr_gaussian(seed, 2000 + j, i, 1, &t);
      t *= start_t;
    }
    lr_axpy(f->p, t, U + i * f->p, x);
  }
}

/* Lines 1-4 of Algorithm 1: p r oracle calls. */
static lrgd_status identify(family *f, lrgd_theorem_cell *cell, uint64_t seed)
{
  lrgd_block *G = f->space->ops->make(f->space, f->r);
  lr_identified found;
  if (!G) return LRGD_ERR_NOMEM;
  cell->constants.least_sample = INFINITY;
  for (size_t j = 0; j < f->r; j++) {
    double *g = lr_standalone_oracle_data(G, j);
    set_sample(f, seed, j, f->x);
    (void)family_gradient(f->p, f->x, g, f);
    note_eta(f, cell, g);
    double norm = lr_norm(f->p, g);
    cell->constants.least_sample =
        fmin(cell->constants.least_sample, norm * (1 - 1e-12));
  }
  lrgd_status status = lr_identify(&f->Uhat, (lrgd_vec){G, 0}, f->r, f->r,
                                   LRGD_IDENTIFY_SVD, 1e-12, &found);
  cell->constants.sigma_r = fmin(found.sigma_r, 1); /* of unit columns */
  f->space->ops->free(f->space, G);
  return status;
}

/* ---- one cell of the table ---- */

/* The largest eta that the condition of 3.2 and 3.4 allows. */
static double allowed(const lrgd_theorem_cell *cell, const family *f)
{
  const lrgd_theorem_constants *of = &cell->constants;
  double spread = 2 * (double)of->r / of->sigma_r;
  return (most_tilde - spread * f->additive / of->least_sample) / (1 + spread);
}

void lr_theorem_judge(lrgd_theorem_cell *cell, bool met, bool left)
{
  cell->bound_holds = met && cell->calls <= cell->claim.bound;
  cell->conditions_hold = cell->claim.holds && !left;
}

static lrgd_status measure(family *f, lrgd_theorem_cell *cell, double *x0,
                           uint64_t seed, lrgd_error *error)
{
  lrgd_theorem_constants *of = &cell->constants;
  set_constants(f);
  *of = (lrgd_theorem_constants){.p = f->p, .r = f->r, .L = f->L, .mu = f->mu};
  cell->lowest_curvature = INFINITY;
  cell->lemma_error = 0;
  lrgd_status status = identify(f, cell, seed);
  if (status != LRGD_OK) return status;
  set_accuracy(f, of);
  set_start(f, seed, x0);
  of->Delta0 = family_gradient(f->p, x0, f->g, f);
  of->epsilon = f->epsilon;
  note_eta(f, cell, f->g);
  path way = {.f = f, .cell = cell};
  cell->claim = lrgd_theorem_bound_of(cell->theorem, of);
  status = descend(&way, cell->claim.alpha, &f->Uhat, x0, error);
  cell->claim = lrgd_theorem_bound_of(cell->theorem, of);
  cell->calls = (double)f->r * ((double)f->p + (double)way.steps);
  cell->reached = way.reached;
  lr_theorem_judge(cell, way.met, way.left);
  cell->eta_share = f->m > 0 ? of->eta / allowed(cell, f) : 0;
  return status;
}

/* A first guess of delta, and m.  The identified subspace is off by an angle of
 * some 2 r eta / sigma_r, and so is the path: m is chosen so small that this
 * costs little of epsilon. */
static lrgd_status begin(family *f, lrgd_theorem_cell *cell, uint64_t seed)
{
  f->delta = 0;
  if (!(f->m > 0)) return LRGD_OK;
  lrgd_status status = identify(f, cell, seed);
  double spread = 2 * (double)f->r / cell->constants.sigma_r;
  f->m = 0.02 / (1 + 0.05 * spread);
  f->delta = 0.2 / (1 + spread);
  return status;
}

/* Adjusts delta until eta is about 3/4 of what the condition allows. */
static lrgd_status tune(family *f, lrgd_theorem_cell *cell, double *x0,
                        uint64_t seed, lrgd_error *error)
{
  lrgd_status status = begin(f, cell, seed);
  for (int i = 0; i < 4 && status == LRGD_OK; i++) {
    status = measure(f, cell, x0, seed, error);
    bool good = cell->eta_share >= 0.6 && cell->eta_share <= 0.9;
    if (!(f->m > 0) || good) break;
    if (i < 3) f->delta *= fmin(fmax(0.75 / cell->eta_share, 0.3), 3);
  }
  return status;
}

static lrgd_status run_cell(lrgd_theorem_cell *cell, size_t p, size_t r,
                            uint64_t seed, lrgd_error *error)
{
  lrgd_theorem theorem = cell->theorem;
  if (cell->accuracy < 0 || cell->accuracy >= LRGD_ACCURACY_COUNT)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "accuracy is %d; it must be from 0 to %d", cell->accuracy,
                   LRGD_ACCURACY_COUNT - 1);
  if (r == 0 || 2 * r > p || theorem >= LRGD_THEOREM_COUNT)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "the families need 1 <= r and 2 r <= p, not r %zu, p %zu", r,
                   p);
  family f = {0};
  double *x0 = lr_alloc(&lr_malloc, p, sizeof *x0);
  lrgd_status status =
      x0 ? family_init(&f, theorem, p, r, seed) : LRGD_ERR_NOMEM;
  f.random = cell->random_samples;
  f.accuracy = cell->accuracy;
  if (status == LRGD_OK) status = tune(&f, cell, x0, seed, error);
  if (status == LRGD_OK) {
    path way = {.f = &f};
    status = descend(&way, 1 / f.L, NULL, x0, error);
    cell->gd_calls = (double)p * (double)way.steps;
  }
  if (status == LRGD_ERR_NOMEM)
    (void)lr_fail(error, status, "out of memory for p %zu", p);
  (void)snprintf(cell->region, sizeof cell->region,
                 "the %zu %s and the %.0f iterates%s", r,
                 f.random ? "random samples" : "samples",
                 cell->calls / (double)r - (double)p,
                 f.m > 0 ? "; eta at the samples and the start, epsilon along "
                           "the iterates, H = span U"
                         : "");
  family_clear(&f);
  lr_free(&lr_malloc, x0);
  return status;
}

lrgd_status lrgd_theorem_run_sized(lrgd_theorem_cell *cell, size_t size,
                                   lrgd_theorem theorem, size_t p, size_t r,
                                   uint64_t seed, lrgd_error *error)
{
  return lrgd_theorem_vary_sized(cell, size, theorem, p, r, seed, 0,
                                 LRGD_ACCURACY_COUNT - 1, error);
}

lrgd_status lrgd_theorem_vary_sized(lrgd_theorem_cell *cell, size_t size,
                                    lrgd_theorem theorem, size_t p, size_t r,
                                    uint64_t seed, int random_samples,
                                    int accuracy, lrgd_error *error)
{
  lrgd_theorem_cell own = {.struct_size = sizeof own,
                           .theorem = theorem,
                           .random_samples = random_samples != 0,
                           .accuracy = accuracy};
  lrgd_status status = run_cell(&own, p, r, seed, error);
  lr_sized_give(cell, size, &own, sizeof own);
  return status;
}
