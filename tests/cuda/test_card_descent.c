/* Descent by slopes on a card, against the same on the host: directions, the
 * Gauss-Newton matrix, whole runs.  Without a card it says so and passes. */
#include "descent.h"
#include "mlp_private.h"
#include "network_directions.h"

#include "card.h"
#include "check.h"

enum { SIDE = 8, HIDDEN = 40, CLASSES = 10, BATCH = 100, SLOPES = 6 };

typedef struct stage {
  lr_dataset set;
  lr_mlp net;
  card_columns card; /* x, then directions */
  lrgd_cuda_mlp *mlp;
  float *x, *U; /* the host's */
  uint32_t which[BATCH];
} stage;

static void down(const stage *s, size_t j, float *to)
{
  double *room = malloc(s->net.p * sizeof *room);
  card_get(&s->card, j, s->net.p, room);
  for (size_t i = 0; i < s->net.p; i++) to[i] = (float)room[i];
  free(room);
}

static void set_up_for(stage *s, lrgd_cuda_precision precision, size_t slopes)
{
  static const size_t widths[] = {SIDE * SIDE, HIDDEN, CLASSES};
  lrgd_error error = {.text = ""};
  *s = (stage){.x = NULL};
  require(lr_dataset_draw(&s->set, SIDE, CLASSES, 600, 100, 3, &error) ==
              LRGD_OK,
          "%s", error.text);
  require(lr_mlp_make(&s->net, 3, widths, LR_RELU, &error) == LRGD_OK, "%s",
          error.text);
  s->x = malloc(s->net.p * sizeof *s->x);
  s->U = malloc(slopes * s->net.p * sizeof *s->U);
  lr_mlp_start(&s->net, 2, s->x);
  require(card_take(&s->card, s->net.p, 1 + slopes), "memory");
  double *start = malloc(s->net.p * sizeof *start);
  for (size_t i = 0; i < s->net.p; i++) start[i] = (double)s->x[i];
  card_put(&s->card, 0, s->net.p, start);
  free(start);
  require(lrgd_cuda_mlp_create(&s->mlp, 3, widths, LRGD_CUDA_ACTIVATION_RELU,
                               precision, BATCH, slopes, &error) == LRGD_OK,
          "%s", error.text);
  require(lrgd_cuda_mlp_keep(s->mlp, s->set.train.count, s->set.train.data,
                             s->set.train.labels, &error) == LRGD_OK,
          "%s", error.text);
  for (uint32_t i = 0; i < BATCH; i++) s->which[i] = 599 - 5 * i;
}

static void set_up(stage *s, lrgd_cuda_precision precision)
{
  set_up_for(s, precision, SLOPES);
}

static void tear_down(stage *s)
{
  lrgd_cuda_mlp_destroy(&s->mlp);
  card_give_back(&s->card);
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
  require(
      lrgd_cuda_mlp_draw(s->mlp, 7, 11, SLOPES, 1, card_numbers(&s->card, 1),
                         lrgd_cuda_stride(s->card.space), &error) == LRGD_OK,
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
    s.card.space->ops->gaussian(s.card.space, card_column(&s.card, 1 + j), 5,
                                j);
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
              lrgd_cuda_mlp_ask(s.mlp, card_numbers(&s.card, 0), SLOPES,
                                card_numbers(&s.card, 1),
                                lrgd_cuda_stride(s.card.space), d[1],
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

/* How far (B + lift I) z + share d is from zero, as a share of share d. */
static double residual_of(size_t k, const double *B, const double *d,
                          double damping, double share, const double *z)
{
  double trace = 0, left = 0, size = 0;
  for (size_t j = 0; j < k; j++) trace += B[j * k + j];
  for (size_t i = 0; i < k; i++) {
    double sum = share * d[i];
    for (size_t j = 0; j < k; j++) sum += B[i * k + j] * z[j];
    sum += (damping / (double)k + 1e-7) * trace * z[i];
    left += sum * sum;
    size += share * share * d[i] * d[i];
  }
  return sqrt(left / size);
}

/* Direction j moves parameter j alone, so that a step shows its coefficients.
 */
static void step_along_axes(size_t k)
{
  enum { DAMPING = 1 };
  const double share = 0.5;
  stage s;
  lrgd_error error = {.text = ""};
  set_up_for(&s, LRGD_CUDA_PRECISION_FP32, k);
  double *B = calloc(k * k + 2 * k + 1, sizeof *B), loss[2] = {0};
  double *d = B + k * k, *z = d + k + 1;
  float *before = malloc(s.net.p * sizeof *before);
  for (size_t j = 0; j < k; j++) {
    double one = 1;
    s.card.space->ops->scale(s.card.space, card_column(&s.card, 1 + j), 0);
    s.card.space->ops->put(s.card.space, card_column(&s.card, 1 + j), j, 1,
                           &one);
  }
  down(&s, 0, before);
  size_t stride = lrgd_cuda_stride(s.card.space);
  float *x = card_numbers(&s.card, 0), *U = card_numbers(&s.card, 1);
  require(
      lrgd_cuda_mlp_pick(s.mlp, BATCH, s.which, &error) == LRGD_OK &&
          lrgd_cuda_mlp_ask(s.mlp, x, k, U, stride, d, &error) == LRGD_OK &&
          lrgd_cuda_mlp_curvature(s.mlp, k, B, &error) == LRGD_OK &&
          lrgd_cuda_mlp_step(s.mlp, x, k, U, stride, DAMPING, share, &error) ==
              LRGD_OK &&
          lrgd_cuda_mlp_ask(s.mlp, x, k, U, stride, NULL, &error) == LRGD_OK &&
          lrgd_cuda_mlp_loss(s.mlp, 0, &loss[0], &error) == LRGD_OK &&
          lrgd_cuda_mlp_loss(s.mlp, 1, &loss[1], &error) == LRGD_OK,
      "%s", error.text);
  down(&s, 0, s.x);
  for (size_t j = 0; j < k; j++) z[j] = (double)s.x[j] - (double)before[j];
  double left = residual_of(k, B, d + 1, DAMPING, share, z);
  check(left <= 1e-4, "%zu directions: the step leaves %g", k, left);
  check(loss[1] == d[0], "the loss before was %g, not %g", loss[1], d[0]);
  check(loss[0] < loss[1], "the loss goes from %g to %g", loss[1], loss[0]);
  free(before);
  free(B);
  tear_down(&s);
}

TEST("a step on the card solves the damped Gauss-Newton system")
{
  step_along_axes(SLOPES);
}

TEST("so it does where shared memory does not hold the system")
{
  step_along_axes(200);
}

TEST("a loss that was not asked for is refused in a sentence")
{
  stage s;
  double loss;
  lrgd_error error = {.text = ""};
  set_up(&s, LRGD_CUDA_PRECISION_TF32);
  check(lrgd_cuda_mlp_loss(s.mlp, 0, &loss, &error) == LRGD_ERR_INVALID,
        "refused");
  check(strstr(error.text, "not asked for") != NULL, "%s", error.text);
  tear_down(&s);
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
