/* Any file of numbers, as text or .npy, is read or refused with a sentence;
 * what was read are numbers, as many as were wanted. */
#include "cli/base/vector_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int memory; /* one file in it, used over and over */
static char path[64];

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
    memory = memfd_create("vector", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
  }
  if (ftruncate(memory, 0) != 0 ||
      pwrite(memory, data + 1, size - 1, 0) != (ssize_t)size - 1)
    return -1;
  bool infinite = data[0] & 1;
  size_t wanted = data[0] >> 1 & 7;
  if (vector_read(&vector, "start", path, wanted, infinite, &error) == LRGD_OK)
    check(&vector, wanted, infinite);
  else if (error.text[0] == '\0' || vector.entries != NULL)
    abort();
  free(vector.entries);
  return 0;
}
