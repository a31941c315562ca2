/* Reads the four MNIST files, plain or compressed.  What the bytes mean is
 * idx.c's. */
#include "images.h"

#include "base/status.h"
#include "idx.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* A file, unpacked; owned. */
typedef struct contents {
  uint8_t *bytes;
  size_t size;
} contents;

/* Far beyond MNIST's 47 MB: a small file must not unpack to all of memory. */
static const size_t most_bytes = (size_t)2 << 30;

/* Appends what is left of the file; false with a sentence. */
static lrgd_status read_all(contents *to, gzFile file, const char *path,
                            lrgd_error *error)
{
  size_t room = 0;
  for (;;) {
    if (to->size == room) {
      room = room == 0 ? (size_t)1 << 20 : 2 * room;
      uint8_t *more = room <= most_bytes ? realloc(to->bytes, room) : NULL;
      if (more == NULL)
        return lr_fail(error, LRGD_ERR_INVALID,
                       "%.200s: more than %zu bytes are too many", path,
                       to->size);
      to->bytes = more;
    }
    size_t left = room - to->size;
    int got = gzread(file, to->bytes + to->size,
                     (unsigned)(left < (1u << 30) ? left : 1u << 30));
    if (got < 0) {
      int code;
      return lr_fail(error, LRGD_ERR_INVALID, "%.200s: after %zu bytes: %s",
                     path, to->size, gzerror(file, &code));
    }
    if (got == 0) return LRGD_OK;
    to->size += (size_t)got;
  }
}

static lrgd_status read_file(contents *to, const char *path, lrgd_error *error)
{
  *to = (contents){NULL, 0};
  struct stat facts;
  if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) /* a pipe blocks */
    return lr_fail(error, LRGD_ERR_INVALID, "%.200s: is not a file", path);
  errno = 0;
  gzFile file = gzopen(path, "rb"); /* reads plain files as they are */
  if (file == NULL)
    return lr_fail(error, LRGD_ERR_INVALID, "%.200s: %s", path,
                   errno != 0 ? strerror(errno) : "out of memory");
  lrgd_status status = read_all(to, file, path, error);
  /* a compressed stream that ends too early is told when it is closed */
  if (gzclose_r(file) != Z_OK && status == LRGD_OK)
    status = lr_fail(error, LRGD_ERR_INVALID,
                     "%.200s: the compressed data are cut off after %zu bytes",
                     path, to->size);
  if (status == LRGD_OK) return LRGD_OK;
  free(to->bytes);
  *to = (contents){NULL, 0};
  return status;
}

/* folder/stem, or folder/stem.gz where only that is there. */
static lrgd_status find(char *path, size_t size, const char *folder,
                        const char *stem, lrgd_error *error)
{
  static const char *const ends[] = {"", ".gz"};
  for (size_t i = 0; i < 2; i++) {
    int length = snprintf(path, size, "%s/%s%s", folder, stem, ends[i]);
    if (length < 0 || (size_t)length >= size)
      return lr_fail(error, LRGD_ERR_INVALID, "the folder's name is too long");
    if (access(path, R_OK) == 0) return LRGD_OK;
  }
  return lr_fail(error, LRGD_ERR_INVALID, "%.200s holds neither %s nor %s.gz",
                 folder, stem, stem);
}

static lrgd_status read_idx(contents *file, lr_idx *idx, lr_idx_kind kind,
                            const char *folder, const char *stem,
                            lrgd_error *error)
{
  char path[4096];
  lrgd_status status = find(path, sizeof path, folder, stem, error);
  if (status == LRGD_OK) status = read_file(file, path, error);
  if (status == LRGD_OK)
    status = lr_idx_parse(idx, kind, path, file->size, file->bytes, error);
  return status;
}

/* Takes the data out of a file's bytes, without the head. */
static uint8_t *take(contents *file, const lr_idx *idx, size_t count)
{
  uint8_t *bytes = file->bytes;
  memmove(bytes, idx->data, count);
  *file = (contents){NULL, 0};
  return bytes;
}

static lrgd_status check_labels(const lr_images *images, size_t classes,
                                const char *stem, lrgd_error *error)
{
  for (size_t i = 0; i < images->count; i++)
    if (images->labels[i] >= classes)
      return lr_fail(error, LRGD_ERR_INVALID,
                     "%s: label %d of image %zu; there are %zu classes", stem,
                     images->labels[i], i, classes);
  return LRGD_OK;
}

static lrgd_status read_pair(lr_images *images, const char *folder,
                             const char *image_stem, const char *label_stem,
                             lrgd_error *error)
{
  contents pictures = {NULL, 0}, marks = {NULL, 0};
  lr_idx X = {0}, y = {0};
  lrgd_status status =
      read_idx(&pictures, &X, LR_IDX_IMAGES, folder, image_stem, error);
  if (status == LRGD_OK)
    status = read_idx(&marks, &y, LR_IDX_LABELS, folder, label_stem, error);
  if (status == LRGD_OK && X.count != y.count)
    status = lr_fail(error, LRGD_ERR_INVALID, "%s: %zu images, but %zu labels",
                     image_stem, X.count, y.count);
  if (status == LRGD_OK) {
    images->count = X.count;
    images->pixels = X.rows * X.cols;
    images->data = take(&pictures, &X, X.count * images->pixels);
    images->labels = take(&marks, &y, y.count);
  }
  free(pictures.bytes);
  free(marks.bytes);
  return status;
}

lrgd_status lr_dataset_read(lr_dataset *set, const char *folder,
                            lrgd_error *error)
{
  enum { DIGITS = 10 };
  *set = (lr_dataset){.classes = DIGITS, .name = "MNIST"};
  lrgd_status status = read_pair(&set->train, folder, "train-images-idx3-ubyte",
                                 "train-labels-idx1-ubyte", error);
  if (status == LRGD_OK)
    status = read_pair(&set->test, folder, "t10k-images-idx3-ubyte",
                       "t10k-labels-idx1-ubyte", error);
  if (status == LRGD_OK && set->train.pixels != set->test.pixels)
    status = lr_fail(error, LRGD_ERR_INVALID,
                     "training images have %zu pixels, test images %zu",
                     set->train.pixels, set->test.pixels);
  if (status == LRGD_OK)
    status = check_labels(&set->train, DIGITS, "train-labels", error);
  if (status == LRGD_OK)
    status = check_labels(&set->test, DIGITS, "t10k-labels", error);
  if (status != LRGD_OK) lr_dataset_free(set);
  return status;
}
