/* Reads the command line from two tables: the command's flags and the library's
 * options.  The grammar is --flag value, --flag=value, --; the meaning of flags
 * is not known here. */
#include "flags.h"

#include "cli_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct flag {
  const char *name, *argument, *help;
} flag;

static const flag table[FLAG_IDS] = {
#define FLAG_X(id, name, argument, help) {name, argument, help},
    FLAG_LIST(FLAG_X)
#undef FLAG_X
};

/* Converts the library's name of an option, sample_radius, to that of the flag,
 * --sample-radius. */
static void option_flag(char name[NEAREST_SIZE], const lrgd_option *option)
{
  snprintf(name, NEAREST_SIZE, "%s", option->name);
  for (char *c = name; *c != '\0'; c++)
    if (*c == '_') *c = '-';
}

enum { NO_OPTION = -1 };

/* FLAG_IDS + the index of the library's option, or NO_OPTION. */
static int find_option(const cli_command *command, const char *name)
{
  if (!command->solver_options) return NO_OPTION;
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    char flag_name[NEAREST_SIZE];
    option_flag(flag_name, lrgd_option_at(i));
    if (strcmp(flag_name, name) == 0) return FLAG_IDS + (int)i;
  }
  return NO_OPTION;
}

static bool find_flag(const cli_command *command, const char *name, int *id)
{
  for (size_t i = 0; i < command->flag_count; i++) {
    *id = command->flags[i];
    if (strcmp(table[*id].name, name) == 0) return true;
  }
  return false;
}

static lrgd_status unknown_flag(const cli_command *command, const char *name,
                                lrgd_error *error)
{
  nearest search = nearest_to(name);
  for (size_t i = 0; i < command->flag_count; i++)
    nearest_offer(&search, table[command->flags[i]].name);
  for (size_t i = 0; command->solver_options && i < lrgd_option_count(); i++) {
    char flag_name[NEAREST_SIZE];
    option_flag(flag_name, lrgd_option_at(i));
    nearest_offer(&search, flag_name);
  }
  if (search.name[0] != '\0')
    return fail(error, LRGD_ERR_INVALID,
                "%s has no flag --%.60s; did you mean --%s?", command->name,
                name, search.name);
  return fail(error, LRGD_ERR_INVALID,
              "%s has no flag --%.60s (see lrgd %s --help)", command->name,
              name, command->name);
}

/* One word that starts with "--", split at "=". */
typedef struct cli_split {
  char name[NEAREST_SIZE];
  const char *value; /* NULL: none */
} cli_split;

/* Takes the value after "=", or the next word.  A next word that is itself a
 * flag is a forgotten value more often than a value: write --flag=--value. */
static lrgd_status take_value(cli_split *word, int argc, char **argv,
                              int *index, lrgd_error *error)
{
  if (word->value == NULL && *index + 1 < argc &&
      strncmp(argv[*index + 1], "--", 2) != 0)
    word->value = argv[++*index];
  if (word->value == NULL || word->value[0] == '\0')
    return fail(error, LRGD_ERR_INVALID, "--%s wants a value", word->name);
  return LRGD_OK;
}

/* Whether a flag takes no value. */
static bool is_switch(int id)
{
  if (id < FLAG_IDS) return table[id].argument == NULL;
  const lrgd_option *option = lrgd_option_at((size_t)(id - FLAG_IDS));
  return option->type == LRGD_OPTION_TYPE_SWITCH;
}

static lrgd_status take_nothing(cli_split *word, lrgd_error *error)
{
  if (word->value != NULL)
    return fail(error, LRGD_ERR_INVALID, "--%s takes no value", word->name);
  word->value = "";
  return LRGD_OK;
}

static lrgd_status set_option(lrgd_options *options, const flag_given *given,
                              lrgd_error *error)
{
  const lrgd_option *option = lrgd_option_at((size_t)(given->id - FLAG_IDS));
  lrgd_error reason = {.text = ""};
  const char *text = is_switch(given->id) ? "1" : given->text;
  lrgd_status status = lrgd_options_set(options, option->name, text, &reason);
  if (status == LRGD_OK) return LRGD_OK;
  char name[NEAREST_SIZE];
  option_flag(name, option);
  return fail(error, status, "--%s: %s", name, reason.text);
}

lrgd_status flags_apply(const cli_flags *flags, lrgd_options *options,
                        lrgd_error *error)
{
  for (size_t i = 0; i < flags->given_count; i++) {
    if (flags->given[i].id < FLAG_IDS) continue;
    lrgd_status status = set_option(options, &flags->given[i], error);
    if (status != LRGD_OK) return status;
  }
  return LRGD_OK;
}

static lrgd_status read_flag(cli_flags *flags, int argc, char **argv,
                             int *index, lrgd_error *error)
{
  cli_split word = {.value = strchr(argv[*index], '=')};
  const char *name = argv[*index] + 2;
  size_t length =
      word.value != NULL ? (size_t)(word.value - name) : strlen(name);
  if (word.value != NULL) word.value++;
  if (length >= sizeof word.name) length = sizeof word.name - 1;
  memcpy(word.name, name, length);

  int id = find_option(flags->command, word.name);
  bool option = id != NO_OPTION;
  if (!option && !find_flag(flags->command, word.name, &id))
    return unknown_flag(flags->command, word.name, error);
  lrgd_status status = is_switch(id)
                           ? take_nothing(&word, error)
                           : take_value(&word, argc, argv, index, error);
  if (status != LRGD_OK) return status;
  flag_given given = {id, word.value};
  flags->given[flags->given_count++] = given;
  if (option) return set_option(&flags->options, &given, error);
  /* the argument is "A.txt b.txt": takes a second word */
  if (is_switch(id) || strchr(table[id].argument, ' ') == NULL) return LRGD_OK;
  word.value = NULL;
  if (take_value(&word, argc, argv, index, error) != LRGD_OK)
    return fail(error, LRGD_ERR_INVALID, "--%s wants two values: %s", word.name,
                table[id].argument);
  flags->given[flags->given_count++] = (flag_given){id, word.value};
  return LRGD_OK;
}

/* Whether the word is -o, the usual short form of --output. */
static bool is_short_output(const cli_command *command, const char *word)
{
  int id;
  return strcmp(word, "-o") == 0 &&
         find_flag(command, table[FLAG_OUTPUT].name, &id);
}

static lrgd_status read_words(cli_flags *flags, int argc, char **argv,
                              lrgd_error *error)
{
  bool only_words = false;
  for (int i = 0; i < argc; i++) {
    const char *word = argv[i];
    if (only_words || word[0] != '-' || word[1] == '\0') {
      flags->words[flags->word_count++] = word;
    } else if (strcmp(word, "--") == 0) {
      only_words = true;
    } else if (strcmp(word, "-h") == 0) {
      flags->given[flags->given_count++] = (flag_given){FLAG_HELP, ""};
    } else if (is_short_output(flags->command, word)) {
      if (i + 1 == argc || argv[i + 1][0] == '\0')
        return fail(error, LRGD_ERR_INVALID, "-o wants a value");
      flags->given[flags->given_count++] = (flag_given){FLAG_OUTPUT, argv[++i]};
    } else if (word[1] != '-') {
      return fail(error, LRGD_ERR_INVALID,
                  "%s has no flag %.60s (see lrgd %s --help)",
                  flags->command->name, word, flags->command->name);
    } else {
      lrgd_status status = read_flag(flags, argc, argv, &i, error);
      if (status != LRGD_OK) return status;
    }
  }
  return LRGD_OK;
}

lrgd_status flags_read(cli_flags *flags, const cli_command *command, int argc,
                       char **argv, lrgd_error *error)
{
  size_t room = (size_t)argc + 1;
  *flags =
      (struct cli_flags){.command = command, .options = lrgd_options_default()};
  flags->given = malloc(room * sizeof *flags->given);
  flags->words = malloc(room * sizeof *flags->words);
  lrgd_status status = flags->given != NULL && flags->words != NULL
                           ? read_words(flags, argc, argv, error)
                           : fail_memory(error);
  if (status != LRGD_OK) flags_free(flags);
  return status;
}

void flags_free(cli_flags *flags)
{
  free(flags->given);
  free(flags->words);
  flags->given = NULL;
  flags->words = NULL;
  flags->given_count = flags->word_count = 0;
}

bool flags_has(const cli_flags *flags, flag_id id)
{
  return flags_text(flags, id) != NULL;
}

const char *flags_text(const cli_flags *flags, flag_id id)
{
  for (size_t i = flags->given_count; i > 0; i--)
    if (flags->given[i - 1].id == (int)id) return flags->given[i - 1].text;
  return NULL;
}

const char *flags_next(const cli_flags *flags, flag_id id, size_t *cursor)
{
  while (*cursor < flags->given_count) {
    const flag_given *given = &flags->given[(*cursor)++];
    if (given->id == (int)id) return given->text;
  }
  return NULL;
}

size_t flags_count(const cli_flags *flags, flag_id id)
{
  size_t count = 0, cursor = 0;
  while (flags_next(flags, id, &cursor) != NULL) count++;
  return count;
}

const char *flags_name(flag_id id)
{
  return table[id].name;
}

enum { HELP_COLUMN = 26, HELP_WIDTH = 79 };

/* Prints text from HELP_COLUMN on, wrapped between words. */
static void help_text(const char *text, int column)
{
  printf("%*s", HELP_COLUMN - column, "");
  column = HELP_COLUMN;
  while (*text != '\0') {
    int length = (int)strcspn(text, " ");
    if (column > HELP_COLUMN && column + 1 + length > HELP_WIDTH) {
      printf("\n%*s", HELP_COLUMN, "");
      column = HELP_COLUMN;
    }
    bool first = column == HELP_COLUMN;
    column += printf("%s%.*s", first ? "" : " ", length, text);
    text += length;
    text += strspn(text, " ");
  }
  putchar('\n');
}

/* The default in its shortest form: 0.1, not 0.10000000000000001. */
static void default_text(char *text, size_t size, const lrgd_options *defaults,
                         const lrgd_option *option)
{
  double number;
  if (lrgd_options_get(defaults, option->name, text, size) != LRGD_OK)
    snprintf(text, size, "?");
  else if (option->type == LRGD_OPTION_TYPE_REAL && text_number(text, &number))
    snprintf(text, size, "%g", number);
}

static flag_view view_option(const lrgd_option *option)
{
  static const char *const arguments[] = {
      [LRGD_OPTION_TYPE_INTEGER] = "N",
      [LRGD_OPTION_TYPE_REAL] = "X",
      [LRGD_OPTION_TYPE_CHOICE] = NULL,
      [LRGD_OPTION_TYPE_SWITCH] = "",
  };
  flag_view view;
  lrgd_options defaults = lrgd_options_default();
  bool choice = option->type == LRGD_OPTION_TYPE_CHOICE;
  option_flag(view.name, option);
  snprintf(view.argument, sizeof view.argument, "%s",
           choice ? option->choices : arguments[option->type]);
  snprintf(view.help, sizeof view.help, "%s", option->help);
  if (option->type == LRGD_OPTION_TYPE_SWITCH)
    view.value[0] = '\0';
  else
    default_text(view.value, sizeof view.value, &defaults, option);
  return view;
}

size_t flags_offered(const cli_command *command)
{
  size_t options = command->solver_options ? lrgd_option_count() : 0;
  return command->flag_count + options;
}

flag_view flags_view(const cli_command *command, size_t index)
{
  if (index >= command->flag_count)
    return view_option(lrgd_option_at(index - command->flag_count));
  const flag *row = &table[command->flags[index]];
  flag_view view = {.value = ""};
  snprintf(view.name, sizeof view.name, "%s", row->name);
  if (row->argument != NULL)
    snprintf(view.argument, sizeof view.argument, "%s", row->argument);
  snprintf(view.help, sizeof view.help, "%s", row->help);
  return view;
}

static void help_row(const flag_view *view)
{
  char help[FLAG_TEXT_SIZE + sizeof view->value + 4];
  int column = printf("  --%s", view->name);
  if (view->argument[0] != '\0') column += printf(" %s", view->argument);
  if (column >= HELP_COLUMN) {
    putchar('\n');
    column = 0;
  }
  bool option = view->value[0] != '\0';
  snprintf(help, sizeof help, "%s%s%s%s", view->help, option ? " [" : "",
           view->value, option ? "]" : "");
  help_text(help, column);
}

/* The length of the first sentence of a summary.  A point inside a number, as
 * in "Proposition 2.2", does not end it. */
int summary_length(const cli_command *command)
{
  const char *text = command->summary, *at = text;
  while (*at != '\0' && *at != '\n') {
    if (*at == '.' && (at[1] == '\0' || strchr(" \n", at[1]) != NULL)) break;
    at++;
  }
  return (int)(at - text);
}

void flags_help(const cli_command *command)
{
  printf("lrgd %s %s\n%s\n", command->name, command->words, command->summary);
  if (command->details != NULL) printf("\n%s\n", command->details);
  printf("\nFlags:\n");
  for (size_t i = 0; i < flags_offered(command); i++) {
    if (i == command->flag_count) printf("\nSolver options [default]:\n");
    flag_view view = flags_view(command, i);
    help_row(&view);
  }
}
