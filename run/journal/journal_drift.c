/* A replay that departs by rounding: another processor's sums, another
 * library's logarithm.  Stored and requested points then differ by a
 * displacement that grows along the path.  Each step is judged by itself:
 * stored answers are valid as long as a step, or a difference, equals the
 * stored one to `tolerance` of its length, since a slope or a decrease measured
 * along it then has that relative error.  So the displacement of a point is
 * compared with that of the nearest earlier one, and new points keep the
 * displacement: f is never compared between a displaced point and one that is
 * not. */
#include "journal_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points in memory, from which a difference or a step may start.  Differences
 * of a gradient come one after the other, so that the nearest point is among
 * the last; a step starts at the last iterate, or one shortly before. */
enum { MOST_POINTS = 64, FEWEST_POINTS = 4, MOST_BYTES = 64 << 20 };

void lr_drift_free(lrgd_journal *journal)
{
  free(journal->replay.drift.stored);
  free(journal->replay.drift.asked);
  free(journal->replay.drift.shift);
  journal->replay.drift = (lr_drift){0};
}

static int make_room(lrgd_journal *journal)
{
  lr_drift *drift = &journal->replay.drift;
  size_t size = journal->p * sizeof(double);
  size_t room = MOST_BYTES / 2 / size;
  if (room > MOST_POINTS) room = MOST_POINTS;
  if (room < FEWEST_POINTS) room = FEWEST_POINTS;
  drift->stored = malloc(room * size);
  drift->asked = malloc(room * size);
  drift->room = room;
  if (drift->stored && drift->asked) return 1;
  lr_journal_fail_for_memory(journal);
  return 0;
}

static void push(lrgd_journal *journal, const double *stored,
                 const double *asked)
{
  lr_drift *drift = &journal->replay.drift;
  size_t p = journal->p, at = drift->next * p;
  memmove(drift->stored + at, stored, p * sizeof *stored);
  memmove(drift->asked + at, asked, p * sizeof *asked);
  drift->next = (drift->next + 1) % drift->room;
  if (drift->count < drift->room) drift->count++;
}

/* Fills the list with stored points: until now the run has requested exactly
 * these. */
static int fill_from_store(lrgd_journal *journal, uint64_t sequence)
{
  uint64_t first = lr_journal_path(journal)->after + 1;
  if (sequence > first + journal->replay.drift.room - 1)
    first = sequence - journal->replay.drift.room + 1;
  for (uint64_t s = first; s < sequence; s++) {
    lrgd_error error;
    lr_row row;
    int found;
    if (lr_store_get_row(journal->store, s, &row, &found, &error)) {
      lr_journal_fail(journal, &error);
      return 0;
    }
    const double *x =
        found ? lr_journal_decode(journal, LR_POINTS, row.x) : NULL;
    if (found && !x) return 0;
    if (x) push(journal, x, x);
  }
  return 1;
}

static double distance(const double *a, const double *b, size_t p)
{
  double sum = 0;
  for (size_t i = 0; i < p; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

/* The nearest point in memory to x; count: there is none. */
static size_t nearest(const lrgd_journal *journal, const double *points,
                      const double *x, double *length)
{
  size_t best = journal->replay.drift.count;
  *length = INFINITY;
  for (size_t j = 0; j < journal->replay.drift.count; j++) {
    double away = distance(points + j * journal->p, x, journal->p);
    if (!(away < *length)) continue;
    *length = away;
    best = j;
  }
  return best;
}

/* Whether the displacement of x is that of the nearest earlier point. */
static int is_same_step(const lrgd_journal *journal, const double *x,
                        const double *stored)
{
  const lr_drift *drift = &journal->replay.drift;
  size_t p = journal->p;
  double length, change = 0, scale = 0;
  size_t j = nearest(journal, drift->stored, stored, &length);
  if (j == drift->count) return 0;
  const double *base_stored = drift->stored + j * p;
  const double *base_asked = drift->asked + j * p;
  for (size_t i = 0; i < p; i++) {
    double off = (x[i] - stored[i]) - (base_asked[i] - base_stored[i]);
    change += off * off;
    scale = fmax(scale, fabs(stored[i]));
  }
  double least = lr_journal_accuracy(journal) * scale * sqrt((double)p);
  return sqrt(change) <= fmax(least, journal->options.tolerance * length);
}

int lr_drift_follows(lrgd_journal *journal, uint64_t sequence, const double *x,
                     const double *stored)
{
  int begins = journal->replay.drift.room == 0, follows = 0;
  size_t size = journal->p * sizeof(double);
  double *kept = malloc(size); /* reading others would overwrite it */
  if (!kept) {
    lr_journal_fail_for_memory(journal);
    return 0;
  }
  memcpy(kept, stored, size);
  if (!begins || (make_room(journal) && fill_from_store(journal, sequence)))
    follows = is_same_step(journal, x, kept);
  if (follows) push(journal, kept, x);
  free(kept);
  return follows;
}

/* Clips to the bounds, which a displacement may leave. */
static double inside(const lrgd_problem *problem, size_t i, double x)
{
  if (problem->lower && x < problem->lower[i]) x = problem->lower[i];
  if (problem->upper && x > problem->upper[i]) x = problem->upper[i];
  return x;
}

/* Chooses the displacement of the point nearest to where the replay ended: the
 * base of the differences, or of the step, that follow. */
static int choose_shift(lrgd_journal *journal, const double *x)
{
  lr_drift *drift = &journal->replay.drift;
  double length;
  size_t p = journal->p, j = nearest(journal, drift->asked, x, &length);
  drift->shift = calloc(p, sizeof *drift->shift);
  if (!drift->shift) return 0;
  for (size_t i = 0; i < p && j < drift->count; i++)
    drift->shift[i] = drift->stored[j * p + i] - drift->asked[j * p + i];
  return 1;
}

int lr_drift_move(lrgd_journal *journal, lr_questions *q, double **moved)
{
  lr_drift *drift = &journal->replay.drift;
  size_t points = lr_has_points(q) ? q->m : 1;
  *moved = NULL;
  if (drift->count == 0) return 1;
  if (!drift->shift && !choose_shift(journal, q->x)) return 0;
  *moved = malloc(points * q->p * sizeof **moved);
  if (!*moved) return 0;
  for (size_t k = 0; k < points * q->p; k++)
    (*moved)[k] = inside(&journal->asked.inner, k % q->p,
                         q->x[k] + drift->shift[k % q->p]);
  q->x = *moved;
  return 1;
}

void lrgd_journal_at(const lrgd_journal *journal, double *x)
{
  if (!journal || !x) return;
  const lr_drift *drift = &journal->replay.drift;
  double length;
  size_t p = journal->p, j = nearest(journal, drift->asked, x, &length);
  if (j == drift->count) return;
  if (length == 0 || !drift->shift) {
    for (size_t i = 0; i < p; i++)
      x[i] += drift->stored[j * p + i] - drift->asked[j * p + i];
    return;
  }
  for (size_t i = 0; i < p; i++)
    x[i] = inside(&journal->asked.inner, i, x[i] + drift->shift[i]);
}
