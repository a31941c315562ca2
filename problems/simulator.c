/* Printed digits, boxes, and gradients by differences. */
#include "simulator.h"

#include "base/elementary.h"

#include <math.h>

double lr_printed(double number, size_t digits)
{
  double scale;
  if (digits == 0 || number == 0 || !isfinite(number)) return number;
  scale = lr_pow(10, (double)digits - 1 - floor(lr_log10(fabs(number))));
  return round(number * scale) / scale;
}

size_t lr_reader_digits(lr_reader *reader)
{
  return lr_reader_size(reader, "digits", 0, 15);
}

void lr_simulator_box(lr_problem *problem, lr_reader *reader, double half)
{
  size_t p = problem->callbacks.dimension;
  double *lower = lr_problem_numbers(problem, reader, p, 1);
  double *upper = lr_problem_numbers(problem, reader, p, 1);
  if (reader->status) return;
  for (size_t i = 0; i < p; i++) {
    lower[i] = -half;
    upper[i] = half;
  }
  problem->callbacks.lower = lower;
  problem->callbacks.upper = upper;
}

static double value(size_t p, const double *x, void *user)
{
  const lr_simulator *s = ((const lr_problem *)user)->data;
  (void)p;
  return s->run(s, x, s->digits);
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  const lr_simulator *s = ((const lr_problem *)user)->data;
  double small[LR_SMALL], h = 0.5 * s->apart;
  double *moved = lr_room(small, sizeof small, p * sizeof *moved);
  for (size_t i = 0; moved && i < p; i++) moved[i] = x[i];
  for (size_t i = 0; i < p; i++) {
    double above, below;
    g[i] = NAN;
    if (!moved) continue;
    moved[i] = x[i] + h;
    above = s->run(s, moved, 0);
    moved[i] = x[i] - h;
    below = s->run(s, moved, 0);
    moved[i] = x[i];
    g[i] = (above - below) / (2 * h);
  }
  if (moved) lr_room_free(moved, small);
  return s->run(s, x, s->digits);
}

void lr_simulator_answers(lr_problem *problem, const lr_simulator *s)
{
  problem->data = s;
  lr_problem_answers(problem, value, gradient);
}
