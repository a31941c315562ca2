/* Finds the command of the command line and runs it. */
#include "cli/base/cli_text.h"
#include "cli/base/exec_helper.h"
#include "cli/base/flags.h"
#include "commands.h"

#include <stdio.h>
#include <string.h>

static int unknown_command(const char *name)
{
  if (strcmp(name, "version") == 0) {
    say("no command is called \"version\"; did you mean lrgd --version?");
    return EXIT_USAGE;
  }
  nearest search = nearest_to(name);
  for (size_t i = 0; i < commands_count(); i++)
    nearest_offer(&search, commands_at(i)->name);
  if (search.name[0] != '\0')
    say("no command is called \"%.40s\"; did you mean %s?", name, search.name);
  else
    say("no command is called \"%.40s\" (lrgd --help lists them)", name);
  return EXIT_USAGE;
}

static int help(void)
{
  printf("lrgd %s: " LRGD_SUMMARY "\n\n", lrgd_version());
  for (size_t i = 0; i < commands_count(); i++) {
    const cli_command *command = commands_at(i);
    printf("  lrgd %-12s %.*s\n", command->name, summary_length(command),
           command->summary);
  }
  printf(
      "\nlrgd COMMAND --help says more.  Try:\n"
      "  lrgd minimize quadratic --set p=1000 --set rank=5\n\n"
      "Exit status:\n");
  const exit_meaning *meanings;
  size_t count = exit_meanings(&meanings);
  for (size_t i = 0; i < count; i++)
    printf("  %-6s %s\n", meanings[i].number, meanings[i].meaning);
  return finish_output(EXIT_FINE);
}

static int run_command(const cli_command *command, int argc, char **argv)
{
  cli_flags flags;
  lrgd_error error = {.text = ""};
  if (flags_read(&flags, command, argc, argv, &error) != LRGD_OK)
    return exit_with(&error);
  int code;
  if (flags_has(&flags, FLAG_HELP)) {
    flags_help(command);
    code = finish_output(EXIT_FINE);
  } else {
    code = command->run(&flags);
  }
  flags_free(&flags);
  return code;
}

int cli_main(int argc, char **argv)
{
  if (argc < 2) {
    say("a command is missing (lrgd --help lists them)");
    return EXIT_USAGE;
  }
  const char *word = argv[1];
  if (strcmp(word, "--version") == 0) {
    printf("lrgd %s\n", lrgd_version());
    return finish_output(EXIT_FINE);
  }
  bool asked = strcmp(word, "help") == 0;
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
      (asked && argc == 2))
    return help();
  const cli_command *command = commands_find(asked ? argv[2] : word);
  if (command == NULL) return unknown_command(asked ? argv[2] : word);
  if (asked) {
    flags_help(command);
    return finish_output(EXIT_FINE);
  }
  if (command == &bench_command && hands_over(argc - 2, argv + 2))
    return hand_over_bench(argv + 1);
  return run_command(command, argc - 2, argv + 2);
}
