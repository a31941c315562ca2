/* The paper's results, one file each; reproduce.c selects them by name. */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include "cli/base/flags.h"
#include "cli/base/json_output.h"

#include <stdio.h>

/* ---- tables.c: the three tables of oracle calls ---- */

enum { TABLE_STARTS = 5, TABLE_CONDITIONS = 4 };

typedef struct table_cell {
  uint64_t gd, lrgd;
} table_cell;

typedef struct table_cells {
  table_cell at[TABLE_STARTS][TABLE_CONDITIONS];
  bool known[TABLE_STARTS][TABLE_CONDITIONS];
} table_cells;

/* A table by its name: half, fourth, tenth. */
typedef struct cli_table {
  const char *name;
  int divisor;       /* the step is 1 / (divisor L) */
  table_cells ours;  /* numbers of our runs */
  table_cells paper; /* the paper's numbers, from a file if there is one */
} cli_table;

/* Runs every cell with the ordinary solvers. */
LRGD_MUST_CHECK lrgd_status table_run(cli_table *table, lrgd_error *error);

/* Reads the paper's numbers from path (columns as table_csv writes them). */
LRGD_MUST_CHECK lrgd_status table_read_paper(cli_table *table, const char *path,
                                             lrgd_error *error);

/* The number of counts compared, and how many are equal. */
typedef struct table_score {
  size_t equal, compared;
} table_score;
table_score table_compare(const cli_table *table);

void table_print(const cli_table *table);
void table_csv_head(void);
void table_csv(const cli_table *table);
json_t *table_json(const cli_table *table);

/* ---- figure1.c ---- */

typedef struct cli_figure1 cli_figure1;
LRGD_MUST_CHECK lrgd_status figure1_run(cli_figure1 **figure,
                                        lrgd_error *error);
void figure1_free(cli_figure1 **figure);
void figure1_print(const cli_figure1 *figure);
json_t *figure1_json(const cli_figure1 *figure);
void figure1_csv(const cli_figure1 *figure);
LRGD_MUST_CHECK lrgd_status figure1_draw(const cli_figure1 *figure,
                                         const char *path, lrgd_error *error);

/* ---- theorems.c ---- */

typedef struct cli_theorems cli_theorems;
LRGD_MUST_CHECK lrgd_status theorems_run(cli_theorems **theorems,
                                         lrgd_error *error);
void theorems_free(cli_theorems **theorems);
/* Whether every condition, bound and lemma holds in every cell. */
bool theorems_hold(const cli_theorems *theorems);
void theorems_print(const cli_theorems *theorems);
json_t *theorems_json(const cli_theorems *theorems);
void theorems_csv(const cli_theorems *theorems);
LRGD_MUST_CHECK lrgd_status theorems_draw(const cli_theorems *theorems,
                                          const char *path, lrgd_error *error);

/* ---- acceleration.c ---- */

typedef struct cli_acceleration cli_acceleration;
LRGD_MUST_CHECK lrgd_status acceleration_run(cli_acceleration **acceleration,
                                             lrgd_error *error);
void acceleration_free(cli_acceleration **acceleration);
void acceleration_print(const cli_acceleration *acceleration);
json_t *acceleration_json(const cli_acceleration *acceleration);
void acceleration_csv(const cli_acceleration *acceleration);
LRGD_MUST_CHECK lrgd_status acceleration_draw(
    const cli_acceleration *acceleration, const char *path, lrgd_error *error);

/* The test function of tables and figure, theta' H theta with H = diag(L, 1),
 * given by its gradient only; L is borrowed. */
lrgd_problem two_dimensional_quadratic(const double *L);

#endif
