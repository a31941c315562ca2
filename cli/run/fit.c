/* lrgd fit: finds the inputs of a program whose simulated values are nearest to
 * what was measured. */
#include "cli/base/flags.h"
#include "problem_source.h"
#include "session.h"

static const int flag_ids[] = {
    FLAG_WORKER,     FLAG_PROGRAM, FLAG_OBSERVATIONS, FLAG_DIM,
    FLAG_START,      FLAG_LOWER,   FLAG_UPPER,        FLAG_JOBS,
    FLAG_TIMEOUT,    FLAG_NAMES,   FLAG_SCALE,        FLAG_LOG,
    FLAG_BASIS,      FLAG_EQUAL,   FLAG_JOURNAL,      FLAG_PRIOR,
    FLAG_CORRELATED, FLAG_LENGTH,  SESSION_FLAGS,     FLAG_HELP};

static lrgd_status check(const cli_flags *flags, lrgd_error *error)
{
  bool worker = flags_has(flags, FLAG_WORKER);
  bool program = flags_has(flags, FLAG_PROGRAM);
  if (flags->word_count > 0)
    return fail(error, LRGD_ERR_INVALID,
                "fit takes a program, not \"%.40s\": give --worker or "
                "--program",
                flags->words[0]);
  if (worker == program)
    return fail(error, LRGD_ERR_INVALID,
                worker ? "one of --worker and --program, not both"
                       : "fit what? give --worker or --program");
  if (!flags_has(flags, FLAG_OBSERVATIONS))
    return fail(error, LRGD_ERR_INVALID,
                "fit to what? give --observations FILE, a line NAME VALUE "
                "[WEIGHT [GROUP]] each");
  if (subject_is_elsewhere())
    return fail(error, LRGD_ERR_INVALID,
                "fit: ranks are asked for f only; use lrgd");
  return session_check(flags, error);
}

static int run_fit(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  if (check(flags, &error) != LRGD_OK) return exit_with(&error);
  return session_begin(flags);
}

const cli_command fit_command = {
    .name = "fit",
    .words = "--worker|--program 'CMD' --observations FILE [flags]",
    .summary = "Fits the inputs of a program to what was measured.",
    .details =
        "The program gets x as one line of P numbers and answers a line of m\n"
        "simulated values, in the order of the observations.  FILE has a\n"
        "line for each observation: its name, the value that was measured,\n"
        "and, where they are not 1 and \"all\", a weight and a group.  What\n"
        "follows a # is a comment.  The weight is 1 over the error of a\n"
        "measurement; one of weight 0 is simulated and told, and does not\n"
        "count.\n\n"
        "f is half the sum of the squares of the residuals, weight times\n"
        "(simulated - observed).  The journal keeps the simulated values.\n"
        "lrgd resume goes on, with --observations also with other values or\n"
        "weights, from the point that is best by them.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .solver_options = true,
    .run = run_fit,
};
