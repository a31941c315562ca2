/* A hash table of values, by the bits of their points. */
#include "shared_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A point is identified by a hash of 128 bits: two of a million points have the
 * same one with a probability of 1e-27, and p numbers need not be stored. */
typedef struct entry {
  uint64_t key[2]; /* 0, 0: free */
  double f;
} entry;

struct cli_shared {
  const lrgd_problem *inner;
  entry *entries;
  size_t count, room; /* room: a power of two */
  cli_tally *tally;
  size_t *missing; /* indices of a batch's points without a known value */
  double *X,
      *F; /* the points of a batch without a known value, and their values */
  size_t batch; /* capacity of a batch */
};

static uint64_t mix(uint64_t h, uint64_t word, uint64_t factor)
{
  h = (h ^ word) * factor;
  return h ^ (h >> 29);
}

static void key_of(size_t p, const double *x, uint64_t key[2])
{
  uint64_t a = UINT64_C(0x9e3779b97f4a7c15), b = UINT64_C(0xc2b2ae3d27d4eb4f);
  for (size_t i = 0; i < p; i++) {
    uint64_t word;
    double number = x[i] + 0.0; /* -0 is 0 */
    memcpy(&word, &number, sizeof word);
    a = mix(a, word, UINT64_C(0xbf58476d1ce4e5b9));
    b = mix(b, word, UINT64_C(0x94d049bb133111eb));
  }
  key[0] = a;
  key[1] = b | 1; /* nonzero, as a key of zero marks a free entry */
}

static entry *place_of(entry *entries, size_t room, const uint64_t key[2])
{
  size_t at = (size_t)key[0] & (room - 1);
  while (entries[at].key[1] != 0 &&
         (entries[at].key[0] != key[0] || entries[at].key[1] != key[1]))
    at = (at + 1) & (room - 1);
  return &entries[at];
}

/* Stores a value, if there is memory for it. */
static void remember(cli_shared *shared, const uint64_t key[2], double f)
{
  if (2 * (shared->count + 1) > shared->room) {
    size_t room = shared->room == 0 ? 1024 : 2 * shared->room;
    entry *grown = calloc(room, sizeof *grown);
    if (grown == NULL) return;
    for (size_t i = 0; i < shared->room; i++)
      if (shared->entries[i].key[1] != 0)
        *place_of(grown, room, shared->entries[i].key) = shared->entries[i];
    free(shared->entries);
    shared->entries = grown;
    shared->room = room;
  }
  entry *place = place_of(shared->entries, shared->room, key);
  if (place->key[1] == 0) shared->count++;
  *place = (entry){
      {key[0], key[1]},
      f
  };
}

static bool recall(const cli_shared *shared, const uint64_t key[2], double *f)
{
  if (shared->room == 0) return false;
  const entry *place = place_of(shared->entries, shared->room, key);
  if (place->key[1] == 0) return false;
  *f = place->f;
  return true;
}

static void note(cli_tally *tally, double f, bool paid)
{
  tally->asked++;
  tally->paid += paid;
  if (!isfinite(f)) {
    tally->failed++;
    return;
  }
  if (isnan(tally->first)) tally->first = f;
  if (!(f < tally->best)) return;
  tally->best = f;
  trace_point(&tally->trace, (double)tally->asked, f);
}

static double value(size_t p, const double *x, void *user)
{
  cli_shared *shared = user;
  uint64_t key[2];
  double f;
  key_of(p, x, key);
  bool known = recall(shared, key, &f);
  if (!known) f = shared->inner->value(p, x, shared->inner->user);
  /* unanswered questions have no value */
  if (!known && isfinite(f)) remember(shared, key, f);
  note(shared->tally, f, !known);
  return f;
}

static bool room_for(cli_shared *shared, size_t p, size_t m)
{
  if (m <= shared->batch) return true;
  free(shared->missing);
  free(shared->X);
  free(shared->F);
  shared->missing = malloc(m * sizeof *shared->missing);
  shared->X = malloc(m * p * sizeof *shared->X);
  shared->F = malloc(m * sizeof *shared->F);
  bool good = shared->missing && shared->X && shared->F;
  shared->batch = good ? m : 0;
  return good;
}

/* Evaluates the unknown points in one batch. */
static void values(size_t p, size_t m, const double *X, double *F, void *user)
{
  cli_shared *shared = user;
  uint64_t key[2];
  size_t missing = 0;
  if (!room_for(shared, p, m)) {
    for (size_t i = 0; i < m; i++) F[i] = value(p, X + i * p, user);
    return;
  }
  for (size_t i = 0; i < m; i++) {
    key_of(p, X + i * p, key);
    if (recall(shared, key, &F[i])) continue;
    memcpy(shared->X + missing * p, X + i * p, p * sizeof *X);
    shared->missing[missing++] = i;
  }
  if (missing > 0)
    shared->inner->values(p, missing, shared->X, shared->F,
                          shared->inner->user);
  for (size_t i = 0, j = 0; i < m; i++) {
    bool paid = j < missing && shared->missing[j] == i;
    if (paid) F[i] = shared->F[j++];
    key_of(p, X + i * p, key);
    if (paid && isfinite(F[i])) remember(shared, key, F[i]);
    note(shared->tally, F[i], paid);
  }
}

static size_t unanswered(void *user)
{
  const cli_shared *shared = user;
  return shared->inner->unanswered(shared->inner->user);
}

lrgd_status shared_create(cli_shared **shared, const lrgd_problem *inner,
                          lrgd_error *error)
{
  *shared = calloc(1, sizeof **shared);
  if (*shared == NULL) return fail_memory(error);
  (*shared)->inner = inner;
  return LRGD_OK;
}

void shared_destroy(cli_shared **shared)
{
  if (*shared == NULL) return;
  free((*shared)->entries);
  free((*shared)->missing);
  free((*shared)->X);
  free((*shared)->F);
  free(*shared);
  *shared = NULL;
}

void shared_begin(cli_shared *shared, cli_tally *tally)
{
  *tally = (struct cli_tally){.first = NAN, .best = INFINITY};
  shared->tally = tally;
}

void shared_end(cli_shared *shared)
{
  cli_tally *tally = shared->tally;
  if (isfinite(tally->best))
    trace_point(&tally->trace, (double)tally->asked, tally->best);
}

lrgd_problem shared_problem(cli_shared *shared)
{
  lrgd_problem problem = *shared->inner;
  problem.user = shared;
  problem.value = value;
  problem.values = shared->inner->values != NULL ? values : NULL;
  problem.unanswered = shared->inner->unanswered != NULL ? unanswered : NULL;
  return problem;
}
