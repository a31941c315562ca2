/* The network's mathematics against itself and against plain loops in
 * double. */
#include "base/random.h"
#include "check.h"
#include "mlp.h"

#include <stdlib.h>

/* A random network, point, batch and k directions. */
typedef struct trial {
  lr_mlp net;
  lr_mlp_work *work;
  size_t k;
  float *x, *g, *U, *images;
  uint8_t *labels;
  lr_batch batch;
} trial;

static uint32_t dice(uint64_t seed, uint64_t index, uint32_t sides)
{
  uint32_t bits[4];
  lr_philox(seed, 7, index, bits);
  return bits[0] % sides;
}

static float *normals(uint64_t seed, uint64_t stream, size_t n, double scale)
{
  double *z = malloc((n + 1) * sizeof *z);
  float *out = malloc((n + 1) * sizeof *out);
  lr_gaussian(seed, stream, 0, n, z);
  for (size_t i = 0; i < n; i++) out[i] = (float)(scale * z[i]);
  free(z);
  return out;
}

/* widths NULL: drawn by the seed, 1 to 4 layers, narrow and wide ones. */
static bool make_trial(trial *t, uint64_t seed, const size_t *widths,
                       size_t count, lr_activation activation)
{
  size_t drawn[LR_MLP_LAYERS + 1];
  lrgd_error error;
  if (widths == NULL) {
    count = 2 + dice(seed, 0, 4);
    for (size_t l = 0; l < count; l++)
      drawn[l] = 1 + dice(seed, 1 + l, l % 2 == 1 ? 200 : 40);
    drawn[count - 1] = 2 + dice(seed, 20, 11);
    widths = drawn;
  }
  if (lr_mlp_make(&t->net, count, widths, activation, &error)) return false;
  size_t n = 1 + dice(seed, 30, 60), p = t->net.p;
  t->k = 1 + dice(seed, 31, 12);
  if (lr_mlp_work_create(&t->work, &t->net, n, t->k, &error)) return false;
  t->x = malloc(p * sizeof *t->x);
  lr_mlp_start(&t->net, seed, t->x);
  float *off = normals(seed, 40, p, 0.05); /* biases too */
  for (size_t i = 0; i < p; i++) t->x[i] += off[i];
  free(off);
  t->g = malloc(p * sizeof *t->g);
  t->U = normals(seed, 41, p * t->k, 1);
  t->images = normals(seed, 42, n * widths[0], 1);
  t->labels = malloc(n);
  for (size_t i = 0; i < n; i++)
    t->labels[i] = (uint8_t)dice(seed, 100 + i, (uint32_t)widths[count - 1]);
  t->batch = (lr_batch){n, t->images, t->labels};
  return true;
}

static void free_trial(trial *t)
{
  lr_mlp_work_destroy(&t->work);
  free(t->x);
  free(t->g);
  free(t->U);
  free(t->images);
  free(t->labels);
}

/* The loss by plain loops in double. */
static double plain_loss(const lr_mlp *net, const double *x,
                         const lr_batch *batch)
{
  enum { ROOM = 256 };
  double loss = 0;
  for (size_t i = 0; i < batch->n; i++) {
    double a[ROOM], z[ROOM], sum = 0;
    for (size_t j = 0; j < net->widths[0]; j++)
      a[j] = (double)batch->images[i * net->widths[0] + j];
    for (size_t l = 0; l < net->layers; l++) {
      size_t in = net->widths[l], out = net->widths[l + 1];
      const double *W = x + net->at[l], *b = W + in * out;
      for (size_t u = 0; u < out; u++) {
        z[u] = b[u];
        for (size_t j = 0; j < in; j++) z[u] += W[u * in + j] * a[j];
      }
      for (size_t u = 0; u < out; u++)
        a[u] = net->activation == LR_TANH ? tanh(z[u]) : fmax(z[u], 0);
    }
    size_t classes = net->widths[net->layers];
    for (size_t c = 0; c < classes; c++) sum += exp(z[c]);
    loss += log(sum) - z[batch->labels[i]];
  }
  return loss / (double)batch->n;
}

static double dot(size_t p, const float *u, const float *v)
{
  double sum = 0;
  for (size_t i = 0; i < p; i++) sum += (double)u[i] * (double)v[i];
  return sum;
}

TEST("k slopes in one forward pass equal U'g of the backward pass to 1e-5")
{
  size_t seen[4][2] = {{0}};
  for (uint64_t seed = 1; seed <= 120; seed++) {
    trial t;
    double d[16], off = 0, size = 0;
    lr_activation activation = seed % 2 ? LR_RELU : LR_TANH;
    require(make_trial(&t, seed, NULL, 0, activation), "seed %d", (int)seed);
    seen[t.net.layers - 1][activation]++;
    double f = lr_mlp_gradient(&t.net, t.work, t.x, &t.batch, t.g);
    double again = lr_mlp_slopes(&t.net, t.work, t.x, &t.batch, t.k, t.U, d);
    check(f == again, "the value is the same");
    for (size_t j = 0; j < t.k; j++) {
      double want = dot(t.net.p, t.U + j * t.net.p, t.g);
      off += (d[j] - want) * (d[j] - want);
      size += want * want;
    }
    check(off <= 1e-10 * size, "seed %d: |d - U'g| / |U'g| is %.2g", (int)seed,
          sqrt(off / size));
    free_trial(&t);
  }
  for (size_t i = 0; i < 8; i++)
    check(seen[i / 2][i % 2] >= 5, "%zu networks of %zu layers, activation %zu",
          seen[i / 2][i % 2], i / 2 + 1, i % 2);
}

static size_t bytes_for(size_t count, const size_t *widths, size_t n, size_t k)
{
  lr_mlp net;
  lr_mlp_work *work = NULL;
  lrgd_error error;
  if (lr_mlp_make(&net, count, widths, LR_RELU, &error) != LRGD_OK ||
      lr_mlp_work_create(&work, &net, n, k, &error) != LRGD_OK)
    return 0;
  size_t bytes = lr_mlp_work_bytes(work);
  lr_mlp_work_destroy(&work);
  return bytes;
}

TEST("the memory of k slopes is that of k tangents of the activations")
{
  enum { N = 200, FLOAT = sizeof(float) };
  const size_t wide[] = {784, 784, 10}, narrow[] = {784, 32, 10};
  const size_t deep[] = {784, 784, 784, 784, 784, 10};
  /* another direction: a tangent of two layers, however many there are */
  size_t more = bytes_for(3, wide, N, 40) - bytes_for(3, wide, N, 30);
  check_int(more, 10 * FLOAT * N * 2 * 784, "ten more, wide");
  more = bytes_for(6, deep, N, 40) - bytes_for(6, deep, N, 30);
  check_int(more, 10 * FLOAT * N * 2 * 784, "ten more, deep");
  more = bytes_for(3, narrow, N, 40) - bytes_for(3, narrow, N, 30);
  check_int(more, 10 * FLOAT * N * 2 * 32, "ten more, narrow");
  size_t copies = 40 * FLOAT * (784 * 32 + 32 + 32 * 10 + 10);
  more = bytes_for(3, narrow, N, 40) - bytes_for(3, narrow, N, 0);
  check(more < copies, "%zu bytes for 40 tangents, 40 networks have %zu", more,
        copies);
}

TEST("value and gradient are those of plain loops in double")
{
  for (uint64_t seed = 1; seed <= 6; seed++) {
    trial t;
    require(make_trial(&t, seed, NULL, 0, seed % 2 ? LR_TANH : LR_RELU),
            "seed %d", (int)seed);
    size_t p = t.net.p;
    double f = lr_mlp_gradient(&t.net, t.work, t.x, &t.batch, t.g);
    double *x = malloc(p * sizeof *x), norm = sqrt(dot(p, t.g, t.g));
    for (size_t i = 0; i < p; i++) x[i] = (double)t.x[i];
    check_near(f, plain_loss(&t.net, x, &t.batch), 1e-5, "the value");
    for (size_t i = 0; i < p; i += 1 + p / 40) {
      double h = 1e-6, kept = x[i];
      x[i] = kept + h;
      double up = plain_loss(&t.net, x, &t.batch);
      x[i] = kept - h;
      double down = plain_loss(&t.net, x, &t.batch);
      x[i] = kept;
      check_within((double)t.g[i], (up - down) / (2 * h), 2e-5 * norm + 1e-8,
                   "coordinate %zu of %zu, seed %d", i, p, (int)seed);
    }
    free(x);
    free_trial(&t);
  }
}

TEST("the Hessian times a vector is symmetric and the change of the gradient")
{
  const size_t widths[] = {12, 9, 7, 5};
  for (uint64_t seed = 1; seed <= 4; seed++) {
    trial t;
    require(make_trial(&t, seed, widths, 4, seed % 2 ? LR_TANH : LR_RELU),
            "seed %d", (int)seed);
    size_t p = t.net.p;
    float *u = normals(seed, 50, p, 0.1), *v = normals(seed, 51, p, 0.1);
    float *Hu = malloc(p * sizeof *u), *Hv = malloc(p * sizeof *u);
    float *near = malloc(p * sizeof *u), *up = malloc(p * sizeof *u);
    lr_mlp_hessian(&t.net, t.work, t.x, &t.batch, u, Hu);
    lr_mlp_hessian(&t.net, t.work, t.x, &t.batch, v, Hv);
    double scale = sqrt(dot(p, u, u) * dot(p, Hv, Hv));
    check_within(dot(p, u, Hv), dot(p, v, Hu), 1e-5 * scale, "u'Hv = v'Hu");
    /* ReLU has kinks: only there does a longer way differ */
    float h = t.net.activation == LR_TANH ? 1e-2F : 1e-3F;
    for (size_t i = 0; i < p; i++) near[i] = t.x[i] + h * v[i];
    (void)lr_mlp_gradient(&t.net, t.work, near, &t.batch, up);
    for (size_t i = 0; i < p; i++) near[i] = t.x[i] - h * v[i];
    (void)lr_mlp_gradient(&t.net, t.work, near, &t.batch, t.g);
    double off = 0;
    for (size_t i = 0; i < p; i++) {
      double change = ((double)up[i] - (double)t.g[i]) / (2 * (double)h);
      off += pow(change - (double)Hv[i], 2);
    }
    check(off <= 1e-3 * dot(p, Hv, Hv), "off by %.2g of |Hv|, seed %d",
          sqrt(off / dot(p, Hv, Hv)), (int)seed);
    free(u);
    free(v);
    free(Hu);
    free(Hv);
    free(near);
    free(up);
    free_trial(&t);
  }
}

TEST("Glorot's weights fill their interval evenly, biases are zero")
{
  const size_t widths[] = {300, 100, 10};
  lr_mlp net;
  lrgd_error error;
  require(lr_mlp_make(&net, 3, widths, LR_RELU, &error) == LRGD_OK, "made");
  check_int(net.p, 300 * 100 + 100 + 100 * 10 + 10, "p");
  float *x = malloc(net.p * sizeof *x);
  lr_mlp_start(&net, 3, x);
  double most = sqrt(6.0 / 400), sum = 0, squares = 0, largest = 0;
  for (size_t i = 0; i < 30000; i++) {
    sum += (double)x[i];
    squares += (double)x[i] * (double)x[i];
    largest = fmax(largest, fabs((double)x[i]));
  }
  check(largest <= most && largest > 0.999 * most, "largest %.4g", largest);
  check_near(squares / 30000, most * most / 3, 0.03, "the variance");
  check(fabs(sum / 30000) < 4 * most / sqrt(3 * 30000.0), "the mean");
  for (size_t i = 0; i < 100; i++) check(x[30000 + i] == 0, "bias %zu", i);
  free(x);
}

TEST("shapes that cannot be are refused with their numbers")
{
  lr_mlp net;
  lrgd_error error;
  const size_t none[] = {4, 0, 3}, huge[] = {100000, 100000, 3};
  check(lr_mlp_make(&net, 3, none, LR_RELU, &error) == LRGD_ERR_INVALID,
        "no units");
  check(strstr(error.text, "width 1 is 0"), "%s", error.text);
  check(lr_mlp_make(&net, 3, huge, LR_RELU, &error) == LRGD_ERR_INVALID,
        "too many parameters");
  check(strstr(error.text, "10000400003"), "%s", error.text);
  check(lr_mlp_make(&net, 1, huge, LR_RELU, &error) == LRGD_ERR_INVALID,
        "one width");
}
