/* Noise of f, estimated from values at equal spacing on a line: pure functions
 * of the values and of the policy. */
#ifndef LR_NOISE_READING_H
#define LR_NOISE_READING_H

#include "base/policy.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum {
  LR_LINE = 7,       /* values on a line */
  LR_LINES_ROOM = 16 /* lines whose values can be kept */
};

/* Values on a line, as many as could be evaluated; none where bounds leave no
 * room at this spacing. */
typedef struct lr_line {
  double f[LR_LINE];
  int n;
} lr_line;

/* Cuts the line before a jump of f, if there is one: a step that is far larger
 * than all the others together, and than |f| at the start.  Steps due to noise
 * are of similar size. */
bool lr_line_end_at_jump(const lr_policy *P, lr_line *L, double f_scale);

/* The largest |f| on the line. */
double lr_line_largest(const lr_line *L);

/* The largest difference of adjacent values. */
double lr_line_steepest(const lr_line *L);

/* The number of adjacent pairs with equal values. */
int lr_line_ties(const lr_line *L);

/* Whether so many adjacent values are equal that the spacing is too short for f
 * to change. */
bool lr_line_too_short(const lr_policy *P, const lr_line *L);

/* The difference table: sigma[k] is the standard deviation of noise that the
 * differences of order k suggest, and turns[k] whether they have both signs. */
typedef struct lr_difference_table {
  double sigma[LR_LINE];
  bool turns[LR_LINE];
  int n; /* number of values */
} lr_difference_table;

lr_difference_table lr_line_table(const lr_line *L);

/* Whether the values are those of a polynomial: differences of some order from
 * the second on, beside which all higher orders vanish.  Values rounded to a
 * grid leave differences in every order; the first order alone does not count,
 * since evenly spaced values may be rounded. */
bool lr_table_is_polynomial(const lr_policy *P, const lr_difference_table *t);

/* The noise on which three successive orders agree, or a negative number.
 * Differences of noise have both signs; those of geometric growth, on which all
 * orders agree too, have one (More and Wild, section 4). */
double lr_table_noise(const lr_policy *P, const lr_difference_table *t);

/* An upper bound on the noise where no orders agree: the larger of the
 * estimates of the last two orders.  The last order is a single difference,
 * which is too often small by chance. */
double lr_table_bound(const lr_difference_table *t);

/* Whether a number is whole up to rounding. */
static inline bool lr_is_whole(double units)
{
  return fabs(units - round(units)) <= 8 * DBL_EPSILON * fabs(units);
}

/* All the values on the lines so far, in the user's unit, since decimal digits
 * are looked for. */
typedef struct lr_line_values {
  double f[LR_LINES_ROOM * LR_LINE];
  int n, ties;
  /* on one of the lines the values are those of a polynomial */
  bool polynomial;
} lr_line_values;

/* The spacing of the grid to which all values are rounded; 0: there is none.
 * Signs of a grid are equal adjacent values, which a smooth function does not
 * have, and differences that are whole multiples of the smallest one. */
double lr_grid_spacing(const lr_policy *P, const lr_line_values *all);

/* A unit in the last decimal digit, where all values are written with few
 * digits; 0 where they are not. */
double lr_grid_last_digit(const lr_policy *P, const lr_line_values *all);

/* The standard deviation of the rounding to either grid; 0: there is none. */
double lr_grid_noise(const lr_policy *P, const lr_line_values *all);

/* The next spacing, between the longest one at which f did not change and the
 * shortest one at which its curvature showed (0, INFINITY: none yet). */
double lr_noise_spacing(const lr_policy *P, double h, double too_short,
                        double too_long);

/* Whether f has no noise, as lines 0 .. i, of at most `tries`, have shown none.
 */
bool lr_noise_is_none(const lr_policy *P, int i, int tries);

/* Whether two estimates may be of the same noise. */
bool lr_noise_alike(const lr_policy *P, double a, double b);

/* The number of lines, each with a shorter spacing, that have to show noise of
 * this level before it is believed.  Differences of a smooth f fall with the
 * spacing, and noise does not; but oscillations shorter than two spacings look
 * like noise.  One line is enough where the noise is rounding, was known, or is
 * that of a grid.  Noise as large as f is more often f's shape, and it ends a
 * run: it takes more lines.  size: |f| on the line. */
int lr_noise_lines(const lr_policy *P, double level, double rounding,
                   double known, double grid, double size);

/* The lowest value to which one measurement may reduce a noise known before.
 * Noise that is absent or far lower than before may be chance, or a stretch
 * between two steps of rounded values; and differences with steps for too
 * little noise spoil a model: so it takes several measurements.  Noise above a
 * share of |f|, however, may have been a jump, and is dropped at once. */
double lr_noise_least(const lr_policy *P, double before, double now,
                      double rounding, double f);

/* Combines the former estimate and the new one.  Seven values determine noise
 * within a factor of two: both count equally where they are similar. */
double lr_noise_pooled(const lr_policy *P, double before, double now);

/* The factor on the component of a direction along an input x, 1 unless x is
 * far smaller than the typical size of inputs, `scale`: f may be curved over
 * steps of the size of x.  An input that is zero has no size. */
double lr_noise_component(const lr_policy *P, double x, double scale);

/* The rounding error of values of this size; noise at this level counts as
 * none. */
double lr_noise_rounding(const lr_policy *P, double size);

/* What rounding of p inputs of size `scale` does to values whose slope along a
 * random direction is `slope`: the gradient is sqrt(p) times as long.  Near a
 * minimum with f = 0 it is above the rounding error of f on every line. */
double lr_noise_input_rounding(const lr_policy *P, double slope, double scale,
                               double p);

#endif
