/* lrgd problems: lists the built-in problems and their parameters. */
#include "cli/base/csv_output.h"
#include "cli/base/flags.h"
#include "cli/base/json_output.h"
#include "cli/run/minimize_mlp.h"
#include "cli/run/problem_source.h"
#include "problems.h"

#include <stdio.h>
#include <string.h>

static const int flag_ids[] = {FLAG_JSON, FLAG_CSV, FLAG_HELP};

static json_t *kind_json(const lr_problem_kind *kind)
{
  const lr_parameter *parameters;
  size_t count = lr_problem_kind_parameters(kind, &parameters);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *row =
        json_pack("{s:s, s:s, s:s}", "name", parameters[i].name, "default",
                  parameters[i].default_text, "help", parameters[i].help);
    (void)json_array_append_new(list, row);
  }
  return json_pack("{s:s, s:s, s:o}", "name", lr_problem_kind_name(kind),
                   "help", lr_problem_kind_help(kind), "parameters", list);
}

/* only: the one to show, NULL for all. */
static bool is_shown(const lr_problem_kind *kind, const char *only)
{
  return only == NULL || strcmp(lr_problem_kind_name(kind), only) == 0;
}

static int print_json(const char *only)
{
  json_t *list = json_array();
  for (size_t i = 0; i < lr_problem_kind_count(); i++)
    if (is_shown(lr_problem_kind_at(i), only))
      (void)json_array_append_new(list, kind_json(lr_problem_kind_at(i)));
  if (is_shown(&mlp_kind, only))
    (void)json_array_append_new(list, kind_json(&mlp_kind));
  return json_print(json_pack("{s:o}", "problems", list));
}

static void csv_kind(const lr_problem_kind *kind)
{
  const lr_parameter *parameters;
  size_t count = lr_problem_kind_parameters(kind, &parameters);
  for (size_t i = 0; i < count; i++) {
    csv_text(lr_problem_kind_name(kind), false);
    csv_text(parameters[i].name, false);
    csv_text(parameters[i].default_text, false);
    csv_text(parameters[i].help, true);
  }
}

static int print_csv(const char *only)
{
  puts("problem,parameter,default,help");
  for (size_t i = 0; i < lr_problem_kind_count(); i++)
    if (is_shown(lr_problem_kind_at(i), only)) csv_kind(lr_problem_kind_at(i));
  if (is_shown(&mlp_kind, only)) csv_kind(&mlp_kind);
  return EXIT_FINE;
}

static void print_kind(const lr_problem_kind *kind)
{
  const lr_parameter *parameters;
  size_t count = lr_problem_kind_parameters(kind, &parameters);
  printf("%s: %s\n", lr_problem_kind_name(kind), lr_problem_kind_help(kind));
  for (size_t i = 0; i < count; i++) {
    int width =
        printf("  %s=%s", parameters[i].name, parameters[i].default_text);
    printf("%*s%s\n", width < 24 ? 24 - width : 1, "", parameters[i].help);
  }
  putchar('\n');
}

static int run_problems(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  const char *only = flags->word_count > 0 ? flags->words[0] : NULL;
  if (flags->word_count > 1) {
    say("problems takes one name, but got \"%.40s\" too", flags->words[1]);
    return EXIT_USAGE;
  }
  if (only != NULL && strcmp(only, mlp_kind.name) != 0 &&
      builtin_check(only, &error) != LRGD_OK)
    return exit_with(&error);
  if (csv_alone(flags_has(flags, FLAG_CSV), flags_has(flags, FLAG_JSON),
                &error) != LRGD_OK)
    return exit_with(&error);
  if (flags_has(flags, FLAG_JSON)) return finish_output(print_json(only));
  if (flags_has(flags, FLAG_CSV)) return finish_output(print_csv(only));
  for (size_t i = 0; i < lr_problem_kind_count(); i++)
    if (is_shown(lr_problem_kind_at(i), only))
      print_kind(lr_problem_kind_at(i));
  if (is_shown(&mlp_kind, only)) print_kind(&mlp_kind);
  printf("Use %s as: lrgd minimize %s --set KEY=VALUE ...\n",
         only != NULL ? "it" : "one", only != NULL ? only : "NAME");
  return finish_output(EXIT_FINE);
}

const cli_command problems_command = {
    .name = "problems",
    .words = "[NAME] [--json|--csv]",
    .summary =
        "Lists the built-in problems with their parameters and what "
        "these are\nwhere they are not set; with NAME, that one.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .run = run_problems,
};
