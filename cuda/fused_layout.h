/* How the work of fused_slopes.cu is cut into tiles, and where in its room
 * things are. */
#ifndef LR_FUSED_LAYOUT_H
#define LR_FUSED_LAYOUT_H

#include "fused_slopes.h"
#include "hopper.h"

#ifndef LR_FUSED_CLUSTER
#define LR_FUSED_CLUSTER 2
#endif

namespace
{

enum {
  DEPTH = 32, /* inputs of a stage: rows of 128 bytes */
  GROUPS = 4, /* warpgroups that multiply */
  WORKERS = 128 * GROUPS,
  THREADS = WORKERS + 128,    /* and the group of the one that fetches */
  STAGES = 4,                 /* of operands in shared memory */
  CLUSTER = LR_FUSED_CLUSTER, /* blocks that share images of directions */
  IMAGES = 64 * GROUPS,       /* of a direction's tile */
  SHARE = IMAGES / CLUSTER,   /* of them, those that one block fetches */
  UNITS = 112,
  NET_IMAGES = 64, /* of a tile of the network */
  NET_UNITS = 64,
  NET_SHARE = NET_UNITS / CLUSTER,  /* whose weights one block fetches */
  GROUP_UNITS = NET_UNITS / GROUPS, /* that a group finishes */
  ROW_BYTES = DEPTH * 4,
  TILE_BYTES = (IMAGES + UNITS) * ROW_BYTES,
  NET_BYTES = (NET_IMAGES + NET_UNITS) * ROW_BYTES, /* that are fetched */
  NET_ROOM = NET_BYTES + NET_UNITS * ROW_BYTES, /* and what TF32 leaves out */
  STAGE_BYTES = NET_ROOM > TILE_BYTES ? NET_ROOM : TILE_BYTES,
  STEPS = DEPTH / 8, /* products of a stage */
  AHEAD = 6,         /* groups of 8 units whose activations are on their way */
  CLASSES = LR_FUSED_CLASSES,
  QUARTERS = CLASSES / 4,
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
static_assert(WORKERS * GROUP_UNITS / 2 <= HEAD, "and to exchange");
static_assert(STAGES == GROUPS, "of a net's stages a group has one slot");
static_assert(GROUPS == 4, "as many arrivals as a group has warps");

struct maps {
  CUtensorMap images, directions;      /* for tiles of directions */
  CUtensorMap net_images, net_weights; /* for those of the network */
};

__host__ __device__ inline size_t upwards(size_t n, size_t unit)
{
  return (n + unit - 1) / unit * unit;
}

/* The tiles in their order: those of the network, column after column, then
 * those of the directions, row after row.  Each column and each row is rounded
 * up to whole clusters, whose blocks take tiles that follow each other: of the
 * network these share weights, of directions images. */
struct tiling {
  unsigned across, net_across; /* tiles of a row */
  unsigned net_down, down;     /* rows of tiles */
  unsigned net;                /* tiles of the network */
  unsigned column, run;        /* of the network; of directions: rounded up */
  unsigned net_all;            /* of the network, with what rounds them up */
  unsigned all;
  unsigned parts;     /* of the work, that are counted when they are done */
  size_t rows, units; /* of activations in memory */
};

__host__ __device__ inline tiling tiling_of(size_t n, size_t out, size_t k)
{
  tiling t;
  t.across = (unsigned)((out + UNITS - 1) / UNITS);
  /* activations of all units that a direction's tiles reach */
  t.units = upwards((size_t)t.across * UNITS, NET_UNITS);
  t.net_across = (unsigned)(t.units / NET_UNITS);
  t.net_down = (unsigned)((n + NET_IMAGES - 1) / NET_IMAGES);
  t.down = (unsigned)((n + IMAGES - 1) / IMAGES);
  t.net = t.net_across * t.net_down;
  t.column = (unsigned)upwards(t.net_down, CLUSTER);
  t.run = (unsigned)upwards(t.across * k, CLUSTER);
  t.net_all = t.net_across * t.column;
  t.all = t.net_all + t.run * t.down;
  t.parts = t.net_down + (unsigned)(t.across * k) * t.down;
  t.rows = upwards(n, IMAGES);
  return t;
}

/* Where things are in the room. */
struct rooms {
  double *losses;      /* net_down: of the images of a row of tiles */
  double *slopes;      /* down x k x across: of a direction's tiles */
  float4 *activations; /* rows / 16 x units / 8 x 32: see unit_block */
  float *scores;       /* net_across x rows x CLASSES: their parts */
  float *errors;       /* rows x CLASSES, of the scores */
  float *tangents;     /* k x across x rows x CLASSES: their parts */
};

/* How many floats, from `at` on. */
__host__ __device__ inline size_t lay_out(rooms *r, float *at, const tiling &t,
                                          size_t k)
{
  size_t used = 0, outputs = t.rows * CLASSES;
  r->losses = (double *)(at + used);
  used += upwards(2 * (size_t)t.net_down, 64);
  r->slopes = (double *)(at + used);
  used += upwards(2 * (size_t)t.down * t.across * k, 64);
  r->activations = (float4 *)(at + used);
  used += t.rows * t.units;
  r->scores = at + used;
  used += t.net_across * outputs;
  r->errors = at + used;
  used += outputs;
  r->tangents = at + used;
  return used + k * t.across * outputs;
}

/* Where blocks count, all zero before a launch and after it. */
struct counters {
  unsigned *done;        /* parts of the work */
  unsigned *activations; /* tiles of the network whose activations are there */
  unsigned *errors;      /* rows of these tiles whose errors are there */
  unsigned *row;         /* tiles of each of these rows */
};
enum { COUNTERS = 3 }; /* and one for each row */

LR_ON_CARD counters counters_of(const lr_fused &q)
{
  counters c = {q.counters, q.counters + 1, q.counters + 2,
                q.counters + COUNTERS};
  return c;
}

struct tile {
  bool net, there; /* not there: it rounds a run up */
  unsigned direction, image, unit, column;
};

LR_ON_CARD tile tile_at(const tiling &t, size_t k, unsigned index)
{
  tile at;
  at.net = index < t.net_all;
  if (at.net) {
    unsigned row = index % t.column;
    at.there = row < t.net_down;
    at.direction = 0;
    at.column = index / t.column;
    at.image = row * NET_IMAGES;
    at.unit = at.column * NET_UNITS;
    return at;
  }
  unsigned rest = (index - t.net_all) % t.run;
  at.there = rest < t.across * k;
  at.direction = rest / t.across;
  at.column = rest % t.across;
  at.image = (index - t.net_all) / t.run * IMAGES;
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
  uint64_t *activations, *errors; /* of the network: they are there */
  double *sums;                   /* of warps */
  unsigned *last;                 /* whether this block was the last to count */
};

/* The part of a direction's tangents that a tile makes. */
LR_ON_CARD float *tangents_of(const rooms &r, const tiling &t, const tile &at)
{
  size_t part = (size_t)at.direction * t.across + at.column;
  return r.tangents + part * t.rows * CLASSES;
}

} // namespace

#endif
