/* Quoting for a shell.  The text may come from a journal or a file name of
 * another user: pasted, it must be one word, and must look like what it is. */
#include "shell_quote.h"

#include "cli.h"

#include "base/shown.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(const char *word)
{
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyz"
      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
      "0123456789_-+=.,:/@%";
  return *word != '\0' && word[strspn(word, plain)] == '\0';
}

static bool is_shown(const char *word)
{
  for (size_t left = strlen(word), n; left > 0; left -= n, word += n)
    if ((n = lr_shown_length(word, left)) == 0) return false;
  return true;
}

static char *quote_plainly(char *to, const char *word)
{
  *to++ = '\'';
  for (; *word != '\0'; word++) {
    if (*word == '\'') to = stpcpy(to, "'\\'");
    *to++ = *word;
  }
  *to++ = '\'';
  return to;
}

static char *quote_bytes(char *to, const char *word)
{
  size_t left = strlen(word), n;
  to = stpcpy(to, "$'");
  for (; left > 0; left -= n, word += n) {
    size_t shown = n = lr_shown_length(word, left);
    if (n == 0) n = 1;
    if (*word == '\'' || *word == '\\') *to++ = '\\';
    /* three octal digits, so that a following digit is not taken for a fourth
     */
    if (shown == 0) to += sprintf(to, "\\%03o", (unsigned char)*word);
    for (size_t i = 0; i < shown; i++) *to++ = word[i];
  }
  *to++ = '\'';
  return to;
}

char *shell_word(const char *word)
{
  char *text = malloc(4 * strlen(word) + 4), *end = text;
  if (text == NULL) return NULL;
  if (is_plain(word))
    end = stpcpy(text, word);
  else
    end = is_shown(word) ? quote_plainly(text, word) : quote_bytes(text, word);
  *end = '\0';
  return text;
}

void say_how_to_resume(const char *journal, const char *flag,
                       const char *command, const char *more)
{
  char *file = shell_word(journal), *quoted = shell_word(command);
  if (file != NULL && quoted != NULL)
    say("to go on: lrgd resume %s%s%s%s %s%s", *journal == '-' ? "./" : "",
        file, flag != NULL ? " --" : "", flag != NULL ? flag : "", quoted,
        more);
  free(file);
  free(quoted);
}
