/* Training by backward passes: Adam and SGD over shuffled mini-batches. */
#ifndef LR_TRAIN_H
#define LR_TRAIN_H

#include "images.h"

#include <stdbool.h>

typedef enum lr_optimiser { LR_ADAM, LR_SGD } lr_optimiser;

typedef struct lr_training {
  lr_optimiser optimiser;
  double rate;          /* of a step */
  double momentum;      /* of SGD; beta_1 of Adam is 0.9 */
  size_t epochs, batch; /* what is left of an epoch is a smaller batch */
  uint64_t seed;        /* of the shuffles */
  /* After every step, with the loss of its batch; false ends the training.
   * NULL: nobody asks. */
  bool (*progress)(size_t step, size_t steps, double loss, void *user);
  void *user;
} lr_training;

/* Adam as the paper has it: rate 1e-3, 20 epochs, batches of 200. */
lr_training lr_training_default(void);

/* From x (p floats) to a trained x. */
LRGD_MUST_CHECK lrgd_status lr_train(const lr_mlp *net, const lr_images *images,
                                     const lr_training *training, float *x,
                                     lrgd_error *error);

#endif
