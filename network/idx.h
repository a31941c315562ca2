/* The IDX format of the MNIST files: a magic number (two zero bytes, the type,
 * the number of dimensions), each size as four bytes, big-endian, the data.
 * Known here: bytes.  Not known: files. */
#ifndef LR_IDX_H
#define LR_IDX_H

#include <lrgd/lrgd.h>

/* Images are unsigned bytes in three dimensions, labels in one. */
typedef enum lr_idx_kind { LR_IDX_LABELS = 1, LR_IDX_IMAGES = 3 } lr_idx_kind;

typedef struct lr_idx {
  size_t count;        /* images or labels */
  size_t rows, cols;   /* of an image; 1 for labels */
  const uint8_t *data; /* borrowed from the bytes; count * rows * cols */
} lr_idx;

/* Exactly one file of the kind wanted, no byte missing and none left over;
 * LRGD_ERR_INVALID and a sentence with name in it otherwise. */
LRGD_MUST_CHECK lrgd_status lr_idx_parse(lr_idx *idx, lr_idx_kind kind,
                                         const char *name, size_t size,
                                         const uint8_t *bytes,
                                         lrgd_error *error);

#endif
