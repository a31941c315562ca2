/* Completion for fish. */
#include "manual.h"

static void offered(FILE *out, const offer *given)
{
  switch (given->kind) {
  case OFFER_FILE: fputs(" -F", out); break;
  case OFFER_FOLDER:
    fputs(" -f -a '(__fish_complete_directories)'", out);
    break;
  case OFFER_JOURNAL:
    fputs(" -k -f -a '(__fish_complete_suffix .db)'", out);
    break;
  case OFFER_PROBLEM:
    fputs(" -f -a '", out);
    problem_names(out);
    fputs("'", out);
    break;
  case OFFER_CHOICE: fprintf(out, " -f -a '%s'", given->choices); break;
  case OFFER_NOTHING: fputs(" -f", out); break;
  }
}

static void command_lines(FILE *out, const cli_command *command)
{
  fprintf(out, "complete -c lrgd -n __fish_use_subcommand -f -a %s -d ",
          command->name);
  char summary[FLAG_TEXT_SIZE];
  snprintf(summary, sizeof summary, "%.*s", summary_length(command),
           command->summary);
  write_quoted(out, summary);
  fputc('\n', out);

  offer word = offer_word(command);
  fprintf(out, "complete -c lrgd -n '__fish_seen_subcommand_from %s'",
          command->name);
  offered(out, &word);
  fputc('\n', out);
  for (size_t i = 0; i < flags_offered(command); i++) {
    flag_view view = flags_view(command, i);
    fprintf(out, "complete -c lrgd -n '__fish_seen_subcommand_from %s' -l %s",
            command->name, view.name);
    if (view.argument[0] != '\0') {
      offer given = offer_value(&view);
      fputs(" -r", out);
      offered(out, &given);
    }
    fputs(" -d ", out);
    write_quoted(out, view.help);
    fputc('\n', out);
  }
}

void write_fish(FILE *out)
{
  fputs("# fish completion for lrgd, made from its own tables\n", out);
  for (size_t i = 0; i < commands_count(); i++)
    command_lines(out, commands_at(i));
}
