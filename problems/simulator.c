/* Printed digits, and boxes. */
#include "simulator.h"

#include <math.h>

double lr_printed(double number, size_t digits)
{
  double scale;
  if (digits == 0 || number == 0 || !isfinite(number)) return number;
  scale = pow(10, (double)digits - 1 - floor(log10(fabs(number))));
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
