/* The one door to liblrgd_cuda for networks: descent by slopes whose vectors
 * stay on a card.  The library is loaded when somebody asks for it; nothing is
 * linked with it. */
#ifndef LR_DESCENT_CARD_H
#define LR_DESCENT_CARD_H

#include "images.h"
#include "network_directions.h"

#include <stdbool.h>

typedef struct lr_card lr_card;

/* Copies the network at x, all images and the spans of the directions to the
 * card; batches have up to n images, blocks up to k slopes. */
LRGD_MUST_CHECK lrgd_status lr_card_create(lr_card **card, const lr_mlp *net,
                                           const lr_images *images, size_t n,
                                           size_t k, const float *x,
                                           const lr_directions *directions,
                                           lrgd_error *error);
void lr_card_destroy(lr_card **card);

/* The operations of a descent.  The first failure is stored; lr_card_status
 * returns it. */

/* The next batch: n of the images, by their numbers. */
void lr_card_pick(lr_card *card, size_t n, const uint32_t *which);
/* Draws random directions as columns first .. first + k - 1 of U. */
void lr_card_draw(lr_card *card, uint64_t seed, uint64_t stream, size_t first,
                  size_t k, double scale);
/* Finds the principal directions of the hidden layers' inputs anew, from so
 * many images. */
void lr_card_refresh(lr_card *card, size_t images);
/* Returns the loss of the batch; d = the slopes along columns 0 .. k - 1. */
double lr_card_slopes(lr_card *card, size_t k, double *d);
/* B = U' G U, k x k, G being the Gauss-Newton matrix of that batch. */
void lr_card_curvature(lr_card *card, size_t k, double *B);
/* x += U z */
void lr_card_move(lr_card *card, size_t k, const double *z);
/* Copies x to the host. */
void lr_card_point(lr_card *card, float *x);
LRGD_MUST_CHECK lrgd_status lr_card_status(const lr_card *card,
                                           lrgd_error *error);

#endif
