/* Directions to look along, without a backward pass.
 *
 * The gradient of a layer's weights is sum_i e_i a_i^T over the images: its
 * rows lie in the span of the layer's inputs a_i, which a forward pass shows.
 * Inputs crowd around few directions, so the gradient lies nearly in
 * R^out (x) (their first d principal directions), far smaller than R^p. */
#ifndef LR_DIRECTIONS_H
#define LR_DIRECTIONS_H

#include "images.h"

typedef struct lr_directions lr_directions;

/* d = 0: all of R^p.  Borrows net and images; draws from the first images. */
LRGD_MUST_CHECK lrgd_status lr_directions_create(lr_directions **directions,
                                                 const lr_mlp *net,
                                                 const lr_images *images,
                                                 size_t d, lrgd_error *error);
void lr_directions_destroy(lr_directions **directions);

/* The dimension of the subspace the directions are drawn from. */
size_t lr_directions_dimension(const lr_directions *directions);

/* How many columns a layer's directions are in the span of, and which (0: in
 * all directions); borrowed. */
size_t lr_directions_span(const lr_directions *directions, size_t layer,
                          const float **V, const float **v);

/* How many images a look at hidden inputs takes; 0: there is no such layer. */
size_t lr_directions_sample(const lr_directions *directions);

/* Looks again at the inputs of hidden layers wider than d, as they are at x;
 * *images says how many images that took (0 where there is no such layer). */
LRGD_MUST_CHECK lrgd_status lr_directions_refresh(lr_directions *directions,
                                                  const float *x,
                                                  size_t *images,
                                                  lrgd_error *error);

/* u = a Gaussian direction in the subspace. */
void lr_directions_draw(lr_directions *directions, uint64_t seed,
                        uint64_t stream, float *u);

#endif
