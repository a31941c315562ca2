/* Any text given to any option is taken or refused; what was taken reads back
 * as the same text. */
#include <lrgd/lrgd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char text[256], first[64], second[64];
  lrgd_options options = lrgd_options_default();
  lrgd_error error;
  if (size < 1 || size > sizeof text) return -1;
  const char *name = lrgd_option_at(data[0] % lrgd_option_count())->name;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  if (lrgd_options_set(&options, name, text, &error) != LRGD_OK) {
    if (!memchr(error.text, '\0', sizeof error.text)) abort();
    return 0;
  }
  if (lrgd_options_get(&options, name, first, sizeof first) != LRGD_OK ||
      lrgd_options_set(&options, name, first, &error) != LRGD_OK ||
      lrgd_options_get(&options, name, second, sizeof second) != LRGD_OK ||
      strcmp(first, second) != 0) {
    fprintf(stderr, "%s: '%s' does not read back\n", name, text);
    abort();
  }
  return 0;
}
