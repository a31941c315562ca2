/* A dichroic mirror: p layers on glass, titania and silica in turn, are to
 * reflect one band of the light and let the rest of it through.  Layer i is
 * 1 + x_i quarter waves of the middle of the band thick.
 *   f = mean square of R - target over WAVES wavelengths from 400 to 800 nm,
 * the target 1 in the band, 0 outside, and straight in between.  R from the
 * product of the layers' characteristic matrices, light straight on (Macleod,
 * "Thin-film optical filters"), printed with so many digits.  The start is a
 * stack of quarter waves, as well as a coater would get them. */
#include <math.h>

#include "base/elementary.h"
#include "simulator.h"

static const lr_parameter parameters[] = {
    {"p",      "40",   "dimension: layers, at most 400"                },
    {"errors", "0.02", "of the thicknesses at the start; from 0 to 0.5"},
    {"digits", "6",    "significant digits of R; 0: all"               },
    {"seed",   "1",    "of the band and of the start"                  },
};

enum { WAVES = 60, LAYERS_MOST = 400 };

typedef struct coating {
  lr_simulator base;
  size_t layers;
  double middle; /* of the band, nm */
  double index[WAVES][2], glass[WAVES], target[WAVES];
} coating;

static double wavelength(size_t w)
{
  return 400 + 400 * (double)w / (WAVES - 1);
}

/* Cauchy's formula, the wavelength in nm. */
static double cauchy(double a, double b, double length)
{
  return a + b / (length * length);
}

static double titania(double length)
{
  return cauchy(2.20, 3.5e4, length);
}

static double silica(double length)
{
  return cauchy(1.45, 3.5e3, length);
}

static double glass(double length)
{
  return cauchy(1.505, 4.2e3, length);
}

/* The electric field b and the magnetic one c, real parts and imaginary ones,
 * go from the glass to the air through (cos, i sin / n; i n sin, cos). */
static double reflectance(const coating *s, const double *x, size_t w)
{
  const double pi = LR_PI;
  double b[2] = {1, 0}, c[2] = {s->glass[w], 0}, minus, plus;
  for (size_t i = s->layers; i-- > 0;) {
    double n = s->index[w][i % 2],
           from = i % 2 ? silica(s->middle) : titania(s->middle);
    double thick = s->middle / (4 * from) * (1 + x[i]);
    double phase = 2 * pi * n * thick / wavelength(w);
    double cosine = lr_cos(phase), sine = lr_sin(phase);
    double next[2] = {cosine * b[0] - sine / n * c[1],
                      cosine * b[1] + sine / n * c[0]};
    c[0] = cosine * c[0] - n * sine * b[1];
    c[1] = cosine * c[1] + n * sine * b[0];
    b[0] = next[0];
    b[1] = next[1];
  }
  minus = (b[0] - c[0]) * (b[0] - c[0]) + (b[1] - c[1]) * (b[1] - c[1]);
  plus = (b[0] + c[0]) * (b[0] + c[0]) + (b[1] + c[1]) * (b[1] + c[1]);
  return minus / plus;
}

static double run(const lr_simulator *base, const double *x, size_t digits)
{
  const coating *s = (const coating *)base;
  double sum = 0;
  for (size_t w = 0; w < WAVES; w++) {
    double far = lr_printed(reflectance(s, x, w), digits) - s->target[w];
    sum += far * far;
  }
  return sum / WAVES;
}

/* A band somewhere in the green, from 100 to 160 nm wide, its edges 15 nm. */
static void draw_band(coating *s, uint64_t seed)
{
  lr_dice dice = {seed, LR_STREAM_CENTRE};
  double half = 50 + 30 * lr_dice_uniform(dice, 1);
  s->middle = 530 + 60 * lr_dice_uniform(dice, 0);
  for (size_t w = 0; w < WAVES; w++) {
    double length = wavelength(w), inside = half - fabs(length - s->middle);
    s->target[w] = fmin(fmax(0.5 + inside / 15, 0), 1);
    s->index[w][0] = titania(length);
    s->index[w][1] = silica(length);
    s->glass[w] = glass(length);
  }
}

/* From a tenth of a quarter wave to two and a half. */
static void set_box(lr_problem *problem, lr_reader *reader)
{
  size_t p = problem->callbacks.dimension;
  double *lower = lr_problem_numbers(problem, reader, p, 1);
  double *upper = lr_problem_numbers(problem, reader, p, 1);
  for (size_t i = 0; !reader->status && i < p; i++) {
    lower[i] = -0.9;
    upper[i] = 1.5;
  }
  problem->callbacks.lower = lower;
  problem->callbacks.upper = upper;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_size(reader, "p", 1, LAYERS_MOST);
  double errors = lr_reader_real(reader, "errors", 0);
  size_t digits = lr_reader_digits(reader);
  uint64_t seed = lr_reader_seed(reader);
  lr_dice dice = {seed, LR_STREAM_START};
  coating *s;
  if (errors > 0.5)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "errors %g is more than 0.5",
                   errors);
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  s = lr_problem_bytes(problem, reader, sizeof *s);
  set_box(problem, reader);
  if (reader->status) return reader->status;
  s->base = (lr_simulator){run, digits, 1e-5};
  s->layers = p;
  draw_band(s, seed);
  for (size_t i = 0; i < p; i++)
    problem->start[i] = errors * (2 * lr_dice_uniform(dice, i) - 1);
  lr_simulator_answers(problem, &s->base);
  return reader->status;
}

const lr_problem_kind lr_kind_coating = {
    "coating", "layers of a mirror that reflects one band of the light",
    parameters, sizeof parameters / sizeof parameters[0], build};
