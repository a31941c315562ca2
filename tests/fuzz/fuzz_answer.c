/* Any line a program answers is read as the numbers wanted or refused with a
 * sentence; numbers that were read are written and read back to the bit. */
#include "process/line.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int reads_back(size_t count, const double *x)
{
  lr_bytes line = {NULL, 0, 0};
  double again[MOST];
  char why[256];
  if (!lr_line_append(&line, count, x)) abort();
  if (!lr_bytes_reserve(&line, 1)) abort();
  line.data[line.size] = '\n';
  int read = lr_line_read(line.data, line.size, count, again, why, sizeof why);
  lr_bytes_free(&line);
  return read && memcmp(x, again, count * sizeof *x) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  double x[MOST];
  char why[256];
  if (size < 1) return -1;
  size_t count = 1 + data[0] % MOST;
  char *line = malloc(size); /* exact, so that reading too far is seen */
  if (!line) return -1;
  memcpy(line, data + 1, size - 1);
  line[size - 1] = '\n';
  if (lr_line_read(line, size - 1, count, x, why, sizeof why)) {
    if (!reads_back(count, x)) abort();
  } else if (!memchr(why, '\0', sizeof why) || why[0] == '\0') {
    abort();
  }
  free(line);
  return 0;
}
