/* Any command is split into words, each within the text, or refused. */
#include "cli/base/cli_text.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char **words, *command = malloc(size + 1);
  lrgd_error error;
  size_t letters = 0;
  if (!command) return -1;
  memcpy(command, data, size);
  command[size] = '\0';
  if (lr_words_split(command, &words, &error) == LRGD_OK) {
    if (!words[0]) abort();
    for (size_t i = 0; words[i]; i++) letters += strlen(words[i]);
    if (letters > size) abort();
    free(words);
  }
  free(command);
  return 0;
}
