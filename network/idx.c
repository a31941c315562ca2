/* Reads the IDX format strictly.  Every size is checked before it is used. */
#include "idx.h"

#include "base/status.h"

#include <inttypes.h>

/* Larger than any set of this kind; keeps every product below 2^40. */
enum { MOST_ITEMS = 10000000, MOST_SIDE = 4096 };

static uint32_t big_endian(const uint8_t *bytes)
{
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
         (uint32_t)bytes[2] << 8 | bytes[3];
}

static const char *kind_text(lr_idx_kind kind)
{
  return kind == LR_IDX_IMAGES ? "images" : "labels";
}

static lrgd_status check_magic(lr_idx_kind kind, const char *name,
                               uint32_t magic, lrgd_error *error)
{
  uint32_t wanted = 0x00000800u + (uint32_t)kind;
  if (magic == wanted) return LRGD_OK;
  const char *why = "it is no IDX file of bytes";
  if (magic == 0x00000800u + (uint32_t)LR_IDX_IMAGES)
    why = "that is a file of images";
  if (magic == 0x00000800u + (uint32_t)LR_IDX_LABELS)
    why = "that is a file of labels";
  return lr_fail(error, LRGD_ERR_INVALID,
                 "%.200s: the magic number is 0x%08" PRIx32 ", not 0x%08" PRIx32
                 " of %s: %s",
                 name, magic, wanted, kind_text(kind), why);
}

static lrgd_status check_sizes(const lr_idx *idx, lr_idx_kind kind,
                               const char *name, lrgd_error *error)
{
  if (idx->count < 1 || idx->count > MOST_ITEMS)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "%.200s: %zu %s; there must be from 1 to %d", name,
                   idx->count, kind_text(kind), MOST_ITEMS);
  if (idx->rows >= 1 && idx->rows <= MOST_SIDE && idx->cols >= 1 &&
      idx->cols <= MOST_SIDE)
    return LRGD_OK;
  return lr_fail(error, LRGD_ERR_INVALID,
                 "%.200s: images of %zu x %zu; sides must be from 1 to %d",
                 name, idx->rows, idx->cols, MOST_SIDE);
}

lrgd_status lr_idx_parse(lr_idx *idx, lr_idx_kind kind, const char *name,
                         size_t size, const uint8_t *bytes, lrgd_error *error)
{
  size_t head = 4 + 4 * (size_t)kind;
  *idx = (lr_idx){.rows = 1, .cols = 1};
  if (size < 4)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "%.200s: %zu bytes are too few for a magic number", name,
                   size);
  lrgd_status status = check_magic(kind, name, big_endian(bytes), error);
  if (status != LRGD_OK) return status;
  if (size < head)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "%.200s: cut off after %zu bytes; the head has %zu", name,
                   size, head);
  idx->count = big_endian(bytes + 4);
  if (kind == LR_IDX_IMAGES) {
    idx->rows = big_endian(bytes + 8);
    idx->cols = big_endian(bytes + 12);
  }
  status = check_sizes(idx, kind, name, error);
  if (status != LRGD_OK) return status;
  uint64_t wanted = (uint64_t)idx->count * idx->rows * idx->cols;
  if (size - head != wanted)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "%.200s: %s: %zu %s take %" PRIu64 " bytes, there are %zu",
                   name,
                   size - head < wanted ? "cut off" : "bytes are left over",
                   idx->count, kind_text(kind), wanted, size - head);
  idx->data = bytes + head;
  return LRGD_OK;
}
