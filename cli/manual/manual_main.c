/* Writes the manual in one of its forms on standard output. */
#include "manual.h"

#include "../../problems/problems.h"

#include <string.h>

static const struct form {
  const char *name;
  void (*write)(FILE *out);
} forms[] = {
    {"man",      write_man     },
    {"markdown", write_markdown},
    {"bash",     write_bash    },
    {"zsh",      write_zsh     },
    {"fish",     write_fish    },
};

/* Converts "[a|b|c]", read up to the first blank, to "a b c". */
static void split_choices(char choices[FLAG_TEXT_SIZE], const char *text)
{
  size_t length = 0;
  for (; *text != '\0' && *text != ' ' && length + 1 < FLAG_TEXT_SIZE; text++)
    if (*text != '[' && *text != ']')
      choices[length++] = *text == '|' ? ' ' : *text;
  choices[length] = '\0';
}

static bool begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

offer offer_value(const flag_view *view)
{
  offer given = {.kind = OFFER_NOTHING, .choices = ""};
  const char *argument = view->argument;
  if (begins(argument, "RUN.db"))
    given.kind = OFFER_JOURNAL;
  else if (begins(argument, "FILE") || begins(argument, "A.txt"))
    given.kind = OFFER_FILE;
  else if (begins(argument, "DIR"))
    given.kind = OFFER_FOLDER;
  else if (strchr(argument, '|') != NULL)
    given.kind = OFFER_CHOICE;
  if (given.kind == OFFER_CHOICE) split_choices(given.choices, argument);
  return given;
}

offer offer_word(const cli_command *command)
{
  offer given = {.kind = OFFER_NOTHING, .choices = ""};
  const char *words = command->words;
  if (begins(words, "RUN.db"))
    given.kind = OFFER_JOURNAL;
  else if (begins(words, "[PROBLEM]") || begins(words, "[NAME]"))
    given.kind = OFFER_PROBLEM;
  else if (memchr(words, '|', strcspn(words, " ")) != NULL)
    given.kind = OFFER_CHOICE;
  if (given.kind == OFFER_CHOICE) split_choices(given.choices, words);
  return given;
}

void problem_names(FILE *out)
{
  for (size_t i = 0; i < lr_problem_kind_count(); i++)
    fprintf(out, "%s%s", i > 0 ? " " : "",
            lr_problem_kind_name(lr_problem_kind_at(i)));
}

void write_escaped(FILE *out, const char *text, const char *special)
{
  for (; *text != '\0'; text++) {
    if (strchr(special, *text) != NULL) fputc('\\', out);
    fputc(*text, out);
  }
}

void write_quoted(FILE *out, const char *text)
{
  fputc('\'', out);
  for (; *text != '\0'; text++)
    if (*text == '\'')
      fputs("'\\''", out);
    else
      fputc(*text, out);
  fputc('\'', out);
}

int main(int argc, char **argv)
{
  for (size_t i = 0; argc == 2 && i < COUNT_OF(forms); i++)
    if (strcmp(argv[1], forms[i].name) == 0) {
      forms[i].write(stdout);
      return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_FINE : EXIT_STORAGE;
    }
  say("one form is wanted: man, markdown, bash, zsh or fish");
  return EXIT_USAGE;
}
