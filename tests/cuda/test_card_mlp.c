/* Perceptrons on a card: value and slopes against sums in double precision on
 * the host, written out here.  Without a card it says so and passes. */
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

enum { N = 70, SLOPES = 3, IN = 36, HIDDEN = 130, CLASSES = 10 };
enum { WEIGHTS = HIDDEN * (IN + 1), ALL = WEIGHTS + CLASSES * (HIDDEN + 1) };

/* Vectors that the host writes and the card reads: columns of a space. */
typedef struct card {
  lrgd_space *space;
  lrgd_block *block;
} card;

static float *column(const card *c, size_t j)
{
  return lrgd_cuda_data((lrgd_vec){c->block, j});
}

static double number(const card *c, size_t j, size_t i)
{
  double x;
  c->space->ops->get(c->space, (lrgd_vec){c->block, j}, i, 1, &x);
  return x;
}

/* Scores of one image, and how they move along u. */
static void pass(const double *x, const double *u, const double *image,
                 double *z, double *moved)
{
  double a[HIDDEN], da[HIDDEN];
  for (size_t h = 0; h < HIDDEN; h++) {
    a[h] = x[HIDDEN * IN + h];
    da[h] = u[HIDDEN * IN + h];
    for (size_t i = 0; i < IN; i++) {
      a[h] += x[h * IN + i] * image[i];
      da[h] += u[h * IN + i] * image[i];
    }
    if (a[h] <= 0) a[h] = da[h] = 0;
  }
  for (size_t c = 0; c < CLASSES; c++) {
    const double *W = x + WEIGHTS + c * HIDDEN, *dW = u + WEIGHTS + c * HIDDEN;
    z[c] = x[WEIGHTS + CLASSES * HIDDEN + c];
    moved[c] = u[WEIGHTS + CLASSES * HIDDEN + c];
    for (size_t h = 0; h < HIDDEN; h++) {
      z[c] += W[h] * a[h];
      moved[c] += dW[h] * a[h] + W[h] * da[h];
    }
  }
}

/* The mean loss, and its slope along u. */
static double loss(const double *x, const double *u, const double *images,
                   const uint8_t *labels, double *slope)
{
  double f = 0;
  *slope = 0;
  for (size_t i = 0; i < N; i++) {
    double z[CLASSES], moved[CLASSES], sum = 0;
    pass(x, u, images + i * IN, z, moved);
    for (size_t c = 0; c < CLASSES; c++) sum += exp(z[c]);
    f += (log(sum) - z[labels[i]]) / N;
    for (size_t c = 0; c < CLASSES; c++)
      *slope += (exp(z[c]) / sum - (c == labels[i] ? 1 : 0)) * moved[c] / N;
  }
  return f;
}

static void compare(lrgd_cuda_precision precision, double within)
{
  static double x[ALL], u[SLOPES][ALL], images[N * IN];
  static const size_t widths[] = {IN, HIDDEN, CLASSES};
  card c = {.space = lrgd_cuda_space(ALL, LRGD_SCALAR_FLOAT, NULL)};
  lrgd_cuda_mlp *mlp;
  lrgd_error error;
  uint8_t labels[N];
  double want[1 + SLOPES], off = 0, size = 0;
  require(c.space != NULL, "a space");
  c.block = c.space->ops->make(c.space, SLOPES + 4);
  require(c.block != NULL, "memory");
  for (uint64_t j = 0; j < SLOPES + 2; j++) {
    lrgd_vec y = {c.block, j};
    c.space->ops->gaussian(c.space, y, 3, j);
    c.space->ops->scale(c.space, y, j == 0 ? 0.2 : 1);
    double *to = j == 0 ? x : j <= SLOPES ? u[j - 1] : NULL;
    if (to) c.space->ops->get(c.space, y, 0, ALL, to);
  }
  for (size_t i = 0; i < N * IN; i++) images[i] = number(&c, SLOPES + 1, i);
  for (size_t i = 0; i < N; i++) labels[i] = (uint8_t)(i * 7 % CLASSES);
  /* a column of floats whose bits are the labels' bytes */
  float packed[N / 4 + 1] = {0};
  memcpy(packed, labels, N);
  for (size_t i = 0; i <= N / 4; i++) {
    double value = packed[i];
    c.space->ops->put(c.space, (lrgd_vec){c.block, SLOPES + 2}, i, 1, &value);
  }
  require(lrgd_cuda_mlp_create(&mlp, 3, widths, LRGD_CUDA_ACTIVATION_RELU,
                               precision, N, SLOPES, &error) == LRGD_OK,
          "%s", error.text);
  lrgd_cuda_batch batch = {N, column(&c, SLOPES + 1),
                           (const uint8_t *)column(&c, SLOPES + 2)};
  double *answers = (double *)column(&c, SLOPES + 3), got[1 + SLOPES];
  for (int turn = 0; turn < 2; turn++)
    require(lrgd_cuda_mlp_slopes(mlp, column(&c, 0), &batch, SLOPES,
                                 column(&c, 1), lrgd_cuda_stride(c.space),
                                 answers, NULL, NULL, &error) == LRGD_OK,
            "%s", error.text);
  for (size_t j = 0; j <= SLOPES; j++) {
    float halves[2] = {(float)number(&c, SLOPES + 3, 2 * j),
                       (float)number(&c, SLOPES + 3, 2 * j + 1)};
    memcpy(&got[j], halves, sizeof got[j]);
  }
  for (size_t j = 0; j < SLOPES; j++)
    want[0] = loss(x, u[j], images, labels, &want[1 + j]);
  for (size_t j = 0; j <= SLOPES; j++) {
    off += (got[j] - want[j]) * (got[j] - want[j]);
    size += want[j] * want[j];
  }
  check(sqrt(off / size) <= within, "off by %.2e", sqrt(off / size));
  lrgd_cuda_mlp_destroy(&mlp);
  c.space->ops->free(c.space, c.block);
  lrgd_space_destroy(&c.space);
}

TEST("slopes in FP32 are those of double precision to 1e-5")
{
  compare(LRGD_CUDA_PRECISION_FP32, 1e-5);
}

TEST("slopes in TF32 are those of double precision to 1e-3")
{
  compare(LRGD_CUDA_PRECISION_TF32, 1e-3);
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
