/* What problems that play a simulator share: results come as printed, with so
 * many digits, and inputs lie in a box.  A script that compares them with
 * measurements sees no more than that: its f has steps, the smaller the closer
 * results and measurements are.  Gradients are those of the unrounded f. */
#ifndef LR_SIMULATOR_H
#define LR_SIMULATOR_H

#include "kind.h"

/* number with `digits` significant ones, as "%.*e" would print it; 0 digits:
 * as it is. */
double lr_printed(double number, size_t digits);
/* The setting "digits": 0, or from 1 to 15. */
size_t lr_reader_digits(lr_reader *reader);
/* All inputs from -half to half. */
void lr_simulator_box(lr_problem *problem, lr_reader *reader, double half);

/* A simulator without derivatives of its own, the first member of what the
 * kind keeps: f at x with so many digits of what is printed. */
typedef struct lr_simulator lr_simulator;
struct lr_simulator {
  double (*run)(const lr_simulator *s, const double *x, size_t digits);
  size_t digits;
  double apart; /* of points whose difference is a slope */
};
/* Makes s the data of the problem.  Gradients are central differences of the
 * unrounded f. */
void lr_simulator_answers(lr_problem *problem, const lr_simulator *s);

#endif
