/* An array of p / 2 antennas in a row, half a wave apart, that is to look to
 * one side and hear little from everywhere else.  Inputs are the antennas'
 * amplitudes, 1 + 0.9 x (from 0.1 to 1.9), then their phases, pi x away from
 * those of a beam in that direction.  They are not quite where they should be,
 * and each excites its neighbours a little.
 *   f = mean square, in dB, of what is above a mask: side lobes, and deeper
 *       notches towards two known sources of trouble,
 *     + square of the loss in dB against an ideal beam / 10.
 * Levels are printed with so many digits.  The start is a beam with all
 * antennas alike: side lobes of -13 dB. */
#include <complex.h>
#include <math.h>

#include "analytic.h"
#include "simulator.h"

static const lr_parameter parameters[] = {
    {"p",      "64",  "dimension: two for each antenna, from 8 to 200"    },
    {"lobes",  "-30", "what side lobes may be, in dB; from -200"          },
    {"notch",  "-50", "what may come from the two sources; from -200"     },
    {"digits", "6",   "significant digits of the levels; 0: all"          },
    {"seed",   "1",   "of directions, places and how neighbours are heard"},
};

enum { ANTENNAS_MOST = 100, DIRECTIONS = 241 };

typedef double complex number;

typedef struct antenna {
  lr_simulator base;
  size_t count;
  double beam;             /* sine of where it looks */
  double mask[DIRECTIONS]; /* dB below the beam; 0: not looked at */
  number *seen;            /* DIRECTIONS + 1 x count: what each one adds */
} antenna;

/* Sines, evenly: as wide as a beam everywhere. */
static double sine_of(const antenna *s, size_t d)
{
  return d == DIRECTIONS ? s->beam : 2 * (double)d / (DIRECTIONS - 1) - 1;
}

/* Excitations; returns the sum of their squares. */
static double excite(const antenna *s, const double *x, double *re, double *im)
{
  const double pi = LR_PI;
  double power = 0;
  for (size_t i = 0; i < s->count; i++) {
    double size = 1 + 0.9 * x[i];
    double phase = pi * (x[s->count + i] - (double)i * s->beam);
    re[i] = size * lr_cos(phase);
    im[i] = size * lr_sin(phase);
    power += size * size;
  }
  return power;
}

/* In dB, over that of as many ideal ones with the same power. */
static double level(const antenna *s, size_t d, const double *re,
                    const double *im, double power)
{
  const number *seen = s->seen + d * s->count;
  double sum[2] = {0, 0};
  for (size_t i = 0; i < s->count; i++) {
    double a = creal(seen[i]), b = cimag(seen[i]);
    sum[0] += a * re[i] - b * im[i];
    sum[1] += a * im[i] + b * re[i];
  }
  return 10 * lr_log10((sum[0] * sum[0] + sum[1] * sum[1] + 1e-20) /
                       (power * (double)s->count));
}

static double run(const lr_simulator *base, const double *x, size_t digits)
{
  const antenna *s = (const antenna *)base;
  double re[ANTENNAS_MOST], im[ANTENNAS_MOST], power = excite(s, x, re, im);
  double beam = lr_printed(level(s, DIRECTIONS, re, im, power), digits);
  double sum = 0, looked = 0;
  for (size_t d = 0; d < DIRECTIONS; d++) {
    double above;
    if (s->mask[d] == 0) continue;
    above = lr_printed(level(s, d, re, im, power), digits) - beam - s->mask[d];
    if (above > 0) sum += above * above;
    looked++;
  }
  return sum / looked + 0.1 * beam * beam;
}

/* The beam is 1.6 times as wide, from zero to zero, as that of antennas all
 * alike; notches as wide as two steps on either side. */
static void draw_mask(antenna *s, lr_dice dice, double lobes, double notch)
{
  double half = 1.6 * 2 / (double)s->count, from[2];
  s->beam = 0.6 * lr_dice_uniform(dice, 0) - 0.3;
  from[0] = s->beam + half + 0.1 + 0.25 * lr_dice_uniform(dice, 1);
  from[1] = s->beam - half - 0.1 - 0.25 * lr_dice_uniform(dice, 2);
  for (size_t d = 0; d < DIRECTIONS; d++) {
    double at = sine_of(s, d);
    s->mask[d] = fabs(at - s->beam) < half ? 0 : lobes;
    for (int k = 0; k < 2; k++)
      if (fabs(at - from[k]) < 5.0 / DIRECTIONS) s->mask[d] = notch;
  }
}

/* Antenna j is heard from a direction as it is and through the others: the
 * farther the less, each with a phase of its own.  An element looks ahead. */
static void look(antenna *s, lr_dice dice)
{
  const double pi = LR_PI;
  size_t n = s->count;
  for (size_t d = 0; d <= DIRECTIONS; d++) {
    double at = sine_of(s, d), ahead = lr_pow(fmax(1 - at * at, 0), 0.3);
    for (size_t j = 0; j < n; j++) {
      number sum = 0;
      for (size_t i = 0; i < n; i++) {
        double far = fabs((double)i - (double)j);
        double place = (double)i + 0.08 * lr_dice_normal(dice, i);
        double turn = pi * far + 2 * lr_dice_uniform(dice, 3 * n + i + j);
        number heard = i == j ? 1 : 0.12 / far * lr_cexp(-turn * I);
        sum += heard * lr_cexp(pi * place * at * I);
      }
      s->seen[d * n + j] = ahead * sum;
    }
  }
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_size(reader, "p", 8, 2 * ANTENNAS_MOST);
  double lobes = lr_reader_real(reader, "lobes", -200);
  double notch = lr_reader_real(reader, "notch", -200);
  size_t digits = lr_reader_digits(reader);
  uint64_t seed = lr_reader_seed(reader);
  antenna *s;
  if (p % 2 != 0)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "p %zu is not even", p);
  if (!(lobes < 0 && notch < 0))
    lr_reader_fail(reader, LRGD_ERR_INVALID, "lobes and notch are below 0");
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  s = lr_problem_bytes(problem, reader, sizeof *s);
  lr_simulator_box(problem, reader, 1);
  if (reader->status) return reader->status;
  s->base = (lr_simulator){run, digits, 1e-5};
  s->count = p / 2;
  s->seen = lr_problem_bytes(problem, reader,
                             (DIRECTIONS + 1) * s->count * sizeof *s->seen);
  if (!s->seen) return reader->status;
  draw_mask(s, (lr_dice){seed, LR_STREAM_CENTRE}, lobes, notch);
  look(s, (lr_dice){seed, LR_STREAM_A});
  lr_simulator_answers(problem, &s->base);
  return reader->status;
}

const lr_problem_kind lr_kind_antenna = {
    "antenna", "amplitudes and phases of an array below a mask of side lobes",
    parameters, sizeof parameters / sizeof parameters[0], build};
