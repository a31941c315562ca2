/* The paper's three tables: oracle calls of GD and of iterated LRGD (r = 1) on
 * f = theta' diag(L, 1) theta.  Counts come from ordinary runs; the paper's
 * numbers are in a data file. */
#include "reproduce.h"

#include "cli/base/cli_text.h"
#include "cli/base/files.h"
#include "cli/run/solve.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The starts, with the two decimals that the paper prints; they are not exactly
 * on the unit circle. */
static const double starts[TABLE_STARTS][2] = {
    {1.00, 0.00},
    {0.87, 0.50},
    {0.71, 0.71},
    {0.50, 0.87},
    {0.00, 1.00}
};
static const double conditions[TABLE_CONDITIONS] = {1, 10, 100, 1000};
enum { P = 2 };

/* ---- runs ---- */

static double quadratic_gradient(size_t p, const double *x, double *g,
                                 void *user)
{
  const double L = *(const double *)user;
  (void)p;
  g[0] = 2 * L * x[0];
  g[1] = 2 * x[1];
  return L * x[0] * x[0] + x[1] * x[1];
}

lrgd_problem two_dimensional_quadratic(const double *L)
{
  lrgd_problem problem = lrgd_problem_default(P);
  problem.gradient = quadratic_gradient;
  problem.user = (void *)L;
  return problem;
}

/* Stops at |grad f| <= sqrt(2 mu epsilon), epsilon = 0.1, mu = 1/2. */
static lrgd_status count_calls(lrgd_method method, const cli_table *table,
                               double L, const double *start, uint64_t *calls,
                               lrgd_error *error)
{
  lrgd_problem problem = two_dimensional_quadratic(&L);
  lrgd_options options = lrgd_options_default();
  options.method = method;
  options.rank = method == LRGD_METHOD_GD ? LRGD_UNSET : 1;
  options.step = LRGD_STEP_FIXED;
  options.alpha = 1 / (table->divisor * L);
  options.epsilon = 0.1;
  options.mu = 0.5;
  cli_run run;
  cli_task task = {.problem = &problem, .options = &options, .start = start};
  lrgd_status status = solve(&run, &task, error);
  if (status != LRGD_OK) return status;
  *calls = lrgd_counts_oracle_calls(&run.result.counts);
  lrgd_outcome outcome = run.result.outcome;
  run_free(&run);
  if (outcome == LRGD_OUTCOME_CONVERGED) return LRGD_OK;
  return fail(error, LRGD_ERR_NUMERIC,
              "table %s, L = %g, start (%.2f, %.2f): the run ended as \"%s\"",
              table->name, L, start[0], start[1], lrgd_outcome_text(outcome));
}

lrgd_status table_run(cli_table *table, lrgd_error *error)
{
  for (size_t i = 0; i < TABLE_STARTS; i++)
    for (size_t j = 0; j < TABLE_CONDITIONS; j++) {
      table_cell *cell = &table->ours.at[i][j];
      lrgd_status status = count_calls(LRGD_METHOD_GD, table, conditions[j],
                                       starts[i], &cell->gd, error);
      if (status == LRGD_OK)
        status = count_calls(LRGD_METHOD_ITERATED, table, conditions[j],
                             starts[i], &cell->lrgd, error);
      if (status != LRGD_OK) return status;
      /* the paper does not count the gradient that ends GD */
      cell->gd -= P;
      table->ours.known[i][j] = true;
    }
  return LRGD_OK;
}

/* ---- the paper's numbers ---- */

enum { COLUMNS = 7, LINE_SIZE = 256 };

/* Cuts line at its commas; false unless there are exactly COLUMNS fields. */
static bool split_line(char *line, char *fields[COLUMNS])
{
  size_t count = 0;
  line[strcspn(line, "\r\n")] = '\0';
  for (char *next = line; next != NULL && count < COLUMNS; count++) {
    fields[count] = next;
    next = strchr(next, ',');
    if (next != NULL) *next++ = '\0';
    if (next != NULL && count + 1 == COLUMNS) return false;
  }
  return count == COLUMNS;
}

/* The place of the row in the table; false if it belongs to no cell. */
static bool find_cell(double L, double x1, double x2, size_t *i, size_t *j)
{
  for (*i = 0; *i < TABLE_STARTS; (*i)++)
    for (*j = 0; *j < TABLE_CONDITIONS; (*j)++)
      if (fabs(starts[*i][0] - x1) < 1e-9 && fabs(starts[*i][1] - x2) < 1e-9 &&
          fabs(conditions[*j] - L) < 1e-9)
        return true;
  return false;
}

static bool read_row(cli_table *table, char *fields[COLUMNS])
{
  double L, x1, x2;
  int64_t gd, lrgd, divisor;
  size_t i, j;
  if (!text_integer(fields[1], 1, INT32_MAX, &divisor) ||
      !text_number(fields[2], &L) || !text_number(fields[3], &x1) ||
      !text_number(fields[4], &x2) ||
      !text_integer(fields[5], 0, INT64_MAX, &gd) ||
      !text_integer(fields[6], 0, INT64_MAX, &lrgd))
    return false;
  if (strcmp(fields[0], table->name) != 0) return true;
  if (divisor != table->divisor || !find_cell(L, x1, x2, &i, &j)) return false;
  table->paper.at[i][j] = (table_cell){(uint64_t)gd, (uint64_t)lrgd};
  table->paper.known[i][j] = true;
  return true;
}

lrgd_status table_read_paper(cli_table *table, const char *path,
                             lrgd_error *error)
{
  char line[LINE_SIZE], *fields[COLUMNS];
  FILE *file = file_open(path, "r");
  if (file == NULL)
    return fail(error, LRGD_ERR_INVALID, "%s: %s", path, file_trouble());
  bool good = true;
  size_t number = 0;
  while (good && fgets(line, sizeof line, file) != NULL) {
    number++;
    good = split_line(line, fields) && (number == 1 || read_row(table, fields));
  }
  if (ferror(file)) good = false;
  fclose(file);
  if (good) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "%s:%zu: not a row of the paper's tables", path, number);
}

table_score table_compare(const cli_table *table)
{
  table_score score = {0, 0};
  for (size_t i = 0; i < TABLE_STARTS; i++)
    for (size_t j = 0; j < TABLE_CONDITIONS; j++) {
      if (!table->paper.known[i][j]) continue;
      const table_cell *ours = &table->ours.at[i][j];
      const table_cell *paper = &table->paper.at[i][j];
      score.compared += 2;
      score.equal += ours->gd == paper->gd;
      score.equal += ours->lrgd == paper->lrgd;
    }
  return score;
}

/* ---- output ---- */

enum { CELL_SIZE = 48 };

static void cell_text(char text[CELL_SIZE], const table_cell *cell, bool known)
{
  if (known)
    snprintf(text, CELL_SIZE, "%llu (%llu)", (unsigned long long)cell->gd,
             (unsigned long long)cell->lrgd);
  else
    snprintf(text, CELL_SIZE, "-");
}

/* The widest text of a column, ours or the paper's. */
static int column_width(const cli_table *table, size_t j)
{
  size_t width = 5;
  for (size_t i = 0; i < TABLE_STARTS; i++) {
    char text[CELL_SIZE];
    cell_text(text, &table->ours.at[i][j], true);
    if (strlen(text) > width) width = strlen(text);
    cell_text(text, &table->paper.at[i][j], table->paper.known[i][j]);
    if (strlen(text) > width) width = strlen(text);
  }
  return (int)width;
}

/* One column of one row: our number, and the paper's where it is known.  A star
 * marks a difference. */
static void print_cell(const char *ours, const char *paper, int width,
                       bool with_paper)
{
  if (!with_paper)
    printf("   %*s", width, ours);
  else
    printf("   %*s %*s%c", width, ours, width, paper,
           paper[0] != '-' && strcmp(ours, paper) != 0 ? '*' : ' ');
}

static void print_row(const cli_table *table, size_t i, bool with_paper)
{
  printf("(%.2f, %.2f)", starts[i][0], starts[i][1]);
  for (size_t j = 0; j < TABLE_CONDITIONS; j++) {
    char ours[CELL_SIZE], paper[CELL_SIZE];
    cell_text(ours, &table->ours.at[i][j], true);
    cell_text(paper, &table->paper.at[i][j], table->paper.known[i][j]);
    print_cell(ours, paper, column_width(table, j), with_paper);
  }
  putchar('\n');
}

static void print_rule(const cli_table *table, bool with_paper)
{
  int width = 12;
  for (size_t j = 0; j < TABLE_CONDITIONS; j++)
    width += 3 + column_width(table, j) * (with_paper ? 2 : 1) +
             (with_paper ? 2 : 0);
  for (int i = 0; i < width; i++) putchar('-');
  putchar('\n');
}

static void print_head(const cli_table *table, bool with_paper)
{
  printf("%-12s", "theta0");
  for (size_t j = 0; j < TABLE_CONDITIONS; j++) {
    char text[CELL_SIZE];
    snprintf(text, sizeof text, "L = %g", conditions[j]);
    int width = column_width(table, j);
    printf("   %*s", with_paper ? 2 * width + 1 : width, text);
    if (with_paper) putchar(' ');
  }
  putchar('\n');
  if (!with_paper) return;
  printf("%-12s", "");
  for (size_t j = 0; j < TABLE_CONDITIONS; j++) {
    int width = column_width(table, j);
    printf("   %*s %*s ", width, "ours", width, "paper");
  }
  putchar('\n');
}

void table_print(const cli_table *table)
{
  bool with_paper = table_compare(table).compared > 0;
  printf(
      "Table \"%s\": oracle calls of GD (and of LRGD, r = 1), step "
      "1/(%d L), epsilon 0.1\n",
      table->name, table->divisor);
  printf("f = theta' H theta, H = diag(L, 1)\n\n");
  print_head(table, with_paper);
  print_rule(table, with_paper);
  for (size_t i = 0; i < TABLE_STARTS; i++) print_row(table, i, with_paper);
  putchar('\n');
}

void table_csv_head(void)
{
  printf("table,step_divisor,L,theta0_1,theta0_2,gd_calls,lrgd_calls\n");
}

void table_csv(const cli_table *table)
{
  for (size_t i = 0; i < TABLE_STARTS; i++)
    for (size_t j = 0; j < TABLE_CONDITIONS; j++)
      printf("%s,%d,%g,%.2f,%.2f,%llu,%llu\n", table->name, table->divisor,
             conditions[j], starts[i][0], starts[i][1],
             (unsigned long long)table->ours.at[i][j].gd,
             (unsigned long long)table->ours.at[i][j].lrgd);
}

static json_t *cell_json(const cli_table *table, size_t i, size_t j)
{
  const table_cell *ours = &table->ours.at[i][j];
  const table_cell *paper = &table->paper.at[i][j];
  json_t *cell =
      json_pack("{s:f, s:[f,f], s:I, s:I}", "L", conditions[j], "theta0",
                starts[i][0], starts[i][1], "gd_calls", (json_int_t)ours->gd,
                "lrgd_calls", (json_int_t)ours->lrgd);
  if (cell == NULL || !table->paper.known[i][j]) return cell;
  (void)json_object_set_new(cell, "paper_gd_calls", json_count(paper->gd));
  (void)json_object_set_new(cell, "paper_lrgd_calls", json_count(paper->lrgd));
  return cell;
}

json_t *table_json(const cli_table *table)
{
  table_score score = table_compare(table);
  json_t *cells = json_array();
  for (size_t i = 0; i < TABLE_STARTS; i++)
    for (size_t j = 0; j < TABLE_CONDITIONS; j++)
      (void)json_array_append_new(cells, cell_json(table, i, j));
  return json_pack("{s:i, s:o, s:i, s:i}", "step_divisor", table->divisor,
                   "cells", cells, "compared", (int)score.compared, "equal",
                   (int)score.equal);
}
