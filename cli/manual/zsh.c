/* Completion for zsh. */
#include "manual.h"

/* Writes the part of an _arguments specification that says which words are
 * possible. */
static void action(FILE *out, const offer *given)
{
  switch (given->kind) {
  case OFFER_FILE: fputs("_files", out); break;
  case OFFER_FOLDER: fputs("_files -/", out); break;
  case OFFER_JOURNAL: fputs("_files -g \"*.db\"", out); break;
  case OFFER_PROBLEM: fputs("(${problems})", out); break;
  case OFFER_CHOICE: fprintf(out, "(%s)", given->choices); break;
  case OFFER_NOTHING: fputs(" ", out); break;
  }
}

/* Writes a text with colons and brackets escaped, which have a meaning in a
 * specification; single quotes would end the word it is part of. */
static void spec_text(FILE *out, const char *text)
{
  for (; *text != '\0'; text++) {
    if (*text == ':' || *text == '[' || *text == ']') fputc('\\', out);
    if (*text == '\'')
      fputs("'\\''", out);
    else
      fputc(*text, out);
  }
}

static void flag_spec(FILE *out, const flag_view *view)
{
  fprintf(out, " \\\n        '*--%s[", view->name);
  spec_text(out, view->help);
  fputc(']', out);
  if (view->argument[0] != '\0') {
    offer given = offer_value(view);
    fputc(':', out);
    spec_text(out, view->name);
    fputc(':', out);
    action(out, &given);
  }
  fputc('\'', out);
}

static void command_case(FILE *out, const cli_command *command)
{
  fprintf(out, "    %s)\n      _arguments -S", command->name);
  for (size_t i = 0; i < flags_offered(command); i++) {
    flag_view view = flags_view(command, i);
    flag_spec(out, &view);
  }
  offer given = offer_word(command);
  if (given.kind == OFFER_PROBLEM) {
    fputs(" \\\n        \"1:problem:($problems)\"", out);
  } else if (given.kind != OFFER_NOTHING) {
    fprintf(out, " \\\n        '%s:%s:", given.kind == OFFER_CHOICE ? "*" : "1",
            given.kind == OFFER_CHOICE ? "what" : "journal");
    action(out, &given);
    fputc('\'', out);
  }
  fputs(" ;;\n", out);
}

void write_zsh(FILE *out)
{
  fputs(
      "#compdef lrgd\n# zsh completion for lrgd, made from its own tables\n"
      "_lrgd() {\n  local problems=\"",
      out);
  problem_names(out);
  fputs("\"\n  local -a commands=(\n", out);
  for (size_t i = 0; i < commands_count(); i++) {
    const cli_command *command = commands_at(i);
    char row[FLAG_TEXT_SIZE];
    snprintf(row, sizeof row, "%s:%.*s", command->name, summary_length(command),
             command->summary);
    fputs("    ", out);
    write_quoted(out, row);
    fputc('\n', out);
  }
  fputs(
      "  )\n  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n  ((CURRENT--))\n"
      "  case $command in\n",
      out);
  for (size_t i = 0; i < commands_count(); i++)
    command_case(out, commands_at(i));
  fputs("  esac\n}\n_lrgd \"$@\"\n", out);
}
