/* Compressed vectors.
 *
 * A solver evaluates points that differ in few coordinates, or that lie in a
 * small subspace.  A vector is stored as one of
 *   DENSE   its p numbers;
 *   SPARSE  another vector, and the coordinates in which it differs: exact;
 *   SUM     a dense vector (or zero) plus multiples of unit vectors, each of
 *           which is stored once: to LR_CODEC_ACCURACY of the largest
 *           coordinate;
 *   UNIT    such a unit vector;
 *   LOGSUM  a sum of logarithms: where some coordinates are searched in
 *           logarithms, those of the points lie in a small subspace.
 * SPARSE refers to DENSE or a sum, a sum to DENSE and UNIT: no chains, so that
 * any vector is read in a few steps, and ids only refer to smaller ids. */
#ifndef LR_RUN_CODEC_H
#define LR_RUN_CODEC_H

#include "process/text.h"

#define LR_CODEC_ACCURACY 1e-13

typedef enum lr_code_kind {
  LR_DENSE,
  LR_SPARSE,
  LR_SUM,
  LR_UNIT,
  LR_LOGSUM,
  LR_CODE_KINDS
} lr_code_kind;

/* A vector as stored.  data is little-endian: p numbers; or pairs of an index
 * (SPARSE) or id (SUM), 8 bytes, and a number. */
typedef struct lr_coded {
  uint64_t id, base; /* base 0: zero */
  lr_code_kind kind;
  const char *data; /* borrowed from the codec until its next use */
  size_t size;
} lr_coded;

/* Receives coded vectors: called once or twice per vector, in order of id.
 * Returns 0 where memory is out. */
typedef int (*lr_coded_put)(const lr_coded *coded, void *user);

typedef struct lr_codec lr_codec;

/* NULL: out of memory.  Ids start at *next_id, which is shared.  is_log: of
 * each coordinate, borrowed; NULL: none is. */
lr_codec *lr_codec_create(size_t p, int with_origin, const char *is_log,
                          uint64_t *next_id);
void lr_codec_destroy(lr_codec **codec);

/* The id of x: the earlier one of an equal vector, otherwise put is called.  0:
 * out of memory. */
uint64_t lr_codec_encode(lr_codec *codec, const double *x, lr_coded_put put,
                         void *user);

/* Supplies vectors.  1, and *coded is borrowed until the next call; 0: there is
 * none, or it is damaged. */
typedef int (*lr_coded_get)(uint64_t id, lr_coded *coded, void *user);

/* x = vector id, p numbers.  1: done; 0: damaged; -1: out of memory. */
int lr_codec_decode(size_t p, const char *is_log, uint64_t id, double *x,
                    lr_coded_get get, void *user);

/* The base of the sparse vector that was last decoded. */
typedef struct lr_kept_base {
  double *x; /* free() it; NULL: none yet */
  uint64_t id;
} lr_kept_base;

/* Decodes vectors one after the other: much faster where they differ from the
 * same base. */
int lr_codec_decode_next(size_t p, const char *is_log, uint64_t id, double *x,
                         lr_kept_base *near, lr_coded_get get, void *user);

/* Adds a dense or unit vector that an earlier session stored. */
int lr_codec_remember(lr_codec *codec, const lr_coded *coded);

/* Registers that x is stored as id; anchor: as DENSE or a sum. */
void lr_codec_meet(lr_codec *codec, const double *x, uint64_t id, int anchor);

/* The number of unit vectors that it can hold in memory. */
size_t lr_codec_units(const lr_codec *codec);

/* Little-endian numbers. */
void lr_put_u64(char *to, uint64_t value);
uint64_t lr_get_u64(const char *from);
void lr_put_doubles(char *to, const double *x, size_t n);
void lr_get_doubles(double *x, const char *from, size_t n);

/* A checksum; starts at 0, computed in parts of the same sizes. */
uint64_t lr_sum_bytes(uint64_t sum, const void *bytes, size_t size);
uint64_t lr_sum_u64(uint64_t sum, uint64_t value);

#endif
