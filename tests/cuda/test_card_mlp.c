/* Perceptrons on a card: value and slopes against sums in double precision on
 * the host, written out here.  Without a card it says so and passes. */
#include "card.h"
#include "check.h"

/* A network of one hidden layer, a batch and a block of slopes. */
typedef struct shape {
  size_t n, in, hidden, classes, slopes;
  lrgd_cuda_activation activation;
} shape;

/* One tile of images and several; one unit, and one more than a tile; classes
 * that one product of a warp holds, and two. */
static const shape shapes[] = {
    {70,  36,  130, 10, 3,  LRGD_CUDA_ACTIVATION_RELU},
    {300, 20,  113, 16, 9,  LRGD_CUDA_ACTIVATION_TANH},
    {1,   8,   1,   2,  1,  LRGD_CUDA_ACTIVATION_RELU},
    {257, 100, 64,  7,  40, LRGD_CUDA_ACTIVATION_TANH},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, CLASSES_MOST = 16 };

static size_t weights_of(const shape *s)
{
  return s->hidden * (s->in + 1);
}

static size_t parameters_of(const shape *s)
{
  return weights_of(s) + s->classes * (s->hidden + 1);
}

/* A unit's value from its sum, and its slope there. */
static double activate(const shape *s, double z, double *slope)
{
  if (s->activation == LRGD_CUDA_ACTIVATION_RELU) {
    *slope = z > 0;
    return z > 0 ? z : 0;
  }
  *slope = 1 - tanh(z) * tanh(z);
  return tanh(z);
}

/* Scores of one image, and how they move along u. */
static void pass(const shape *s, const double *x, const double *u,
                 const double *image, double *z, double *moved)
{
  const double *b2 = x + weights_of(s) + s->classes * s->hidden;
  const double *db2 = u + weights_of(s) + s->classes * s->hidden;
  for (size_t c = 0; c < s->classes; c++) {
    z[c] = b2[c];
    moved[c] = db2[c];
  }
  for (size_t h = 0; h < s->hidden; h++) {
    double sum = x[s->hidden * s->in + h], d = u[s->hidden * s->in + h], slope;
    for (size_t i = 0; i < s->in; i++) {
      sum += x[h * s->in + i] * image[i];
      d += u[h * s->in + i] * image[i];
    }
    double a = activate(s, sum, &slope);
    for (size_t c = 0; c < s->classes; c++) {
      size_t at = weights_of(s) + c * s->hidden + h;
      z[c] += x[at] * a;
      moved[c] += u[at] * a + x[at] * slope * d;
    }
  }
}

/* The mean loss, and its slope along u. */
static double loss(const shape *s, const double *x, const double *u,
                   const double *images, const uint8_t *labels, double *slope)
{
  double f = 0, n = (double)s->n;
  *slope = 0;
  for (size_t i = 0; i < s->n; i++) {
    double z[CLASSES_MOST], moved[CLASSES_MOST], sum = 0;
    pass(s, x, u, images + i * s->in, z, moved);
    for (size_t c = 0; c < s->classes; c++) sum += exp(z[c]);
    f += (log(sum) - z[labels[i]]) / n;
    for (size_t c = 0; c < s->classes; c++)
      *slope += (exp(z[c]) / sum - (c == labels[i] ? 1 : 0)) * moved[c] / n;
  }
  return f;
}

/* Columns of the card: x, the directions, images, labels, answers. */
static void prepare(const shape *s, card_columns *c, double *x, double *images,
                    uint8_t *labels)
{
  size_t p = parameters_of(s), most = p, k = s->slopes;
  if (s->n * s->in > most) most = s->n * s->in;
  if (2 * (k + 1) > most) most = 2 * (k + 1);
  require(card_take(c, most, k + 4), "memory");
  for (size_t j = 0; j < k + 2; j++) {
    c->space->ops->gaussian(c->space, card_column(c, j), 3, j);
    c->space->ops->scale(c->space, card_column(c, j), j == 0 ? 0.2 : 1);
    if (j <= k) card_get(c, j, p, x + j * p);
  }
  card_get(c, k + 1, s->n * s->in, images);
  for (size_t i = 0; i < s->n; i++) labels[i] = (uint8_t)(i * 7 % s->classes);
  /* a column of floats whose bits are the labels' bytes */
  for (size_t i = 0; i < s->n; i += 4) {
    float packed = 0;
    memcpy(&packed, labels + i, s->n - i < 4 ? s->n - i : 4);
    double value = (double)packed;
    c->space->ops->put(c->space, card_column(c, k + 2), i / 4, 1, &value);
  }
}

/* Loss and slopes of the card. */
static void ask(const shape *s, const card_columns *c,
                lrgd_cuda_precision precision, double *got)
{
  const size_t widths[] = {s->in, s->hidden, s->classes}, k = s->slopes;
  lrgd_cuda_mlp *mlp;
  lrgd_error error;
  require(lrgd_cuda_mlp_create(&mlp, 3, widths, s->activation, precision, s->n,
                               k, &error) == LRGD_OK,
          "%s", error.text);
  lrgd_cuda_batch batch = {s->n, card_numbers(c, k + 1),
                           (const uint8_t *)card_numbers(c, k + 2)};
  for (int turn = 0; turn < 2; turn++) /* the second finds the first's traces */
    require(lrgd_cuda_mlp_slopes(mlp, card_numbers(c, 0), &batch, k,
                                 card_numbers(c, 1), lrgd_cuda_stride(c->space),
                                 (double *)card_numbers(c, k + 3), NULL, NULL,
                                 &error) == LRGD_OK,
            "%s", error.text);
  for (size_t j = 0; j <= k; j++) {
    double halves[2];
    for (size_t i = 0; i < 2; i++)
      c->space->ops->get(c->space, card_column(c, k + 3), 2 * j + i, 1,
                         halves + i);
    float bits[2] = {(float)halves[0], (float)halves[1]};
    memcpy(got + j, bits, sizeof *got);
  }
  lrgd_cuda_mlp_destroy(&mlp);
}

static void compare(const shape *s, lrgd_cuda_precision precision,
                    double within)
{
  card_columns c;
  size_t k = s->slopes;
  double *x = malloc((k + 1) * parameters_of(s) * sizeof *x);
  double *images = malloc(s->n * s->in * sizeof *images);
  double *answers = malloc(2 * (k + 1) * sizeof *answers);
  uint8_t *labels = malloc(s->n);
  require(x && images && answers && labels, "memory");
  prepare(s, &c, x, images, labels);
  size_t p = parameters_of(s);
  double *got = answers, *want = answers + k + 1, off = 0, size = 0;
  ask(s, &c, precision, got);
  for (size_t j = 0; j < k; j++)
    want[0] = loss(s, x, x + (1 + j) * p, images, labels, &want[1 + j]);
  for (size_t j = 0; j <= k; j++) {
    off += (got[j] - want[j]) * (got[j] - want[j]);
    size += want[j] * want[j];
  }
  check(sqrt(off / size) <= within, "%zu-%zu-%zu, %zu images: off by %.2e",
        s->in, s->hidden, s->classes, s->n, sqrt(off / size));
  card_give_back(&c);
  free(x);
  free(images);
  free(answers);
  free(labels);
}

TEST("slopes in FP32 are those of double precision to 1e-5")
{
  for (size_t i = 0; i < SHAPES; i++)
    compare(&shapes[i], LRGD_CUDA_PRECISION_FP32, 1e-5);
}

TEST("slopes in TF32 are those of double precision to 1e-3")
{
  for (size_t i = 0; i < SHAPES; i++)
    compare(&shapes[i], LRGD_CUDA_PRECISION_TF32, 1e-3);
}

TEST("widths that make no network are refused with their numbers")
{
  static const size_t none[] = {784, 0, 10};
  lrgd_cuda_mlp *mlp;
  lrgd_error error;
  check(lrgd_cuda_mlp_create(&mlp, 3, none, LRGD_CUDA_ACTIVATION_RELU,
                             LRGD_CUDA_PRECISION_TF32, 10, 1,
                             &error) == LRGD_ERR_INVALID,
        "refused");
  check(strstr(error.text, "width 1 is 0") != NULL, "%s", error.text);
  check(mlp == NULL, "nothing was made");
}
