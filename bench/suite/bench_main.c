/* lrgd-bench: compares all available solvers on a suite of problems. */
#include "asks.h"
#include "bench_flags.h"
#include "circuit.h"
#include "cli/base/cli.h"
#include "cli/base/own_file.h"
#include "cli/draw/draw.h"
#include "kernels.h"
#include "peer_child.h"
#include "peers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_die(const char *format, ...)
{
  char text[1024];
  va_list list;
  fflush(stdout); /* results reported so far are not lost */
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  say("%s", text);
  exit(2);
}

/* ---- what is to be run ---- */

static void choose_cases(bench_plan *plan, bench_flags *flags)
{
  const char *suite = flags->suite ? flags->suite : "quick";
  plan->cases = flags->cases;
  if (flags->own.line) {
    plan->cases[0] = &flags->own;
    plan->case_count = 1;
    return;
  }
  plan->case_count = bench_suite(suite, plan->cases, BENCH_CASES);
  if (plan->case_count == 0)
    bench_die(
        "\"%.40s\" is no suite (there are quick, full, exact, embedded, "
        "approximate, fullrank, noise, bounds, fit, collection, constrained, "
        "simulators, tune, smoke)",
        suite);
}

/* Removes the problems whose label does not contain `only`. */
static void narrow(bench_plan *plan, const char *only)
{
  size_t kept = 0;
  for (size_t c = 0; only && c < plan->case_count; c++)
    if (strstr(plan->cases[c]->label, only))
      plan->cases[kept++] = plan->cases[c];
  if (only) plan->case_count = kept;
  if (plan->case_count == 0)
    bench_die("no problem of the suite has '%s' in its label", only);
}

static bool is_suite(const bench_flags *flags, const char *name)
{
  return !flags->own.line && flags->suite && strcmp(flags->suite, name) == 0;
}

/* Removes the circuit problem where ngspice is not installed. */
static void leave_out_circuit(bench_plan *plan)
{
  size_t kept = 0;
  for (size_t c = 0; c < plan->case_count; c++) {
    bool circuit = strcmp(plan->cases[c]->line, "ngspice") == 0;
    if (!circuit || bench_circuit_there())
      plan->cases[kept++] = plan->cases[c];
    else
      fprintf(stderr, "lrgd: without %s: there is no ngspice\n",
              plan->cases[c]->label);
  }
  plan->case_count = kept;
}

static bool is_listed(const char *const *list, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, list[i]) == 0) return true;
  return false;
}

/* Which solvers run: on fits, those for residuals and those for f alone; on
 * published test functions and simulators, those that people would try. */
static bool is_tried(const bench_plan *plan, const bench_solver *solver)
{
  static const char *const tried[] = {"auto",  "quasi-newton", "l-bfgs-b",
                                      "sbplx", "praxis",       "bobyqa",
                                      "newuoa"};
  bench_class class = plan->cases[0]->class;
  size_t count = sizeof tried / sizeof tried[0];
  if (class == BENCH_CONSTRAINED)
    return (solver->needs & BENCH_LIMITS) || strcmp(solver->name, "auto") == 0;
  if (solver->needs & BENCH_LIMITS) return false;
  if (bench_class_fits(class))
    return (solver->needs & BENCH_RESIDUALS) ||
           strncmp(solver->name, "auto", 4) == 0;
  if ((solver->needs & BENCH_RESIDUALS) || strcmp(solver->name, "auto-f") == 0)
    return false;
  if (bench_class_collects(class)) return is_listed(tried, count, solver->name);
  return class != BENCH_SIMULATORS || is_listed(tried, count - 1, solver->name);
}

static void choose_solvers(bench_plan *plan, bench_flags *flags)
{
  const bench_solver *solver;
  for (size_t i = 0; flags->spec_count < BENCH_WORDS; i++) {
    if (plan->spec_count > 0 || !(solver = bench_solver_at(i))) break;
    if (is_tried(plan, solver))
      flags->specs[flags->spec_count++] = solver->name;
  }
  plan->specs = flags->specs;
  plan->spec_count = flags->spec_count;
}

static bool is_quick(const bench_flags *flags)
{
  if (flags->own.line) return false;
  return !flags->suite || strcmp(flags->suite, "quick") == 0;
}

static void choose_seeds(bench_plan *plan, bench_flags *flags)
{
  bool tune = is_suite(flags, "tune");
  uint64_t first = tune ? 1 : 101;
  bool one = !flags->own.line && flags->suite &&
             strncmp(flags->suite, "constrained", 11) == 0;
  uint64_t count = tune ? 9 : one ? 1 : is_quick(flags) ? 3 : 5;
  for (uint64_t s = 0; plan->seed_count == 0 && s < count; s++)
    flags->seeds[flags->seed_count++] = first + s;
  plan->seeds = flags->seeds;
  plan->seed_count = flags->seed_count;
}

static void make_plan(bench_plan *plan, bench_flags *flags)
{
  *plan = (bench_plan){.spec_count = flags->spec_count,
                       .seed_count = flags->seed_count,
                       .to_end = flags->to_end,
                       .seconds = flags->seconds,
                       .jobs = flags->jobs,
                       .quiet = flags->quiet,
                       .policy = flags->policy,
                       .policy_count = flags->policy_count,
                       .sweep = flags->sweep};
  choose_cases(plan, flags);
  narrow(plan, flags->only);
  leave_out_circuit(plan);
  if (!(plan->seconds > 0))
    plan->seconds = is_quick(flags)                 ? 4
                    : is_suite(flags, "simulators") ? 300
                                                    : 30;
  choose_solvers(plan, flags);
  choose_seeds(plan, flags);
}

/* ---- running the benchmark ---- */

static bench_task *make_tasks(size_t count)
{
  bench_task *tasks = calloc(count + 1, sizeof *tasks);
  if (!tasks) bench_die("no memory for %zu runs", count);
  return tasks;
}

/* Computes f* of every problem and seed once. */
static bench_task *find_minima(const bench_plan *plan, double known)
{
  size_t count = plan->case_count * plan->seed_count;
  bench_task *tasks = make_tasks(count);
  for (size_t i = 0; i < count; i++) {
    tasks[i].from = plan->cases[i / plan->seed_count];
    tasks[i].seed = plan->seeds[i % plan->seed_count];
    tasks[i].minimum = NAN;
  }
  if (isnan(known)) bench_run_tasks(plan, tasks, count, "minima");
  for (size_t i = 0; i < count; i++) {
    if (!isnan(known)) tasks[i].minimum = known;
    if (isnan(tasks[i].minimum))
      bench_die("no minimum was found for '%s'", tasks[i].from->line);
  }
  return tasks;
}

/* Whether the solver supports the problem. */
static bool is_able(const bench_solver *solver, const bench_task *task)
{
  bool fits = bench_class_fits(task->from->class);
  bench_problem problem;
  lrgd_error error = {.text = ""};
  bool able = true;
  if (bench_case_bounded(task->from) && !solver->bounds) return false;
  bool limits = task->from->class == BENCH_CONSTRAINED;
  if ((solver->needs & BENCH_RESIDUALS) && !fits) return false;
  if (limits != ((solver->needs & BENCH_LIMITS) != 0) &&
      !(limits && strcmp(solver->name, "auto") == 0))
    return false;
  if (!(solver->needs & (BENCH_TALL | BENCH_FEW_INPUTS | BENCH_NO_EQUATIONS)))
    return true;
  if (bench_problem_make(&problem, task->from, task->seed, &error) != LRGD_OK)
    bench_die("%s", error.text);
  able =
      (!(solver->needs & BENCH_FEW_INPUTS) || problem.p <= BENCH_FEW) &&
      (!(solver->needs & BENCH_TALL) || problem.m >= problem.p) &&
      (!(solver->needs & BENCH_NO_EQUATIONS) || !bench_has_equations(&problem));
  bench_problem_free(&problem);
  return able;
}

static bench_task *run_all(const bench_plan *plan, const bench_flags *flags)
{
  double known = flags->minimum;
  bench_task *minima = find_minima(plan, known);
  size_t count = plan->case_count * plan->spec_count * plan->seed_count;
  bench_task *tasks = make_tasks(count);
  for (size_t i = 0; i < count; i++) {
    size_t seed = i % plan->seed_count, s = i / plan->seed_count;
    size_t c = s / plan->spec_count;
    const bench_solver *solver;
    s %= plan->spec_count;
    solver = bench_solver_find(plan->specs[s]);
    tasks[i].from = plan->cases[c];
    tasks[i].seed = plan->seeds[seed];
    tasks[i].spec = plan->specs[s];
    tasks[i].minimum = minima[c * plan->seed_count + seed].minimum;
    tasks[i].skip = !is_able(solver, &tasks[i]);
  }
  free(minima);
  for (size_t i = 0; i < flags->known_count; i++)
    bench_take_known(tasks, count, flags->known[i]);
  bench_run_tasks(plan, tasks, count, "runs");
  return tasks;
}

static int show(const bench_results *r, const bench_flags *flags)
{
  lrgd_error error = {.text = ""};
  int code = 0;
  if (flags->csv)
    bench_print_csv(r);
  else if (flags->json)
    code = bench_print_json(r);
  else
    bench_print_tables(r);
  for (size_t i = 0; i < flags->plot_count; i++)
    if (bench_draw_profile(r, flags->plots[i], false, &error) != LRGD_OK)
      bench_die("%s", error.text);
  for (size_t i = 0; i < flags->data_plot_count; i++)
    if (bench_draw_profile(r, flags->data_plots[i], true, &error) != LRGD_OK)
      bench_die("%s", error.text);
  if (fflush(stdout) != 0) bench_die("cannot write to standard output");
  return code;
}

static int run_plan(bench_flags *flags)
{
  bench_plan plan;
  bench_results results;
  bench_task *tasks;
  lrgd_error error = {.text = ""};
  int code;
  for (size_t i = 0; i < flags->plot_count; i++)
    if (draw_check_name(flags->plots[i], &error) != LRGD_OK)
      bench_die("%s", error.text);
  for (size_t i = 0; i < flags->data_plot_count; i++)
    if (draw_check_name(flags->data_plots[i], &error) != LRGD_OK)
      bench_die("%s", error.text);
  make_plan(&plan, flags);
  bench_prepare_peers();
  tasks = run_all(&plan, flags);
  results = (bench_results){.plan = &plan, .tasks = tasks};
  if (bench_score_all(&results) != LRGD_OK) bench_die("out of memory");
  code = show(&results, flags);
  free(results.scores);
  free(tasks);
  return code;
}

/* ---- lists of solvers and problems, single runs ---- */

static int list_all(void)
{
  const bench_solver *solver;
  const bench_case *c;
  printf("solvers:\n");
  for (size_t i = 0; (solver = bench_solver_at(i)); i++)
    printf("  %-14s %-8s %s%s\n", solver->name, solver->family, solver->config,
           solver->bounds ? "" : "; no bounds");
  printf("\nproblems:\n");
  for (size_t i = 0; (c = bench_case_at(i)); i++)
    printf("  %-15s %-26s %s\n", bench_class_name(c->class), c->label, c->line);
  return 0;
}

static int run_one(const bench_flags *flags)
{
  bench_child child = {.from = &flags->own,
                       .spec = flags->specs[0],
                       .seed = flags->seed_count ? flags->seeds[0] : 101,
                       .minimum = flags->minimum,
                       .seconds = flags->seconds,
                       .to_end = flags->to_end};
  if (!child.from->line) bench_die("one run needs a --problem");
  if (flags->reference)
    bench_child_reference(child.from, child.seed);
  else if (!child.spec)
    bench_die("one run needs a --solver");
  else
    bench_child_run(&child);
  return 0;
}

/* Runs the script of the suite `width`, which counts rounds, or `makespan`,
 * which computes times on many workers; both have flags of their own. */
static void run_script(const char *name, int argc, char **argv)
{
#ifdef BENCH_WITH_PYTHON
  bench_script(name, argc, argv);
#else
  (void)name;
  (void)argc;
  (void)argv;
  bench_die("this needs Debian's python3-scipy (tools/packages-bench)");
#endif
}

int main(int argc, char **argv)
{
  bench_flags *flags = malloc(sizeof *flags);
  int code;
  own_file_begin(argc > 0 ? argv[0] : NULL);
  if (argc > 1 && strcmp(argv[1], "width") == 0)
    run_script("width.py", argc - 2, argv + 2);
  if (argc > 1 && strcmp(argv[1], "makespan") == 0)
    run_script("makespan.py", argc - 2, argv + 2);
  if (!flags) bench_die("out of memory");
  if (argc == 3 && strcmp(argv[1], "--asks") == 0) bench_asks(argv[2]);
  bench_flags_read(flags, argc, argv);
  if (flags->help) bench_flags_help();
  code = flags->help                      ? 0
         : flags->list                    ? list_all()
         : flags->one || flags->reference ? run_one(flags)
                                          : run_plan(flags);
  free(flags);
  return code;
}
