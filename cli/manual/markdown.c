/* The commands and options as Markdown, for the site. */
#include "manual.h"

#include <string.h>

static void table_head(FILE *out, const char *third)
{
  fprintf(out, "| flag | value | %s |\n|---|---|---|\n", third);
}

static void flag_row(FILE *out, const flag_view *view)
{
  fprintf(out, "| `--%s` | ", view->name);
  if (view->argument[0] != '\0') {
    fputc('`', out);
    write_escaped(out, view->argument, "|");
    fputc('`', out);
  }
  fputs(" | ", out);
  write_escaped(out, view->help, "|<*_");
  if (view->value[0] != '\0') fprintf(out, " (default `%s`)", view->value);
  fputs(" |\n", out);
}

static void command_section(FILE *out, const cli_command *command)
{
  fprintf(out, "\n## lrgd %s\n\n```text\nlrgd %s %s\n```\n\n%s\n",
          command->name, command->name, command->words, command->summary);
  if (command->details != NULL)
    fprintf(out, "\n```text\n%s\n```\n", command->details);
  fputc('\n', out);
  table_head(out, "meaning");
  for (size_t i = 0; i < command->flag_count; i++) {
    flag_view view = flags_view(command, i);
    flag_row(out, &view);
  }
  if (command->solver_options)
    fputs("\nand the [solver options](#solver-options).\n", out);
}

void write_markdown(FILE *out)
{
  fputs(
      "# The command, flag by flag\n\n"
      "Made from the tables that `lrgd --help` prints.\n",
      out);
  for (size_t i = 0; i < commands_count(); i++)
    command_section(out, commands_at(i));
  fputs(
      "\n## Solver options\n\nIn C and Python these have the same names, "
      "with `_` for `-`.\n\n",
      out);
  table_head(out, "meaning");
  for (size_t i = minimize_command.flag_count;
       i < flags_offered(&minimize_command); i++) {
    flag_view view = flags_view(&minimize_command, i);
    flag_row(out, &view);
  }
  const exit_meaning *meanings;
  size_t count = exit_meanings(&meanings);
  fputs("\n## Exit status\n\n| status | meaning |\n|---|---|\n", out);
  for (size_t i = 0; i < count; i++)
    fprintf(out, "| %s | %s |\n", meanings[i].number, meanings[i].meaning);
}
