/* Labelled images in memory: batches, shuffles, scores, and a tiny set drawn
 * by ourselves.  Files are read in images_file.c. */
#include "images.h"

#include "base/random.h"
#include "base/status.h"
#include "mlp_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lr_dataset_free(lr_dataset *set)
{
  free(set->train.data);
  free(set->train.labels);
  free(set->test.data);
  free(set->test.labels);
  *set = (lr_dataset){.classes = 0};
}

/* ---- batches ---- */

lrgd_status lr_gather_create(lr_gather *place, size_t n, size_t pixels,
                             lrgd_error *error)
{
  place->images = malloc(n * pixels * sizeof *place->images);
  place->labels = malloc(n);
  if (place->images != NULL && place->labels != NULL) return LRGD_OK;
  lr_gather_destroy(place);
  return lr_fail(error, LRGD_ERR_NOMEM, "out of memory for %zu images", n);
}

void lr_gather_destroy(lr_gather *place)
{
  free(place->images);
  free(place->labels);
  *place = (lr_gather){NULL, NULL};
}

static void unpack(lr_gather *place, const lr_images *from, size_t to,
                   size_t which)
{
  const uint8_t *pixels = from->data + which * from->pixels;
  float *image = place->images + to * from->pixels;
  for (size_t i = 0; i < from->pixels; i++)
    image[i] = (float)pixels[i] * (1.0F / 255);
  place->labels[to] = from->labels[which];
}

lr_batch lr_gather_batch(lr_gather *place, const lr_images *from, size_t n,
                         const uint32_t *which)
{
  for (size_t i = 0; i < n; i++) unpack(place, from, i, which[i]);
  return (lr_batch){n, place->images, place->labels};
}

lr_batch lr_gather_slice(lr_gather *place, const lr_images *from, size_t first,
                         size_t n)
{
  for (size_t i = 0; i < n; i++) unpack(place, from, i, first + i);
  return (lr_batch){n, place->images, place->labels};
}

/* Fisher and Yates; the modulus favours no index by more than n / 2^32. */
void lr_shuffle(uint64_t seed, uint64_t round, size_t n, uint32_t *order)
{
  uint64_t stream = LR_NETWORK_SHUFFLE + (round << 8);
  uint32_t bits[4] = {0};
  for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
  for (size_t i = n - 1; i > 0; i--) {
    if ((n - 1 - i) % 4 == 0) lr_philox(seed, stream, (n - 1 - i) / 4, bits);
    size_t j = bits[(n - 1 - i) % 4] % (i + 1);
    uint32_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

lr_score lr_score_of(const lr_mlp *net, lr_mlp_work *work, lr_gather *place,
                     size_t slice, const float *x, const lr_images *images)
{
  lr_score score = {0, 0};
  size_t right = 0;
  for (size_t first = 0; first < images->count; first += slice) {
    size_t left = images->count - first, n = left < slice ? left : slice;
    lr_batch batch = lr_gather_slice(place, images, first, n);
    score.loss += (double)n * lr_mlp_value(net, work, x, &batch);
    right += lr_mlp_right(net, work, &batch);
  }
  score.loss /= (double)images->count;
  score.accuracy = (double)right / (double)images->count;
  return score;
}

/* ---- a set of our own ---- */

/* A class: a few soft strokes between points of a grid. */
static double ink(size_t class, double row, double col, uint64_t seed)
{
  enum { STROKES = 3 };
  double most = 0;
  for (size_t s = 0; s < STROKES; s++) {
    uint32_t bits[4];
    double at[4];
    lr_philox(seed, LR_NETWORK_IMAGES, class * STROKES + s, bits);
    for (size_t i = 0; i < 4; i++)
      at[i] = 0.15 + 0.7 * (double)bits[i] * 0x1p-32;
    double y = at[2] - at[0], x = at[3] - at[1], length = y * y + x * x + 1e-9;
    double t = ((row - at[0]) * y + (col - at[1]) * x) / length;
    t = fmin(fmax(t, 0), 1);
    double far = hypot(row - at[0] - t * y, col - at[1] - t * x);
    most = fmax(most, exp(-far * far / 0.01));
  }
  return most;
}

static void draw_image(lr_images *images, size_t which, size_t side,
                       size_t classes, uint64_t seed, uint64_t stream)
{
  enum { ROOM = 4 };
  uint32_t bits[4];
  double z[ROOM], noise;
  lr_philox(seed, stream, which, bits);
  lr_gaussian(seed, stream + 1, ROOM * which, ROOM, z);
  size_t class = bits[0] % classes;
  images->labels[which] = (uint8_t) class;
  double dim = 0.6 + 0.4 * (double)bits[1] * 0x1p-32;
  for (size_t i = 0; i < side * side; i++) {
    double row = ((double)(i / side) + 0.5) / (double)side + 0.05 * z[0];
    double col = ((double)(i % side) + 0.5) / (double)side + 0.05 * z[1];
    lr_gaussian(seed, stream + 2, which * side * side + i, 1, &noise);
    double shade = dim * ink(class, row, col, seed) + 0.08 * noise;
    images->data[which * images->pixels + i] =
        (uint8_t)lround(255 * fmin(fmax(shade, 0), 1));
  }
}

static lrgd_status make_room(lr_images *images, size_t count, size_t pixels,
                             lrgd_error *error)
{
  *images = (lr_images){.count = count, .pixels = pixels};
  images->data = malloc(count * pixels + 1);
  images->labels = malloc(count + 1);
  if (images->data != NULL && images->labels != NULL) return LRGD_OK;
  return lr_fail(error, LRGD_ERR_NOMEM, "out of memory for %zu images", count);
}

lrgd_status lr_dataset_draw(lr_dataset *set, size_t side, size_t classes,
                            size_t train, size_t test, uint64_t seed,
                            lrgd_error *error)
{
  *set = (lr_dataset){.classes = classes};
  snprintf(set->name, sizeof set->name, "tiny: %zu x %zu, %zu classes", side,
           side, classes);
  lrgd_status status = make_room(&set->train, train, side * side, error);
  if (status == LRGD_OK)
    status = make_room(&set->test, test, side * side, error);
  if (status != LRGD_OK) {
    lr_dataset_free(set);
    return status;
  }
  for (size_t i = 0; i < train; i++)
    draw_image(&set->train, i, side, classes, seed, LR_NETWORK_LABELS);
  for (size_t i = 0; i < test; i++)
    draw_image(&set->test, i, side, classes, seed, LR_NETWORK_LABELS + 3);
  return LRGD_OK;
}
