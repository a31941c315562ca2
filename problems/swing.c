/* An arm of two rods that hangs is to swing up and stand still, both motors
 * too weak to lift it at once: open-loop control.  The p inputs are torques in
 * units of what the motors can give, p / 2 of the shoulder and p / 2 of the
 * elbow, each held for its share of the time.  With the rods' angles to the
 * vertical a and b (0: hanging), and where they are at the end,
 *   f = 2 + cos a + cos b + (a'^2 + b'^2) / 10
 *       + effort * (mean square of x + mean square of its changes).
 * Equations of motion by the method of Runge and Kutta with steps of a
 * hundredth of a second or less; the state at the end is printed with so many
 * digits.  The start is a guess: both motors swing in the rhythm of the arm. */
#include <math.h>

#include "base/elementary.h"
#include "simulator.h"

static const lr_parameter parameters[] = {
    {"p",       "60",   "dimension: torques, an even number up to 400"    },
    {"seconds", "3",    "until it should stand; from above 0 to 20"       },
    {"torque",  "12",   "the most of the shoulder, in Nm; the elbow: 2/3" },
    {"effort",  "0.05", "weight of the torques and of their changes; >= 0"},
    {"digits",  "6",    "significant digits of what is printed; 0: all"   },
    {"seed",    "1",    "of the rods, of how they hang, and of the guess" },
};

enum { STATE = 4, INPUTS_MOST = 400 };

static const double gravity = 9.81, longest = 0.01;

typedef struct swing {
  lr_simulator base;
  size_t intervals, steps; /* of an interval */
  double h;                /* of a step, s */
  double torque[2], effort;
  double mass[2], length[2], drag[2]; /* kg, m, Nms */
  double first[STATE];                /* angles, speeds */
} swing;

/* y = shoulder, elbow (to the first rod), and their speeds. */
static void slope(const swing *s, const double *torque, const double *y,
                  double *dy)
{
  const double *m = s->mass, *l = s->length;
  double whole = m[0] * l[0] * l[0] / 3, outer = m[1] * l[1] * l[1] / 3;
  double both = 0.5 * m[1] * l[0] * l[1], bend = both * lr_sin(y[1]);
  double M12 = outer + both * lr_cos(y[1]);
  double M11 = whole + m[1] * l[0] * l[0] + M12 + both * lr_cos(y[1]);
  double low = 0.5 * m[1] * l[1] * gravity * lr_sin(y[0] + y[1]);
  double high = (0.5 * m[0] + m[1]) * l[0] * gravity * lr_sin(y[0]);
  double r1 = torque[0] - s->drag[0] * y[2] - high - low +
              bend * (2 * y[2] + y[3]) * y[3];
  double r2 = torque[1] - s->drag[1] * y[3] - low - bend * y[2] * y[2];
  double det = M11 * outer - M12 * M12;
  dy[0] = y[2];
  dy[1] = y[3];
  dy[2] = (outer * r1 - M12 * r2) / det;
  dy[3] = (M11 * r2 - M12 * r1) / det;
}

static void step(const swing *s, const double *torque, double *y)
{
  static const double at[3] = {0.5, 0.5, 1};
  static const double share[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double k[4][STATE], between[STATE];
  slope(s, torque, y, k[0]);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < STATE; i++) between[i] = y[i] + s->h * at[j] * k[j][i];
    slope(s, torque, between, k[j + 1]);
  }
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < STATE; i++) y[i] += s->h * share[j] * k[j][i];
}

static double effort(const swing *s, const double *x)
{
  double sum = 0;
  for (size_t i = 0; i < 2 * s->intervals; i++) {
    double change = i % s->intervals ? x[i] - x[i - 1] : 0;
    sum += x[i] * x[i] + change * change;
  }
  return s->effort * sum / (double)(2 * s->intervals);
}

static double run(const lr_simulator *base, const double *x, size_t digits)
{
  const swing *s = (const swing *)base;
  double y[STATE], speed;
  for (int i = 0; i < STATE; i++) y[i] = s->first[i];
  for (size_t i = 0; i < s->intervals; i++) {
    double torque[2] = {s->torque[0] * x[i],
                        s->torque[1] * x[s->intervals + i]};
    for (size_t j = 0; j < s->steps; j++) step(s, torque, y);
  }
  for (int i = 0; i < STATE; i++) y[i] = lr_printed(y[i], digits);
  speed = y[2] * y[2] + (y[2] + y[3]) * (y[2] + y[3]);
  return 2 + lr_cos(y[0]) + lr_cos(y[0] + y[1]) + 0.1 * speed + effort(s, x);
}

/* Rods of about 1 kg and 1 m, hanging almost still. */
static void draw_arm(swing *s, uint64_t seed)
{
  lr_dice dice = {seed, LR_STREAM_A};
  for (uint64_t i = 0; i < 2; i++) {
    s->mass[i] = 0.9 + 0.2 * lr_dice_uniform(dice, i);
    s->length[i] = 0.9 + 0.2 * lr_dice_uniform(dice, 2 + i);
    s->drag[i] = 0.2 + 0.2 * lr_dice_uniform(dice, 4 + i);
    s->first[i] = 0.2 * lr_dice_uniform(dice, 6 + i) - 0.1;
  }
}

/* The first rod and the second as one, 2 m long: a period of about 2.3 s. */
static void draw_guess(const swing *s, uint64_t seed, double seconds, double *x)
{
  lr_dice dice = {seed, LR_STREAM_START};
  const double pi = LR_PI;
  for (size_t i = 0; i < 2 * s->intervals; i++) {
    double phase = lr_dice_uniform(dice, i / s->intervals);
    double t = seconds * ((double)(i % s->intervals) + 0.5);
    t /= (double)s->intervals;
    x[i] = 0.3 * lr_sin(2 * pi * (t / 2.3 + phase)) +
           0.1 * (2 * lr_dice_uniform(dice, 2 + i) - 1);
  }
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_size(reader, "p", 2, INPUTS_MOST);
  double seconds = lr_reader_positive(reader, "seconds"), each;
  double torque = lr_reader_positive(reader, "torque");
  double weight = lr_reader_real(reader, "effort", 0);
  size_t digits = lr_reader_digits(reader);
  uint64_t seed = lr_reader_seed(reader);
  swing *s;
  if (p % 2 != 0)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "p %zu is not even", p);
  if (seconds > 20)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "seconds %g is more than 20",
                   seconds);
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  s = lr_problem_bytes(problem, reader, sizeof *s);
  lr_simulator_box(problem, reader, 1);
  if (reader->status) return reader->status;
  each = seconds / (double)(p / 2);
  s->base = (lr_simulator){run, digits, 1e-5};
  s->intervals = p / 2;
  s->steps = (size_t)ceil(each / longest - 1e-9);
  s->h = each / (double)s->steps;
  s->torque[0] = torque;
  s->torque[1] = torque * 2 / 3;
  s->effort = weight;
  draw_arm(s, seed);
  draw_guess(s, seed, seconds, problem->start);
  lr_simulator_answers(problem, &s->base);
  return reader->status;
}

const lr_problem_kind lr_kind_swing = {
    "swing", "torques that make an arm of two rods swing up and stand",
    parameters, sizeof parameters / sizeof parameters[0], build};
