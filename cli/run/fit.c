/* lrgd fit: finds the inputs at which a program's simulated values are nearest
 * to observations. */
#include "cli/base/flags.h"
#include "pest_inputs.h"
#include "pest_model.h"
#include "problem_source.h"
#include "session.h"

static const int flag_ids[] = {
    FLAG_PEST,        FLAG_WORKER,     FLAG_PROGRAM,    FLAG_OBSERVATIONS,
    FLAG_DIM,         FLAG_START,      FLAG_LOWER,      FLAG_UPPER,
    FLAG_JOBS,        FLAG_TIMEOUT,    FLAG_NAMES,      FLAG_SCALE,
    FLAG_LOG,         FLAG_BASIS,      FLAG_EQUAL,      FLAG_JOURNAL,
    FLAG_LEARN_FROM,  FLAG_PRIOR,      FLAG_CORRELATED, FLAG_LENGTH,
    FLAG_PREDICTIONS, FLAG_COVARIANCE, FLAG_JACOBIAN,   FLAG_ORACLE,
    SIMULATOR_FLAGS,  SESSION_FLAGS,   FLAG_HELP};

/* Refuses flags for what the control file defines. */
static lrgd_status check_pest(const cli_flags *flags, lrgd_error *error)
{
  static const flag_id others[] = {
      FLAG_WORKER, FLAG_PROGRAM, FLAG_OBSERVATIONS, FLAG_DIM,   FLAG_START,
      FLAG_LOWER,  FLAG_UPPER,   FLAG_NAMES,        FLAG_SCALE, FLAG_LOG,
      FLAG_BASIS,  FLAG_EQUAL,   FLAG_PRIOR,        FLAG_ORACLE};
  for (size_t i = 0; i < COUNT_OF(others); i++)
    if (flags_has(flags, others[i]))
      return fail(error, LRGD_ERR_INVALID,
                  "--%s and --pest: the control file says that already",
                  flags_name(others[i]));
  return LRGD_OK;
}

static lrgd_status check_program(const cli_flags *flags, lrgd_error *error)
{
  bool worker = flags_has(flags, FLAG_WORKER);
  bool program = flags_has(flags, FLAG_PROGRAM);
  if (worker == program)
    return fail(error, LRGD_ERR_INVALID,
                worker ? "one of --worker and --program, not both"
                       : "fit what? give --worker, --program or --pest");
  if (!flags_has(flags, FLAG_OBSERVATIONS))
    return fail(error, LRGD_ERR_INVALID,
                "fit to what? give --observations FILE, a line NAME VALUE "
                "[WEIGHT [GROUP]] each");
  return LRGD_OK;
}

static lrgd_status check(const cli_flags *flags, lrgd_error *error)
{
  if (flags->word_count > 0)
    return fail(error, LRGD_ERR_INVALID,
                "fit takes a program, not \"%.40s\": give --worker, --program "
                "or --pest",
                flags->words[0]);
  lrgd_status status = flags_has(flags, FLAG_PEST)
                           ? check_pest(flags, error)
                           : check_program(flags, error);
  if (status != LRGD_OK) return status;
  if (source_is_elsewhere())
    return fail(error, LRGD_ERR_INVALID,
                "fit: ranks are asked for f only; use lrgd");
  return session_check(flags, error);
}

/* Reads all files of the case here once, so that errors in them are reported
 * before anything runs. */
static int fit_case(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  pest_model model;
  pest_flags own;
  cli_inputs inputs;
  if (pest_model_open(&model, flags_text(flags, FLAG_PEST), &error) != LRGD_OK)
    return exit_with(&error);
  int code = EXIT_USAGE;
  lrgd_status status = pest_flags_make(&own, flags, &model.of, &error);
  if (status == LRGD_OK) {
    status = pest_inputs(&inputs, &model.of, flags, &error);
    if (status == LRGD_OK) code = session_begin(&own.flags, &inputs, &model.of);
    inputs_free(&inputs);
    pest_flags_free(&own);
  }
  pest_model_close(&model);
  return status == LRGD_OK ? code : exit_with(&error);
}

static int run_fit(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  if (check(flags, &error) != LRGD_OK) return exit_with(&error);
  return flags_has(flags, FLAG_PEST) ? fit_case(flags)
                                     : session_begin(flags, NULL, NULL);
}

const cli_command fit_command = {
    .name = "fit",
    .words =
        "--worker|--program 'CMD' --observations FILE | --pest CASE.pst "
        "[flags]",
    .summary = "Fits the inputs of a program to what was measured.",
    .details =
        "The program gets x as one line of P numbers and answers a line of m\n"
        "simulated values, in the order of the observations.  FILE has a\n"
        "line for each observation: its name, the value that was measured,\n"
        "and, where they are not 1 and \"all\", a weight and a group.  What\n"
        "follows a # is a comment.  The weight is 1 over the error of a\n"
        "measurement; one of weight 0 is simulated and told, and does not\n"
        "count.  With --oracle slope or gradient it gets or adds derivatives\n"
        "of these values.\n\n"
        "f is half the sum of the squares of the residuals, weight times\n"
        "(simulated - observed).  The journal keeps the simulated values.\n"
        "lrgd resume goes on, with --observations also with other values or\n"
        "weights, from the point that is best by them.\n\n"
        "With --pest everything comes from a PEST control file and the\n"
        "templates and instruction files that it names; the model runs in\n"
        "its folder, of several --jobs each in a copy.  --save FILE.par\n"
        "writes all parameters as PEST does.\n\n"
        "Told with the result: what the data say of the inputs (singular\n"
        "values, identifiability, standard deviations; bounds are taken as\n"
        "four of them apart before the data) and, for --predictions, how\n"
        "uncertain they are and which group of observations constrains them.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .solver_options = true,
    .run = run_fit,
};
