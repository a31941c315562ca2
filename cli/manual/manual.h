/* The manual page, the completions and the site's tables, generated from the
 * commands' own tables, so that they cannot differ from the program.  A
 * build-time tool; not part of lrgd itself. */
#ifndef MANUAL_H
#define MANUAL_H

#include "cli/base/flags.h"
#include "cli/commands/commands.h"

#include <stdio.h>

void write_man(FILE *out);
void write_markdown(FILE *out);
void write_bash(FILE *out);
void write_zsh(FILE *out);
void write_fish(FILE *out);

/* What a shell can complete. */
typedef enum offer_kind {
  OFFER_NOTHING,
  OFFER_FILE,
  OFFER_FOLDER,
  OFFER_JOURNAL, /* a file RUN.db */
  OFFER_PROBLEM, /* the name of a built-in problem */
  OFFER_CHOICE   /* one of the words in `choices` */
} offer_kind;

typedef struct offer {
  offer_kind kind;
  char choices[FLAG_TEXT_SIZE]; /* parted by blanks; "" unless a choice */
} offer;

/* The completion of a flag's value, from the argument's name in its help. */
offer offer_value(const flag_view *view);
/* The completion of the first word after the command's name, from its usage
 * line. */
offer offer_word(const cli_command *command);
/* The names of the built-in problems, parted by blanks. */
void problem_names(FILE *out);

/* Writes text with each character of `special` after a backslash. */
void write_escaped(FILE *out, const char *text, const char *special);
/* Writes text in single quotes, as a shell wants it. */
void write_quoted(FILE *out, const char *text);

#endif
