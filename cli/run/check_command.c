/* lrgd check: compares the gradient that a problem gives with values of f. */
#include "cli/base/cli_text.h"
#include "cli/base/flags.h"
#include "cli/base/json_output.h"
#include "problem_source.h"

#include <lrgd/analysis.h>
#include <stdio.h>

static const int flag_ids[] = {SOURCE_FLAGS, SIMULATOR_FLAGS, FLAG_NAMES,
                               FLAG_JSON,    FLAG_QUIET,      FLAG_HELP};

static json_t *slopes_json(double told, double measured, double error)
{
  return json_pack("{s:o, s:o, s:o}", "told", json_double(told), "measured",
                   json_double(measured), "error", json_double(error));
}

static json_t *check_json(const cli_source *source,
                          const lrgd_gradient_check *found)
{
  char name[INPUT_NAME_SIZE];
  json_t *input = json_null();
  if (found->input > 0) {
    input = slopes_json(found->input_told, found->input_measured,
                        found->input_error);
    json_put(&input, "input", json_count(found->input));
    json_put(&input, "name",
             json_text(input_name(&source->inputs, found->input - 1, name)));
  }
  return json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "problem",
                   source->name, "agrees", found->agrees, "directions",
                   json_count(found->directions), "worst",
                   slopes_json(found->told, found->measured, found->error),
                   "input", input, "f", json_double(found->f), "evaluations",
                   json_count(found->evaluations));
}

static void print_slopes(double told, double measured, double error)
{
  printf("the gradient says %.8g, values of f %.8g (to %.1g)\n", told, measured,
         error);
}

static void print_check(const cli_source *source,
                        const lrgd_gradient_check *found)
{
  char name[INPUT_NAME_SIZE], count[TEXT_COUNT_SIZE];
  puts(found->agrees ? "The gradient is that of f.\n"
                     : "The gradient is not that of f.\n");
  printf("  %zu random directions; along the one where they differ most ",
         found->directions);
  print_slopes(found->told, found->measured, found->error);
  if (found->input > 0) {
    printf("  by ");
    put_safe(stdout, input_name(&source->inputs, found->input - 1, name));
    printf(" (input %zu), the worst or one of them, ", found->input);
    print_slopes(found->input_told, found->input_measured, found->input_error);
  }
  printf("  %s evaluations\n", text_count(count, found->evaluations));
}

static int give(const cli_flags *flags, const cli_source *source,
                const lrgd_gradient_check *found)
{
  int code = EXIT_FINE;
  if (flags_has(flags, FLAG_JSON))
    code = json_print(check_json(source, found));
  else
    print_check(source, found);
  code = finish_output(code);
  return code == EXIT_FINE && !found->agrees ? EXIT_PROBLEM : code;
}

static int run_check(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  cli_source source;
  lrgd_gradient_check found;
  if (source_create(&source, flags, NULL, &error) != LRGD_OK)
    return exit_with(&error);
  if (source.problem.gradient == NULL && source.problem.slopes == NULL) {
    source_destroy(&source);
    (void)fail(&error, LRGD_ERR_INVALID,
               "there is nothing to check: --oracle gradient or slope says "
               "what the program gives besides f");
    return exit_with(&error);
  }
  lrgd_status status = lrgd_gradient_check_try(
      &found, &source.problem, &flags->options, source.start, &error);
  if (status == LRGD_OK && source.pool != NULL)
    status = lrgd_pool_finish(source.pool, &error);
  int code =
      status == LRGD_OK ? give(flags, &source, &found) : exit_with(&error);
  if (status == LRGD_ERR_ORACLE) source_say_failure(&source);
  source_destroy(&source);
  return code;
}

const cli_command check_command = {
    .name = "check",
    .words = "[PROBLEM] [flags]",
    .summary = "Says whether the gradient that a program gives is that of f.",
    .details =
        "PROBLEM is as in lrgd minimize, with --oracle gradient or slope.  At\n"
        "the start its derivatives along random directions (--seed) are\n"
        "compared with differences of f.  Where they differ, the input is\n"
        "looked for where they differ most, and both numbers are told; the\n"
        "exit status is 4 then.  Some 20 evaluations, and some 9 log2(P) more\n"
        "where they differ.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .solver_options = true,
    .run = run_check,
};
