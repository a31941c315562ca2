/* The experiment on networks as text, JSON and the paper's Figure 2. */
#include "mnist.h"

#include "blas.h"
#include "cli/base/cli_text.h"
#include "cli/draw/draw.h"
#include "network_spectrum.h"

#include <stdio.h>
#include <stdlib.h>

static double top(const mnist_row *row, size_t r)
{
  return lr_energy_of(row->n, row->energy, r);
}

/* ---- text ---- */

static void print_variations(const cli_mnist *m)
{
  if (m->count < 2) return;
  printf("\n  %-18s %9s %9s %8s %8s %8s\n", "", "p", "accuracy", "largest",
         "top 10", "top 20");
  for (size_t i = 0; i < m->count; i++) {
    const mnist_row *row = &m->rows[i];
    printf("  %-18s %9zu %7.2f %% %6.1f %% %6.1f %% %6.1f %%\n", row->name,
           row->p, 100 * row->accuracy, 100 * row->energy[0],
           100 * top(row, 10), 100 * top(row, 20));
  }
}

void mnist_print(const cli_mnist *m)
{
  const mnist_row *row = &m->rows[0];
  char count[TEXT_COUNT_SIZE];
  printf(
      "A network on %s: gradients around its optimum (the paper's "
      "appendix)\n\n",
      m->data);
  printf("  parameters      %s\n", text_count(count, row->p));
  printf("  test accuracy   %.2f %%  (the paper: over 98 %%)\n",
         100 * row->accuracy);
  printf("  gradients       %zu, at theta* + %g Z\n", row->n, row->tau);
  printf("  sigma^2, share ");
  for (size_t i = 0; i < row->n && i < 6; i++) printf(" %.3f", row->energy[i]);
  printf(" ...\n");
  printf(
      "  ten largest     %.1f %% of the energy  (the paper: \"the "
      "majority\")\n",
      100 * top(row, 10));
  printf("  twenty largest  %.1f %%\n", 100 * top(row, 20));
  print_variations(m);
  if (m->hessian != NULL) hessian_print(m->hessian);
  printf("\n  %.1f s, BLAS kernels %s\n", m->seconds, lr_blas.kernels);
}

/* ---- JSON ---- */

static json_t *row_json(const mnist_row *row)
{
  return json_pack(
      "{s:s, s:o, s:f, s:f, s:o, s:f, s:f, s:f, s:f, s:f}", "name", row->name,
      "dimension", json_count(row->p), "accuracy", row->accuracy, "loss",
      row->loss, "spectrum", json_doubles(row->n, row->energy), "top10_energy",
      top(row, 10), "top20_energy", top(row, 20), "tau", row->tau,
      "train_seconds", row->train_s, "spectrum_seconds", row->spectrum_s);
}

json_t *mnist_json(const cli_mnist *m)
{
  json_t *object = row_json(&m->rows[0]);
  (void)json_object_set_new(object, "seconds", json_double(m->seconds));
  (void)json_object_set_new(object, "data", json_text(m->data));
  (void)json_object_set_new(object, "blas_kernels", json_text(lr_blas.kernels));
  if (m->hessian != NULL)
    (void)json_object_set_new(object, "hessian", hessian_json(m->hessian));
  if (m->count < 2) return object;
  json_t *list = json_array();
  for (size_t i = 1; i < m->count; i++)
    (void)json_array_append_new(list, row_json(&m->rows[i]));
  (void)json_object_set_new(object, "variations", list);
  return object;
}

/* The spectrum of every network, a row per singular value. */
void mnist_csv(const cli_mnist *m)
{
  printf("network,p,accuracy,tau,i,energy\n");
  for (size_t i = 0; i < m->count; i++) {
    const mnist_row *row = &m->rows[i];
    for (size_t j = 0; j < row->n; j++)
      printf("%s,%zu,%.17g,%g,%zu,%.17g\n", row->name, row->p, row->accuracy,
             row->tau, j + 1, row->energy[j]);
  }
}

/* ---- Figure 2 ---- */

lrgd_status mnist_draw(const cli_mnist *m, const char *path, lrgd_error *error)
{
  const mnist_row *row = &m->rows[0];
  double *index = malloc(row->n * sizeof *index);
  if (index == NULL) return fail_memory(error);
  for (size_t i = 0; i < row->n; i++) index[i] = (double)i + 1;
  char note[256], title[128];
  snprintf(note, sizeof note,
           "Test accuracy %.2f %%. The ten largest hold %.1f %% of the energy, "
           "the twenty largest %.1f %%.",
           100 * row->accuracy, 100 * top(row, 10), 100 * top(row, 20));
  snprintf(title, sizeof title, "%zu gradients at θ* + %g Z, p = %zu", row->n,
           row->tau, row->p);
  draw_series series = {.kind = DRAW_DOTS,
                        .colour = DRAW_BLUE,
                        .loose = true,
                        .count = row->n,
                        .x = index,
                        .y = row->energy};
  draw_panel panel = {
      .x = {.label = "order index i", .whole = true              },
      .y = { .label = "(σᵢ(G) / ‖G‖F)²",                 .lo = 0, .hi = 1.08 * row->energy[0]},
      .series = &series,
      .count = 1
  };
  draw_figure figure = {.title = title,
                        .note = note,
                        .panels = &panel,
                        .count = 1,
                        .panel_width = 640,
                        .panel_height = 420};
  lrgd_status status = draw_save(&figure, path, error);
  free(index);
  return status;
}
