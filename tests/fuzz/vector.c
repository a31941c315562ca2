/* Any file of numbers, as text or .npy, is read or refused with a sentence;
 * what was read are numbers, as many as were wanted. */
#include "vector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64]; /* one file, used over and over */

static void check(const cli_vector *vector, size_t wanted, bool infinite)
{
  if (vector->count == 0 || (wanted != 0 && vector->count != wanted)) abort();
  for (size_t i = 0; i < vector->count; i++)
    if (infinite ? isnan(vector->entries[i]) : !isfinite(vector->entries[i]))
      abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  cli_vector vector;
  lrgd_error error = {.text = ""};
  if (size < 1) return -1;
  if (path[0] == '\0') {
    snprintf(path, sizeof path, "/tmp/lrgd-fuzz-XXXXXX");
    close(mkstemp(path));
  }
  FILE *file = fopen(path, "w");
  if (file == NULL) return -1;
  fwrite(data + 1, 1, size - 1, file);
  fclose(file);
  bool infinite = data[0] & 1;
  size_t wanted = data[0] >> 1 & 7;
  if (vector_read(&vector, "start", path, wanted, infinite, &error) == LRGD_OK)
    check(&vector, wanted, infinite);
  else if (error.text[0] == '\0' || vector.entries != NULL)
    abort();
  free(vector.entries);
  return 0;
}
