/* lrgd reproduce: recomputes the paper's results. */
#include "reproduce.h"
#include "cli/base/csv_output.h"

#include "cli/base/own_file.h"
#include "cli/draw/draw.h"
#include "cli/run/mlp_data.h"
#include "mnist.h"

#include <stdlib.h>
#include <string.h>

static const int flag_ids[] = {FLAG_JSON,    FLAG_CSV,   FLAG_PLOT,
                               FLAG_OUT,     FLAG_PAPER, FLAG_DATA,
                               FLAG_EPOCHS,  FLAG_SET,   FLAG_VARIATIONS,
                               FLAG_HESSIAN, FLAG_QUIET, FLAG_HELP};

enum { TABLES = 3 };

/* What was requested, and its results. */
typedef struct cli_results {
  cli_table tables[TABLES];
  bool table_wanted[TABLES];
  bool figure_wanted;
  cli_figure1 *figure;
  bool theorems_wanted;
  cli_theorems *theorems;
  bool acceleration_wanted;
  cli_acceleration *acceleration;
  bool mnist_wanted;
  lrgd_error mnist_missing; /* why mnist is left out of `all` */
  cli_mnist *mnist;
  table_score score;
} cli_results;

static const cli_results none = {
    .tables = {{.name = "half", .divisor = 2},
               {.name = "fourth", .divisor = 4},
               {.name = "tenth", .divisor = 10}}
};

/* ---- which results are wanted ---- */

/* Whether the name is that of the experiment on networks, or of the figure that
 * shows it. */
static bool is_mnist(const char *name)
{
  return strcmp(name, "mnist") == 0 || strcmp(name, "figure-2") == 0;
}

/* Whether the name is the table's, "half", or its number in the paper,
 * "table-1". */
static bool is_table(const cli_results *results, size_t i, const char *name)
{
  char number[16];
  snprintf(number, sizeof number, "table-%zu", i + 1);
  return strcmp(name, results->tables[i].name) == 0 ||
         strcmp(name, number) == 0;
}

static bool want(cli_results *results, const char *name)
{
  bool all = strcmp(name, "all") == 0, known = all;
  for (size_t i = 0; i < TABLES; i++) {
    if (!all && !is_table(results, i, name)) continue;
    results->table_wanted[i] = true;
    known = true;
  }
  if (all || strcmp(name, "figure-1") == 0)
    results->figure_wanted = known = true;
  if (all || strcmp(name, "theorems") == 0)
    results->theorems_wanted = known = true;
  if (all || strcmp(name, "acceleration") == 0)
    results->acceleration_wanted = known = true;
  if (all || is_mnist(name)) results->mnist_wanted = known = true;
  return known;
}

static bool wants_table(const cli_results *results)
{
  bool wanted = false;
  for (size_t i = 0; i < TABLES; i++) wanted |= results->table_wanted[i];
  return wanted;
}

/* The number of kinds of rows in the output. */
static size_t kinds_wanted(const cli_results *results)
{
  return (size_t)wants_table(results) + (size_t)results->figure_wanted +
         (size_t)results->theorems_wanted +
         (size_t)results->acceleration_wanted + (size_t)results->mnist_wanted;
}

/* Only mnist needs data and a BLAS: without them `all` leaves it out, and a
 * request for mnist is refused.  Checked before anything is computed. */
static lrgd_status check_mnist(cli_results *results, const cli_flags *flags,
                               lrgd_error *error)
{
  static const flag_id its[] = {FLAG_DATA, FLAG_SET, FLAG_EPOCHS, FLAG_HESSIAN,
                                FLAG_VARIATIONS};
  bool meant = false;
  for (size_t i = 0; i < COUNT_OF(its); i++) meant |= flags_has(flags, its[i]);
  if (meant && !results->mnist_wanted)
    return fail(error, LRGD_ERR_INVALID,
                "--data, --epochs, --set, --hessian and --variations are for "
                "mnist");
  for (size_t i = 0; i < flags->word_count; i++)
    meant |= is_mnist(flags->words[i]);
  if (!results->mnist_wanted || network_check(flags, error) == LRGD_OK)
    return LRGD_OK;
  if (meant) return error->status;
  results->mnist_missing = *error;
  *error = (lrgd_error){.text = ""};
  results->mnist_wanted = false;
  return LRGD_OK;
}

static lrgd_status read_names(cli_results *results, const cli_flags *flags,
                              lrgd_error *error)
{
  if (flags->word_count == 0)
    return fail(error, LRGD_ERR_INVALID,
                "reproduce what? half, fourth, tenth (table-1, table-2, "
                "table-3), figure-1, theorems, acceleration, mnist "
                "(figure-2) or all");
  for (size_t i = 0; i < flags->word_count; i++)
    if (!want(results, flags->words[i]))
      return fail(error, LRGD_ERR_INVALID,
                  "reproduce: \"%.40s\" is none of half, fourth, tenth "
                  "(table-1, table-2, table-3), figure-1, theorems, "
                  "acceleration, mnist (figure-2), all",
                  flags->words[i]);
  if (flags_has(flags, FLAG_CSV) && kinds_wanted(results) > 1)
    return fail(error, LRGD_ERR_INVALID,
                "--csv: the tables have one kind of row, figure-1, theorems, "
                "acceleration and mnist each another: one of them at a time");
  lrgd_status status =
      csv_alone(flags_has(flags, FLAG_CSV), flags_has(flags, FLAG_JSON), error);
  if (status == LRGD_OK) status = check_mnist(results, flags, error);
  size_t cursor = 0;
  const char *path;
  while (status == LRGD_OK &&
         (path = flags_next(flags, FLAG_PLOT, &cursor)) != NULL)
    status = draw_check_name(path, error);
  return status;
}

/* ---- computing them ---- */

/* The file with the paper's numbers: the user's, or the one installed with this
 * program. */
static const char *paper_file(const cli_flags *flags, char own[PATH_MAX])
{
  const char *told = flags_text(flags, FLAG_PAPER);
  if (told != NULL) return told;
  return own_data(own, "oracle-calls.csv", LRGD_DATADIR) ? own : NULL;
}

static lrgd_status run_tables(cli_results *results, const cli_flags *flags,
                              lrgd_error *error)
{
  char own[PATH_MAX];
  const char *paper = paper_file(flags, own);
  for (size_t i = 0; i < TABLES; i++) {
    cli_table *table = &results->tables[i];
    if (!results->table_wanted[i]) continue;
    lrgd_status status = table_run(table, error);
    if (status == LRGD_OK && paper != NULL)
      status = table_read_paper(table, paper, error);
    if (status != LRGD_OK) return status;
    table_score score = table_compare(table);
    results->score.equal += score.equal;
    results->score.compared += score.compared;
  }
  return LRGD_OK;
}

static lrgd_status run_all(cli_results *results, const cli_flags *flags,
                           lrgd_error *error)
{
  lrgd_status status = run_tables(results, flags, error);
  if (status == LRGD_OK && results->figure_wanted)
    status = figure1_run(&results->figure, error);
  if (status == LRGD_OK && results->theorems_wanted)
    status = theorems_run(&results->theorems, error);
  if (status == LRGD_OK && results->acceleration_wanted)
    status = acceleration_run(&results->acceleration, error);
  if (status == LRGD_OK && results->mnist_wanted)
    status = mnist_run(&results->mnist, flags, error);
  return status;
}

/* ---- output ---- */

static void print_text(const cli_results *results)
{
  for (size_t i = 0; i < TABLES; i++)
    if (results->table_wanted[i]) table_print(&results->tables[i]);
  if (results->figure != NULL) figure1_print(results->figure);
  if (results->theorems != NULL) theorems_print(results->theorems);
  if (results->acceleration != NULL) acceleration_print(results->acceleration);
  if (results->mnist != NULL) mnist_print(results->mnist);
  if (results->mnist_missing.status != LRGD_OK)
    printf("The experiment on networks was left out, as %s\n",
           results->mnist_missing.text);
  if (results->score.compared > 0)
    printf("%zu of %zu counts equal the paper's\n", results->score.equal,
           results->score.compared);
  else if (wants_table(results))
    printf(
        "The paper's numbers were not found: give --paper FILE to see them "
        "beside ours\n");
}

static void print_csv(const cli_results *results)
{
  if (results->figure != NULL) figure1_csv(results->figure);
  if (results->theorems != NULL) theorems_csv(results->theorems);
  if (results->acceleration != NULL) acceleration_csv(results->acceleration);
  if (results->mnist != NULL) mnist_csv(results->mnist);
  if (wants_table(results)) table_csv_head();
  for (size_t i = 0; i < TABLES; i++)
    if (results->table_wanted[i]) table_csv(&results->tables[i]);
}

/* A single result is the object itself; several are members of one. */
static int print_json(const cli_results *results)
{
  json_t *object = json_object(), *only = NULL;
  for (size_t i = 0; i < TABLES; i++)
    if (results->table_wanted[i]) {
      only = table_json(&results->tables[i]);
      (void)json_object_set_new(object, results->tables[i].name, only);
    }
  if (results->figure != NULL) {
    only = figure1_json(results->figure);
    (void)json_object_set_new(object, "figure-1", only);
  }
  if (results->theorems != NULL) {
    only = theorems_json(results->theorems);
    (void)json_object_set_new(object, "theorems", only);
  }
  if (results->acceleration != NULL) {
    only = acceleration_json(results->acceleration);
    (void)json_object_set_new(object, "acceleration", only);
  }
  if (results->mnist != NULL) {
    only = mnist_json(results->mnist);
    (void)json_object_set_new(object, "mnist", only);
  }
  if (results->mnist_missing.status != LRGD_OK)
    (void)json_object_set_new(object, "mnist", json_null());
  if (json_object_size(object) == 1) {
    json_incref(only);
    json_decref(object);
    object = only;
  }
  return json_print(object);
}

/* The figures that are always drawn. */
typedef enum paper_figure { FIGURE_1, FIGURE_2, HESSIAN } paper_figure;

static lrgd_status draw_one(const cli_results *results, paper_figure which,
                            const char *path, lrgd_error *error)
{
  switch (which) {
  case FIGURE_1: return figure1_draw(results->figure, path, error);
  case FIGURE_2: return mnist_draw(results->mnist, path, error);
  case HESSIAN: break;
  }
  return hessian_draw(results->mnist->hessian, path, error);
}

/* Whether --plot applies to this figure: to the first one drawn. */
static bool takes_plots(const cli_results *results, paper_figure which)
{
  return which == FIGURE_1 || (which == FIGURE_2 && results->figure == NULL);
}

/* Writes to every --plot, or without one to stem.svg and stem.png in --out. */
static lrgd_status draw_paper(const cli_results *results, paper_figure which,
                              const cli_flags *flags, lrgd_error *error)
{
  static const char *const ends[] = {"svg", "png"};
  static const char *const stems[] = {"figure-1", "figure-2", "hessian"};
  const char *folder = flags_text(flags, FLAG_OUT);
  bool plots = takes_plots(results, which);
  size_t cursor = 0;
  const char *path;
  lrgd_status status = LRGD_OK;
  while (status == LRGD_OK && plots &&
         (path = flags_next(flags, FLAG_PLOT, &cursor)) != NULL)
    status = draw_one(results, which, path, error);
  if (flags_has(flags, FLAG_PLOT) && plots) return status;
  for (size_t i = 0; status == LRGD_OK && i < COUNT_OF(ends); i++) {
    char joined[4096];
    int length = snprintf(joined, sizeof joined, "%s/%s.%s",
                          folder != NULL ? folder : ".", stems[which], ends[i]);
    if (length < 0 || (size_t)length >= sizeof joined)
      return fail(error, LRGD_ERR_INVALID, "--out: the name is too long");
    status = draw_one(results, which, joined, error);
    if (status != LRGD_OK || flags_has(flags, FLAG_QUIET)) continue;
    fputs("drew ", stderr);
    put_safe(stderr, joined);
    fputc('\n', stderr);
  }
  return status;
}

/* The files of --plot, where only the theorems or the step rules are drawn. */
static lrgd_status draw_others(const cli_results *results,
                               const cli_flags *flags, lrgd_error *error)
{
  size_t cursor = 0;
  const char *path;
  lrgd_status status = LRGD_OK;
  if (results->figure != NULL || results->mnist != NULL) return LRGD_OK;
  while (status == LRGD_OK &&
         (path = flags_next(flags, FLAG_PLOT, &cursor)) != NULL)
    if (results->theorems != NULL)
      status = theorems_draw(results->theorems, path, error);
    else if (results->acceleration != NULL)
      status = acceleration_draw(results->acceleration, path, error);
  return status;
}

/* A count that differs from the paper's is an error, and so is a theorem's
 * bound that does not hold. */
static int show(const cli_results *results, const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  int code = EXIT_FINE;
  if (flags_has(flags, FLAG_CSV))
    print_csv(results);
  else if (flags_has(flags, FLAG_JSON))
    code = print_json(results);
  else
    print_text(results);
  code = finish_output(code);
  lrgd_status status = LRGD_OK;
  if (results->figure != NULL)
    status = draw_paper(results, FIGURE_1, flags, &error);
  if (status == LRGD_OK && results->mnist != NULL)
    status = draw_paper(results, FIGURE_2, flags, &error);
  if (status == LRGD_OK && results->mnist != NULL &&
      results->mnist->hessian != NULL)
    status = draw_paper(results, HESSIAN, flags, &error);
  if (status == LRGD_OK) status = draw_others(results, flags, &error);
  if (status != LRGD_OK) code = exit_with(&error);
  if (code == EXIT_FINE && results->theorems != NULL &&
      !theorems_hold(results->theorems))
    code = EXIT_INTERNAL;
  if (code == EXIT_FINE && results->score.equal != results->score.compared)
    code = EXIT_INTERNAL;
  return code;
}

static int run_reproduce(const cli_flags *flags)
{
  cli_results results = none;
  lrgd_error error = {.text = ""};
  lrgd_status status = read_names(&results, flags, &error);
  if (status == LRGD_OK) status = run_all(&results, flags, &error);
  int code = status == LRGD_OK ? show(&results, flags) : exit_with(&error);
  figure1_free(&results.figure);
  theorems_free(&results.theorems);
  acceleration_free(&results.acceleration);
  mnist_free(&results.mnist);
  return code;
}

const cli_command reproduce_command = {
    .name = "reproduce",
    .words =
        "half|fourth|tenth|figure-1|theorems|acceleration|mnist|all ... "
        "[flags]",
    .summary = "Computes the paper's own results again.",
    .details =
        "half, fourth, tenth  the tables of oracle calls, step 1/(2L), 1/(4L)\n"
        "                     and 1/(10L), the paper's numbers beside ours;\n"
        "                     table-1, table-2 and table-3 are the same\n"
        "figure-1             the iterates of GD and LRGD in two dimensions, "
        "and\n"
        "                     where the rounds of LRGD end; draws "
        "figure-1.svg\n"
        "                     and figure-1.png\n"
        "theorems             Theorems 3.1-3.4: measured calls, bounds and\n"
        "                     conditions, with sample points along H and\n"
        "                     random ones; --plot draws calls against p\n"
        "acceleration         calls against the condition number, by step "
        "rule\n"
        "                     inside one subspace (the paper's future work)\n"
        "mnist                gradients of a network around its optimum; "
        "draws\n"
        "                     figure-2.svg and figure-2.png.  Needs the data\n"
        "                     (tools/mnist) and a minute or two.  --set\n"
        "                     varies hidden, activation, optimiser, rate,\n"
        "                     train_batch, tau, n, batch, seed; figure-2 is\n"
        "                     another name for it\n"
        "all                  all of these; without its data all but mnist",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .run = run_reproduce,
};
