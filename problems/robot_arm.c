/* Distance of a robot's hand from its shoulder: four segments, four angles
 * (An and Owen, 2001).  Turning the shoulder changes nothing, all else does:
 * rank 7 of 8, and no fewer directions will do. */
#include "analytic.h"
#include "formula.h"

enum { ANGLE = 0, LENGTH = 4, SEGMENTS = 4, INPUTS = 8 };

#define TURN (2 * LR_PI)
static const double lower[INPUTS] = {0};
static const double upper[] = {TURN, TURN, TURN, TURN, 1, 1, 1, 1};

static double complex reach(const double complex *x)
{
  double complex u = 0, v = 0, angle = 0;
  for (int i = 0; i < SEGMENTS; i++) {
    angle += x[ANGLE + i];
    u += x[LENGTH + i] * lr_ccos(angle);
    v += x[LENGTH + i] * lr_csin(angle);
  }
  return lr_csqrt(u * u + v * v);
}

static const lr_formula formula = {INPUTS, lower, upper, reach, 7};
static const lr_parameter parameters[] = {LR_FORMULA_UNITS};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  return lr_formula_build(problem, reader, &formula);
}

const lr_problem_kind lr_kind_robot_arm = {
    "robot-arm", "reach of a robot arm, 8 inputs: not low-rank", parameters,
    sizeof parameters / sizeof parameters[0], build};
