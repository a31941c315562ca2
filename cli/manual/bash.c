/* Completion for bash. */
#include "manual.h"

static void compreply(FILE *out, const char *indent, const offer *given)
{
  fputs(indent, out);
  switch (given->kind) {
  case OFFER_FILE: fputs("compopt -o filenames\n", out); break;
  case OFFER_FOLDER: fputs("compopt -o filenames\n", out); break;
  case OFFER_JOURNAL: fputs("compopt -o filenames -o plusdirs\n", out); break;
  default: fputs(":\n", out); break;
  }
  fputs(indent, out);
  switch (given->kind) {
  case OFFER_FILE: fputs("COMPREPLY=($(compgen -f -- \"$cur\"))\n", out); break;
  case OFFER_FOLDER:
    fputs("COMPREPLY=($(compgen -d -- \"$cur\"))\n", out);
    break;
  case OFFER_JOURNAL:
    fputs("COMPREPLY=($(compgen -f -X '!*.db' -- \"$cur\"))\n", out);
    break;
  case OFFER_PROBLEM:
    fputs("COMPREPLY=($(compgen -W \"$problems\" -- \"$cur\"))\n", out);
    break;
  case OFFER_CHOICE:
    fprintf(out, "COMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))\n",
            given->choices);
    break;
  case OFFER_NOTHING: fputs("COMPREPLY=()\n", out); break;
  }
}

/* Writes the completion of flags' values. */
static void value_cases(FILE *out, const cli_command *command)
{
  fputs("      case $prev in\n", out);
  for (size_t i = 0; i < flags_offered(command); i++) {
    flag_view view = flags_view(command, i);
    if (view.argument[0] == '\0') continue;
    offer given = offer_value(&view);
    fprintf(out, "        --%s)\n", view.name);
    compreply(out, "          ", &given);
    fputs("          return ;;\n", out);
  }
  fputs("      esac\n", out);
}

static void command_case(FILE *out, const cli_command *command)
{
  fprintf(out, "    %s)\n", command->name);
  value_cases(out, command);
  fputs("      if [[ $cur == -* ]]; then\n        COMPREPLY=($(compgen -W \"",
        out);
  for (size_t i = 0; i < flags_offered(command); i++) {
    flag_view view = flags_view(command, i);
    fprintf(out, "%s--%s", i > 0 ? " " : "", view.name);
  }
  fputs("\" -- \"$cur\"))\n      else\n", out);
  offer given = offer_word(command);
  compreply(out, "        ", &given);
  fputs("      fi ;;\n", out);
}

void write_bash(FILE *out)
{
  fputs(
      "# bash completion for lrgd, made from its own tables\n"
      "_lrgd() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]}"
      " prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  local problems=\"",
      out);
  problem_names(out);
  fputs("\"\n  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W \"",
        out);
  for (size_t i = 0; i < commands_count(); i++)
    fprintf(out, "%s ", commands_at(i)->name);
  fputs(
      "--help --version\" -- \"$cur\"))\n    return\n  fi\n"
      "  case ${COMP_WORDS[1]} in\n",
      out);
  for (size_t i = 0; i < commands_count(); i++)
    command_case(out, commands_at(i));
  fputs("  esac\n}\ncomplete -F _lrgd lrgd\n", out);
}
