/* Any control file, template, instruction file and output of a model is read or
 * refused with a sentence; what was read are numbers. */
#include "cli/pest/pest_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int memory[2]; /* files in it, used over and over */
static char path[2][64];

static void put(int which, const uint8_t *data, size_t size)
{
  if (path[which][0] == '\0') {
    memory[which] = memfd_create("pest", 0);
    snprintf(path[which], sizeof path[which], "/proc/self/fd/%d",
             memory[which]);
  }
  if (ftruncate(memory[which], 0) != 0 ||
      pwrite(memory[which], data, size, 0) != (ssize_t)size)
    abort();
}

static void expect(lrgd_status status, const lrgd_error *error)
{
  if (status != LRGD_OK && error->text[0] == '\0') abort();
}

static void try_case(void)
{
  pest_case made;
  lrgd_error error = {.text = ""};
  lrgd_status status = pest_case_read(&made, path[0], &error);
  expect(status, &error);
  if (status != LRGD_OK) return;
  double *x = calloc(made.adjustable_count, sizeof *x);
  double *values = calloc(made.parameter_count, sizeof *values);
  if (x == NULL || values == NULL) abort();
  for (size_t k = 0; k < made.adjustable_count; k++)
    x[k] = made.parameters[made.adjustable[k]].start;
  pest_case_values(&made, x, values);
  for (size_t i = 0; i < made.prior_count; i++)
    (void)pest_case_prior(&made, i, values);
  free(x);
  free(values);
  pest_case_free(&made);
}

typedef struct named {
  char name[PEST_NAME_SIZE];
} named;

static const named names[] = {{"a"}, {"b"}};

static void try_template(const pest_index *index)
{
  pest_template made;
  bool used[2] = {false};
  lrgd_error error = {.text = ""};
  lrgd_status status = pest_template_read(&made, path[0], index, used, &error);
  expect(status, &error);
  if (status != LRGD_OK) return;
  expect(pest_template_write(&made, "/dev/null", (double[]){-1.0 / 3, 1e-300},
                             true, &error),
         &error);
  pest_template_free(&made);
}

static void try_instructions(const pest_index *index)
{
  pest_instructions made;
  bool used[2] = {false};
  double values[2] = {0, 0};
  lrgd_error error = {.text = ""};
  lrgd_status status =
      pest_instructions_read(&made, path[0], index, used, &error);
  expect(status, &error);
  if (status != LRGD_OK) return;
  expect(pest_instructions_follow(&made, path[1], values, &error), &error);
  if (!isfinite(values[0]) || !isfinite(values[1])) abort();
  pest_instructions_free(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  pest_index index;
  const char *twice;
  if (size < 2) return -1;
  size_t cut = 1 + (size - 1) * data[0] / 256;
  put(0, data + 1, cut - 1);
  put(1, data + cut, size - cut);
  if (!pest_index_make(&index, names[0].name, sizeof *names, 2, &twice))
    return -1;
  try_case();
  try_template(&index);
  try_instructions(&index);
  pest_index_free(&index);
  return 0;
}
