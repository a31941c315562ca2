/* Points in few numbers: what a solver's points cost, and that they return. */
#include "check.h"

#include "journal/codec.h"

#include <stdlib.h>

enum { MOST = 4000 };
static lr_coded stored[MOST];
static uint64_t next_id;
static size_t total;
static const char *is_log; /* of each coordinate; NULL: none */

static int put(const lr_coded *coded, void *user)
{
  (void)user;
  char *copy = malloc(coded->size + 1);
  if (!copy || coded->id >= MOST) return 0;
  memcpy(copy, coded->data, coded->size);
  stored[coded->id] = *coded;
  stored[coded->id].data = copy;
  total += coded->size;
  return 1;
}

static int take(uint64_t id, lr_coded *coded, void *user)
{
  (void)user;
  if (id == 0 || id >= MOST || !stored[id].data) return 0;
  *coded = stored[id];
  return 1;
}

static lr_codec *begin(size_t p)
{
  for (size_t i = 0; i < MOST; i++) {
    free((char *)(size_t)stored[i].data);
    stored[i] = (lr_coded){0};
  }
  next_id = 1;
  total = 0;
  return lr_codec_create(p, 1, is_log, &next_id);
}

static double random_number(void)
{
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-53 - 0.5;
}

/* Stores x, reads it back; how far off, relative to its largest coordinate. */
static double trip(lr_codec *codec, const double *x, size_t p)
{
  double *y = calloc(p, sizeof *y), off = 0, scale = 0;
  uint64_t id = lr_codec_encode(codec, x, put, NULL);
  if (!id || !lr_codec_decode(p, is_log, id, y, take, NULL)) off = INFINITY;
  for (size_t i = 0; i < p; i++) {
    off = fmax(off, fabs(x[i] - y[i]));
    scale = fmax(scale, fabs(x[i]));
  }
  free(y);
  return scale > 0 ? off / scale : off;
}

TEST("coordinate differences cost a few bytes each and are exact")
{
  enum { P = 1000 };
  static double x[P];
  lr_codec *codec = begin(P);
  for (size_t i = 0; i < P; i++) x[i] = random_number();
  check_within(trip(codec, x, P), 0, 0, "the first point");
  size_t before = total;
  for (size_t i = 0; i < P; i++) {
    double kept = x[i];
    x[i] += 1e-7;
    check_within(trip(codec, x, P), 0, 0, "a neighbour");
    x[i] = kept;
  }
  check(total - before <= 16 * P, "16 bytes a point, not %zu",
        (total - before) / P);
  lr_codec_destroy(&codec);
}

TEST("a repeated point takes no storage")
{
  enum { P = 50 };
  double x[P];
  lr_codec *codec = begin(P);
  for (size_t i = 0; i < P; i++) x[i] = random_number();
  uint64_t id = lr_codec_encode(codec, x, put, NULL);
  check_int(lr_codec_encode(codec, x, put, NULL), id, "the same id");
  lr_codec_destroy(&codec);
}

TEST("a descent in few directions is stored in few numbers")
{
  enum { P = 20000, R = 5, STEPS = 60 };
  double *x = calloc(P, sizeof *x), *y = calloc(P, sizeof *y);
  double *u = calloc(P * R, sizeof *u), worst = 0;
  lr_codec *codec = begin(P);
  size_t points = 0;
  for (size_t i = 0; i < P; i++) x[i] = 1 + random_number();
  for (size_t i = 0; i < P * R; i++) u[i] = random_number() / 100;
  for (int step = 0; step < STEPS; step++) {
    for (size_t j = 0; j < R; j++) { /* differences along each direction */
      for (size_t i = 0; i < P; i++) y[i] = x[i] + 1e-7 * u[j * P + i];
      worst = fmax(worst, trip(codec, y, P));
      points++;
    }
    for (size_t j = 0; j < R; j++) { /* and a step along all of them */
      double c = random_number();
      for (size_t i = 0; i < P; i++) x[i] += c * u[j * P + i];
    }
    worst = fmax(worst, trip(codec, x, P));
    points++;
  }
  check(worst <= 4 * LR_CODEC_ACCURACY, "off by %g", worst);
  check(total < 20 * 8 * P, "%zu points take %.1f times one point", points,
        (double)total / (8 * P));
  lr_codec_destroy(&codec);
  free(x);
  free(y);
  free(u);
}

/* The largest share by which a coordinate is off. */
static double trip_by_share(lr_codec *codec, const double *x, size_t p)
{
  double *y = calloc(p, sizeof *y), off = 0;
  uint64_t id = lr_codec_encode(codec, x, put, NULL);
  if (!id || !lr_codec_decode(p, is_log, id, y, take, NULL)) off = INFINITY;
  for (size_t i = 0; i < p; i++)
    off = fmax(off, fabs(x[i] - y[i]) / fabs(x[i]));
  free(y);
  return off;
}

/* A descent in three directions of logarithms; every plain-th coordinate is
 * plain, a millionth of the others, and stays where it is. */
static void descend_in_logs(size_t plain)
{
  enum { P = 5000, R = 3, STEPS = 60 };
  static char flags[P];
  static double x[P], z[P], u[R * P];
  double worst = 0;
  is_log = flags;
  lr_codec *codec = begin(P);
  for (size_t i = 0; i < P; i++) {
    flags[i] = i % plain != 0;
    z[i] = 20 * random_number();
    x[i] = flags[i] ? exp(z[i]) : 1e-6 * (2 + random_number());
  }
  for (size_t i = 0; i < R * P; i++) u[i] = flags[i % P] ? random_number() : 0;
  for (int n = 0; n < 4 * STEPS; n++) {
    double c = n % 4 ? 1e-7 : random_number();
    for (size_t i = 0; i < P; i++) {
      if (flags[i]) x[i] = exp(z[i] + c * u[(size_t)(n % R) * P + i]);
      if (n % 4 == 0) z[i] += c * u[(size_t)(n % R) * P + i];
    }
    worst = fmax(worst, trip_by_share(codec, x, P));
  }
  check(worst <= 40 * LR_CODEC_ACCURACY, "off by %g", worst);
  check(total < 20 * 8 * P, "%d points take %.1f times one point", 4 * STEPS,
        (double)total / (8 * P));
  lr_codec_destroy(&codec);
  is_log = NULL;
}

TEST("a descent in logarithms is stored in few numbers, each as exact")
{
  descend_in_logs(100000);
}

TEST("coordinates that are not logarithms keep their own accuracy")
{
  descend_in_logs(7);
}

TEST("a point without a logarithm is stored")
{
  enum { P = 200 };
  static char flags[P];
  static double x[P];
  memset(flags, 1, sizeof flags);
  is_log = flags;
  lr_codec *codec = begin(P);
  static const double odd[] = {-1, 0, 5e-324, 1.7976931348623157e308};
  for (int n = 0; n < 40; n++) {
    for (size_t i = 0; i < P; i++) x[i] = 1 + random_number();
    x[7] = odd[n % 4];
    require(trip(codec, x, P) <= 3000 * LR_CODEC_ACCURACY, "%g", x[7]);
  }
  lr_codec_destroy(&codec);
  is_log = NULL;
}

TEST("points without any pattern are read back exactly")
{
  enum { P = 300 };
  static double x[P];
  lr_codec *codec = begin(P);
  for (int n = 0; n < 500; n++) {
    double size = pow(10, (double)(n % 40) - 20);
    for (size_t i = 0; i < P; i++) x[i] = size * random_number();
    require(trip(codec, x, P) <= 4 * LR_CODEC_ACCURACY, "point %d", n);
  }
  lr_codec_destroy(&codec);
}

TEST("points with extreme numbers are read back exactly")
{
  enum { P = 200 };
  static double x[P];
  lr_codec *codec = begin(P);
  static const double sizes[] = {0, 5e-324, 1e-300, 1e300, 1.7e308, 1};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (size_t i = 0; i < P; i++) x[i] = i % 3 ? sizes[s] : -sizes[s];
    require(trip(codec, x, P) <= 4 * LR_CODEC_ACCURACY, "size %g", sizes[s]);
  }
  lr_codec_destroy(&codec);
}

TEST("damaged references are refused, not followed")
{
  enum { P = 200 };
  static double x[P];
  char pair[16] = {0};
  lr_codec *codec = begin(P);
  for (size_t i = 0; i < P; i++) x[i] = random_number();
  (void)lr_codec_encode(codec, x, put, NULL);
  const lr_coded odd[] = {
      {2, 2, LR_SPARSE, pair, 16},
      {2, 9, LR_SUM,    pair, 16},
      {2, 1, LR_SPARSE, pair, 15},
      {2, 1, LR_SUM,    pair, 16},
      {2, 0, LR_DENSE,  pair, 16},
      {2, 0, LR_UNIT,   pair, 16},
      {2, 1, LR_LOGSUM, pair, 16}
  };
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    stored[2] = odd[i];
    check(!lr_codec_decode(P, NULL, 2, x, take, NULL), "case %zu", i);
  }
  lr_put_u64(pair, P);
  stored[2] = (lr_coded){2, 1, LR_SPARSE, pair, 16};
  check(!lr_codec_decode(P, NULL, 2, x, take, NULL), "an index beyond the end");
  stored[2] = (lr_coded){0};
  lr_codec_destroy(&codec);
}
