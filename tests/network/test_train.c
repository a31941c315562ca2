/* Training and the spectrum of gradients on the tiny set. */
#include "base/random.h"
#include "check.h"
#include "mlp_private.h"
#include "network_spectrum.h"
#include "tiny.h"
#include "train.h"

TEST("Adam and SGD learn the tiny set, with either activation")
{
  for (int i = 0; i < 4; i++) {
    tiny t;
    lrgd_error error = {.text = ""};
    require(make_tiny(&t, i % 2 ? LR_TANH : LR_RELU), "made");
    lr_training training = lr_training_default();
    training.epochs = 15;
    training.batch = 50;
    training.rate = 0.005;
    if (i >= 2) {
      training.optimiser = LR_SGD;
      training.rate = 0.1;
      training.momentum = 0.9;
    }
    double before = score(&t).loss;
    check(lr_train(&t.net, &t.set.train, &training, t.x, &error) == LRGD_OK,
          "%s", error.text);
    lr_score after = score(&t);
    check(after.accuracy >= 0.95 && after.loss < 0.3 * before,
          "%d: accuracy %.3f, loss %.3f from %.3f", i, after.accuracy,
          after.loss, before);
    free_tiny(&t);
  }
}

TEST("Adam takes its first step of length rate in every coordinate")
{
  tiny t;
  lrgd_error error;
  require(make_tiny(&t, LR_TANH), "made");
  float *start = malloc(t.net.p * sizeof *start);
  memcpy(start, t.x, t.net.p * sizeof *start);
  lr_training training = lr_training_default();
  training.epochs = 1;
  training.batch = 600;
  require(lr_train(&t.net, &t.set.train, &training, t.x, &error) == LRGD_OK,
          "trained");
  size_t far = 0;
  for (size_t i = 0; i < t.net.p; i++)
    far += fabs(fabs((double)t.x[i] - (double)start[i]) - 1e-3) > 2e-5;
  /* where the slope is not large beside epsilon = 1e-7 the step is shorter */
  check(far < t.net.p / 50, "%zu of %zu are not", far, t.net.p);
  free(start);
  free_tiny(&t);
}

static bool stop_at_three(size_t step, size_t steps, double loss, void *user)
{
  (void)loss;
  *(size_t *)user = steps;
  return step < 3;
}

TEST("the progress callback gets every step, and can end the training")
{
  tiny t;
  lrgd_error error;
  size_t steps = 0;
  require(make_tiny(&t, LR_RELU), "made");
  lr_training training = lr_training_default();
  training.batch = 250; /* 250, 250, 100 */
  training.epochs = 4;
  training.progress = stop_at_three;
  training.user = &steps;
  check(lr_train(&t.net, &t.set.train, &training, t.x, &error) == LRGD_OK,
        "ended");
  check_int(steps, 12, "steps in all");
  free_tiny(&t);
}

TEST("training that diverges at a large rate ends, and tells its numbers")
{
  tiny t;
  lrgd_error error = {.text = ""};
  require(make_tiny(&t, LR_RELU), "made");
  lr_training training = lr_training_default();
  training.optimiser = LR_SGD;
  training.rate = 1e30;
  check(lr_train(&t.net, &t.set.train, &training, t.x, &error) ==
            LRGD_ERR_NUMERIC,
        "fails");
  check(strstr(error.text, "rate 1e+30 is too large"), "%s", error.text);
  training.batch = 601;
  check(lr_train(&t.net, &t.set.train, &training, t.x, &error) ==
            LRGD_ERR_INVALID,
        "a batch larger than the set");
  free_tiny(&t);
}

/* G by hand: energies add to one and sum_i sigma_i^4 = |G'G|_F^2. */
TEST("energies of the spectrum are those of the gradients themselves")
{
  enum { N = 7 };
  tiny t;
  lrgd_error error;
  double energy[N], traced = 0, squares = 0, fourth = 0;
  require(make_tiny(&t, LR_TANH), "made");
  size_t p = t.net.p;
  lr_batch batch = lr_gather_slice(&t.place, &t.set.test, 0, 100);
  lr_spectrum_request request = {.n = N, .tau = 0.2, .seed = 5};
  require(lr_gradient_spectrum(&t.net, t.x, &batch, &request, energy, &error) ==
              LRGD_OK,
          "spectrum");
  float *G = malloc(N * p * sizeof *G), *y = malloc(p * sizeof *y);
  double *z = malloc(p * sizeof *z);
  for (size_t j = 0; j < N; j++) {
    lr_gaussian(5, LR_NETWORK_POINTS + j, 0, p, z);
    for (size_t i = 0; i < p; i++) y[i] = t.x[i] + 0.2F * (float)z[i];
    (void)lr_mlp_gradient(&t.net, t.work, y, &batch, G + j * p);
  }
  for (size_t a = 0; a < N; a++)
    for (size_t b = 0; b < N; b++) {
      double sum = 0;
      for (size_t i = 0; i < p; i++)
        sum += (double)G[a * p + i] * (double)G[b * p + i];
      squares += sum * sum;
      if (a == b) traced += sum;
    }
  for (size_t i = 0; i < N; i++) fourth += energy[i] * energy[i];
  check_near(lr_energy_of(N, energy, N), 1, 1e-12, "they add up");
  check_near(fourth, squares / (traced * traced), 1e-9, "fourth powers");
  for (size_t i = 1; i < N; i++)
    check(energy[i] <= energy[i - 1], "descending at %zu", i);
  free(G);
  free(y);
  free(z);
  free_tiny(&t);
}
