/* Eigenvalues of a network's Hessian against all of it, written out. */
#include "base/dense.h"
#include "base/memory.h"
#include "check.h"
#include "network_hessian.h"
#include "tiny.h"

TEST("Lanczos finds the largest eigenvalues of the whole Hessian")
{
  enum { P = 64 * 2 + 2 + 2 * 4 + 4, R = 6 };
  const size_t widths[] = {64, 2, 4};
  tiny t;
  lr_mlp net;
  lrgd_error error;
  lr_mlp_work *work;
  static float x[P], v[P], Hv[P], V[P * R];
  static double H[P * P], lambda[P], found[R];
  require(make_tiny(&t, LR_TANH), "made");
  require(lr_mlp_make(&net, 3, widths, LR_TANH, &error) == LRGD_OK, "net");
  check_int(net.p, P, "p");
  require(lr_mlp_work_create(&work, &net, 100, 1, &error) == LRGD_OK, "work");
  lr_mlp_start(&net, 3, x);
  lr_batch batch = lr_gather_slice(&t.place, &t.set.train, 0, 100);
  for (size_t j = 0; j < P; j++) {
    memset(v, 0, sizeof v);
    v[j] = 1;
    lr_mlp_hessian(&net, work, x, &batch, v, Hv);
    for (size_t i = 0; i < P; i++) H[j * P + i] = (double)Hv[i];
  }
  for (size_t j = 0; j < P; j++) /* floats round the two halves apart */
    for (size_t i = 0; i < j; i++)
      H[i * P + j] = H[j * P + i] = (H[i * P + j] + H[j * P + i]) / 2;
  lr_dense *dense = lr_dense_create(&lr_malloc, P);
  require(lr_eigen(dense, P, H, lambda) == LRGD_OK, "dense");
  require(lr_network_eigen(&net, x, &batch, 60, R, 1, found, V, &error) ==
              LRGD_OK,
          "Lanczos");
  for (size_t i = 0; i < R; i++) {
    double nearest = INFINITY;
    for (size_t j = 0; j < P; j++)
      nearest = fmin(nearest, fabs(lambda[j] - found[i]));
    check(nearest <= 1e-4 * fabs(found[0]), "eigenvalue %zu is off by %.2g", i,
          nearest);
    lr_mlp_hessian(&net, work, x, &batch, V + i * P, Hv);
    check_near(lr_share_in(P, 1, V + i * P, Hv), 1, 1e-3,
               "vector %zu is an eigenvector", i);
  }
  double largest = fmax(fabs(lambda[0]), fabs(lambda[P - 1]));
  check_near(fabs(found[0]), largest, 1e-4, "the largest is found");
  check_near(lr_share_in(P, R, V, V + 2 * P), 1, 1e-4, "a vector of the span");
  lr_dense_destroy(&dense);
  lr_mlp_work_destroy(&work);
  free_tiny(&t);
}
