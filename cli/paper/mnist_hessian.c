/* The Hessian of a network during training: its largest eigenvalues at the
 * optimum compared with the number of classes, and how much of the gradient
 * lies in the span of as many eigenvectors on the way there (the observations
 * of Sagun et al. and Gur-Ari, Roberts, Dyer that the paper cites). */
#include "mnist_hessian.h"

#include "cli/draw/draw.h"
#include "network_hessian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Images for the Hessian and for a gradient; Lanczos steps. */
enum { IMAGES = 1000, BATCH = 200, STEPS = 40 };

struct mnist_hessian {
  lr_mlp net;
  size_t classes;
  const lr_images *images; /* borrowed until the last measurement, */
  const float *x; /* the parameters, which change as the network is trained */
  lr_gather place, batch_place;
  lr_mlp_work *work;
  float *V, *g;
  size_t count; /* measurements so far */
  double at[MNIST_LOOKS], share[MNIST_LOOKS], top[MNIST_LOOKS];
  double eigenvalues[MNIST_EIGENVALUES];
};

lrgd_status hessian_begin(mnist_hessian **hessian, const lr_mlp *net,
                          const lr_dataset *set, const float *x,
                          lrgd_error *error)
{
  mnist_hessian *h = *hessian = calloc(1, sizeof *h);
  size_t n = set->train.count < IMAGES ? set->train.count : IMAGES;
  if (h == NULL) return fail_memory(error);
  h->net = *net;
  h->classes = set->classes;
  h->images = &set->train;
  h->x = x;
  h->V = malloc(net->p * MNIST_EIGENVALUES * sizeof *h->V);
  h->g = malloc(net->p * sizeof *h->g);
  lrgd_status status =
      h->V != NULL && h->g != NULL ? LRGD_OK : fail_memory(error);
  if (status == LRGD_OK)
    status = lr_gather_create(&h->place, n, set->train.pixels, error);
  if (status == LRGD_OK)
    status = lr_gather_create(&h->batch_place, BATCH, set->train.pixels, error);
  if (status == LRGD_OK)
    status = lr_mlp_work_create(&h->work, net, BATCH, 0, error);
  if (status == LRGD_OK) (void)lr_gather_slice(&h->place, &set->train, 0, n);
  if (status != LRGD_OK) hessian_free(hessian);
  return status;
}

/* Steps 1 to `steps`, evenly on a logarithmic scale. */
bool hessian_due(const mnist_hessian *h, size_t step, size_t steps)
{
  double next = pow((double)steps, (double)h->count / (MNIST_LOOKS - 1));
  return h->count < MNIST_LOOKS && (double)step >= floor(next);
}

lrgd_status hessian_look(mnist_hessian *h, size_t step, lrgd_error *error)
{
  size_t n = h->images->count < IMAGES ? h->images->count : IMAGES;
  size_t classes = h->classes, batch = BATCH;
  if (classes > MNIST_EIGENVALUES) classes = MNIST_EIGENVALUES;
  lr_batch some = {n, h->place.images, h->place.labels};
  lrgd_status status =
      lr_network_eigen(&h->net, h->x, &some, STEPS, MNIST_EIGENVALUES, 1,
                       h->eigenvalues, h->V, error);
  if (status != LRGD_OK) return status;
  if (batch > h->images->count) batch = h->images->count;
  /* another batch than the Hessian's: the last images */
  lr_batch other = lr_gather_slice(&h->batch_place, h->images,
                                   h->images->count - batch, batch);
  (void)lr_mlp_gradient(&h->net, h->work, h->x, &other, h->g);
  h->at[h->count] = (double)step;
  h->top[h->count] = h->eigenvalues[0];
  h->share[h->count++] = 100 * lr_share_in(h->net.p, classes, h->V, h->g);
  return LRGD_OK;
}

void hessian_free(mnist_hessian **hessian)
{
  mnist_hessian *h = *hessian;
  if (h == NULL) return;
  lr_gather_destroy(&h->place);
  lr_gather_destroy(&h->batch_place);
  lr_mlp_work_destroy(&h->work);
  free(h->V);
  free(h->g);
  free(h);
  *hessian = NULL;
}

json_t *hessian_json(const mnist_hessian *h)
{
  double share[MNIST_LOOKS];
  for (size_t i = 0; i < h->count; i++) share[i] = h->share[i] / 100;
  return json_pack("{s:o, s:o, s:o, s:o}", "eigenvalues",
                   json_doubles(MNIST_EIGENVALUES, h->eigenvalues), "steps",
                   json_doubles(h->count, h->at), "gradient_share",
                   json_doubles(h->count, share), "largest",
                   json_doubles(h->count, h->top));
}

void hessian_print(const mnist_hessian *h)
{
  size_t last = h->count - 1;
  printf("\n  Hessian at theta*, largest eigenvalues:");
  for (size_t i = 0; i < 12; i++) printf(" %.3g", h->eigenvalues[i]);
  printf(" ...\n  share of the gradient in the first %zu eigenvectors: ",
         h->classes);
  printf("%.0f %% at step %.0f, %.0f %% at step %.0f\n", h->share[0], h->at[0],
         h->share[last], h->at[last]);
}

lrgd_status hessian_draw(const mnist_hessian *h, const char *path,
                         lrgd_error *error)
{
  double index[MNIST_EIGENVALUES], size[MNIST_EIGENVALUES];
  double classes = (double)h->classes, line_x[2], line_y[2] = {0, 0};
  char note[256];
  for (size_t i = 0; i < MNIST_EIGENVALUES; i++) {
    index[i] = (double)i + 1;
    size[i] = fabs(h->eigenvalues[i]);
  }
  line_x[0] = line_x[1] = classes + 0.5;
  line_y[1] = 1.05 * size[0];
  draw_series left[] = {
      {.kind = DRAW_DOTS,
       .label = "|λᵢ|",
       .colour = DRAW_BLUE,
       .loose = true,
       .count = MNIST_EIGENVALUES,
       .x = index,
       .y = size  },
      {.kind = DRAW_LINE,
       .label = "number of classes",
       .colour = DRAW_GREY,
       .dashed = true,
       .count = 2,
       .x = line_x,
       .y = line_y},
  };
  draw_series right = {.kind = DRAW_DOTS,
                       .colour = DRAW_VERMILION,
                       .count = h->count,
                       .x = h->at,
                       .y = h->share};
  draw_panel panels[] = {
      {.title = "Largest eigenvalues of the Hessian at θ*",
       .x = {.label = "order index i", .whole = true},
       .y = {.label = "|λᵢ|", .lo = 0, .hi = line_y[1]},
       .series = left,
       .count = COUNT_OF(left)},
      {.title = "The gradient in the span of the first ones",
       .x = {.label = "training step", .scale = DRAW_LOG},
       .y = {.label = "share of |∇f|², %", .lo = 0, .hi = 100},
       .series = &right,
       .count = 1             },
  };
  snprintf(note, sizeof note,
           "p = %zu. Hessian of the mean loss of %d training images, by %d "
           "steps of Lanczos; gradient of %d others, in the span of %zu "
           "eigenvectors.",
           h->net.p, IMAGES, STEPS, BATCH, h->classes);
  draw_figure figure = {.title = "The Hessian's view of a network",
                        .note = note,
                        .panels = panels,
                        .count = COUNT_OF(panels)};
  return draw_save(&figure, path, error);
}
