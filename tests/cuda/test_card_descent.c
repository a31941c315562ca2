/* Descent by slopes on a card, against the same on the host: directions, the
 * Gauss-Newton matrix, whole runs.  Without a card it says so and passes. */
#include "descent.h"
#include "mlp_private.h"
#include "network_directions.h"

#include <lrgd/cuda.h>
#include <lrgd/space.h>
#include <stdlib.h>

#include "check.h"

__attribute__((constructor(101))) static void find_card(void)
{
  char name[256];
  lrgd_error error;
  if (lrgd_cuda_device(name, sizeof name, &error) == LRGD_OK) {
    printf("on %s\n", name);
    return;
  }
  printf("skipped: %s\n0 passed, 0 failed\n", error.text);
  exit(0);
}

enum { SIDE = 8, HIDDEN = 40, CLASSES = 10, BATCH = 100, SLOPES = 6 };

typedef struct stage {
  lr_dataset set;
  lr_mlp net;
  lrgd_space *space;
  lrgd_block *block; /* x, then directions */
  lrgd_cuda_mlp *mlp;
  float *x, *U; /* the host's */
  uint32_t which[BATCH];
} stage;

static float *on_card(const stage *s, size_t j)
{
  return lrgd_cuda_data((lrgd_vec){s->block, j});
}

static void down(const stage *s, size_t j, float *to)
{
  double *room = malloc(s->net.p * sizeof *room);
  s->space->ops->get(s->space, (lrgd_vec){s->block, j}, 0, s->net.p, room);
  for (size_t i = 0; i < s->net.p; i++) to[i] = (float)room[i];
  free(room);
}

static void set_up(stage *s, lrgd_cuda_precision precision)
{
  static const size_t widths[] = {SIDE * SIDE, HIDDEN, CLASSES};
  lrgd_error error = {.text = ""};
  *s = (stage){.space = NULL};
  require(lr_dataset_draw(&s->set, SIDE, CLASSES, 600, 100, 3, &error) ==
              LRGD_OK,
          "%s", error.text);
  require(lr_mlp_make(&s->net, 3, widths, LR_RELU, &error) == LRGD_OK, "%s",
          error.text);
  s->x = malloc(s->net.p * sizeof *s->x);
  s->U = malloc(SLOPES * s->net.p * sizeof *s->U);
  lr_mlp_start(&s->net, 2, s->x);
  s->space = lrgd_cuda_space(s->net.p, LRGD_SCALAR_FLOAT, &error);
  require(s->space != NULL, "%s", error.text);
  s->block = s->space->ops->make(s->space, 1 + SLOPES);
  double *start = malloc(s->net.p * sizeof *start);
  for (size_t i = 0; i < s->net.p; i++) start[i] = (double)s->x[i];
  s->space->ops->put(s->space, (lrgd_vec){s->block, 0}, 0, s->net.p, start);
  free(start);
  require(lrgd_cuda_mlp_create(&s->mlp, 3, widths, LRGD_CUDA_ACTIVATION_RELU,
                               precision, BATCH, SLOPES, &error) == LRGD_OK,
          "%s", error.text);
  require(lrgd_cuda_mlp_keep(s->mlp, s->set.train.count, s->set.train.data,
                             s->set.train.labels, &error) == LRGD_OK,
          "%s", error.text);
  for (uint32_t i = 0; i < BATCH; i++) s->which[i] = 599 - 5 * i;
}

static void tear_down(stage *s)
{
  lrgd_cuda_mlp_destroy(&s->mlp);
  s->space->ops->free(s->space, s->block);
  lrgd_space_destroy(&s->space);
  free(s->x);
  free(s->U);
  lr_dataset_free(&s->set);
}

static double off(size_t n, const float *a, const float *b)
{
  double difference = 0, size = 0;
  for (size_t i = 0; i < n; i++) {
    double d = (double)a[i] - (double)b[i];
    difference += d * d;
    size += (double)b[i] * (double)b[i];
  }
  return sqrt(difference / size);
}

/* Directions of the host and of the card, for spans of d columns. */
static void draw_both(stage *s, size_t d, size_t layer_most)
{
  lr_directions *directions;
  lrgd_error error = {.text = ""};
  float *drawn = malloc(s->net.p * sizeof *drawn);
  require(lr_directions_create(&directions, &s->net, &s->set.train, d,
                               &error) == LRGD_OK,
          "%s", error.text);
  const float *V, *v;
  size_t count = lr_directions_span(directions, 0, &V, &v);
  require(count == d, "%zu columns", count);
  require(lrgd_cuda_mlp_span(s->mlp, 0, count, V, v, &error) == LRGD_OK, "%s",
          error.text);
  require(lrgd_cuda_mlp_draw(s->mlp, 7, 11, SLOPES, 1, on_card(s, 1),
                             lrgd_cuda_stride(s->space), &error) == LRGD_OK,
          "%s", error.text);
  for (size_t j = 0; j < SLOPES; j++) {
    lr_directions_draw(directions, 7, 11 + j, s->U);
    down(s, 1 + j, drawn);
    double error_of = off(layer_most, drawn, s->U);
    check(error_of <= (d > 0 ? 1e-5 : 0), "direction %zu is off by %g", j,
          error_of);
  }
  free(drawn);
  lr_directions_destroy(&directions);
}

TEST("directions drawn at random on the card have the bits of the host's")
{
  stage s;
  set_up(&s, LRGD_CUDA_PRECISION_FP32);
  draw_both(&s, 0, s.net.p);
  tear_down(&s);
}

TEST("directions in the span of images are those of the host")
{
  stage s;
  set_up(&s, LRGD_CUDA_PRECISION_FP32);
  draw_both(&s, 5, s.net.at[1]); /* the first layer's */
  tear_down(&s);
}

/* S t / sqrt(n) of image i along direction j. */
static void curved(const lr_mlp_work *work, size_t i, size_t j, double *row)
{
  const float *q = lr_mlp_probabilities(work) + i * CLASSES;
  const float *t = lr_mlp_output_tangent(work, i, j);
  double mean = 0;
  for (size_t c = 0; c < CLASSES; c++) mean += (double)q[c] * (double)t[c];
  for (size_t c = 0; c < CLASSES; c++)
    row[c] = sqrt((double)q[c] / BATCH) * ((double)t[c] - mean);
}

static void compare_curvature(lrgd_cuda_precision precision, double within)
{
  stage s;
  lr_mlp_work *work;
  lr_gather place;
  lrgd_error error = {.text = ""};
  double d[2][1 + SLOPES], B[2][SLOPES * SLOPES] = {{0}};
  set_up(&s, precision);
  for (size_t j = 0; j < SLOPES; j++) {
    s.space->ops->gaussian(s.space, (lrgd_vec){s.block, 1 + j}, 5, j);
    down(&s, 1 + j, s.U + j * s.net.p);
  }
  require(lr_mlp_work_create(&work, &s.net, BATCH, SLOPES, &error) == LRGD_OK &&
              lr_gather_create(&place, BATCH, SIDE * SIDE, &error) == LRGD_OK,
          "%s", error.text);
  lr_batch batch = lr_gather_batch(&place, &s.set.train, BATCH, s.which);
  d[0][0] = lr_mlp_slopes(&s.net, work, s.x, &batch, SLOPES, s.U, d[0] + 1);
  for (size_t i = 0; i < BATCH; i++)
    for (size_t a = 0; a < SLOPES; a++)
      for (size_t b = 0; b < SLOPES; b++) {
        double u[CLASSES], v[CLASSES];
        curved(work, i, a, u);
        curved(work, i, b, v);
        for (size_t c = 0; c < CLASSES; c++)
          B[0][a * SLOPES + b] += u[c] * v[c];
      }
  require(lrgd_cuda_mlp_pick(s.mlp, BATCH, s.which, &error) == LRGD_OK &&
              lrgd_cuda_mlp_ask(s.mlp, on_card(&s, 0), SLOPES, on_card(&s, 1),
                                lrgd_cuda_stride(s.space), d[1],
                                &error) == LRGD_OK &&
              lrgd_cuda_mlp_curvature(s.mlp, SLOPES, B[1], &error) == LRGD_OK,
          "%s", error.text);
  double difference = 0, size = 0;
  for (size_t j = 0; j <= SLOPES; j++) {
    difference += (d[1][j] - d[0][j]) * (d[1][j] - d[0][j]);
    size += d[0][j] * d[0][j];
  }
  check(sqrt(difference / size) <= within, "slopes are off by %g",
        sqrt(difference / size));
  difference = size = 0;
  for (size_t i = 0; i < SLOPES * SLOPES; i++) {
    difference += (B[1][i] - B[0][i]) * (B[1][i] - B[0][i]);
    size += B[0][i] * B[0][i];
  }
  check(sqrt(difference / size) <= within, "curvatures are off by %g",
        sqrt(difference / size));
  lr_mlp_work_destroy(&work);
  lr_gather_destroy(&place);
  tear_down(&s);
}

TEST("the Gauss-Newton matrix is the host's, in FP32 to 1e-5")
{
  compare_curvature(LRGD_CUDA_PRECISION_FP32, 1e-5);
}

TEST("the Gauss-Newton matrix is the host's, in TF32 to 2e-3")
{
  compare_curvature(LRGD_CUDA_PRECISION_TF32, 2e-3);
}

/* The loss over all training images after so many passes. */
static void train(stage *s, bool card, lr_subspace_from from, double *loss)
{
  lr_descent how = lr_descent_default();
  lr_descent_news news;
  lr_mlp_work *work;
  lr_gather place;
  lrgd_error error = {.text = ""};
  how.rank = 20;
  how.inputs = 12;
  how.batch = BATCH;
  how.budget = 3000;
  how.from = from;
  how.card = card;
  lr_mlp_start(&s->net, 2, s->x);
  require(lr_descend_network(&s->net, &s->set.train, &how, s->x, &news,
                             &error) == LRGD_OK,
          "%s", error.text);
  check(news.passes <= 3000 && news.passes > 2900, "%u passes",
        (unsigned)news.passes);
  require(lr_mlp_work_create(&work, &s->net, BATCH, 0, &error) == LRGD_OK &&
              lr_gather_create(&place, BATCH, SIDE * SIDE, &error) == LRGD_OK,
          "%s", error.text);
  *loss = lr_score_of(&s->net, work, &place, BATCH, s->x, &s->set.train).loss;
  lr_mlp_work_destroy(&work);
  lr_gather_destroy(&place);
}

TEST("a descent on the card comes as far as one on the host")
{
  stage s;
  set_up(&s, LRGD_CUDA_PRECISION_TF32);
  for (int from = LR_FROM_INPUTS; from <= LR_FROM_RANDOM; from++) {
    double host = 0, card = 0;
    train(&s, false, (lr_subspace_from)from, &host);
    train(&s, true, (lr_subspace_from)from, &card);
    /* rounding sends the two apart; they start from a loss of 2.5 */
    check(card <= 1.5 * host && host <= 1.5 * card, "losses %g and %g", host,
          card);
    check(card < 0.5, "loss %g", card);
  }
  tear_down(&s);
}

TEST("what a card does not do is refused in a sentence")
{
  stage s;
  lr_descent how = lr_descent_default();
  lrgd_error error = {.text = ""};
  set_up(&s, LRGD_CUDA_PRECISION_TF32);
  how.card = true;
  how.way = LR_TWO_POINT;
  check(lr_descend_network(&s.net, &s.set.train, &how, s.x, NULL, &error) ==
            LRGD_ERR_INVALID,
        "refused");
  check(strstr(error.text, "on a card") != NULL, "%s", error.text);
  tear_down(&s);
}
