/* Compression of vectors: encoding and decoding.  Independent of files.
 *
 * Unit vectors are kept orthonormal by Gram-Schmidt: the part of x - base
 * outside their span becomes the next one.  A direction that first appears in a
 * tiny difference step is known to few digits only; the first long step along
 * it adds the missing ones, so that a direction costs two or three units. */
#include "codec.h"

#include "base/elementary.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  ANCHORS = 4,   /* vectors a sparse one may refer to */
  HASHES = 4096, /* size of the table of repeated vectors, a power of two */
  MOST_UNITS = 64,
  SMALLEST_SUM = 128 /* below this dimension sums save nothing */
};
#define MOST_BYTES ((size_t)192 << 20) /* of unit vectors */

typedef struct kept {
  uint64_t id;
  double *x;      /* p numbers */
  uint64_t stamp; /* when it was last used */
} kept;

struct lr_codec {
  size_t p;
  const char *is_log; /* NULL: no coordinate is */
  uint64_t *next_id;
  uint64_t clock;
  kept anchors[ANCHORS];
  kept origin; /* the origin of sums; id 0 and x NULL: zero */
  int with_origin;
  kept *units;
  size_t count, most;
  double *rest; /* p numbers */
  double *coefficients;
  lr_bytes bytes;
  struct {
    uint64_t hash, id;
  } seen[HASHES];
};

lr_codec *lr_codec_create(size_t p, int with_origin, const char *is_log,
                          uint64_t *next_id)
{
  lr_codec *codec = calloc(1, sizeof *codec);
  if (!codec) return NULL;
  codec->p = p;
  codec->is_log = is_log;
  codec->next_id = next_id;
  codec->with_origin = with_origin;
  codec->most = MOST_BYTES / sizeof(double) / p;
  if (codec->most > MOST_UNITS) codec->most = MOST_UNITS;
  if (codec->most < 4) codec->most = 4;
  codec->units = calloc(codec->most, sizeof *codec->units);
  codec->coefficients = calloc(codec->most, sizeof *codec->coefficients);
  codec->rest = malloc(p * sizeof *codec->rest);
  if (!codec->units || !codec->coefficients || !codec->rest)
    lr_codec_destroy(&codec);
  return codec;
}

void lr_codec_destroy(lr_codec **codec)
{
  lr_codec *gone = *codec;
  if (!gone) return;
  for (size_t i = 0; i < ANCHORS; i++) free(gone->anchors[i].x);
  for (size_t i = 0; gone->units && i < gone->most; i++) free(gone->units[i].x);
  free(gone->origin.x);
  free(gone->units);
  free(gone->coefficients);
  free(gone->rest);
  lr_bytes_free(&gone->bytes);
  free(gone);
  *codec = NULL;
}

size_t lr_codec_units(const lr_codec *codec)
{
  return codec->most;
}

/* ---- helpers ---- */

/* Replaces some coordinates by their logarithms.  0: one is not positive. */
static int take_logs(const char *is_log, double *x, size_t p)
{
  for (size_t i = 0; is_log && i < p; i++) {
    if (!is_log[i]) continue;
    if (!(x[i] > 0)) return 0;
    x[i] = lr_log(x[i]);
  }
  return 1;
}

/* The allowed error of a sum, as a share of the largest coordinate or logarithm
 * (at least 1, for a relative error); INFINITY: there is none of the kind. */
typedef struct allowance {
  double plain, logs;
} allowance;

static void widen(const lr_codec *codec, const double *x, allowance *most)
{
  const char *is_log = codec->is_log;
  for (size_t i = 0; i < codec->p; i++) {
    double *of = is_log && is_log[i] ? &most->logs : &most->plain;
    *of = fmax(*of, fabs(x[i]));
  }
}

/* The allowed error for rest = x, before the origin is subtracted. */
static allowance allow(const lr_codec *codec)
{
  allowance most = {-1, -1};
  widen(codec, codec->rest, &most);
  if (codec->origin.id) widen(codec, codec->origin.x, &most);
  most.plain = most.plain < 0 ? INFINITY : LR_CODEC_ACCURACY / 2 * most.plain;
  most.logs =
      most.logs < 0 ? INFINITY : LR_CODEC_ACCURACY / 2 * fmax(1, most.logs);
  return most;
}

static int is_explained(const lr_codec *codec, const allowance *allowed)
{
  const char *is_log = codec->is_log;
  for (size_t i = 0; i < codec->p; i++)
    if (!(fabs(codec->rest[i]) <=
          (is_log && is_log[i] ? allowed->logs : allowed->plain)))
      return 0;
  return 1;
}

static double dot(const double *a, const double *b, size_t p)
{
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  size_t i = 0;
  for (; i + 4 <= p; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < p; i++) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

static void add(double *y, double c, const double *x, size_t p)
{
  for (size_t i = 0; i < p; i++) y[i] += c * x[i];
}

static int keep(kept *place, const lr_codec *codec, const double *x,
                uint64_t id)
{
  if (!place->x) place->x = malloc(codec->p * sizeof *place->x);
  if (!place->x) return 0;
  memcpy(place->x, x, codec->p * sizeof *x);
  place->id = id;
  place->stamp = codec->clock;
  return 1;
}

/* The first free place, or else the least recently used one. */
static kept *oldest(kept *places, size_t count)
{
  kept *found = places;
  for (size_t i = 0; i < count; i++) {
    if (!places[i].id) return &places[i];
    if (places[i].stamp < found->stamp) found = &places[i];
  }
  return found;
}

/* ---- encoding ---- */

static int same_bits(const double *a, const double *b)
{
  uint64_t bits[2];
  memcpy(&bits[0], a, sizeof bits[0]);
  memcpy(&bits[1], b, sizeof bits[1]);
  return bits[0] == bits[1];
}

/* The number of coordinates in which x differs from base, up to most + 1. */
static size_t differences(const double *x, const double *base, size_t p,
                          size_t most)
{
  size_t n = 0;
  for (size_t i = 0; i < p && n <= most; i++) n += !same_bits(&x[i], &base[i]);
  return n;
}

static int put_pair(lr_bytes *bytes, uint64_t index, double value)
{
  if (!lr_bytes_reserve(bytes, 16)) return 0;
  lr_put_u64(bytes->data + bytes->size, index);
  lr_put_doubles(bytes->data + bytes->size + 8, &value, 1);
  bytes->size += 16;
  return 1;
}

/* Codes x as SPARSE, if it is: 1.  0: it is not sparse; -1: out of memory. */
static int try_sparse(lr_codec *codec, const double *x, lr_coded *coded)
{
  size_t p = codec->p, fewest = p / 8 + 1;
  kept *base = NULL;
  for (size_t a = 0; a < ANCHORS; a++) {
    if (!codec->anchors[a].id) continue;
    size_t n = differences(x, codec->anchors[a].x, p, fewest);
    if (n >= fewest) continue;
    fewest = n;
    base = &codec->anchors[a];
  }
  if (!base) return 0;
  base->stamp = codec->clock;
  codec->bytes.size = 0;
  for (size_t i = 0; i < p; i++)
    if (!same_bits(&x[i], &base->x[i]) && !put_pair(&codec->bytes, i, x[i]))
      return -1;
  coded->kind = LR_SPARSE;
  coded->base = base->id;
  return 1;
}

/* Subtracts from rest its projection on the units, and adds to the
 * coefficients. */
static void project(lr_codec *codec)
{
  for (size_t j = 0; j < codec->count; j++) {
    double c = dot(codec->units[j].x, codec->rest, codec->p);
    codec->coefficients[j] += c;
    add(codec->rest, -c, codec->units[j].x, codec->p);
  }
}

/* Normalises the rest of x to a new unit, which replaces one that x does not
 * use. */
static int add_unit(lr_codec *codec, lr_coded_put put, void *user)
{
  size_t p = codec->p;
  double norm = sqrt(dot(codec->rest, codec->rest, p));
  if (!(norm > 0)) return 0;
  for (size_t i = 0; i < p; i++) codec->rest[i] /= norm;
  kept *place = oldest(codec->units, codec->most);
  size_t j = (size_t)(place - codec->units);
  if (place->id && codec->coefficients[j] != 0) return 0;
  if (!lr_bytes_reserve(&codec->bytes, 8 * p)) return 0;
  lr_coded unit = {(*codec->next_id)++, 0, LR_UNIT, codec->bytes.data, 8 * p};
  lr_put_doubles(codec->bytes.data, codec->rest, p);
  if (!put(&unit, user) || !keep(place, codec, codec->rest, unit.id)) return 0;
  codec->coefficients[j] = norm;
  if (j == codec->count) codec->count++;
  return 1;
}

/* Drops coefficients that are rounding errors: without them the sum stays
 * within two thirds of the allowed error. */
static void drop_negligible(lr_codec *codec, const allowance *allowed)
{
  const double least =
      fmin(allowed->plain, allowed->logs) * 2 / (3 * MOST_UNITS);
  for (size_t j = 0; j < codec->count; j++)
    if (fabs(codec->coefficients[j]) <= least) codec->coefficients[j] = 0;
}

/* Writes the coefficients.  0: too many, or no memory. */
static int put_sum(lr_codec *codec)
{
  codec->bytes.size = 0;
  for (size_t j = 0; j < codec->count; j++) {
    if (codec->coefficients[j] == 0) continue;
    codec->units[j].stamp = codec->clock;
    if (!put_pair(&codec->bytes, codec->units[j].id, codec->coefficients[j]))
      return 0;
  }
  return codec->bytes.size < 4 * codec->p;
}

/* Tries to code x as SUM.  1: done; 0: that saves nothing. */
static int try_sum(lr_codec *codec, const double *x, lr_coded *coded,
                   lr_coded_put put, void *user)
{
  size_t p = codec->p;
  if (p < SMALLEST_SUM || (codec->with_origin && !codec->origin.id)) return 0;
  memcpy(codec->rest, x, p * sizeof *x);
  if (!take_logs(codec->is_log, codec->rest, p)) return 0;
  allowance allowed = allow(codec);
  if (codec->origin.id) add(codec->rest, -1, codec->origin.x, p);
  for (size_t i = 0; i < codec->most; i++) codec->coefficients[i] = 0;
  project(codec);
  int explained = is_explained(codec, &allowed);
  if (!explained) project(codec); /* Gram-Schmidt a second time */
  drop_negligible(codec, &allowed);
  if (!explained && !add_unit(codec, put, user)) return 0;
  coded->kind = codec->is_log ? LR_LOGSUM : LR_SUM;
  coded->base = codec->origin.id;
  return put_sum(codec);
}

static int make_dense(lr_codec *codec, const double *x, lr_coded *coded)
{
  codec->bytes.size = 0;
  if (!lr_bytes_reserve(&codec->bytes, 8 * codec->p)) return 0;
  lr_put_doubles(codec->bytes.data, x, codec->p);
  codec->bytes.size = 8 * codec->p;
  coded->kind = LR_DENSE;
  coded->base = 0;
  return 1;
}

/* Makes rest the origin of sums. */
static int keep_origin(lr_codec *codec, uint64_t id)
{
  return take_logs(codec->is_log, codec->rest, codec->p) &&
         keep(&codec->origin, codec, codec->rest, id);
}

static uint64_t hash_of(const double *x, size_t p)
{
  return lr_sum_bytes(1, x, p * sizeof *x);
}

uint64_t lr_codec_encode(lr_codec *codec, const double *x, lr_coded_put put,
                         void *user)
{
  uint64_t hash = hash_of(x, codec->p), slot = hash % HASHES;
  codec->clock++;
  if (codec->seen[slot].id && codec->seen[slot].hash == hash)
    return codec->seen[slot].id;
  lr_coded coded = {0};
  int found = try_sparse(codec, x, &coded);
  if (found < 0) return 0;
  if (!found && !try_sum(codec, x, &coded, put, user) &&
      !make_dense(codec, x, &coded))
    return 0;
  coded.id = (*codec->next_id)++;
  coded.data = codec->bytes.data;
  coded.size = codec->bytes.size;
  if (!put(&coded, user)) return 0;
  codec->seen[slot].hash = hash;
  codec->seen[slot].id = coded.id;
  if (found) return coded.id;
  if (coded.kind == LR_DENSE && codec->with_origin && !codec->origin.id) {
    memcpy(codec->rest, x, codec->p * sizeof *x);
    (void)keep_origin(codec, coded.id);
  }
  /* without memory it is not used as an anchor */
  (void)keep(oldest(codec->anchors, ANCHORS), codec, x, coded.id);
  return coded.id;
}

void lr_codec_meet(lr_codec *codec, const double *x, uint64_t id, int anchor)
{
  uint64_t hash = hash_of(x, codec->p), slot = hash % HASHES;
  codec->clock++;
  if (codec->seen[slot].id && codec->seen[slot].hash == hash) return;
  codec->seen[slot].hash = hash;
  codec->seen[slot].id = id;
  if (anchor) (void)keep(oldest(codec->anchors, ANCHORS), codec, x, id);
}

int lr_codec_remember(lr_codec *codec, const lr_coded *coded)
{
  size_t p = codec->p;
  if (coded->size != 8 * p) return 0;
  lr_get_doubles(codec->rest, coded->data, p);
  codec->clock++;
  if (coded->kind == LR_DENSE) {
    if (codec->with_origin && !codec->origin.id)
      return keep_origin(codec, coded->id);
    return 1;
  }
  if (coded->kind != LR_UNIT || codec->count == codec->most ||
      !keep(&codec->units[codec->count], codec, codec->rest, coded->id))
    return 0;
  codec->count++;
  return 1;
}

/* ---- decoding: 1 done, 0 damaged, -1 out of memory ---- */

typedef struct source {
  size_t p;
  const char *is_log;
  lr_coded_get get;
  void *user;
} source;

/* x += c times a stored dense or unit vector. */
static int add_plain(const source *from, uint64_t id, lr_code_kind kind,
                     double c, double *x)
{
  lr_coded part;
  if (!from->get(id, &part, from->user) || part.kind != kind ||
      part.size != 8 * from->p)
    return 0;
  for (size_t i = 0; i < from->p; i++) {
    double value;
    lr_get_doubles(&value, part.data + 8 * i, 1);
    x[i] += c * value;
  }
  return 1;
}

typedef struct pairs {
  char *data; /* owned: the getter's data lasts until its next call only */
  size_t count;
  uint64_t base;
} pairs;

static int take_pairs(const lr_coded *coded, pairs *taken)
{
  *taken = (pairs){NULL, coded->size / 16, coded->base};
  if (coded->size % 16 || coded->base >= coded->id) return 0;
  taken->data = malloc(coded->size + 1);
  if (!taken->data) return -1;
  if (coded->size) memcpy(taken->data, coded->data, coded->size);
  return 1;
}

static int decode_sum(const source *from, const lr_coded *coded, double *x)
{
  pairs sum;
  int ok = take_pairs(coded, &sum);
  memset(x, 0, from->p * sizeof *x);
  const char *is_log = coded->kind == LR_LOGSUM ? from->is_log : NULL;
  if (coded->kind == LR_LOGSUM && !is_log) ok = 0;
  if (ok > 0 && sum.base) ok = add_plain(from, sum.base, LR_DENSE, 1, x);
  if (ok > 0) ok = take_logs(is_log, x, from->p);
  for (size_t i = 0; ok > 0 && i < sum.count; i++) {
    double c;
    lr_get_doubles(&c, sum.data + 16 * i + 8, 1);
    ok = add_plain(from, lr_get_u64(sum.data + 16 * i), LR_UNIT, c, x);
  }
  for (size_t i = 0; ok > 0 && is_log && i < from->p; i++)
    if (is_log[i]) x[i] = fmin(lr_exp(x[i]), DBL_MAX);
  free(sum.data);
  return ok;
}

/* Decodes any kind but SPARSE. */
static int decode_base(const source *from, uint64_t id, double *x)
{
  lr_coded coded;
  if (!from->get(id, &coded, from->user)) return 0;
  if (coded.kind == LR_SUM || coded.kind == LR_LOGSUM)
    return decode_sum(from, &coded, x);
  if (coded.kind != LR_DENSE || coded.size != 8 * from->p) return 0;
  lr_get_doubles(x, coded.data, from->p);
  return 1;
}

/* Decodes with a cached base: many vectors in a row differ from the same one.
 */
static int decode_kept(const source *from, uint64_t id, double *x,
                       lr_kept_base *near)
{
  size_t bytes = from->p * sizeof *x;
  if (near && near->x && near->id == id) {
    memcpy(x, near->x, bytes);
    return 1;
  }
  int ok = decode_base(from, id, x);
  if (ok <= 0) return ok;
  if (near && !near->x) near->x = malloc(bytes);
  if (!near || !near->x) return 1; /* without a cache it only takes longer */
  memcpy(near->x, x, bytes);
  near->id = id;
  return 1;
}

int lr_codec_decode_next(size_t p, const char *is_log, uint64_t id, double *x,
                         lr_kept_base *near, lr_coded_get get, void *user)
{
  const source from = {p, is_log, get, user};
  lr_coded coded;
  pairs changes;
  if (!get(id, &coded, user)) return 0;
  if (coded.kind != LR_SPARSE) return decode_base(&from, id, x);
  int ok = take_pairs(&coded, &changes);
  if (ok > 0) ok = decode_kept(&from, changes.base, x, near);
  for (size_t i = 0; ok > 0 && i < changes.count; i++) {
    uint64_t at = lr_get_u64(changes.data + 16 * i);
    ok = at < p;
    if (ok) lr_get_doubles(&x[at], changes.data + 16 * i + 8, 1);
  }
  free(changes.data);
  return ok;
}

int lr_codec_decode(size_t p, const char *is_log, uint64_t id, double *x,
                    lr_coded_get get, void *user)
{
  return lr_codec_decode_next(p, is_log, id, x, NULL, get, user);
}
