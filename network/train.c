/* Training by backward passes.  Setup allocates, a step does not. */
#include "train.h"

#include "base/finite.h"
#include "base/status.h"
#include "blas.h"
#include "mlp_private.h"

#include <math.h>
#include <stdlib.h>

static const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7; /* Keras's */

lr_training lr_training_default(void)
{
  return (lr_training){.optimiser = LR_ADAM,
                       .rate = 1e-3,
                       .epochs = 20,
                       .batch = 200,
                       .seed = 1};
}

typedef struct trainer {
  const lr_mlp *net;
  const lr_training *training;
  lr_mlp_work *work;
  lr_gather place;
  uint32_t *order;
  float *g, *m, *v; /* gradient, its mean and mean square (Adam) */
  size_t step;
} trainer;

/* x -= rate' m / (sqrt(v) + epsilon'), in one pass over everything. */
LR_WIDE static void adam(size_t p, const float *restrict g, float rate,
                         float eps, float *restrict m, float *restrict v,
                         float *restrict x)
{
  const float a = (float)beta1, b = (float)beta2, a1 = 1 - a, b1 = 1 - b;
  for (size_t i = 0; i < p; i++) {
    m[i] = a * m[i] + a1 * g[i];
    v[i] = b * v[i] + b1 * g[i] * g[i];
    x[i] -= rate * m[i] / (sqrtf(v[i]) + eps);
  }
}

/* Kingma and Ba (2015), the factors 1 - beta^t moved into rate and epsilon. */
static void step_adam(trainer *t, float *x)
{
  double step = (double)t->step;
  double free1 = 1 - pow(beta1, step), free2 = sqrt(1 - pow(beta2, step));
  adam(t->net->p, t->g, (float)(t->training->rate * free2 / free1),
       (float)(epsilon * free2), t->m, t->v, x);
}

static void step_sgd(trainer *t, float *x)
{
  int p = (int)t->net->p;
  lr_blas.sscal(p, (float)t->training->momentum, t->m, 1);
  lr_blas.saxpy(p, (float)-t->training->rate, t->g, 1, t->m, 1);
  lr_blas.saxpy(p, 1, t->m, 1, x, 1);
}

static void release(trainer *t)
{
  lr_mlp_work_destroy(&t->work);
  lr_gather_destroy(&t->place);
  free(t->order);
  free(t->g);
  free(t->m);
  free(t->v);
}

static lrgd_status prepare(trainer *t, const lr_images *images,
                           lrgd_error *error)
{
  size_t p = t->net->p, batch = t->training->batch;
  lrgd_status status = lr_mlp_work_create(&t->work, t->net, batch, 0, error);
  if (status == LRGD_OK)
    status = lr_gather_create(&t->place, batch, images->pixels, error);
  t->order = malloc(images->count * sizeof *t->order);
  t->g = malloc(p * sizeof *t->g);
  t->m = calloc(p, sizeof *t->m);
  t->v = calloc(p, sizeof *t->v);
  if (status == LRGD_OK && !(t->order && t->g && t->m && t->v))
    status =
        lr_fail(error, LRGD_ERR_NOMEM, "out of memory for %zu parameters", p);
  return status;
}

static lrgd_status take_step(trainer *t, const lr_images *images, size_t first,
                             float *x, double *loss, lrgd_error *error)
{
  size_t left = images->count - first, batch = t->training->batch;
  size_t n = left < batch ? left : batch;
  lr_batch some = lr_gather_batch(&t->place, images, n, t->order + first);
  *loss = lr_mlp_gradient(t->net, t->work, x, &some, t->g);
  t->step++;
  if (!lr_finite(*loss))
    return lr_fail(error, LRGD_ERR_NUMERIC,
                   "the loss of step %zu is no finite number: rate %g is too "
                   "large",
                   t->step, t->training->rate);
  if (t->training->optimiser == LR_ADAM)
    step_adam(t, x);
  else
    step_sgd(t, x);
  return LRGD_OK;
}

static lrgd_status check(const lr_mlp *net, const lr_images *images,
                         const lr_training *training, lrgd_error *error)
{
  if (images->pixels != net->widths[0])
    return lr_fail(error, LRGD_ERR_INVALID,
                   "images have %zu pixels, the network %zu inputs",
                   images->pixels, net->widths[0]);
  if (training->batch >= 1 && training->batch <= images->count &&
      training->rate > 0)
    return LRGD_OK;
  return lr_fail(error, LRGD_ERR_INVALID,
                 "batch %zu, rate %g; they must be from 1 to %zu, and > 0",
                 training->batch, training->rate, images->count);
}

lrgd_status lr_train(const lr_mlp *net, const lr_images *images,
                     const lr_training *training, float *x, lrgd_error *error)
{
  trainer t = {.net = net, .training = training};
  lrgd_status status = check(net, images, training, error);
  if (status != LRGD_OK) return status;
  size_t each = (images->count + training->batch - 1) / training->batch;
  bool on = true;
  status = prepare(&t, images, error);
  for (size_t epoch = 0; status == LRGD_OK && on && epoch < training->epochs;
       epoch++) {
    lr_shuffle(training->seed, epoch, images->count, t.order);
    for (size_t i = 0; status == LRGD_OK && on && i < each; i++) {
      double loss;
      status = take_step(&t, images, i * training->batch, x, &loss, error);
      if (status == LRGD_OK && training->progress != NULL)
        on = training->progress(t.step, each * training->epochs, loss,
                                training->user);
    }
  }
  release(&t);
  return status;
}
