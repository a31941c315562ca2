/* Labelled images: read from IDX files, or drawn by ourselves.
 * The one door to zlib. */
#ifndef LR_IMAGES_H
#define LR_IMAGES_H

#include "mlp.h"

typedef struct lr_images {
  size_t count, pixels;
  uint8_t *data;   /* count rows of pixels, 0 to 255 */
  uint8_t *labels; /* below classes */
} lr_images;

/* A training and a test set; owned. */
typedef struct lr_dataset {
  lr_images train, test;
  size_t classes;
  char name[64];
} lr_dataset;

/* The four MNIST files of a folder (train-images-idx3-ubyte and its kin, or
 * the same with .gz); images and labels must belong together. */
LRGD_MUST_CHECK lrgd_status lr_dataset_read(lr_dataset *set, const char *folder,
                                            lrgd_error *error);

/* A tiny set of our own, for tests and a quick look: each class is a blurred
 * pattern of side x side pixels, shifted, dimmed and with noise. */
LRGD_MUST_CHECK lrgd_status lr_dataset_draw(lr_dataset *set, size_t side,
                                            size_t classes, size_t train,
                                            size_t test, uint64_t seed,
                                            lrgd_error *error);

void lr_dataset_free(lr_dataset *set);

/* A place for batches of up to n images as numbers in [0, 1]; owned. */
typedef struct lr_gather {
  float *images;
  uint8_t *labels;
} lr_gather;
LRGD_MUST_CHECK lrgd_status lr_gather_create(lr_gather *place, size_t n,
                                             size_t pixels, lrgd_error *error);
void lr_gather_destroy(lr_gather *place);

/* Images which[0] ... which[n - 1]; borrows place. */
lr_batch lr_gather_batch(lr_gather *place, const lr_images *from, size_t n,
                         const uint32_t *which);
/* Images first ... first + n - 1. */
lr_batch lr_gather_slice(lr_gather *place, const lr_images *from, size_t first,
                         size_t n);

/* order = 0 ... n - 1, shuffled by (seed, round). */
void lr_shuffle(uint64_t seed, uint64_t round, size_t n, uint32_t *order);

/* Mean loss and share of right answers over all of a set, slice images at a
 * time; work and place have room for that many. */
typedef struct lr_score {
  double loss, accuracy;
} lr_score;
lr_score lr_score_of(const lr_mlp *net, lr_mlp_work *work, lr_gather *place,
                     size_t slice, const float *x, const lr_images *images);

#endif
