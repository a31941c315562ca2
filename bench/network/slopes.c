/* lrgd-slopes: networks trained with slopes only, at every budget of forward
 * passes: stochastic low-rank descent as it comes, beside two-point random
 * directions (MeZO) and one-tangent forward gradients, each with the best of a
 * grid of rates at each budget.  A rate is given up where a smaller one was
 * ahead of it at three budgets in a row: it will not come back.
 *
 *   lrgd-slopes run DATA [BUDGET [WAY RATE]]   writes CSV
 *   lrgd-slopes draw FILE.csv PICTURE ...      .svg or .png
 */
#include "blas.h"
#include "descent.h"
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 3, RATES = 5, BUDGETS = 22 };

static const char *const names[WAYS] = {"low-rank", "forward-gradient",
                                        "two-point"};
static const char *const labels[WAYS] = {
    "stochastic low-rank descent, as it comes",
    "one-tangent forward gradients, best rate",
    "two-point random directions (MeZO), best rate"};
static const double rates[RATES] = {3e-4, 1e-3, 3e-3, 1e-2, 3e-2};
static const double budgets[BUDGETS] = {
    60,    100,   150,   200,    300,    500,   700,   1000,
    1500,  2000,  3000,  5000,   7000,   10000, 15000, 20000,
    30000, 50000, 70000, 100000, 200000, 300000};

/* ---- running ---- */

typedef struct runner {
  const lr_dataset *set;
  const lr_mlp *net;
  lr_mlp_work *work;
  lr_gather place;
  lr_way way;
  double rate;
  size_t next;                /* budget */
  double best[WAYS][BUDGETS]; /* accuracy of the rates so far */
  size_t behind;              /* budgets in a row */
  float *last;                /* the point before the last iteration */
} runner;

static void tell(runner *r, const float *x)
{
  enum { SLICE = 1000 };
  lr_score score =
      lr_score_of(r->net, r->work, &r->place, SLICE, x, &r->set->test);
  printf("%s,%g,%.0f,%.4f,%.4f\n", names[r->way], r->rate, budgets[r->next],
         score.accuracy, score.loss);
  fflush(stdout);
  double *best = &r->best[r->way][r->next];
  r->behind = score.accuracy < *best ? r->behind + 1 : 0;
  *best = fmax(*best, score.accuracy);
}

/* What stood at a budget is the point before the iteration that passed it. */
static bool progress(const lr_descent_news *news, void *user)
{
  runner *r = user;
  while (r->next < BUDGETS && (double)news->passes > budgets[r->next]) {
    tell(r, r->last);
    r->next++;
  }
  memcpy(r->last, news->x, r->net->p * sizeof *r->last);
  return r->next < BUDGETS && r->behind < 3;
}

static int run_one(runner *r, lr_way way, double rate, uint64_t budget)
{
  lr_descent how = lr_descent_default();
  lrgd_error error = {.text = ""};
  float *x = malloc(r->net->p * sizeof *x);
  if (x == NULL) return 1;
  how.way = r->way = way;
  how.rate = r->rate = rate;
  how.budget = budget;
  how.progress = progress;
  how.user = r;
  r->next = r->behind = 0;
  lr_mlp_start(r->net, 1, x);
  memcpy(r->last, x, r->net->p * sizeof *x);
  lrgd_status status =
      lr_descend_network(r->net, &r->set->train, &how, x, NULL, &error);
  for (; status == LRGD_OK && r->behind < 3 && r->next < BUDGETS &&
         budgets[r->next] <= (double)budget;
       r->next++)
    tell(r, r->last);
  free(x);
  if (status != LRGD_OK)
    fprintf(stderr, "lrgd-slopes: %s, rate %g: %s\n", names[way], rate,
            error.text);
  return status != LRGD_OK && status != LRGD_ERR_NUMERIC;
}

static int run_grid(runner *r, uint64_t budget, int argc, char **argv)
{
  int failed = 0;
  if (argc > 5) {
    size_t way = 0;
    while (way < WAYS && strcmp(names[way], argv[4]) != 0) way++;
    if (way == WAYS) return fprintf(stderr, "no way %s\n", argv[4]), 2;
    return run_one(r, (lr_way)way, atof(argv[5]), budget);
  }
  failed |= run_one(r, LR_LOW_RANK, 1, budget);
  for (size_t way = 1; way < WAYS; way++)
    for (size_t i = 0; i < RATES; i++)
      failed |= run_one(r, (lr_way)way, rates[i], budget);
  return failed;
}

static int run(int argc, char **argv)
{
  const size_t widths[] = {784, 32, 10};
  uint64_t budget = argc > 3 ? strtoull(argv[3], NULL, 10) : 300000;
  lrgd_error error = {.text = ""};
  lr_dataset set = {.classes = 0};
  lr_mlp net;
  runner r = {.set = &set, .net = &net};
  int failed = lr_dataset_read(&set, argv[2], &error) != LRGD_OK ||
               lr_mlp_make(&net, 3, widths, LR_RELU, &error) != LRGD_OK ||
               lr_mlp_work_create(&r.work, &net, 1000, 0, &error) != LRGD_OK ||
               lr_gather_create(&r.place, 1000, 784, &error) != LRGD_OK;
  if (!failed) r.last = malloc(net.p * sizeof *r.last);
  if (failed || r.last == NULL)
    fprintf(stderr, "lrgd-slopes: %s\n", error.text);
  else
    failed = run_grid(&r, budget, argc, argv);
  free(r.last);
  lr_mlp_work_destroy(&r.work);
  lr_gather_destroy(&r.place);
  lr_dataset_free(&set);
  return failed;
}

/* ---- drawing ---- */

/* The best accuracy of each way at each budget; NaN: not run. */
typedef struct best {
  double accuracy[WAYS][BUDGETS];
} best;

static int read_best(best *b, const char *path)
{
  FILE *file = fopen(path, "r");
  char line[256];
  if (file == NULL) return perror(path), 1;
  for (size_t i = 0; i < WAYS; i++)
    for (size_t j = 0; j < BUDGETS; j++) b->accuracy[i][j] = NAN;
  while (fgets(line, sizeof line, file) != NULL) {
    char *comma = strchr(line, ',');
    double rate, budget, accuracy;
    if (comma == NULL ||
        sscanf(comma, ",%lf,%lf,%lf", &rate, &budget, &accuracy) != 3)
      continue;
    *comma = '\0';
    for (size_t i = 0; i < WAYS; i++)
      for (size_t j = 0; j < BUDGETS; j++)
        if (strcmp(line, names[i]) == 0 && budget == budgets[j])
          b->accuracy[i][j] = fmax(b->accuracy[i][j], accuracy);
  }
  fclose(file);
  return 0;
}

/* Where ours is not the best: the figure says so. */
static void judge(const best *b, char *text, size_t size)
{
  size_t compared = 0, won = 0;
  int used = snprintf(text, size, "784-32-10 on MNIST, batches of 200. ");
  char lost[128] = "";
  for (size_t j = 0; j < BUDGETS; j++) {
    double others = fmax(b->accuracy[1][j], b->accuracy[2][j]);
    if (isnan(b->accuracy[0][j]) || isnan(others)) continue;
    compared++;
    won += b->accuracy[0][j] > others;
    if (b->accuracy[0][j] <= others && strlen(lost) < sizeof lost - 12)
      snprintf(lost + strlen(lost), 12, " %.0f", budgets[j]);
  }
  snprintf(text + used, size - (size_t)used,
           "Low-rank descent is ahead at %zu of %zu budgets%s%s. Rates of the "
           "others: 3e-4, 1e-3, 3e-3, 1e-2, 3e-2.",
           won, compared, *lost ? ", not at" : "", lost);
}

static int draw(int argc, char **argv)
{
  static best b;
  static double percent[WAYS][BUDGETS], at[WAYS][BUDGETS];
  char note[512];
  draw_series series[WAYS];
  if (read_best(&b, argv[2])) return 1;
  judge(&b, note, sizeof note);
  for (size_t i = 0; i < WAYS; i++) {
    size_t count = 0;
    for (size_t j = 0; j < BUDGETS; j++) {
      if (isnan(b.accuracy[i][j])) continue;
      at[i][count] = budgets[j];
      percent[i][count++] = 100 * b.accuracy[i][j];
    }
    series[i] = (draw_series){.kind = i == 0 ? DRAW_DOTS : DRAW_LINE,
                              .label = labels[i],
                              .colour = (draw_colour)i,
                              .dashed = i == 2,
                              .count = count,
                              .x = at[i],
                              .y = percent[i]};
  }
  draw_panel panel = {
      .x = {.label = "forward passes of 200 images", .scale = DRAW_LOG},
      .y = { .label = "test accuracy, %",                                .lo = 0,         .hi = 100},
      .series = series,
      .count = WAYS
  };
  draw_figure figure = {.title = "A network trained with slopes only",
                        .note = note,
                        .panels = &panel,
                        .count = 1,
                        .panel_width = 680,
                        .panel_height = 430};
  lrgd_error error = {.text = ""};
  for (int i = 3; i < argc; i++)
    if (draw_save(&figure, argv[i], &error) != LRGD_OK)
      return fprintf(stderr, "lrgd-slopes: %s\n", error.text), 1;
  return puts(note) < 0;
}

int main(int argc, char **argv)
{
  if (argc > 2 && strcmp(argv[1], "run") == 0) {
    blas_choose_kernels(argv);
    return run(argc, argv);
  }
  if (argc > 3 && strcmp(argv[1], "draw") == 0) return draw(argc, argv);
  fprintf(stderr,
          "usage: lrgd-slopes run DATA [BUDGET [WAY RATE]], or draw FILE.csv "
          "PICTURE ...\n");
  return 2;
}
