/* Any bytes are read as images or labels, all of whose data lie inside the
 * bytes, or refused with a sentence. */
#include "idx.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned touch(const lr_idx *idx)
{
  unsigned sum = 0;
  for (size_t i = 0; i < idx->count * idx->rows * idx->cols; i++)
    sum += idx->data[i];
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1) return -1;
  static volatile unsigned sink;
  lr_idx_kind kind = data[0] % 2 ? LR_IDX_IMAGES : LR_IDX_LABELS;
  lrgd_error error = {.text = ""};
  lr_idx idx;
  uint8_t *bytes = malloc(size); /* exact, so that reading too far is seen */
  if (!bytes) return -1;
  memcpy(bytes, data + 1, size - 1);
  if (lr_idx_parse(&idx, kind, "fuzz", size - 1, bytes, &error) == LRGD_OK)
    sink = sink + touch(&idx);
  else if (error.text[0] == '\0')
    abort();
  free(bytes);
  return 0;
}
