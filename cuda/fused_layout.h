/* How the work of fused_slopes.cu is cut into tiles, and where in its room
 * things are. */
#ifndef LR_FUSED_LAYOUT_H
#define LR_FUSED_LAYOUT_H

#include "fused_slopes.h"
#include "hopper.h"

namespace
{

enum {
  DEPTH = 32, /* inputs of a stage: rows of 128 bytes */
  GROUPS = 4, /* warpgroups that multiply */
  WORKERS = 128 * GROUPS,
  THREADS = WORKERS + 128, /* and the group of the one that fetches */
  STAGES = 4,              /* of operands in shared memory */
  IMAGES = 64 * GROUPS,    /* of a direction's tile */
  UNITS = 112,
  NET_IMAGES = 64, /* of a tile of the network */
  NET_UNITS = 64,
  NET_GROUPS = 2, /* that the units are shared among */
  GROUP_UNITS = NET_UNITS / NET_GROUPS,
  ROW_BYTES = DEPTH * 4,
  TILE_BYTES = (IMAGES + UNITS) * ROW_BYTES,
  NET_BYTES = 2 * (NET_IMAGES + NET_UNITS) * ROW_BYTES,
  STAGE_BYTES = NET_BYTES > TILE_BYTES ? NET_BYTES : TILE_BYTES,
  STEPS = DEPTH / 8, /* products of a stage */
  PAIR = 2,          /* groups of 8 units whose activations are on their way */
  CLASSES = LR_FUSED_CLASSES,
  /* rows of W2 and dW2 in shared memory, so long that eight of them begin in
   * different quarters of the banks */
  HEAD_ROW = UNITS + 8,
  NET_ROW = NET_UNITS + 8,
  HEAD = 4096, /* floats: those rows and the shifts, or what groups exchange */
  SHARED_BYTES = STAGES * STAGE_BYTES + 2 * HEAD * 4 + 1024,
  /* of a thread: workers take what fetchers leave of the 96 each that a block
   * of 640 begins with, (640 96 - 128 24) / 512, rounded to eights; a register
   * more and they would wait for it for ever */
  FETCHER_REGISTERS = 24,
  WORKER_REGISTERS = 112
};
static_assert(STAGE_BYTES % 1024 == 0, "the swizzle goes by 1,024 bytes");
static_assert(2 * CLASSES * HEAD_ROW + UNITS <= HEAD, "room for a head");
static_assert(NET_GROUPS * 128 * GROUP_UNITS / 2 <= HEAD, "and to exchange");

struct maps {
  CUtensorMap images, directions;      /* for tiles of directions */
  CUtensorMap high_images, low_images; /* for those of the network */
  CUtensorMap high_weights, low_weights;
};

__host__ __device__ inline size_t upwards(size_t n, size_t unit)
{
  return (n + unit - 1) / unit * unit;
}

/* The tiles in their order: those of the network, then block of images after
 * block of images those of the directions.  Each of these runs is rounded up to
 * an even number, as two blocks take two tiles that follow each other: both are
 * of one kind, and of one block of images. */
struct tiling {
  unsigned across, net_across; /* tiles of a row */
  unsigned net;                /* tiles of the network */
  unsigned net_run, run;       /* with what rounds them up */
  unsigned all;
  size_t rows, units; /* of activations in memory */
};

__host__ __device__ inline tiling tiling_of(size_t n, size_t out, size_t k)
{
  tiling t;
  t.across = (unsigned)((out + UNITS - 1) / UNITS);
  /* activations of all units that a direction's tiles reach */
  t.units = upwards((size_t)t.across * UNITS, NET_UNITS);
  t.net_across = (unsigned)(t.units / NET_UNITS);
  t.net = t.net_across * (unsigned)((n + NET_IMAGES - 1) / NET_IMAGES);
  t.net_run = (unsigned)upwards(t.net, 2);
  t.run = (unsigned)upwards(t.across * k, 2);
  t.all = t.net_run + t.run * (unsigned)((n + IMAGES - 1) / IMAGES);
  t.rows = upwards(n, IMAGES);
  return t;
}

/* Where things are in the room. */
struct rooms {
  float *low_images, *low_weights; /* what TF32 leaves out of them */
  float *activations;              /* rows x units */
  float *net_parts; /* net_across x rows x CLASSES, of the scores */
  float *parts;     /* k across x rows x CLASSES, of the tangents */
};

/* How many floats, from `at` on. */
__host__ __device__ inline size_t lay_out(rooms *r, float *at, const tiling &t,
                                          size_t n, size_t in, size_t out,
                                          size_t k)
{
  size_t used = 0, outputs = t.rows * CLASSES;
  r->low_images = at + used;
  used += upwards(n * in, 64);
  r->low_weights = at + used;
  used += upwards(out * in, 64);
  r->activations = at + used;
  used += t.rows * t.units;
  r->net_parts = at + used;
  used += t.net_across * outputs;
  r->parts = at + used;
  return used + k * t.across * outputs;
}

struct tile {
  bool net, there; /* not there: it rounds a run up */
  unsigned direction, image, unit, column;
};

LR_ON_CARD tile tile_at(const tiling &t, size_t k, unsigned index)
{
  tile at;
  at.net = index < t.net_run;
  if (at.net) {
    at.there = index < t.net;
    at.direction = 0;
    at.column = index % t.net_across;
    at.image = index / t.net_across * NET_IMAGES;
    at.unit = at.column * NET_UNITS;
    return at;
  }
  unsigned rest = (index - t.net_run) % t.run;
  at.there = rest < t.across * k;
  at.direction = rest / t.across;
  at.column = rest % t.across;
  at.image = (index - t.net_run) / t.run * IMAGES;
  at.unit = at.column * UNITS;
  return at;
}

/* All that a block works with. */
struct work {
  lr_fused q;
  tiling t;
  rooms r;
  unsigned char *operands;
  float *head; /* two of them: of this tile and of the next */
  uint64_t *full, *empty;
};

/* A direction's parts of its tangents. */
LR_ON_CARD float *parts_of(const rooms &r, const tiling &t, unsigned direction)
{
  return r.parts + (size_t)direction * t.across * t.rows * CLASSES;
}

} // namespace

#endif
