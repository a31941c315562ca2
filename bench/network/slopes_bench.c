/* lrgd-slopes: networks trained with slopes only, at every budget of forward
 * passes: stochastic low-rank descent as it comes, beside two-point random
 * directions (MeZO) and one-tangent forward gradients.  These have, for every
 * seed and at every budget, the best of a grid of rates: better than anybody
 * could choose beforehand.  A rate is given up where a smaller one was ahead of
 * it at three budgets in a row: it will not come back.
 *
 *   lrgd-slopes run DATA [BUDGET [SEED [WAY [RATE]]]]   writes CSV
 *   lrgd-slopes draw FILE.csv PICTURE ...               .svg or .png
 */
#include "cli/draw/draw.h"
#include "descent.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 3, RATES = 5, BUDGETS = 22, SEEDS = 3 };

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
  uint64_t seed;
  size_t next;                /* budget */
  double best[WAYS][BUDGETS]; /* the best accuracy of all rates so far */
  /* consecutive budgets at which this rate was worse than a smaller one */
  size_t behind;
  float *last; /* the point before the last iteration */
} runner;

static void tell(runner *r, const float *x)
{
  enum { SLICE = 1000 };
  lr_score score =
      lr_score_of(r->net, r->work, &r->place, SLICE, x, &r->set->test);
  printf("%s,%g,%.0f,%.0f,%.4f,%.4f\n", names[r->way], r->rate, (double)r->seed,
         budgets[r->next], score.accuracy, score.loss);
  fflush(stdout);
  double *best = &r->best[r->way][r->next];
  r->behind = score.accuracy < *best ? r->behind + 1 : 0;
  *best = fmax(*best, score.accuracy);
}

/* Scores a budget with the last point whose cost is within it: the one before
 * the iteration that exceeded it. */
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
  how.seed = r->seed;
  how.budget = budget;
  how.progress = progress;
  how.user = r;
  r->next = r->behind = 0;
  lr_mlp_start(r->net, r->seed, x);
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

static int run_way(runner *r, size_t way, uint64_t budget)
{
  int failed = 0;
  if (way == LR_LOW_RANK) return run_one(r, LR_LOW_RANK, 1, budget);
  for (size_t i = 0; i < RATES; i++)
    failed |= run_one(r, (lr_way)way, rates[i], budget);
  return failed;
}

/* Runs one seed, which determines the start, the batches and the directions. */
static int run_seed(runner *r, uint64_t seed, uint64_t budget)
{
  int failed = 0;
  r->seed = seed;
  memset(r->best, 0, sizeof r->best);
  for (size_t way = 0; way < WAYS; way++) failed |= run_way(r, way, budget);
  return failed;
}

static int run_asked(runner *r, uint64_t budget, int argc, char **argv)
{
  int failed = 0;
  size_t way = 0;
  if (argc > 4) r->seed = strtoull(argv[4], NULL, 10);
  if (argc == 5) return run_seed(r, r->seed, budget);
  if (argc < 5) {
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
      failed |= run_seed(r, seed, budget);
    return failed;
  }
  while (way < WAYS && strcmp(names[way], argv[5]) != 0) way++;
  if (way == WAYS) return fprintf(stderr, "no way %s\n", argv[5]), 2;
  if (argc == 6) return run_way(r, way, budget);
  return run_one(r, (lr_way)way, atof(argv[6]), budget);
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
    failed = run_asked(&r, budget, argc, argv);
  free(r.last);
  lr_mlp_work_destroy(&r.work);
  lr_gather_destroy(&r.place);
  lr_dataset_free(&set);
  return failed;
}

/* ---- drawing ---- */

/* For each method, budget and seed: the best accuracy over all rates, in
 * percent, and that rate.  NaN: not run. */
typedef struct best {
  double accuracy[WAYS][BUDGETS][SEEDS];
  double rate[WAYS][BUDGETS][SEEDS];
} best;

static void take(best *b, const char *name, const double row[4])
{
  double rate = row[0], seed = row[1], budget = row[2], percent = 100 * row[3];
  if (!(seed >= 1 && seed <= SEEDS)) return;
  for (size_t i = 0; i < WAYS; i++)
    for (size_t j = 0; j < BUDGETS; j++) {
      double *most = &b->accuracy[i][j][(size_t)seed - 1];
      if (strcmp(name, names[i]) != 0 || budget != budgets[j]) continue;
      if (percent <= *most) continue; /* false where *most is NaN */
      *most = percent;
      b->rate[i][j][(size_t)seed - 1] = rate;
    }
}

static int read_best(best *b, const char *path)
{
  FILE *file = fopen(path, "r");
  char line[256];
  if (file == NULL) return perror(path), 1;
  for (size_t i = 0; i < (size_t)WAYS * BUDGETS * SEEDS; i++)
    (&b->accuracy[0][0][0])[i] = NAN;
  while (fgets(line, sizeof line, file) != NULL) {
    char *comma = strchr(line, ',');
    double row[4];
    if (comma == NULL || sscanf(comma, ",%lf,%lf,%lf,%lf", &row[0], &row[1],
                                &row[2], &row[3]) != 4)
      continue;
    *comma = '\0';
    take(b, line, row);
  }
  fclose(file);
  return 0;
}

/* The lowest, median and highest accuracy over the seeds at a budget. */
typedef struct spread {
  double least, middle, most;
} spread;

static bool spread_of(const best *b, size_t way, size_t budget, spread *s)
{
  double a[SEEDS];
  for (size_t i = 0; i < SEEDS; i++) {
    size_t at = i;
    double next = b->accuracy[way][budget][i];
    if (isnan(next)) return false;
    for (; at > 0 && a[at - 1] > next; at--) a[at] = a[at - 1];
    a[at] = next;
  }
  *s = (spread){a[0], a[SEEDS / 2], a[SEEDS - 1]};
  return true;
}

/* Lists the budgets at which the median of our method is not the highest, for
 * the caption. */
static void judge(const best *b, char *text, size_t size)
{
  size_t compared = 0, won = 0, clear = 0;
  char lost[128] = "";
  for (size_t j = 0; j < BUDGETS; j++) {
    spread s[WAYS];
    bool whole = true;
    for (size_t i = 0; i < WAYS; i++) whole &= spread_of(b, i, j, &s[i]);
    if (!whole) continue;
    double others = fmax(s[1].middle, s[2].middle);
    compared++;
    won += s[0].middle > others;
    clear += s[0].least > fmax(s[1].most, s[2].most);
    if (s[0].middle <= others && strlen(lost) < sizeof lost - 12)
      snprintf(lost + strlen(lost), 12, " %.0f", budgets[j]);
  }
  snprintf(text, size,
           "784-32-10 on MNIST, batches of 200; median and range of %d seeds. "
           "Low-rank descent is ahead at %zu of %zu budgets%s%s, with its "
           "worst seed ahead of the others' best at %zu. Rates of the others: "
           "3e-4, 1e-3, 3e-3, 1e-2, 3e-2.",
           SEEDS, won, compared, *lost ? ", not at" : "", lost, clear);
}

/* The numbers of the figure, and the rates that were best. */
static void print_table(const best *b)
{
  for (size_t j = 0; j < BUDGETS; j++) {
    printf("| %.0f |", budgets[j]);
    for (size_t i = 0; i < WAYS; i++) {
      spread s;
      if (!spread_of(b, i, j, &s)) continue;
      printf(" %.1f (%.1f-%.1f)", s.middle, s.least, s.most);
      for (size_t k = 0; i > 0 && k < SEEDS; k++)
        printf(" %g", b->rate[i][j][k]);
      printf(" |");
    }
    printf("\n");
  }
}

/* Draws the median of a method and the band between its lowest and highest
 * seed. */
static void draw_way(const best *b, size_t way, draw_series *band,
                     draw_series *line)
{
  static double at[WAYS][BUDGETS], least[WAYS][BUDGETS], middle[WAYS][BUDGETS],
      most[WAYS][BUDGETS];
  size_t count = 0;
  for (size_t j = 0; j < BUDGETS; j++) {
    spread s;
    if (!spread_of(b, way, j, &s)) continue;
    at[way][count] = budgets[j];
    least[way][count] = s.least;
    middle[way][count] = s.middle;
    most[way][count++] = s.most;
  }
  *band = (draw_series){.kind = DRAW_BAND,
                        .colour = (draw_colour)way,
                        .count = count,
                        .x = at[way],
                        .y = least[way],
                        .y2 = most[way]};
  *line = (draw_series){.kind = way == 0 ? DRAW_DOTS : DRAW_LINE,
                        .label = labels[way],
                        .colour = (draw_colour)way,
                        .dashed = way == 2,
                        .count = count,
                        .x = at[way],
                        .y = middle[way]};
}

static int draw(int argc, char **argv)
{
  static best b;
  char note[512];
  draw_series series[2 * WAYS];
  if (read_best(&b, argv[2])) return 1;
  judge(&b, note, sizeof note);
  print_table(&b);
  for (size_t i = 0; i < WAYS; i++)
    draw_way(&b, i, &series[i], &series[WAYS + i]);
  draw_panel panel = {
      .x = {.label = "forward passes of 200 images", .scale = DRAW_LOG},
      .y = { .label = "test accuracy, %",                                .lo = 0,         .hi = 100},
      .series = series,
      .count = 2 * WAYS
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
  if (argc > 2 && strcmp(argv[1], "run") == 0) return run(argc, argv);
  if (argc > 3 && strcmp(argv[1], "draw") == 0) return draw(argc, argv);
  fprintf(stderr,
          "usage: lrgd-slopes run DATA [BUDGET [SEED [WAY [RATE]]]], or draw "
          "FILE.csv PICTURE ...\n");
  return 2;
}
