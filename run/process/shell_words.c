/* A command into words: blanks, quotes and backslashes, as a shell reads them;
 * no variables, globs, operators or substitutions: those stay plain text. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

typedef struct splitter {
  const char *from; /* the text not read yet */
  char *to;         /* where the next letter of a word is written */
} splitter;

static int is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n';
}

/* Copies up to the closing quote.  0: there is none. */
static int copy_quoted(splitter *s, char quote)
{
  for (s->from++; *s->from != quote; s->from++) {
    if (*s->from == 0) return 0;
    int escaped = quote == '"' && *s->from == '\\' && s->from[1] &&
                  strchr("\"\\$`", s->from[1]);
    if (escaped) s->from++;
    *s->to++ = *s->from;
  }
  s->from++;
  return 1;
}

/* Copies one word and its final 0.  0: an open quote. */
static int copy_word(splitter *s)
{
  while (*s->from && !is_blank(*s->from)) {
    if (*s->from == '\'' || *s->from == '"') {
      if (!copy_quoted(s, *s->from)) return 0;
      continue;
    }
    if (*s->from == '\\' && s->from[1]) s->from++;
    *s->to++ = *s->from++;
  }
  *s->to++ = 0;
  return 1;
}

lrgd_status lr_words_split(const char *command, char ***words,
                           lrgd_error *error)
{
  size_t length = strlen(command);
  *words = NULL;
  /* at most every second letter begins a word, and words have no more letters
   * than the text */
  size_t most = length / 2 + 2;
  char **list = malloc(most * sizeof *list + length + 1);
  if (!list) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  splitter s = {command, (char *)(list + most)};
  size_t count = 0;
  for (;;) {
    while (is_blank(*s.from)) s.from++;
    if (*s.from == 0) break;
    list[count++] = s.to;
    if (copy_word(&s)) continue;
    free(list);
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "the command has a quote that is not closed");
  }
  list[count] = NULL;
  if (count > 0 && list[0][0]) {
    *words = list;
    return LRGD_OK;
  }
  free(list);
  return lr_run_fail(error, LRGD_ERR_INVALID, "the command is empty");
}
