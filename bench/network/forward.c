/* lrgd-forward: what a block of slopes of a network costs, in forward passes
 * and beside the rate of sgemm, measured in turns in one run. */
#include "../../network/mlp.h"
#include "blas.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { K = 10, N = 200, TURNS = 40, FORWARDS = K + 1, SIDE = 1600 };

/* The paper's network. */
static const size_t widths[] = {784, 784, 10};

/* Seconds on the wall clock, and of processor time: other programs on the
 * machine do not lengthen the latter. */
typedef struct times {
  double clock, processor;
} times;

static double seconds(clockid_t which)
{
  struct timespec t;
  clock_gettime(which, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static times now(void)
{
  return (times){seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

typedef struct bench {
  lr_mlp net;
  lr_mlp_work *work;
  lr_batch batch;
  float *x, *U, *C, *square;
} bench;

/* The shortest times of: forward passes, a block of slopes, matrix products of
 * the size of a layer, and a large product, at which sgemm is fastest. */
typedef struct sums {
  times forwards, slopes, gemms, large;
} sums;

/* Keeps the shortest of many measurements, as other programs can only lengthen
 * them. */
static void least(times *best, times begin)
{
  times end = now();
  best->clock = fmin(best->clock, end.clock - begin.clock);
  best->processor = fmin(best->processor, end.processor - begin.processor);
}

/* The floating-point operations of a block of slopes: the products of a forward
 * pass, plus one such product for each tangent of the first layer and two for
 * each of the second. */
static double flops(const lr_mlp *net)
{
  double one = 2.0 * N;
  return one * (double)(net->widths[0] * net->widths[1] * (1 + K) +
                        net->widths[1] * net->widths[2] * (1 + 2 * K));
}

static bool report(const bench *b, const char *what, double forwards,
                   double slopes, double gemms, double large)
{
  double rate = flops(&b->net) / slopes;
  double layer = FORWARDS * 2.0 * N * (double)(widths[0] * widths[1]) / gemms;
  double square = 2.0 * SIDE * SIDE * SIDE / large, best = fmax(layer, square);
  printf("%s\n", what);
  printf("  %d forward passes               %8.2f ms\n", FORWARDS,
         1e3 * forwards);
  printf("  %d slopes in one pass           %8.2f ms\n", K, 1e3 * slopes);
  printf("  ratio                           %8.2f     (at most 1.2)\n",
         slopes / forwards);
  printf("  GFlop/s                         %8.1f\n", 1e-9 * rate);
  printf("  sgemm 200 x 784 x 784, GFlop/s  %8.1f\n", 1e-9 * layer);
  printf("  sgemm 1600^3, GFlop/s           %8.1f\n", 1e-9 * square);
  printf("  the slopes' share of the faster %8.2f     (at least 0.6)\n",
         rate / best);
  return slopes <= 1.2 * forwards && rate >= 0.6 * best;
}

/* The four kinds of work alternate, so that other programs slow all of them
 * alike. */
static bool measure(bench *b)
{
  const times never = {1e9, 1e9};
  sums s = {never, never, never, never};
  double d[K];
  for (int turn = 0; turn < TURNS; turn++) {
    times begin = now();
    for (int i = 0; i < FORWARDS; i++)
      (void)lr_mlp_value(&b->net, b->work, b->x, &b->batch);
    least(&s.forwards, begin);
    begin = now();
    (void)lr_mlp_slopes(&b->net, b->work, b->x, &b->batch, K, b->U, d);
    least(&s.slopes, begin);
    begin = now();
    for (int i = 0; i < FORWARDS; i++)
      lr_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, N, 784, 784, 1,
                    b->batch.images, 784, b->U + (size_t)(i % K) * b->net.p,
                    784, 0, b->C, 784);
    least(&s.gemms, begin);
    begin = now();
    lr_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, SIDE, SIDE, SIDE, 1,
                  b->U, SIDE, b->U + SIDE * SIDE, SIDE, 0, b->square, SIDE);
    least(&s.large, begin);
  }
  printf("p = %zu, batch %d, k = %d; BLAS kernels %s; best of %d turns\n",
         b->net.p, N, K, lr_blas.kernels, TURNS);
  bool fine = report(b, "on the clock", s.forwards.clock, s.slopes.clock,
                     s.gemms.clock, s.large.clock);
  (void)report(b, "of the processor", s.forwards.processor, s.slopes.processor,
               s.gemms.processor, s.large.processor);
  return fine;
}

int main(void)
{
  static uint8_t labels[N];
  bench b = {.work = NULL};
  lrgd_error error = {.text = "out of memory"};
  int failed = lr_mlp_make(&b.net, 3, widths, LR_RELU, &error) != LRGD_OK ||
               lr_mlp_work_create(&b.work, &b.net, N, K, &error) != LRGD_OK;
  float *images = malloc(sizeof *images * N * 784);
  b.x = malloc(b.net.p * sizeof *b.x);
  b.U = malloc(K * b.net.p * sizeof *b.U);
  b.C = malloc(sizeof *b.C * N * 784);
  b.square = malloc(sizeof *b.square * SIDE * SIDE);
  failed = failed || !images || !b.x || !b.U || !b.C || !b.square;
  if (!failed) {
    for (size_t i = 0; i < (size_t)N * 784; i++)
      images[i] = (float)(i % 97) / 97;
    for (size_t i = 0; i < N; i++) labels[i] = (uint8_t)(i % 10);
    for (size_t j = 0; j < K; j++)
      lr_mlp_start(&b.net, 2 + j, b.U + j * b.net.p);
    lr_mlp_start(&b.net, 1, b.x);
    b.batch = (lr_batch){N, images, labels};
    failed = !measure(&b);
  } else {
    fprintf(stderr, "lrgd-forward: %s\n", error.text);
  }
  lr_mlp_work_destroy(&b.work);
  free(images);
  free(b.x);
  free(b.U);
  free(b.C);
  free(b.square);
  return failed;
}
