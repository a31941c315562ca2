/* Collects slopes from the evaluations of a solver: a point, then points close
 * to it. */
#include "slope_collector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  BASE = 0,  /* index of the point at which slopes are being measured */
  LAST = 1,  /* the last evaluated point */
  FIRST = 2, /* the start, from where a second phase may begin again */
  /* index of the first of several recent points, to which a line search may
   * return */
  RECENT = 3,
  CENTRES = 11,
  MOST_GRADIENTS = 256,
  MOST_SLOPES = 4096
};

/* Memory for vectors of p numbers: the limit in bytes for each kind. */
static const size_t MOST_BYTES = (size_t)64 << 20;

/* A step below this share of the size of x is a difference: the oracle's
 * longest is 0.1 of it, and six times longer for noisy values. */
static const double CLOSE = 0.7;

typedef struct centre {
  double *x, f;
  bool known;
} centre;

struct slopes_now {
  centre centres[CENTRES];
  double *g;       /* the gradient at the base, coordinate by coordinate */
  unsigned *times; /* how often each coordinate was measured */
  size_t measured; /* number of coordinates with a measured derivative */
  double blur;   /* the squared error of the gradient for noise of 1, so far */
  size_t stored; /* 1 + the index of the base among the stored bases; 0: not
                    stored */
  size_t turn;   /* index of the oldest of the recent points */
  /* the last point differed from the base along one coordinate only */
  bool beside;
  double *u;
};

static size_t room_for(size_t p, size_t most)
{
  size_t room = MOST_BYTES / (p * sizeof(double));
  return room < most ? room : most;
}

static double *vectors(size_t p, size_t count)
{
  return calloc(p * count + 1, sizeof(double));
}

static bool allocate(cli_slopes *s)
{
  struct slopes_now *now = s->now = calloc(1, sizeof *s->now);
  if (now == NULL) return false;
  s->gradients = vectors(s->p, s->gradient_room);
  s->places = vectors(s->p, s->gradient_room);
  s->blur = vectors(1, s->gradient_room);
  s->directions = vectors(s->p, s->slope_room);
  s->bases = vectors(s->p, s->base_room);
  s->slope = vectors(1, s->slope_room);
  s->length = vectors(1, s->slope_room);
  s->base = calloc(s->slope_room + 1, sizeof *s->base);
  now->g = vectors(s->p, 1);
  now->u = vectors(s->p, 1);
  now->times = calloc(s->p, sizeof *now->times);
  bool all = now->g != NULL && now->u != NULL && now->times != NULL &&
             s->gradients != NULL && s->places != NULL && s->blur != NULL &&
             s->directions != NULL && s->bases != NULL && s->slope != NULL &&
             s->length != NULL && s->base != NULL;
  for (size_t c = 0; c < CENTRES; c++)
    all = (now->centres[c].x = vectors(s->p, 1)) != NULL && all;
  return all;
}

cli_slopes *slopes_create(size_t p)
{
  cli_slopes *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  s->p = p;
  s->gradient_room = room_for(p, MOST_GRADIENTS);
  s->slope_room = room_for(p, MOST_SLOPES);
  s->base_room = room_for(p, MOST_SLOPES);
  s->stride = 1;
  if (allocate(s)) return s;
  slopes_free(s);
  return NULL;
}

void slopes_free(cli_slopes *s)
{
  if (s == NULL) return;
  for (size_t c = 0; s->now != NULL && c < CENTRES; c++)
    free(s->now->centres[c].x);
  if (s->now != NULL) {
    free(s->now->g);
    free(s->now->u);
    free(s->now->times);
  }
  free(s->now);
  free(s->gradients);
  free(s->places);
  free(s->blur);
  free(s->directions);
  free(s->slope);
  free(s->length);
  free(s->base);
  free(s->bases);
  free(s);
}

/* ---- storing slopes and gradients ---- */

static void move_gradient(cli_slopes *s, size_t to, size_t from)
{
  size_t bytes = s->p * sizeof *s->places;
  memmove(s->gradients + to * s->p, s->gradients + from * s->p, bytes);
  memmove(s->places + to * s->p, s->places + from * s->p, bytes);
  s->blur[to] = s->blur[from];
}

static void halve_gradients(cli_slopes *s)
{
  for (size_t i = 0; 2 * i < s->gradient_count; i++) move_gradient(s, i, 2 * i);
  s->gradient_count = (s->gradient_count + 1) / 2;
  s->stride *= 2;
}

static void keep_gradient(cli_slopes *s, const double *x, const double *g,
                          double blur)
{
  for (size_t i = 0; i < s->p; i++)
    if (!isfinite(g[i])) return;
  if (s->gradient_room < 2 || s->gradient_seen++ % s->stride != 0) return;
  if (s->gradient_count == s->gradient_room) halve_gradients(s);
  size_t at = s->gradient_count++, bytes = s->p * sizeof *g;
  memcpy(s->gradients + at * s->p, g, bytes);
  memcpy(s->places + at * s->p, x, bytes);
  s->blur[at] = blur;
}

void slopes_gradient(cli_slopes *s, const double *x, const double *g)
{
  keep_gradient(s, x, g, 0);
}

/* The base's number among the bases; SIZE_MAX: no more room. */
static size_t number_of_base(cli_slopes *s)
{
  struct slopes_now *now = s->now;
  if (now->stored > 0) return now->stored - 1;
  if (s->base_count == s->base_room) return SIZE_MAX;
  memcpy(s->bases + s->base_count * s->p, now->centres[BASE].x,
         s->p * sizeof *s->bases);
  now->stored = ++s->base_count;
  return now->stored - 1;
}

/* Stores the slope d along u, the unit vector in now->u. */
static void keep_slope(cli_slopes *s, double d, double length)
{
  if (s->slope_count == s->slope_room) return;
  size_t base = number_of_base(s);
  if (base == SIZE_MAX) return;
  memcpy(s->directions + s->slope_count * s->p, s->now->u,
         s->p * sizeof *s->directions);
  s->slope[s->slope_count] = d;
  s->length[s->slope_count] = length;
  s->base[s->slope_count++] = base;
}

static void keep_coordinate(cli_slopes *s, size_t i, double d, double length)
{
  struct slopes_now *now = s->now;
  if (now->times[i] == 0) {
    now->measured++;
    if (length > 0) now->blur += 2 / (length * length);
  }
  now->g[i] += (d - now->g[i]) / ++now->times[i];
}

/* ---- bases ---- */

/* Whether enough coordinates are measured for a whole gradient: some may be at
 * bounds. */
static bool is_whole(const cli_slopes *s)
{
  return 10 * s->now->measured >= 9 * s->p;
}

/* Completes the gradient at the base, as another base follows. */
static void close_base(cli_slopes *s)
{
  struct slopes_now *now = s->now;
  if (now->measured > 0 && is_whole(s))
    keep_gradient(s, now->centres[BASE].x, now->g, sqrt(now->blur));
  memset(now->g, 0, s->p * sizeof *now->g);
  memset(now->times, 0, s->p * sizeof *now->times);
  now->measured = now->stored = 0;
  now->blur = 0;
}

static void exchange(centre *a, centre *b)
{
  centre kept = *a;
  *a = *b;
  *b = kept;
}

static void set_centre(cli_slopes *s, size_t which, const double *x, double f)
{
  centre *to = &s->now->centres[which];
  memcpy(to->x, x, s->p * sizeof *x);
  to->f = f;
  to->known = true;
}

/* Moves the point number `which` to the recent points, so that its place is
 * free. */
static void remember(cli_slopes *s, size_t which)
{
  centre *centres = s->now->centres;
  exchange(&centres[which], &centres[RECENT + s->now->turn]);
  s->now->turn = (s->now->turn + 1) % (CENTRES - RECENT);
  centres[which].known = false;
}

static void make_base(cli_slopes *s, size_t which)
{
  centre *centres = s->now->centres;
  if (which == BASE) return;
  close_base(s);
  if (which == FIRST) {
    remember(s, BASE);
    set_centre(s, BASE, centres[FIRST].x, centres[FIRST].f);
    return;
  }
  exchange(&centres[BASE], &centres[which]);
  if (which == LAST && centres[LAST].known) remember(s, LAST);
}

static double distance(size_t p, const double *x, const double *y)
{
  double sum = 0;
  for (size_t i = 0; i < p; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sqrt(sum);
}

/* The typical size of a coordinate, as the solver computes it. */
static double size_of(size_t p, const double *x)
{
  double sum = 0;
  for (size_t i = 0; i < p; i++) sum += x[i] * x[i];
  return 1 + sqrt(sum / (double)p);
}

static bool is_one_coordinate(size_t p, const double *x, const double *y)
{
  size_t differ = 0;
  for (size_t i = 0; i < p && differ < 2; i++) differ += x[i] != y[i];
  return differ == 1;
}

/* The base point of x among the stored ones: one that differs in a single
 * coordinate is preferred to a closer one, since noise is measured at points
 * around. */
static size_t nearest_centre(const cli_slopes *s, const double *x,
                             double *length)
{
  size_t best = CENTRES;
  *length = INFINITY;
  for (size_t c = 0; c < CENTRES; c++) {
    const centre *at = &s->now->centres[c];
    if (at->known && is_one_coordinate(s->p, x, at->x)) {
      *length = distance(s->p, x, at->x);
      return c;
    }
    double away = at->known ? distance(s->p, x, at->x) : INFINITY;
    if (!(away < *length)) continue;
    *length = away;
    best = c;
  }
  return best;
}

/* The coordinate along which u points; p: it is no coordinate direction. */
static size_t coordinate_of(size_t p, const double *u)
{
  size_t found = p;
  for (size_t i = 0; i < p; i++) {
    if (u[i] == 0) continue;
    if (found < p) return p;
    found = i;
  }
  return found;
}

/* Stores a slope; returns whether it was along a coordinate. */
static bool keep(cli_slopes *s, double d, double length)
{
  size_t i = coordinate_of(s->p, s->now->u);
  if (i < s->p)
    keep_coordinate(s, i, s->now->u[i] > 0 ? d : -d, length);
  else
    keep_slope(s, d, length);
  return i < s->p;
}

static void set_last(cli_slopes *s, const double *x, double f)
{
  if (s->now->centres[LAST].known && !s->now->beside) remember(s, LAST);
  s->now->beside = false;
  if (!s->now->centres[FIRST].known) set_centre(s, FIRST, x, f);
  set_centre(s, LAST, x, f);
}

/* Adds an evaluated point. It is stored as a possible base of differences,
 * since it may be the next iterate. */
void slopes_value(cli_slopes *s, const double *x, double f)
{
  double length;
  bool beside = false;
  if (!isfinite(f)) return;
  size_t which = nearest_centre(s, x, &length);
  if (which < CENTRES && length == 0) return;
  if (which < CENTRES &&
      length <= CLOSE * size_of(s->p, s->now->centres[which].x)) {
    make_base(s, which);
    const centre *base = &s->now->centres[BASE];
    for (size_t i = 0; i < s->p; i++)
      s->now->u[i] = (x[i] - base->x[i]) / length;
    beside = keep(s, (f - base->f) / length, length);
  }
  set_last(s, x, f);
  s->now->beside = beside;
}

void slopes_slope(cli_slopes *s, const double *x, const double *u, double d)
{
  double length, norm = 0;
  for (size_t i = 0; i < s->p; i++) norm += u[i] * u[i];
  norm = sqrt(norm);
  if (!isfinite(d) || !(norm > 0)) return;
  size_t which = nearest_centre(s, x, &length);
  if (which == CENTRES || length > 0) {
    set_last(s, x, NAN);
    which = LAST;
  }
  make_base(s, which);
  for (size_t i = 0; i < s->p; i++) s->now->u[i] = u[i] / norm;
  (void)keep(s, d / norm, 0);
}

/* ---- noise ---- */

/* Drops gradients that noise explains: the errors of p differences have a norm
 * that hardly varies, and only clearly longer gradients count. */
static void forget_gradients(cli_slopes *s, double noise)
{
  size_t kept = 0;
  for (size_t i = 0; i < s->gradient_count; i++) {
    const double *g = s->gradients + i * s->p;
    double sum = 0;
    for (size_t l = 0; l < s->p; l++) sum += g[l] * g[l];
    if (!(sqrt(sum) > 1.5 * noise * s->blur[i])) continue;
    if (kept != i) move_gradient(s, kept, i);
    kept++;
  }
  s->gradient_lost = s->gradient_count - kept;
  s->gradient_count = kept;
}

/* The largest slope over the longer steps, which noise affects least. */
static double largest_slope(const cli_slopes *s)
{
  double longest = 0, largest = 0;
  for (size_t i = 0; i < s->slope_count; i++)
    longest = fmax(longest, s->length[i]);
  for (size_t i = 0; i < s->slope_count; i++)
    if (s->length[i] >= 0.1 * longest)
      largest = fmax(largest, fabs(s->slope[i]));
  return largest;
}

/* Drops slopes over steps that were too short for the noise, which was not
 * known then. */
static void forget_slopes(cli_slopes *s, double noise)
{
  double least = sqrt(2) * noise / (0.1 * largest_slope(s));
  size_t kept = 0;
  for (size_t i = 0; i < s->slope_count; i++) {
    if (s->length[i] > 0 && !(s->length[i] > least)) continue;
    memmove(s->directions + kept * s->p, s->directions + i * s->p,
            s->p * sizeof *s->directions);
    s->slope[kept] = s->slope[i];
    s->length[kept] = s->length[i];
    s->base[kept++] = s->base[i];
  }
  s->slope_count = kept;
}

void slopes_end(cli_slopes *s, double noise)
{
  close_base(s);
  if (!(noise > 0)) return;
  forget_gradients(s, noise);
  forget_slopes(s, noise);
}
