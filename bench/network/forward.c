/* lrgd-forward: what a block of slopes of a network costs, in forward passes
 * and beside the rate of sgemm, measured in turns in one run. */
#include "blas.h"
#include "mlp.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { K = 10, N = 200, TURNS = 60, FORWARDS = K + 1 };

/* The paper's network. */
static const size_t widths[] = {784, 784, 10};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct bench {
  lr_mlp net;
  lr_mlp_work *work;
  lr_batch batch;
  float *x, *U, *C;
} bench;

static double least(double best, double begin)
{
  double time = now() - begin;
  return time < best ? time : best;
}

/* Products of a forward pass, each as large as its layer; a tangent of the
 * first layer is one of them, of the second two. */
static double flops(const lr_mlp *net)
{
  double one = 2.0 * N;
  return one * (double)(net->widths[0] * net->widths[1] * (1 + K) +
                        net->widths[1] * net->widths[2] * (1 + 2 * K));
}

static int report(const bench *b, double forward, double slopes, double gemm)
{
  double rate = flops(&b->net) / slopes;
  double best = 2.0 * N * (double)(widths[0] * widths[1]) / gemm;
  double passes = slopes / forward;
  printf("p = %zu, batch %d, k = %d; BLAS kernels %s\n", b->net.p, N, K,
         blas_kernels());
  printf("a forward pass                    %8.3f ms\n", 1e3 * forward);
  printf("%d slopes in one pass             %8.3f ms\n", K, 1e3 * slopes);
  printf("  in k + 1 forward passes         %8.3f    (at most 1.2)\n",
         passes / FORWARDS);
  printf("  GFlop/s                         %8.1f\n", 1e-9 * rate);
  printf("sgemm 200 x 784 x 784, GFlop/s    %8.1f\n", 1e-9 * best);
  printf("  the slopes' share of it         %8.3f    (at least 0.6)\n",
         rate / best);
  return passes > 1.2 * FORWARDS || rate < 0.6 * best;
}

/* Best of many turns: what else the machine does only ever adds time. */
static int measure(bench *b)
{
  double forward = 1e9, slopes = 1e9, gemm = 1e9, d[K];
  for (int turn = 0; turn < TURNS; turn++) {
    double begin = now();
    (void)lr_mlp_value(&b->net, b->work, b->x, &b->batch);
    forward = least(forward, begin);
    begin = now();
    (void)lr_mlp_slopes(&b->net, b->work, b->x, &b->batch, K, b->U, d);
    slopes = least(slopes, begin);
    begin = now();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, N, 784, 784, 1,
                b->batch.images, 784, b->U, 784, 0, b->C, 784);
    gemm = least(gemm, begin);
  }
  return report(b, forward, slopes, gemm);
}

int main(int argc, char **argv)
{
  static uint8_t labels[N];
  bench b = {.work = NULL};
  lrgd_error error = {.text = "out of memory"};
  (void)argc;
  blas_choose_kernels(argv);
  int failed = lr_mlp_make(&b.net, 3, widths, LR_RELU, &error) != LRGD_OK ||
               lr_mlp_work_create(&b.work, &b.net, N, K, &error) != LRGD_OK;
  float *images = malloc(sizeof *images * N * 784);
  b.x = malloc(b.net.p * sizeof *b.x);
  b.U = malloc(K * b.net.p * sizeof *b.U);
  b.C = malloc(sizeof *b.C * N * 784);
  failed = failed || !images || !b.x || !b.U || !b.C;
  if (!failed) {
    for (size_t i = 0; i < (size_t)N * 784; i++)
      images[i] = (float)(i % 97) / 97;
    for (size_t i = 0; i < N; i++) labels[i] = (uint8_t)(i % 10);
    for (size_t j = 0; j < K; j++)
      lr_mlp_start(&b.net, 2 + j, b.U + j * b.net.p);
    lr_mlp_start(&b.net, 1, b.x);
    b.batch = (lr_batch){N, images, labels};
    failed = measure(&b);
  } else {
    fprintf(stderr, "lrgd-forward: %s\n", error.text);
  }
  lr_mlp_work_destroy(&b.work);
  free(images);
  free(b.x);
  free(b.U);
  free(b.C);
  return failed;
}
