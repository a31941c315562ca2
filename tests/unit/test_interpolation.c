/* A quadratic through values: what it says of its points is recomputed from
 * its gradient and Hessian. */
#include "dfo/interpolation.h"

#include "base/memory.h"
#include "chance.h"
#include "check.h"

#include <stdlib.h>

enum { P = 7, TIMES = 200 };

/* A quadratic with curvatures from 1 to 2^(P-1) in some rotated frame, and,
 * times `odd`, something that is none. */
static double value(const double *x, double odd)
{
  double f = 0, e = 0;
  for (int i = 0; i < P; i++) {
    double y = x[i] - 0.3 + 0.5 * (x[(i + 1) % P] + x[(i + 3) % P]);
    f += 0.5 * (1 << i) * y * y;
    e += sin(3 * y + i);
  }
  return f + odd * e;
}

static double size(const double *d)
{
  double sum = 0;
  for (int i = 0; i < P; i++) sum += d[i] * d[i];
  return sqrt(sum);
}

static double model_at(const lr_interpolation *q, const double *d)
{
  double f = q->f[q->best];
  for (int j = 0; j < P; j++) {
    f += q->g[j] * d[j];
    for (int i = 0; i < P; i++) { /* of H the lower half counts */
      double h = i >= j ? q->H[j * P + i] : q->H[i * P + j];
      f += 0.5 * d[i] * h * d[j];
    }
  }
  return f;
}

/* By how much the model misses the values it was given. */
static double missed(const lr_interpolation *q)
{
  double worst = 0, d[P];
  for (size_t j = 0; j < q->count; j++) {
    for (size_t i = 0; i < P; i++)
      d[i] = q->x[j * P + i] - q->x[q->best * P + i];
    worst = fmax(worst, fabs(model_at(q, d) - q->f[j]));
  }
  return worst;
}

static void begin(lr_interpolation *q, double odd)
{
  double x[P], h[P], f[P];
  require(lr_interpolation_init(q, &lr_malloc, P, 2 * P + 1) == LRGD_OK,
          "there is memory");
  for (int i = 0; i < P; i++) {
    x[i] = 0.1 * i;
    h[i] = i % 2 ? 0.25 : -0.25;
  }
  double f0 = value(x, odd);
  for (int i = 0; i < P; i++) {
    x[i] += h[i];
    f[i] = value(x, odd);
    x[i] -= h[i];
  }
  require(lr_interpolation_begin(q, x, f0, h, f),
          "a quadratic goes through these");
}

TEST("the model interpolates all its points, whichever are replaced")
{
  lr_interpolation q;
  unsigned state = 7;
  double worst = 0, x[P], lowest = INFINITY;
  begin(&q, 0.2);
  for (int n = 0; n < TIMES; n++) {
    for (int i = 0; i < P; i++)
      x[i] = q.x[q.best * P + (size_t)i] + 0.3 * chance(&state);
    double f = value(x, 0.2);
    lowest = fmin(lowest, f);
    lr_interpolation_take(&q, x, f, 0.3, q.most);
    worst = fmax(worst, missed(&q));
  }
  check(q.count == 2 * P + 1, "%zu points are kept", q.count);
  check(q.sound && worst < 1e-9, "it misses none by more than %g", worst);
  for (size_t j = 0; j < q.count; j++)
    check(q.f[q.best] <= q.f[j], "the best is the lowest");
  check(q.f[q.best] <= lowest, "and none that was lower was given up");
  lr_interpolation_clear(&q);
}

TEST("other units of the inputs give the same result")
{
  lr_interpolation q;
  unsigned state = 11;
  double x[P], r[P], d[P], stretched[P], before;
  begin(&q, 0.2);
  for (int i = 0; i < P; i++) {
    q.lower[i] = -4;
    q.upper[i] = 4;
    r[i] = exp2(3 * chance(&state));
  }
  for (int n = 0; n < 3 * P; n++) {
    for (int i = 0; i < P; i++)
      x[i] = q.x[q.best * P + (size_t)i] + 0.3 * chance(&state);
    lr_interpolation_take(&q, x, value(x, 0.2), 0.3, q.most);
  }
  for (int i = 0; i < P; i++) {
    d[i] = chance(&state);
    stretched[i] = r[i] * d[i];
  }
  before = model_at(&q, d);
  lr_interpolation_stretch(&q, r, 0.3);
  double after = model_at(&q, stretched);
  check(fabs(after - before) < 1e-9 * fabs(before), "%.17g, %.17g before",
        after, before);
  check(q.sound && missed(&q) < 1e-9, "it misses its points by %g", missed(&q));
  for (int i = 0; i < P; i++)
    check(q.lower[i] == -4 * r[i] && q.upper[i] == 4 * r[i],
          "the box goes from %g to %g times %g", q.lower[i], q.upper[i], r[i]);
  lr_interpolation_clear(&q);
}

/* |H - what it should be|^2, with the true Hessian of value(x, 0). */
static double wrong(const lr_interpolation *q)
{
  double sum = 0;
  for (int a = 0; a < P; a++)
    for (int b = 0; b < P; b++) {
      double h = 0;
      for (int i = 0; i < P; i++) {
        double da = i == a ? 1 : (i + 1) % P == a || (i + 3) % P == a ? 0.5 : 0;
        double db = i == b ? 1 : (i + 1) % P == b || (i + 3) % P == b ? 0.5 : 0;
        h += (1 << i) * da * db;
      }
      double e = q->H[a >= b ? b * P + a : a * P + b] - h;
      sum += e * e;
    }
  return sum;
}

TEST("every value of a quadratic reduces the error of the Hessian")
{
  lr_interpolation q;
  unsigned state = 3;
  double x[P], before[P * P];
  begin(&q, 0);
  double first = wrong(&q), last = first;
  for (int n = 0; n < 400; n++) {
    memcpy(before, q.H, sizeof before);
    for (int i = 0; i < P; i++) x[i] = chance(&state);
    lr_interpolation_take(&q, x, value(x, 0), 1, q.most);
    double moved = 0, now = wrong(&q);
    for (int j = 0; j < P; j++)
      for (int i = j; i < P; i++) {
        double by = q.H[j * P + i] - before[j * P + i];
        moved += (i > j ? 2 : 1) * by * by;
      }
    /* a projection: Pythagoras (Powell 2004, (1.6)) */
    check(fabs(last - moved - now) < 1e-7 * first, "%g - %g is %g", last, moved,
          now);
    last = now;
  }
  check(last < 1e-3 * first, "%g of %g is left", last, first);
  lr_interpolation_clear(&q);
}

TEST("of all interpolating Hessians the one nearest to the last is taken")
{
  lr_interpolation q;
  begin(&q, 0); /* H = 0, p + 1 points: one value more is one equation */
  double x[P], d[P];
  for (int i = 0; i < P; i++) x[i] = q.x[i] + 0.2;
  for (int i = 0; i < P; i++) d[i] = x[i] - q.x[q.best * P + (size_t)i];
  double misses = value(x, 0) - model_at(&q, d);
  lr_interpolation_take(&q, x, value(x, 0), 0.3, q.most);
  check(fabs(misses) > 1e-3 && missed(&q) < 1e-10, "it has learned");
  /* sum n_j z_j z_j' where n is what annuls all that is linear in the points:
   * 1 at the new one, -0.2 / h_i at those along e_i */
  double scale = q.H[1] / 0.04;
  for (int j = 0; j < P; j++)
    for (int i = j; i < P; i++) {
      double h = i % 2 ? 0.25 : -0.25, least = 0.04 - (i == j ? 0.2 * h : 0);
      check_near(q.H[j * P + i], scale * least, 1e-9 * fabs(scale),
                 "entry %d, %d", i, j);
    }
  lr_interpolation_clear(&q);
}

TEST("a step stays within reach and in the box, and falls as it says")
{
  lr_interpolation q;
  unsigned state = 11;
  double d[P], x[P];
  begin(&q, 0.2);
  for (int i = 0; i < P; i++) {
    q.lower[i] = -0.4;
    q.upper[i] = 0.8;
  }
  for (int n = 0; n < TIMES; n++) {
    double radius = 0.01 + 0.3 * fabs(chance(&state));
    double falls = lr_interpolation_step(&q, radius, d);
    check(size(d) <= radius * (1 + 1e-12), "%g is no longer than %g", size(d),
          radius);
    double fell = q.f[q.best] - model_at(&q, d);
    check(fabs(fell - falls) <= 1e-9 * falls + 1e-14, "%g falls %g", falls,
          fell);
    check(falls >= 0, "it does not rise");
    for (int i = 0; i < P; i++) {
      x[i] = q.x[q.best * P + (size_t)i] + d[i];
      check(x[i] >= -0.4 - 1e-15 && x[i] <= 0.8 + 1e-15, "%g is in the box",
            x[i]);
    }
    for (int i = 0; i < P && n % 2; i++)
      x[i] = fmin(fmax(x[i] + 0.1 * chance(&state), -0.4), 0.8);
    lr_interpolation_take(&q, x, value(x, 0.2), radius, q.most);
  }
  lr_interpolation_clear(&q);
}

/* How far the model falls at most on the sphere of this radius: by steps along
 * its gradient, each put back onto the sphere, from d. */
static double fall_on_sphere(const lr_interpolation *q, double radius,
                             double *d)
{
  double most = 0, size_H = 0;
  for (int j = 0; j < P; j++)
    for (int i = j; i < P; i++)
      size_H += (i > j ? 2 : 1) * q->H[j * P + i] * q->H[j * P + i];
  for (int n = 0; n < 5000; n++) {
    double y[P];
    for (int i = 0; i < P; i++) {
      double r = q->g[i];
      for (int j = 0; j < P; j++)
        r += q->H[i >= j ? j * P + i : i * P + j] * d[j];
      y[i] = d[i] - r / sqrt(2 * size_H);
    }
    for (int i = 0; i < P; i++) d[i] = y[i] * radius / size(y);
    most = fmax(most, q->f[q->best] - model_at(q, d));
  }
  return most;
}

TEST("where the radius ends a step, it falls nearly as far as one can there")
{
  lr_interpolation q;
  unsigned state = 5;
  double d[P], x[P], share = 0;
  int n = 0;
  begin(&q, 0.2);
  for (int turn = 0; turn < 60; turn++) {
    double radius = 0.05 + 0.1 * fabs(chance(&state));
    double falls = lr_interpolation_step(&q, radius, d);
    if (size(d) > 0.999 * radius) {
      share += falls / fall_on_sphere(&q, radius, d);
      n++;
    }
    for (int i = 0; i < P; i++)
      x[i] = q.x[q.best * P + (size_t)i] + 0.3 * chance(&state);
    lr_interpolation_take(&q, x, value(x, 0.2) + 20 * chance(&state), 0.3,
                          q.most);
  }
  check(n > 20, "%d steps came to the radius", n);
  check(share / n > 0.99, "%g of the way", share / n);
  lr_interpolation_clear(&q);
}

/* The largest slope of the model after a step d that no bound holds. */
static double free_slope(const lr_interpolation *q, const double *d)
{
  double most = 0;
  for (int i = 0; i < P; i++) {
    double r = q->g[i], x = q->x[q->best * P + (size_t)i] + d[i];
    for (int j = 0; j < P; j++)
      r += q->H[i >= j ? j * P + i : i * P + j] * d[j];
    if ((r > 0 && x <= q->lower[i] + 1e-15) ||
        (r < 0 && x >= q->upper[i] - 1e-15))
      continue;
    most = fmax(most, fabs(r));
  }
  return most;
}

TEST("a step goes on along the bounds it meets, wherever they are")
{
  lr_interpolation q;
  unsigned state = 5;
  double d[P];
  begin(&q, 0);
  memset(q.H, 0, P * P * sizeof *q.H);
  for (int n = 0; n < TIMES; n++) {
    for (int i = 0; i < P; i++) {
      double x = q.x[q.best * P + (size_t)i];
      q.H[i * P + i] = 2 + chance(&state);
      for (int j = 0; j < i; j++) q.H[j * P + i] = 0.1 * chance(&state);
      q.g[i] = 4 * chance(&state);
      q.lower[i] = x - 0.5 - chance(&state) / 3; /* all digits in use */
      q.upper[i] = x + 0.5 + chance(&state) / 3;
    }
    (void)lr_interpolation_step(&q, 100, d);
    check(free_slope(&q, d) < 1e-5, "a slope of %g is left", free_slope(&q, d));
  }
  lr_interpolation_clear(&q);
}

TEST("steps and values alone find the minimum of a quadratic")
{
  lr_interpolation q;
  double d[P], x[P], radius = 1, far;
  int values = P + 1;
  begin(&q, 0);
  while (values < 300 && q.f[q.best] > 1e-10) {
    size_t out = q.most;
    double f = q.f[q.best];
    double promised = lr_interpolation_step(&q, radius, d), far_off = size(d);
    for (int turn = 0; turn < 2 && !(q.f[q.best] < f); turn++, values++) {
      for (int i = 0; i < P; i++) x[i] = q.x[q.best * P + (size_t)i] + d[i];
      lr_interpolation_take(&q, x, value(x, 0), radius, out);
      out = lr_interpolation_farthest(&q, &far);
      lr_interpolation_spread(&q, out, radius, d);
    }
    bool good = f - q.f[q.best] > 0.1 * promised;
    radius = good ? fmax(0.5 * radius, 2 * far_off) : 0.7 * radius;
  }
  check(values < 200, "f is %g after %d values", q.f[q.best], values);
  lr_interpolation_clear(&q);
}

TEST("a far point is replaced by one where its Lagrange function is largest")
{
  lr_interpolation q;
  double d[P], x[P], far;
  begin(&q, 0.2);
  for (int i = 0; i < P; i++) x[i] = q.x[q.best * P + (size_t)i] + 3;
  lr_interpolation_take(&q, x, value(x, 0.2), 0.25, q.most);
  size_t t = lr_interpolation_farthest(&q, &far);
  check_near(far, 3 * sqrt(P), 1e-12, "how far it is");
  lr_interpolation_spread(&q, t, 0.25, d);
  check(size(d) <= 0.25 * (1 + 1e-12) && size(d) > 0.2, "%g is near", size(d));
  for (int i = 0; i < P; i++) x[i] = q.x[q.best * P + (size_t)i] + d[i];
  lr_interpolation_take(&q, x, value(x, 0.2), 0.25, t);
  (void)lr_interpolation_farthest(&q, &far);
  check(far < 1, "%g is the farthest now", far);
  check(q.sound && missed(&q) < 1e-9, "and all is well");
  lr_interpolation_clear(&q);
}

TEST("a point that is given twice leaves the model as it is")
{
  lr_interpolation q;
  double x[P];
  begin(&q, 0.2);
  for (int n = 0; n < 3 * P; n++) {
    memcpy(x, q.x + ((size_t)n % q.count) * P, sizeof x);
    lr_interpolation_take(&q, x, value(x, 0.2), 0.25, q.most);
  }
  for (int i = 0; i < P; i++) x[i] += 0.1 * (i + 1);
  lr_interpolation_take(&q, x, value(x, 0.2), 0.25, q.most);
  check(q.sound && missed(&q) < 1e-9, "it misses by %g", missed(&q));
  lr_interpolation_clear(&q);
}
