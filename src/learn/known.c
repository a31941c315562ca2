#include "learn/known.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

/* The most coordinates of all points together: 256 MiB of doubles. */
static const size_t most_numbers = (size_t)1 << 25;

/* ---- creation and destruction ---- */

static lr_known_kind kind_of(const lrgd_evaluation *e)
{
  if (e->gradient) return LR_KNOWN_GRADIENT;
  return e->direction ? LR_KNOWN_SLOPE : LR_KNOWN_VALUE;
}

/* Whether all numbers of an evaluation are finite, and its direction not zero.
 */
static bool usable(size_t p, const lrgd_evaluation *e)
{
  if (!e->x || !lr_finite(e->f) || !lr_all_finite(e->x, p)) return false;
  if (e->gradient && !lr_all_finite(e->gradient, p)) return false;
  if (!e->direction || e->gradient) return true;
  return lr_finite(e->slope) && lr_all_finite(e->direction, p) &&
         lr_norm(p, e->direction) > 0;
}

static bool allocate(lr_known *k, size_t room, bool derivatives)
{
  const lrgd_allocator *a = &k->allocator;
  size_t numbers;
  if (!lr_product(k->p, room, 1, &numbers)) return false;
  k->x = lr_alloc_raw(a, numbers, sizeof *k->x);
  k->f = lr_alloc(a, room, sizeof *k->f);
  k->d = lr_alloc(a, room, sizeof *k->d);
  k->kind = lr_alloc(a, room, sizeof *k->kind);
  if (derivatives) k->v = lr_alloc(a, numbers, sizeof *k->v);
  k->slots = 4;
  while (k->slots < 2 * room) k->slots *= 2;
  k->table = lr_alloc(a, k->slots, sizeof *k->table);
  return k->x && k->f && k->d && k->kind && k->table && (!derivatives || k->v);
}

/* The slot of the hash table that holds a point, or is free for it (FNV-1a,
 * linear probing). */
static size_t slot(const lr_known *k, const double *x)
{
  uint64_t sum = UINT64_C(14695981039346656037), bits;
  for (size_t i = 0; i < k->p; i++) {
    double number = x[i] + 0.0; /* -0 is 0 */
    memcpy(&bits, &number, sizeof bits);
    sum = (sum ^ bits) * UINT64_C(1099511628211);
    sum ^= sum >> 29; /* mixes the high bits of a number into the low ones */
  }
  size_t at = (size_t)sum & (k->slots - 1);
  while (k->table[at] > 0) {
    const double *y = k->x + (k->table[at] - 1) * k->p;
    size_t same = 0;
    while (same < k->p && x[same] == y[same]) same++;
    if (same == k->p) return at;
    at = (at + 1) & (k->slots - 1);
  }
  return at;
}

size_t lr_known_find(const lr_known *known, const double *x)
{
  if (known->n == 0) return 0;
  size_t found = known->table[slot(known, x)];
  return found > 0 ? found - 1 : known->n;
}

static void take(lr_known *k, const lrgd_evaluation *e)
{
  size_t p = k->p, i = k->n++;
  memcpy(k->x + i * p, e->x, p * sizeof *k->x);
  size_t at = slot(k, e->x);
  if (k->table[at] == 0) k->table[at] = i + 1;
  k->f[i] = e->f;
  k->kind[i] = (unsigned char)kind_of(e);
  if (kind_of(e) == LR_KNOWN_GRADIENT)
    memcpy(k->v + i * p, e->gradient, p * sizeof *k->v);
  if (kind_of(e) != LR_KNOWN_SLOPE) return;
  double size = lr_norm(p, e->direction);
  for (size_t j = 0; j < p; j++) k->v[i * p + j] = e->direction[j] / size;
  k->d[i] = e->slope / size;
}

/* Counts usable evaluations; *lowest is the one with the lowest value (n: there
 * is none), *derivatives whether any of them has derivatives. */
static size_t count(size_t p, size_t n, const lrgd_evaluation *all,
                    size_t *lowest, bool *derivatives)
{
  size_t good = 0;
  *lowest = n;
  *derivatives = false;
  for (size_t i = 0; i < n; i++) {
    if (!usable(p, &all[i])) continue;
    good++;
    *derivatives |= kind_of(&all[i]) != LR_KNOWN_VALUE;
    if (*lowest == n || all[i].f < all[*lowest].f) *lowest = i;
  }
  return good;
}

lrgd_status lr_known_init(lr_known *known, const lrgd_allocator *a, size_t p,
                          size_t n, const lrgd_evaluation *evaluations)
{
  size_t lowest, most = most_numbers / p + 2;
  bool derivatives;
  *known = (lr_known){.allocator = *a, .policy = lr_policy_current(), .p = p};
  size_t good = count(p, n, evaluations, &lowest, &derivatives);
  if (good == 0) return LRGD_OK;
  size_t room = good < most ? good : most;
  if (!allocate(known, room, derivatives)) {
    lr_known_clear(known);
    return LRGD_ERR_NOMEM;
  }
  size_t dropped = 0;
  for (size_t i = 0; i < n; i++) {
    if (!usable(p, &evaluations[i])) continue;
    if (dropped < good - room && i != lowest)
      dropped++;
    else
      take(known, &evaluations[i]);
  }
  return LRGD_OK;
}

void lr_known_clear(lr_known *known)
{
  const lrgd_allocator *a = &known->allocator;
  if (known->p == 0) return;
  lr_free(a, known->x);
  lr_free(a, known->f);
  lr_free(a, known->v);
  lr_free(a, known->d);
  lr_free(a, known->kind);
  lr_free(a, known->table);
  *known = (lr_known){0};
}

/* ---- queries ---- */

bool lr_known_inside(const lr_known *known, size_t i, const double *lower,
                     const double *upper)
{
  const double *x = known->x + i * known->p;
  for (size_t j = 0; j < known->p; j++)
    if ((lower && x[j] < lower[j]) || (upper && x[j] > upper[j])) return false;
  return true;
}

size_t lr_known_lowest(const lr_known *known, const double *lower,
                       const double *upper)
{
  size_t best = known->n;
  for (size_t i = 0; i < known->n; i++)
    if ((best == known->n || known->f[i] < known->f[best]) &&
        lr_known_inside(known, i, lower, upper))
      best = i;
  return best;
}

/* Whether two points differ in exactly one input. */
static bool beside(const lr_known *k, size_t i, size_t j)
{
  const double *x = k->x + i * k->p, *y = k->x + j * k->p;
  size_t differ = 0;
  for (size_t l = 0; l < k->p && differ < 2; l++) differ += x[l] != y[l];
  return differ == 1;
}

/* Whether a run from the first evaluation to i had hardly begun: i is a finite
 * difference away from the first, and its value hardly lower.  (A small
 * relative decrease alone is no sign of that, as f may contain a large
 * constant.) */
static bool had_begun(const lr_known *k, size_t i)
{
  const double *x = k->x + i * k->p, *first = k->x;
  double gained = fmax(k->f[0] - k->f[i], 0), way = 0, size = 0;
  for (size_t j = 0; j < k->p; j++) {
    way = fmax(way, fabs(x[j] - first[j]));
    size = fmax(size, fabs(first[j]));
  }
  const lr_policy *P = k->policy;
  return gained <= P->known_decrease * fabs(k->f[0]) &&
         way <= P->fit_longest_step * (1 + size);
}

/* The base point of the finite difference that i belongs to, or i. */
static size_t centre(const lr_known *k, size_t i)
{
  double slack = k->policy->known_decrease * fmax(k->f[0] - k->f[i], 0);
  for (size_t j = i; j-- > 0;) { /* a base precedes its differences */
    if (!(k->f[j] <= k->f[i] + slack) || !beside(k, i, j)) continue;
    size_t next = i + 1 < k->n ? i + 1 : i - 1;
    if (next != j && beside(k, next, j)) return j;
  }
  return i;
}

size_t lr_known_base(const lr_known *known, size_t i, const double *lower,
                     const double *upper)
{
  size_t base = had_begun(known, i) ? 0 : centre(known, i);
  return lr_known_inside(known, base, lower, upper) ? base : i;
}

/* Whether evaluations i, i + 1 and i + 2 are at equal spacing on a line, up to
 * rounding, and not all at one point. */
static bool in_line(const lr_known *k, size_t i)
{
  const lr_policy *P = k->policy;
  const double *a = k->x + i * k->p, *b = a + k->p, *c = b + k->p;
  bool moves = false;
  for (size_t j = 0; j < k->p; j++) {
    double size = fmax(fabs(a[j]), fabs(c[j])), step = b[j] - a[j];
    double rounding = P->known_rounding * size;
    double uneven = P->known_spacing * fabs(step);
    if (!(fabs(c[j] - b[j] - step) <= rounding + uneven)) return false;
    moves |= step != 0;
  }
  return moves;
}

bool lr_known_on_line(const lr_known *known, size_t i)
{
  for (size_t first = i < 2 ? 0 : i - 2; first <= i; first++)
    if (first + 2 < known->n && in_line(known, first)) return true;
  return false;
}

bool lr_known_line(const lr_known *known, size_t n, double *f)
{
  size_t length = 2;
  for (size_t i = known->n; i-- > 2;) {
    length = in_line(known, i - 2) ? length + 1 : 2;
    if (length < n) continue;
    memcpy(f, known->f + i - 2, n * sizeof *f);
    return true;
  }
  return false;
}
