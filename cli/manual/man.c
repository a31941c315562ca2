/* The manual page lrgd(1), in man macros. */
#include "manual.h"

#include <string.h>

/* Writes text for roff, where backslashes and a first dot or quote of a line
 * have a meaning, and a dash is a hyphen unless it is escaped. */
static void roff(FILE *out, const char *text)
{
  bool first = true;
  for (; *text != '\0'; text++) {
    if (first && (*text == '.' || *text == '\'')) fputs("\\&", out);
    if (*text == '\\')
      fputs("\\e", out);
    else if (*text == '-')
      fputs("\\-", out);
    else
      fputc(*text, out);
    first = *text == '\n';
  }
}

static void flag_row(FILE *out, const flag_view *view)
{
  fputs(".TP\n.BI \\-\\-", out);
  roff(out, view->name);
  if (view->argument[0] != '\0') {
    fputs(" \" ", out);
    roff(out, view->argument);
    fputc('"', out);
  }
  fputc('\n', out);
  roff(out, view->help);
  if (view->value[0] != '\0') {
    fputs(" [default: ", out);
    roff(out, view->value);
    fputc(']', out);
  }
  fputc('\n', out);
}

static void command_section(FILE *out, const cli_command *command)
{
  fprintf(out, ".SS lrgd %s ", command->name);
  roff(out, command->words);
  fputc('\n', out);
  roff(out, command->summary);
  fputc('\n', out);
  if (command->details != NULL) {
    fputs(".PP\n.nf\n", out);
    roff(out, command->details);
    fputs("\n.fi\n", out);
  }
  for (size_t i = 0; i < command->flag_count; i++) {
    flag_view view = flags_view(command, i);
    flag_row(out, &view);
  }
  if (command->solver_options)
    fputs(".PP\nand the solver options below.\n", out);
}

static void solver_section(FILE *out)
{
  fputs(".SH SOLVER OPTIONS\n", out);
  for (size_t i = minimize_command.flag_count;
       i < flags_offered(&minimize_command); i++) {
    flag_view view = flags_view(&minimize_command, i);
    flag_row(out, &view);
  }
}

static void exit_section(FILE *out)
{
  const exit_meaning *meanings;
  size_t count = exit_meanings(&meanings);
  fputs(".SH EXIT STATUS\n", out);
  for (size_t i = 0; i < count; i++) {
    fprintf(out, ".TP\n.B %s\n", meanings[i].number);
    roff(out, meanings[i].meaning);
    fputc('\n', out);
  }
}

void write_man(FILE *out)
{
  fprintf(out,
          ".TH LRGD 1 \"\" \"lrgd %s\" \"User commands\"\n"
          ".SH NAME\nlrgd \\- " LRGD_SUMMARY
          "\n"
          ".SH SYNOPSIS\n.B lrgd\n.I command\n.RI [ arguments ]\n"
          ".SH DESCRIPTION\n"
          "Finds minima of functions whose every value is expensive: a "
          "simulator, a forward pass,\na finite difference.  Where the "
          "function varies along few directions, few values are\nneeded, "
          "however many inputs it has.\n"
          "Results go to standard output, all else to standard error.\n"
          ".SH COMMANDS\n",
          lrgd_version());
  for (size_t i = 0; i < commands_count(); i++)
    command_section(out, commands_at(i));
  solver_section(out);
  exit_section(out);
  fputs(
      ".SH EXAMPLES\n.nf\n"
      "lrgd minimize quadratic \\-\\-set p=1000 \\-\\-set rank=5\n"
      "lrgd minimize \\-\\-worker './simulate' \\-\\-dim 40 \\-\\-start 0 "
      "\\-\\-journal run.db\n"
      "lrgd status run.db\n"
      "lrgd resume run.db \\-\\-worker './simulate'\n"
      ".fi\n",
      out);
}
