/* Stochastic low-rank descent: chooses a subspace, measures slopes of a batch
 * inside it, makes a step, and checks whether the subspace is stale. Counts
 * forward passes; the steps are in descent_step.c, the directions in
 * network_directions.c. */
#include "descent_private.h"

#include "base/finite.h"
#include "base/memory.h"
#include "blas.h"
#include "mlp_private.h"
#include "subspace/basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lr_descent lr_descent_default(void)
{
  return (lr_descent){.way = LR_LOW_RANK,
                      .from = LR_FROM_INPUTS,
                      .step = LR_STEP_GAUSS_NEWTON,
                      .rank = 50,
                      .inputs = 50,
                      .batch = 200,
                      .rate = 1,
                      .damping = 1,
                      .anchors = 10,
                      .budget = 300000,
                      .seed = 1};
}

bool lr_walk_pay(lr_walk *walk, uint64_t passes)
{
  if (walk->news.passes + passes > walk->how->budget) return false;
  walk->news.passes += passes;
  return true;
}

static void next_batch(lr_walk *walk)
{
  size_t n = walk->how->batch, count = walk->images->count;
  if (walk->at + n > count) {
    lr_shuffle(walk->how->seed, walk->round++, count, walk->order);
    walk->at = 0;
  }
  if (walk->card != NULL)
    lr_card_pick(walk->card, n, walk->order + walk->at);
  else
    walk->batch =
        lr_gather_batch(&walk->place, walk->images, n, walk->order + walk->at);
  walk->at += n;
}

/* ---- the subspace ---- */

/* Column j is a Gaussian direction of norm near one. */
static void draw(lr_walk *walk, size_t j)
{
  float *u = walk->U + j * walk->net->p;
  double dimension = (double)lr_directions_dimension(walk->directions);
  lr_directions_draw(walk->directions, walk->how->seed,
                     LR_NETWORK_DIRECTIONS + walk->stream++, u);
  lr_blas.sscal((int)walk->net->p, (float)(1 / sqrt(dimension)), u, 1);
}

/* Columns first .. first + count - 1. */
static void draw_some(lr_walk *walk, size_t first, size_t count)
{
  double dimension = (double)lr_directions_dimension(walk->directions);
  for (size_t j = 0; walk->card == NULL && j < count; j++)
    draw(walk, first + j);
  if (walk->card == NULL) return;
  lr_card_draw(walk->card, walk->how->seed,
               LR_NETWORK_DIRECTIONS + walk->stream, first, count,
               1 / sqrt(dimension));
  walk->stream += count;
}

/* The inputs of hidden layers as they are now; how many images that took. */
static lrgd_status look_again(lr_walk *walk, size_t *images)
{
  if (walk->card == NULL)
    return lr_directions_refresh(walk->directions, walk->x, images,
                                 walk->error);
  *images = lr_directions_sample(walk->directions);
  if (*images > 0) lr_card_refresh(walk->card, *images);
  return LRGD_OK;
}

static lr_code draw_all(lr_walk *walk)
{
  enum { LOOK_EVERY = 20 }; /* subspaces; hidden inputs change slowly */
  size_t images = 0, batch = walk->how->batch;
  if (walk->news.subspaces % LOOK_EVERY == 0 &&
      look_again(walk, &images) != LRGD_OK)
    return LR_FAULT;
  if (!lr_walk_pay(walk, (images + batch - 1) / batch)) return LR_END;
  draw_some(walk, 0, walk->k);
  return LR_GO;
}

/* Gradients of k batches, orthonormalised; a dependent one is replaced by a
 * Gaussian direction. */
static lr_code sample_gradients(lr_walk *walk)
{
  enum { PRICE = 3 }; /* a forward pass, and a backward one worth two */
  size_t p = walk->net->p, k = walk->k;
  lrgd_space *space = lrgd_host_space(p, LRGD_SCALAR_FLOAT, NULL);
  lr_basis basis = {0};
  lrgd_block *g = space != NULL ? space->ops->make(space, 1) : NULL;
  lr_code code = g != NULL ? LR_GO : LR_FAULT;
  if (code == LR_GO && lr_basis_init(&basis, space, &lr_malloc, k) != LRGD_OK)
    code = LR_FAULT;
  for (size_t j = 0; code == LR_GO && j < k; j++) {
    bool kept = false;
    if (!lr_walk_pay(walk, PRICE)) {
      code = LR_END;
      break;
    }
    next_batch(walk);
    walk->news.gradients++;
    (void)lr_mlp_gradient(walk->net, walk->work, walk->x, &walk->batch,
                          lrgd_host_data((lrgd_vec){g, 0}));
    if (lr_basis_append(&basis, (lrgd_vec){g, 0}, 1e-4, &kept) != LRGD_OK)
      code = LR_FAULT;
    if (kept)
      memcpy(walk->U + j * p,
             lrgd_host_data(lr_basis_column(&basis, basis.k - 1)),
             p * sizeof *walk->U);
    else
      draw(walk, j);
  }
  lr_basis_clear(&basis);
  if (space != NULL) space->ops->free(space, g);
  lrgd_space_destroy(&space);
  if (code == LR_FAULT)
    (void)lr_fail(walk->error, LRGD_ERR_NOMEM,
                  "out of memory for %zu gradients", k);
  return code;
}

/* The anchor of the control variate: x as it is, and its slopes over several
 * batches. */
static lr_code set_anchor(lr_walk *walk)
{
  size_t k = walk->k, count = walk->how->anchors;
  memcpy(walk->anchor, walk->x, walk->net->p * sizeof *walk->x);
  for (size_t j = 0; j < k; j++) walk->mean[j] = 0;
  for (size_t i = 0; i < count; i++) {
    if (!lr_walk_pay(walk, k + 1)) return LR_END;
    next_batch(walk);
    (void)lr_mlp_slopes(walk->net, walk->work, walk->anchor, &walk->batch, k,
                        walk->U, walk->other);
    walk->news.slopes += k;
    for (size_t j = 0; j < k; j++)
      walk->mean[j] += walk->other[j] / (double)count;
  }
  return LR_GO;
}

/* The number of directions of the next subspace: few at first, as gradients of
 * batches agree then, and many cheap steps gain more than few good ones; later
 * up to the rank asked for. */
static size_t next_rank(const lr_walk *walk)
{
  size_t k = 20 + (size_t)((walk->how->done + walk->news.passes) / 30);
  return k < walk->how->rank ? k : walk->how->rank;
}

static lr_code new_subspace(lr_walk *walk)
{
  bool gradients = walk->how->from == LR_FROM_GRADIENTS;
  walk->k = next_rank(walk);
  LR_TRY(gradients ? sample_gradients(walk) : draw_all(walk));
  walk->news.subspaces++;
  if (walk->how->svrg) LR_TRY(set_anchor(walk));
  if (walk->how->step == LR_STEP_GAUSS_NEWTON) return LR_GO;
  if (lr_step_reset(&walk->step, walk->k) == LRGD_OK) return LR_GO;
  (void)lr_fail(walk->error, LRGD_ERR_NOMEM, "out of memory for %zu directions",
                walk->k);
  return LR_FAULT;
}

/* Whether the subspace is stale: the ratio of squared slopes inside to those of
 * the probes outside, which shows how much of the gradient the subspace
 * contains, has fallen to half of its value when the subspace was new. Then a
 * new subspace is worth its cost. Where directions are drawn like the probes,
 * that first ratio is k / m in expectation, and is not measured. */
static bool is_stale(lr_walk *walk, const double *probes, bool new)
{
  size_t k = walk->k, m = walk->how->probes;
  if (m == 0) return true;
  double held = lr_dot(k, walk->d, walk->d) / lr_dot(m, probes, probes);
  if (new && walk->how->from == LR_FROM_GRADIENTS)
    walk->held = held;
  else if (new)
    walk->held = (double)k / (double)m;
  return held < 0.5 * walk->held;
}

/* ---- one iteration ---- */

static lr_code ask_slopes(lr_walk *walk)
{
  size_t k = walk->k, m = walk->how->probes;
  draw_some(walk, k, m);
  if (!lr_walk_pay(walk, k + m + 1)) return LR_END;
  next_batch(walk);
  if (walk->how->svrg) {
    if (!lr_walk_pay(walk, k + 1)) return LR_END;
    (void)lr_mlp_slopes(walk->net, walk->work, walk->anchor, &walk->batch, k,
                        walk->U, walk->other);
    walk->news.slopes += k;
  }
  if (walk->card != NULL) { /* only probes are looked at here */
    lr_card_ask(walk->card, k + m, m > 0 ? walk->d : NULL);
    walk->news.loss = lr_card_loss(walk->card, false);
  } else {
    walk->news.loss = lr_mlp_slopes(walk->net, walk->work, walk->x,
                                    &walk->batch, k + m, walk->U, walk->d);
  }
  walk->news.slopes += k + m;
  for (size_t j = 0; walk->how->svrg && j < k; j++)
    walk->d[j] += walk->mean[j] - walk->other[j];
  return LR_GO;
}

/* Mini-batches differ, so full steps would end up circling: the share taken
 * falls like 1 / sqrt(t) once some 20 blocks are done. */
static double share(const lr_walk *walk)
{
  double settle = 20 * (double)(walk->how->rank + 1);
  double passes = (double)(walk->how->done + walk->news.passes);
  return walk->how->rate / sqrt(1 + passes / settle);
}

static lr_code low_rank(lr_walk *walk, bool *stale)
{
  bool new = *stale;
  if (new) LR_TRY(new_subspace(walk));
  size_t k = walk->k;
  LR_TRY(ask_slopes(walk));
  *stale = is_stale(walk, walk->d + k, new);
  if (!lr_finite(walk->news.loss)) return LR_NOVALUE;
  if (walk->how->step != LR_STEP_GAUSS_NEWTON) {
    lr_code code = lr_walk_rule(walk, k, walk->news.loss);
    /* no step decreases the loss in this subspace */
    *stale = *stale || code == LR_NOVALUE;
    return code == LR_NOVALUE ? LR_GO : code;
  }
  return lr_gauss_newton(walk, k, share(walk)) ? LR_GO : LR_NOVALUE;
}

/* One Gaussian direction u of all of R^p and the slope along it. */
static lr_code one_direction(lr_walk *walk)
{
  const double h = 1e-3; /* MeZO's (Malladi et al., 2023) */
  int p = (int)walk->net->p;
  float *u = walk->U;
  double slope = 0;
  if (!lr_walk_pay(walk, 2)) return LR_END;
  next_batch(walk);
  lr_directions_draw(walk->directions, walk->how->seed,
                     LR_NETWORK_DIRECTIONS + walk->stream++, u);
  if (walk->how->way == LR_FORWARD_GRADIENT) {
    walk->news.loss = lr_mlp_slopes(walk->net, walk->work, walk->x,
                                    &walk->batch, 1, u, &slope);
    walk->news.slopes++;
  } else {
    double f[2];
    for (int i = 0; i < 2; i++) {
      memcpy(walk->trial, walk->x, walk->net->p * sizeof *walk->x);
      lr_blas.saxpy(p, (float)(i == 0 ? h : -h), u, 1, walk->trial, 1);
      f[i] = lr_mlp_value(walk->net, walk->work, walk->trial, &walk->batch);
    }
    walk->news.values += 2;
    walk->news.loss = (f[0] + f[1]) / 2;
    slope = (f[0] - f[1]) / (2 * h);
  }
  if (!lr_finite(walk->news.loss) || !lr_finite(slope)) return LR_NOVALUE;
  lr_blas.saxpy(p, (float)(-walk->how->rate * slope), u, 1, walk->x, 1);
  return LR_GO;
}

/* ---- life ---- */

static lrgd_status check(const lr_mlp *net, const lr_images *images,
                         const lr_descent *how, lrgd_error *error)
{
  if (images->pixels != net->widths[0])
    return lr_fail(error, LRGD_ERR_INVALID,
                   "images have %zu pixels, the network %zu inputs",
                   images->pixels, net->widths[0]);
  if (how->batch < 1 || how->batch > images->count)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "a batch of %zu images; there are %zu", how->batch,
                   images->count);
  if (how->rank < 1 || how->rank > 1000 || how->rank > net->p)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "rank %zu; it must be from 1 to 1000 and p = %zu", how->rank,
                   net->p);
  if (how->svrg && how->probes == 0)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "svrg needs a subspace that is kept: give probes");
  if (how->card &&
      (how->way != LR_LOW_RANK || how->step != LR_STEP_GAUSS_NEWTON ||
       how->from == LR_FROM_GRADIENTS || how->svrg))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "on a card there are Gauss-Newton steps in subspaces from "
                   "inputs or at random, without svrg");
  bool free = how->way == LR_LOW_RANK && how->step != LR_STEP_GAUSS_NEWTON;
  if (how->rate > 0 || (free && how->rate == 0)) return LRGD_OK;
  return lr_fail(error, LRGD_ERR_INVALID, "rate %g; it must be > 0", how->rate);
}

/* Allocates what belongs to a batch, in host memory or on the card. */
static lrgd_status prepare_batches(lr_walk *walk, size_t all)
{
  const lr_descent *how = walk->how;
  if (how->card)
    return lr_card_create(&walk->card, walk->net, walk->images, how->batch, all,
                          walk->x, walk->directions, walk->error);
  lrgd_status status =
      lr_mlp_work_create(&walk->work, walk->net, how->batch, all, walk->error);
  if (status != LRGD_OK) return status;
  return lr_gather_create(&walk->place, how->batch, walk->net->widths[0],
                          walk->error);
}

static lrgd_status prepare(lr_walk *walk)
{
  const lr_descent *how = walk->how;
  const lr_mlp *net = walk->net;
  bool low = how->way == LR_LOW_RANK;
  size_t k = low ? how->rank : 1, all = k + (low ? how->probes : 0);
  size_t d = low && how->from == LR_FROM_INPUTS ? how->inputs : 0;
  size_t outputs = how->batch * net->widths[net->layers];
  size_t here = how->card ? 1 : net->p; /* vectors that are not on a card */
  lrgd_status status = lr_directions_create(&walk->directions, net,
                                            walk->images, d, walk->error);
  if (status == LRGD_OK) status = prepare_batches(walk, all);
  if (status != LRGD_OK) return status;
  walk->news.dimension = lr_directions_dimension(walk->directions);
  walk->order = malloc(walk->images->count * sizeof *walk->order);
  walk->trial = malloc(here * sizeof *walk->trial);
  walk->anchor = malloc(here * sizeof *walk->anchor);
  walk->U = malloc(here * (all + 1) * sizeof *walk->U);
  walk->d = malloc(4 * (all + 1) * sizeof *walk->d);
  walk->C = malloc(k * outputs * sizeof *walk->C);
  walk->B = malloc(k * k * sizeof *walk->B);
  walk->small = malloc(k * k * sizeof *walk->small);
  if (!walk->order || !walk->trial || !walk->anchor || !walk->U || !walk->d ||
      !walk->C || !walk->B || !walk->small)
    return lr_fail(walk->error, LRGD_ERR_NOMEM,
                   "out of memory for %zu directions of %zu numbers", all,
                   net->p);
  walk->z = walk->d + all + 1;
  walk->other = walk->z + all + 1;
  walk->mean = walk->other + all + 1;
  if (how->step != LR_STEP_GAUSS_NEWTON)
    lr_step_init(&walk->step, lr_step_of((lrgd_step)how->step),
                 &(lr_step_given){how->rate, how->momentum, 0}, &lr_malloc);
  return LRGD_OK;
}

static void release(lr_walk *walk)
{
  lr_step_clear(&walk->step);
  lr_card_destroy(&walk->card);
  lr_directions_destroy(&walk->directions);
  lr_mlp_work_destroy(&walk->work);
  lr_gather_destroy(&walk->place);
  free(walk->order);
  free(walk->trial);
  free(walk->anchor);
  free(walk->U);
  free(walk->d);
  free(walk->C);
  free(walk->B);
  free(walk->small);
}

static lr_code iterate(lr_walk *walk)
{
  bool stale = true;
  for (;;) {
    LR_TRY(walk->how->way == LR_LOW_RANK ? low_rank(walk, &stale)
                                         : one_direction(walk));
    walk->news.iterations++;
    if (walk->how->progress != NULL &&
        !walk->how->progress(&walk->news, walk->how->user))
      return LR_END;
  }
}

const float *lr_descent_point(const lr_descent_news *news)
{
  lr_walk *walk = news->walk;
  if (walk->card != NULL) lr_card_point(walk->card, walk->x);
  return walk->x;
}

lrgd_status lr_descend_network(const lr_mlp *net, const lr_images *images,
                               const lr_descent *how, float *x,
                               lr_descent_news *news, lrgd_error *error)
{
  lr_walk walk = {
      .net = net, .images = images, .how = how, .error = error, .x = x};
  walk.news.x = x;
  walk.news.walk = &walk;
  walk.at = images->count; /* a round begins with the first batch */
  /* earlier runs have used at most one batch and one random stream a pass:
   * numbers from here on are unused */
  walk.round = walk.stream = how->done;
  lrgd_error own = {.status = LRGD_OK};
  if (error == NULL) walk.error = &own;
  lrgd_status status = check(net, images, how, walk.error);
  if (status != LRGD_OK) return status;
  status = prepare(&walk);
  if (status == LRGD_OK) {
    lr_code code = iterate(&walk);
    if (walk.card != NULL && walk.news.iterations > 0) {
      walk.news.loss = lr_card_loss(walk.card, true);
      if (code == LR_END && !lr_finite(walk.news.loss)) code = LR_NOVALUE;
    }
    if (code == LR_FAULT) status = walk.error->status;
    if (walk.card != NULL) status = lr_card_status(walk.card, walk.error);
    (void)lr_descent_point(&walk.news);
    if (status == LRGD_OK && code == LR_NOVALUE)
      status = lr_fail(walk.error, LRGD_ERR_NUMERIC,
                       "after %.0f passes the loss is no finite number: rate "
                       "%g is too large",
                       (double)walk.news.passes, how->rate);
  }
  release(&walk);
  walk.news.walk = NULL; /* the point is in x now */
  if (news != NULL) *news = walk.news;
  return status;
}
