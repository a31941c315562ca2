/* lrgd minimize: finds a minimum. */
#include "answer_limits.h"
#include "cli/base/flags.h"
#include "minimize_mlp.h"
#include "problem_source.h"
#include "session.h"

#include <string.h>

static const int flag_ids[] = {
    SOURCE_FLAGS,    FLAG_NAMES,      FLAG_SCALE,    FLAG_LOG,
    FLAG_BASIS,      FLAG_SAMPLES,    FLAG_EQUAL,    FLAG_JOURNAL,
    FLAG_LEARN_FROM, FLAG_RESIDUALS,  FLAG_PRIOR,    FLAG_CORRELATED,
    FLAG_LENGTH,     FLAG_COVARIANCE, FLAG_JACOBIAN, FLAG_DATA,
    OUTPUT_FLAGS,    SIMULATOR_FLAGS, SESSION_FLAGS, FLAG_HELP};

static int run_minimize(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  if (residuals_check(flags, &error) != LRGD_OK) return exit_with(&error);
  if (flags->word_count == 1 && strcmp(flags->words[0], "mlp") == 0) {
    if (!flags_has(flags, FLAG_CSV)) return mlp_minimize(flags);
    say("--csv: mlp has no rows of inputs; --json has its result");
    return EXIT_USAGE;
  }
  if (session_check(flags, &error) != LRGD_OK) return exit_with(&error);
  return session_begin(flags, NULL, NULL);
}

const cli_command minimize_command = {
    .name = "minimize",
    .words = "[PROBLEM] [flags]",
    .summary = "Finds a minimum of an expensive function.",
    .details =
        "PROBLEM is one of\n"
        "  NAME --set KEY=VALUE ...  a built-in problem (lrgd problems)\n"
        "  mlp --set KEY=VALUE ...   a network on MNIST, trained with slopes\n"
        "                            only; --max-evals counts forward passes\n"
        "  --worker 'CMD'            a program, started once; for each line\n"
        "                            of P numbers it answers with f\n"
        "  --program 'CMD'           a program, run once per evaluation\n"
        "  --plugin FILE.so          a C function in a shared library\n\n"
        "--worker and --program get x as one line of P numbers on standard\n"
        "input.  A worker answers each line with a line, and must flush it.\n"
        "--program runs once per evaluation, in a fresh temporary directory;\n"
        "the last line of its output that is not empty is the answer.\n"
        "Without --timeout an evaluation may take for ever.\n\n"
        "With --residuals the program answers m numbers, as many each time; f\n"
        "is half the sum of their squares.  Method auto then takes far fewer\n"
        "evaluations, as each tells m numbers instead of one.  With --oracle\n"
        "gradient their Jacobian follows, row after row; with slope the line\n"
        "has a direction too, and m derivatives follow.  lrgd fit does the\n"
        "same for simulated values and what was measured.\n\n"
        "With --answers mass,stress the program answers these numbers; the\n"
        "first, or --objective, is minimised (--maximize: maximised), and\n"
        "--constraint 'stress <= 250' limits others.  Each evaluation teaches\n"
        "models of all of them.  --at-most keeps A x <= b at every point.\n\n"
        "--equal keeps A x = b at every point that is asked: A.txt has a row\n"
        "of P numbers on each line, b.txt a number.  The start is moved to\n"
        "the nearest point that satisfies it.  With bounds too, methods auto\n"
        "and quasi-newton keep both.\n\n"
        "FILE of --start, --lower, --upper and --scale has P numbers, on "
        "lines\n"
        "of their own or with blanks or commas between; a first line of words\n"
        "is a header, a word before a number its name, # begins a comment; or\n"
        "it is a .npy file.  Of --basis and --samples it has P for each, on a\n"
        "line of its own or side by side.  With --scale and --log the solver "
        "works on\n"
        "x / scale or log(x) / scale, and so --tol is about those; the "
        "program\n"
        "always sees x.  Where every input has two bounds whose widths differ\n"
        "by more than 100 times, and none starts within a thousandth of its\n"
        "box from a bound, auto and quasi-newton take the widths for the "
        "scale,\n"
        "unless --scale, --log, --basis, --tol, --mu or --epsilon is given.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .solver_options = true,
    .run = run_minimize,
};
