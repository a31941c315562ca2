/* Loads liblrgd_cuda, and keeps a descent's x and directions in a space of it.
 */
#include "descent_card.h"

#include "base/status.h"

#include <dlfcn.h>
#include <lrgd/cuda.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* its name with the version of the interface: LRGD_CARD_LIBRARY */
#define CARD_LIBRARY LRGD_CARD_LIBRARY

/* The functions used, by their names without lrgd_cuda_. */
#define CARD_FUNCTIONS(X)                                                      \
  X(space)                                                                     \
  X(data)                                                                      \
  X(stride)                                                                    \
  X(failure)                                                                   \
  X(mlp_create)                                                                \
  X(mlp_destroy)                                                               \
  X(mlp_keep)                                                                  \
  X(mlp_pick)                                                                  \
  X(mlp_ask)                                                                   \
  X(mlp_loss) X(mlp_step) X(mlp_span) X(mlp_refresh) X(mlp_draw)

struct lr_card {
#define CARD_POINTER(name) __typeof__(lrgd_cuda_##name) *name##_;
  CARD_FUNCTIONS(CARD_POINTER)
#undef CARD_POINTER
  size_t p;
  lrgd_space *space;
  lrgd_block *block; /* x, then the directions */
  lrgd_cuda_mlp *mlp;
  double *staged;  /* p numbers on their way to the host */
  double *answers; /* of a block of slopes */
  uint64_t asks;   /* blocks of slopes so far */
  lrgd_status status;
  lrgd_error error;
};

/* Beside the program, or where the system's loader looks. */
static lrgd_status load(lr_card *card, lrgd_error *error)
{
  void *library = dlopen("$ORIGIN/" CARD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) library = dlopen(CARD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "device=cuda needs %s, which is built where nvcc is "
                   "found: %.300s",
                   CARD_LIBRARY, dlerror());
#define CARD_FIND(name)                                                        \
  {                                                                            \
    void *symbol = dlsym(library, "lrgd_cuda_" #name);                         \
    memcpy(&card->name##_, &symbol, sizeof symbol);                            \
    if (symbol == NULL)                                                        \
      return lr_fail(error, LRGD_ERR_INVALID, "%s has no lrgd_cuda_%s",        \
                     CARD_LIBRARY, #name);                                     \
  }
  CARD_FUNCTIONS(CARD_FIND)
#undef CARD_FIND
  return LRGD_OK;
}

static lrgd_vec column(const lr_card *card, size_t j)
{
  return (lrgd_vec){card->block, j};
}

static float *numbers(const lr_card *card, size_t j)
{
  return card->data_(column(card, j));
}

/* Keeps the first failure. */
static void note(lr_card *card, lrgd_status status, const lrgd_error *error)
{
  if (status == LRGD_OK || card->status != LRGD_OK) return;
  card->status = status;
  card->error = *error;
}

static bool well(const lr_card *card)
{
  return card->status == LRGD_OK;
}

/* ---- life ---- */

static lrgd_status make(lr_card *card, const lr_mlp *net, size_t n, size_t k,
                        lrgd_error *error)
{
  lrgd_cuda_activation activation = net->activation == LR_RELU
                                        ? LRGD_CUDA_ACTIVATION_RELU
                                        : LRGD_CUDA_ACTIVATION_TANH;
  card->p = net->p;
  lrgd_status status =
      card->mlp_create_(&card->mlp, net->layers + 1, net->widths, activation,
                        LRGD_CUDA_PRECISION_TF32, n, k, error);
  if (status != LRGD_OK) return status;
  card->space = card->space_(net->p, LRGD_SCALAR_FLOAT, error);
  if (card->space == NULL) return error->status;
  card->block = card->space->ops->make(card->space, 1 + k);
  card->staged = malloc(net->p * sizeof *card->staged);
  card->answers = malloc((1 + k) * sizeof *card->answers);
  if (card->block && card->staged && card->answers) return LRGD_OK;
  return lr_fail(error, LRGD_ERR_NOMEM,
                 "out of memory for %zu directions of %zu numbers", k, net->p);
}

static lrgd_status fill(lr_card *card, const lr_mlp *net,
                        const lr_images *images, const float *x,
                        const lr_directions *directions, lrgd_error *error)
{
  lrgd_status status = card->mlp_keep_(card->mlp, images->count, images->data,
                                       images->labels, error);
  for (size_t l = 0; l < net->layers && status == LRGD_OK; l++) {
    const float *V, *v;
    size_t count = lr_directions_span(directions, l, &V, &v);
    /* those of hidden layers follow x, and are found on the card */
    status = card->mlp_span_(card->mlp, l, count, l == 0 ? V : NULL, v, error);
  }
  for (size_t i = 0; i < card->p; i++) card->staged[i] = (double)x[i];
  card->space->ops->put(card->space, column(card, 0), 0, card->p, card->staged);
  return status;
}

lrgd_status lr_card_create(lr_card **card, const lr_mlp *net,
                           const lr_images *images, size_t n, size_t k,
                           const float *x, const lr_directions *directions,
                           lrgd_error *error)
{
  lr_card *made = *card = calloc(1, sizeof *made);
  if (made == NULL) return lr_fail(error, LRGD_ERR_NOMEM, "out of memory");
  lrgd_status status = load(made, error);
  if (status == LRGD_OK) status = make(made, net, n, k, error);
  if (status == LRGD_OK) status = fill(made, net, images, x, directions, error);
  if (status != LRGD_OK) lr_card_destroy(card);
  return status;
}

/* The library stays loaded. */
void lr_card_destroy(lr_card **card)
{
  lr_card *gone = *card;
  if (gone == NULL) return;
  if (gone->mlp != NULL) gone->mlp_destroy_(&gone->mlp);
  if (gone->block != NULL) gone->space->ops->free(gone->space, gone->block);
  if (gone->space != NULL) gone->space->ops->destroy(gone->space);
  free(gone->answers);
  free(gone->staged);
  free(gone);
  *card = NULL;
}

/* ---- verbs ---- */

void lr_card_pick(lr_card *card, size_t n, const uint32_t *which)
{
  lrgd_error error;
  if (well(card))
    note(card, card->mlp_pick_(card->mlp, n, which, &error), &error);
}

void lr_card_draw(lr_card *card, uint64_t seed, uint64_t stream, size_t first,
                  size_t k, double scale)
{
  lrgd_error error;
  if (k == 0 || !well(card)) return;
  note(card,
       card->mlp_draw_(card->mlp, seed, stream, k, scale,
                       numbers(card, 1 + first), card->stride_(card->space),
                       &error),
       &error);
}

void lr_card_refresh(lr_card *card, size_t images)
{
  lrgd_error error;
  if (well(card))
    note(card, card->mlp_refresh_(card->mlp, numbers(card, 0), images, &error),
         &error);
}

void lr_card_ask(lr_card *card, size_t k, double *d)
{
  lrgd_error error;
  if (well(card))
    note(card,
         card->mlp_ask_(card->mlp, numbers(card, 0), k, numbers(card, 1),
                        card->stride_(card->space), d ? card->answers : NULL,
                        &error),
         &error);
  card->asks++;
  for (size_t j = 0; d != NULL && j < k; j++)
    d[j] = well(card) ? card->answers[1 + j] : NAN;
}

double lr_card_loss(lr_card *card, bool last)
{
  lrgd_error error;
  double loss = NAN;
  size_t before = last || card->asks < 2 ? 0 : 1;
  if (well(card))
    note(card, card->mlp_loss_(card->mlp, before, &loss, &error), &error);
  return loss;
}

void lr_card_step(lr_card *card, size_t k, double damping, double share)
{
  lrgd_error error;
  if (well(card))
    note(card,
         card->mlp_step_(card->mlp, numbers(card, 0), k, numbers(card, 1),
                         card->stride_(card->space), damping, share, &error),
         &error);
}

void lr_card_point(lr_card *card, float *x)
{
  card->space->ops->get(card->space, column(card, 0), 0, card->p, card->staged);
  for (size_t i = 0; i < card->p; i++) x[i] = (float)card->staged[i];
}

lrgd_status lr_card_status(const lr_card *card, lrgd_error *error)
{
  if (!well(card)) {
    *error = card->error;
    return card->status;
  }
  const char *why = card->failure_(card->space);
  if (why == NULL) return LRGD_OK;
  return lr_fail(error, LRGD_ERR_NUMERIC, "%s", why);
}
