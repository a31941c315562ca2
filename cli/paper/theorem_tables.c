/* lrgd reproduce theorems: Theorems 3.1-3.4, each on a family that meets its
 * assumptions, at nine sizes, with sample points along H and random ones, and
 * for three accuracies: measured calls, bound, conditions, and what gradient
 * descent pays. */
#include "reproduce.h"

#include "cli/draw/draw.h"

#include <lrgd/analysis.h>
#include <math.h>
#include <stdlib.h>

static const size_t dimensions[] = {50, 200, 1000}, ranks[] = {1, 5, 20};
static const char *const names[] = {"3.1", "3.2", "3.3", "3.4"};
static const char *const titles[] = {
    "3.1: exactly low-rank, strongly convex",
    "3.2: approximately low-rank, strongly convex",
    "3.3: exactly low-rank, non-convex",
    "3.4: approximately low-rank, non-convex"};

enum { DIMENSIONS = 3, RANKS = 3, SIZES = DIMENSIONS * RANKS };
enum { KINDS = 2, FINEST = LRGD_ACCURACY_COUNT - 1 }; /* of sample points */
enum { WAYS = KINDS * LRGD_ACCURACY_COUNT, EACH = SIZES * WAYS };
enum { CELLS = LRGD_THEOREM_COUNT * EACH };
static const char *const kinds[KINDS] = {"along", "random"};

struct cli_theorems {
  lrgd_theorem_cell cells[CELLS];
};

/* With sample points along H, for the finest accuracy. */
static const lrgd_theorem_cell *cell_of(const cli_theorems *theorems,
                                        size_t theorem, size_t p, size_t r)
{
  size_t size = (theorem * DIMENSIONS + p) * RANKS + r;
  return &theorems->cells[size * WAYS + FINEST];
}

lrgd_status theorems_run(cli_theorems **theorems, lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  *theorems = calloc(1, sizeof **theorems);
  if (*theorems == NULL) return fail_memory(error);
  for (size_t i = 0; i < CELLS && status == LRGD_OK; i++)
    status = lrgd_theorem_vary(&(*theorems)->cells[i], (lrgd_theorem)(i / EACH),
                               dimensions[i / WAYS / RANKS % DIMENSIONS],
                               ranks[i / WAYS % RANKS], 1,
                               i / LRGD_ACCURACY_COUNT % KINDS != 0,
                               (int)(i % LRGD_ACCURACY_COUNT), error);
  if (status != LRGD_OK) theorems_free(theorems);
  return status;
}

void theorems_free(cli_theorems **theorems)
{
  free(*theorems);
  *theorems = NULL;
}

static bool cell_holds(const lrgd_theorem_cell *cell)
{
  return cell->conditions_hold && cell->bound_holds && cell->lemma_error <= 1;
}

bool theorems_hold(const cli_theorems *theorems)
{
  bool all = true;
  for (size_t i = 0; i < CELLS; i++) all &= cell_holds(&theorems->cells[i]);
  return all;
}

/* ---- output ---- */

static void print_cell(const lrgd_theorem_cell *cell)
{
  const lrgd_theorem_constants *of = &cell->constants;
  printf("  %4zu %3zu  %-6s  %8.2g %7.2g %9.0f %11.3g %9.0f   %-3s", of->p,
         of->r, kinds[cell->random_samples], of->epsilon, of->sigma_r,
         cell->calls, cell->claim.bound, cell->gd_calls,
         cell->conditions_hold ? "yes" : "NO");
  if (cell->eta_share > 0)
    printf("  eta %.2g (%.0f %% of what is allowed)", of->eta,
           100 * cell->eta_share);
  printf("%s\n", cell->bound_holds ? "" : "  BOUND BROKEN");
}

static void print_conditions(const lrgd_theorem_cell *cell)
{
  const lrgd_theorem_constants *of = &cell->constants;
  printf("  at p = %zu, r = %zu, samples along H: L %.3g", of->p, of->r, of->L);
  if (cell->theorem <= LRGD_THEOREM_3_2) printf(", mu %.3g", of->mu);
  printf(
      ", Delta0 %.3g, epsilon %.3g, sigma_r %.3g, epsilon' %.3g, lowest "
      "curvature on the path %.2g\n",
      of->Delta0, of->epsilon, of->sigma_r, of->least_sample,
      cell->lowest_curvature);
  for (size_t i = 0; i < cell->claim.conditions; i++) {
    const lrgd_condition *c = &cell->claim.condition[i];
    printf("    %s: %.3g <= %.3g %s\n", c->name, c->left, c->right,
           c->holds ? "holds" : "DOES NOT HOLD");
  }
  printf("    checked at %s\n", cell->region);
}

/* The coarser accuracies in a line. */
static void print_coarser(const lrgd_theorem_cell *cells)
{
  size_t held = 0, all = 0;
  double least = cells[0].constants.epsilon, most = least, lemma = 0;
  for (size_t i = 0; i < EACH; i++) {
    double epsilon = cells[i].constants.epsilon;
    lemma = epsilon > 0 ? fmax(lemma, cells[i].lemma_error) : lemma;
    if (cells[i].accuracy == FINEST) continue;
    least = fmin(least, epsilon);
    most = fmax(most, epsilon);
    held += cell_holds(&cells[i]);
    all++;
  }
  printf(
      "  with coarser accuracies, epsilon from %.2g to %.2g: %zu of %zu hold",
      least, most, held, all);
  if (lemma > 0) printf("; error at most %.0f %% of the lemma's", 100 * lemma);
  printf("\n");
}

void theorems_print(const cli_theorems *theorems)
{
  for (size_t t = 0; t < LRGD_THEOREM_COUNT; t++) {
    const lrgd_theorem_cell *cells = &theorems->cells[t * EACH];
    printf(
        "Theorem %s\n     p   r  samples  epsilon sigma_r     calls       "
        "bound        GD   holds\n",
        titles[t]);
    for (size_t i = FINEST; i < EACH; i += LRGD_ACCURACY_COUNT)
      print_cell(&cells[i]);
    print_coarser(cells);
    print_conditions(cell_of(theorems, t, DIMENSIONS - 1, 1));
    printf("\n");
  }
  printf(
      "calls: p r for the sampled gradients and r a step, until the accuracy "
      "is reached.\nStrong convexity and approximate low rank cannot both "
      "hold on all of R^p\n(Proposition 2.3): the conditions of 3.2 and 3.4 "
      "are checked where they are used.\nSample points lie along the "
      "directions of H, one each, so that sigma_r is near 1, or are\nrandom.  "
      "eta is measured at the samples and the start, the epsilon of "
      "Definition 2.2\nalong the path; the theorem's own comes from the "
      "accuracy.\n");
  printf(theorems_hold(theorems)
             ? "All conditions, bounds and the lemma hold in all %d cells.\n\n"
             : "NOT ALL OF %d CELLS HOLD.\n\n",
         CELLS);
}

static json_t *conditions_json(const lrgd_theorem_bound *claim)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < claim->conditions; i++) {
    const lrgd_condition *c = &claim->condition[i];
    json_array_append_new(rows,
                          json_pack("{s:s, s:o, s:o, s:b}", "name", c->name,
                                    "left", json_double(c->left), "right",
                                    json_double(c->right), "holds", c->holds));
  }
  return rows;
}

static json_t *cell_json(const lrgd_theorem_cell *cell)
{
  const lrgd_theorem_constants *of = &cell->constants;
  json_t *object = json_pack(
      "{s:s, s:I, s:I, s:f, s:o, s:f, s:b, s:b}", "theorem",
      names[cell->theorem], "p", (json_int_t)of->p, "r", (json_int_t)of->r,
      "calls", cell->calls, "bound", json_double(cell->claim.bound), "gd_calls",
      cell->gd_calls, "conditions_hold", cell->conditions_hold, "bound_holds",
      cell->bound_holds);
  (void)json_object_update_new(
      object, json_pack("{s:s, s:I, s:o, s:o, s:o}", "samples",
                        kinds[cell->random_samples], "accuracy",
                        (json_int_t)cell->accuracy, "epsilon_measured",
                        json_double(of->additive), "epsilon_allowed",
                        json_double(cell->claim.additive_tilde), "least_sample",
                        json_double(of->least_sample)));
  (void)json_object_update_new(
      object, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "L",
                        json_double(of->L), "mu", json_double(of->mu), "Delta0",
                        json_double(of->Delta0), "epsilon",
                        json_double(of->epsilon), "eta", json_double(of->eta),
                        "sigma_r", json_double(of->sigma_r), "lemma_error",
                        json_double(cell->lemma_error), "lowest_curvature",
                        json_double(cell->lowest_curvature), "eta_share",
                        json_double(cell->eta_share)));
  (void)json_object_set_new(object, "conditions",
                            conditions_json(&cell->claim));
  (void)json_object_set_new(object, "region", json_string(cell->region));
  return object;
}

json_t *theorems_json(const cli_theorems *theorems)
{
  json_t *cells = json_array();
  for (size_t i = 0; i < CELLS; i++)
    json_array_append_new(cells, cell_json(&theorems->cells[i]));
  return json_pack("{s:o, s:b}", "cells", cells, "all_hold",
                   theorems_hold(theorems));
}

void theorems_csv(const cli_theorems *theorems)
{
  printf(
      "theorem,p,r,calls,bound,gd_calls,conditions_hold,bound_holds,L,mu,"
      "Delta0,epsilon,eta,sigma_r,lemma_error,lowest_curvature,eta_share,"
      "samples,accuracy,epsilon_measured,epsilon_allowed,least_sample\n");
  for (size_t i = 0; i < CELLS; i++) {
    const lrgd_theorem_cell *cell = &theorems->cells[i];
    const lrgd_theorem_constants *of = &cell->constants;
    printf("%s,%zu,%zu,%.0f,%.17g,%.0f,%d,%d", names[cell->theorem], of->p,
           of->r, cell->calls, cell->claim.bound, cell->gd_calls,
           cell->conditions_hold, cell->bound_holds);
    printf(",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", of->L,
           of->mu, of->Delta0, of->epsilon, of->eta, of->sigma_r,
           cell->lemma_error, cell->lowest_curvature, cell->eta_share);
    printf(",%s,%d,%.17g,%.17g,%.17g\n", kinds[cell->random_samples],
           cell->accuracy, of->additive, cell->claim.additive_tilde,
           of->least_sample);
  }
}

/* ---- the picture: calls against p ---- */

enum { LINES = 2 * RANKS + 1 };

/* The numbers of one panel: LRGD at each rank, its bounds, then GD. */
typedef struct theorem_lines {
  double x[DIMENSIONS], y[LINES][DIMENSIONS];
  draw_series series[LINES];
} theorem_lines;

static void fill_lines(theorem_lines *lines, const cli_theorems *theorems,
                       size_t t)
{
  static const char *const labels[LINES] = {
      "LRGD, r = 1",  "LRGD, r = 5",   "LRGD, r = 20", "bound, r = 1",
      "bound, r = 5", "bound, r = 20", "GD, r = 5"};
  for (size_t i = 0; i < LINES; i++) {
    bool bound = i >= RANKS && i < 2 * RANKS, gd = i == 2 * RANKS;
    for (size_t p = 0; p < DIMENSIONS; p++) {
      const lrgd_theorem_cell *cell =
          cell_of(theorems, t, p, gd ? 1 : i % RANKS);
      lines->x[p] = (double)dimensions[p];
      lines->y[i][p] = bound ? cell->claim.bound
                       : gd  ? cell->gd_calls
                             : cell->calls;
    }
    lines->series[i] =
        (draw_series){.kind = bound ? DRAW_LINE : DRAW_DOTS,
                      .label = labels[i],
                      .colour = (draw_colour)(gd ? RANKS : i % RANKS),
                      .dashed = bound,
                      .count = DIMENSIONS,
                      .x = lines->x,
                      .y = lines->y[i]};
  }
}

lrgd_status theorems_draw(const cli_theorems *theorems, const char *path,
                          lrgd_error *error)
{
  theorem_lines lines[LRGD_THEOREM_COUNT];
  draw_panel panels[LRGD_THEOREM_COUNT];
  for (size_t t = 0; t < LRGD_THEOREM_COUNT; t++) {
    fill_lines(&lines[t], theorems, t);
    panels[t] = (draw_panel){
        .title = titles[t],
        .x = {.label = "p",            .scale = DRAW_LOG},
        .y = {.label = "oracle calls", .scale = DRAW_LOG},
        .series = lines[t].series,
        .count = LINES
    };
  }
  draw_figure figure = {
      .title = "Oracle calls against the dimension",
      .note =
          "GD pays p calls a step; LRGD pays p r once, then r a step.  "
          "Dashed: the theorem's bound.",
      .panels = panels,
      .count = LRGD_THEOREM_COUNT};
  return draw_save(&figure, path, error);
}
