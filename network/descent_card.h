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
/* d = the slopes along columns 0 .. k - 1; NULL: they stay on the card, and
 * nobody waits. */
void lr_card_ask(lr_card *card, size_t k, double *d);
/* The loss of the last ask, or of the one before it: that one has arrived while
 * the card goes on. */
double lr_card_loss(lr_card *card, bool last);
/* x += share U z, z Gauss and Newton's step along the first k directions. */
void lr_card_step(lr_card *card, size_t k, double damping, double share);
/* Copies x to the host. */
void lr_card_point(lr_card *card, float *x);
LRGD_MUST_CHECK lrgd_status lr_card_status(const lr_card *card,
                                           lrgd_error *error);

#endif
