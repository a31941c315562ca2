/* Functions 1 to 20 of More, Garbow and Hillstrom (mgh.h): of a few inputs. */
#include "mgh.h"

#include <math.h>

#include "analytic.h"

typedef double complex number;

#define SYSTEM(name)                                                           \
  static void name(const lr_system *s, const number *z, number *r)

static number square(number z)
{
  return z * z;
}

/* 1, and 21 for pairs of inputs */
void lr_mgh_rosenbrock(const lr_system *s, const number *z, number *r)
{
  for (size_t i = 0; i < s->n; i += 2) {
    r[i] = 10 * (z[i + 1] - z[i] * z[i]);
    r[i + 1] = 1 - z[i];
  }
}

/* 2 */
SYSTEM(freudenstein_roth)
{
  (void)s;
  r[0] = -13 + z[0] + ((5 - z[1]) * z[1] - 2) * z[1];
  r[1] = -29 + z[0] + ((z[1] + 1) * z[1] - 14) * z[1];
}

/* 3 */
SYSTEM(powell_scaled)
{
  (void)s;
  r[0] = 1e4 * z[0] * z[1] - 1;
  r[1] = lr_cexp(-z[0]) + lr_cexp(-z[1]) - 1.0001;
}

/* 4 */
SYSTEM(brown_scaled)
{
  (void)s;
  r[0] = z[0] - 1e6;
  r[1] = z[1] - 2e-6;
  r[2] = z[0] * z[1] - 2;
}

/* 5 */
SYSTEM(beale)
{
  static const double y[] = {1.5, 2.25, 2.625};
  number power = 1;
  (void)s;
  for (size_t i = 0; i < 3; i++) {
    power *= z[1];
    r[i] = y[i] - z[0] * (1 - power);
  }
}

/* 6 */
SYSTEM(jennrich_sampson)
{
  for (size_t i = 0; i < s->m; i++) {
    double k = (double)i + 1;
    r[i] = 2 + 2 * k - (lr_cexp(k * z[0]) + lr_cexp(k * z[1]));
  }
}

/* The angle of (z0, z1) in turns, cut along the negative second axis. */
static number turns(const number *z)
{
  if (creal(z[0]) == 0) return creal(z[1]) < 0 ? -0.25 : 0.25;
  return lr_catan(lr_cdiv(z[1], z[0])) / (2 * LR_PI) +
         (creal(z[0]) < 0 ? 0.5 : 0);
}

/* 7 */
SYSTEM(helical_valley)
{
  (void)s;
  r[0] = 10 * (z[2] - 10 * turns(z));
  r[1] = 10 * (lr_csqrt(z[0] * z[0] + z[1] * z[1]) - 1);
  r[2] = z[2];
}

/* 8 */
SYSTEM(bard)
{
  static const double y[] = {0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39,
                             0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39};
  for (size_t i = 0; i < s->m; i++) {
    double u = (double)i + 1, v = 16 - u, w = fmin(u, v);
    r[i] = y[i] - (z[0] + lr_cdiv(u, v * z[1] + w * z[2]));
  }
}

/* 9 */
SYSTEM(gaussian)
{
  static const double y[] = {0.0009, 0.0044, 0.0175, 0.0540,
                             0.1295, 0.2420, 0.3521, 0.3989};
  for (size_t i = 0; i < s->m; i++) {
    double t = (7 - (double)i) / 2;
    r[i] =
        z[0] * lr_cexp(-0.5 * z[1] * square(t - z[2])) - y[i < 8 ? i : 14 - i];
  }
}

/* 10 */
SYSTEM(meyer)
{
  static const double y[] = {34780, 28610, 23650, 19630, 16370, 13720,
                             11540, 9744,  8261,  7030,  6005,  5147,
                             4427,  3820,  3307,  2872};
  for (size_t i = 0; i < s->m; i++)
    r[i] = z[0] * lr_cexp(lr_cdiv(z[1], 50 + 5 * (double)i + z[2])) - y[i];
}

/* 11; |y - x2| is analytic on either side of y = x2 */
SYSTEM(gulf)
{
  for (size_t i = 0; i < s->m; i++) {
    double t = ((double)i + 1) / 100;
    number way = 25 + lr_pow(-50 * lr_log(t), 2.0 / 3) - z[1];
    if (creal(way) < 0) way = -way;
    r[i] = lr_cexp(-lr_cdiv(lr_cexp(z[2] * lr_clog(way)), z[0])) - t;
  }
}

/* 12 */
SYSTEM(box)
{
  for (size_t i = 0; i < s->m; i++) {
    double t = 0.1 * ((double)i + 1);
    r[i] = lr_cexp(-t * z[0]) - lr_cexp(-t * z[1]) -
           z[2] * (lr_exp(-t) - lr_exp(-10 * t));
  }
}

/* 13, and 22 for groups of four inputs */
void lr_mgh_powell(const lr_system *s, const number *z, number *r)
{
  for (size_t i = 0; i < s->n; i += 4) {
    r[i] = z[i] + 10 * z[i + 1];
    r[i + 1] = sqrt(5) * (z[i + 2] - z[i + 3]);
    r[i + 2] = square(z[i + 1] - 2 * z[i + 2]);
    r[i + 3] = sqrt(10) * square(z[i] - z[i + 3]);
  }
}

/* 14 */
SYSTEM(wood)
{
  (void)s;
  r[0] = 10 * (z[1] - z[0] * z[0]);
  r[1] = 1 - z[0];
  r[2] = sqrt(90) * (z[3] - z[2] * z[2]);
  r[3] = 1 - z[2];
  r[4] = sqrt(10) * (z[1] + z[3] - 2);
  r[5] = (z[1] - z[3]) / sqrt(10);
}

/* 15 */
SYSTEM(kowalik_osborne)
{
  static const double y[] = {0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627,
                             0.0456, 0.0342, 0.0323, 0.0235, 0.0246};
  static const double u[] = {4,     2,   1,      0.5,    0.25,  0.167,
                             0.125, 0.1, 0.0833, 0.0714, 0.0625};
  for (size_t i = 0; i < s->m; i++)
    r[i] = y[i] - lr_cdiv(z[0] * (u[i] * u[i] + u[i] * z[1]),
                          u[i] * u[i] + u[i] * z[2] + z[3]);
}

/* 16 */
SYSTEM(brown_dennis)
{
  for (size_t i = 0; i < s->m; i++) {
    double t = ((double)i + 1) / 5;
    r[i] = square(z[0] + t * z[1] - lr_exp(t)) +
           square(z[2] + z[3] * lr_sin(t) - lr_cos(t));
  }
}

/* 17 */
SYSTEM(osborne_1)
{
  static const double y[] = {0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881,
                             0.850, 0.818, 0.784, 0.751, 0.718, 0.685, 0.658,
                             0.628, 0.603, 0.580, 0.558, 0.538, 0.522, 0.506,
                             0.490, 0.478, 0.467, 0.457, 0.448, 0.438, 0.431,
                             0.424, 0.420, 0.414, 0.411, 0.406};
  for (size_t i = 0; i < s->m; i++) {
    double t = 10 * (double)i;
    r[i] =
        y[i] - (z[0] + z[1] * lr_cexp(-t * z[3]) + z[2] * lr_cexp(-t * z[4]));
  }
}

/* 18 */
SYSTEM(biggs_exp6)
{
  for (size_t i = 0; i < s->m; i++) {
    double t = 0.1 * ((double)i + 1);
    double y = lr_exp(-t) - 5 * lr_exp(-10 * t) + 3 * lr_exp(-4 * t);
    r[i] = z[2] * lr_cexp(-t * z[0]) - z[3] * lr_cexp(-t * z[1]) +
           z[5] * lr_cexp(-t * z[4]) - y;
  }
}

/* 19 */
SYSTEM(osborne_2)
{
  static const double y[] = {
      1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725,
      0.746, 0.679, 0.608, 0.655, 0.616, 0.606, 0.602, 0.626, 0.651, 0.724,
      0.649, 0.649, 0.694, 0.644, 0.624, 0.661, 0.612, 0.558, 0.533, 0.495,
      0.500, 0.423, 0.395, 0.375, 0.372, 0.391, 0.396, 0.405, 0.428, 0.429,
      0.523, 0.562, 0.607, 0.653, 0.672, 0.708, 0.633, 0.668, 0.645, 0.632,
      0.591, 0.559, 0.597, 0.625, 0.739, 0.710, 0.729, 0.720, 0.636, 0.581,
      0.428, 0.292, 0.162, 0.098, 0.054};
  for (size_t i = 0; i < s->m; i++) {
    double t = (double)i / 10;
    r[i] = y[i] - (z[0] * lr_cexp(-t * z[4]) +
                   z[1] * lr_cexp(-square(t - z[8]) * z[5]) +
                   z[2] * lr_cexp(-square(t - z[9]) * z[6]) +
                   z[3] * lr_cexp(-square(t - z[10]) * z[7]));
  }
}

/* 20: the solution of y' - y^2 = 1, y(0) = 0 as a polynomial */
SYSTEM(watson)
{
  for (size_t i = 0; i < 29; i++) {
    double t = ((double)i + 1) / 29, power = 1;
    number y = z[0], slope = 0;
    for (size_t j = 1; j < s->n; j++) {
      slope += (double)j * power * z[j];
      power *= t;
      y += power * z[j];
    }
    r[i] = slope - y * y - 1;
  }
  r[29] = z[0];
  r[30] = z[1] - z[0] * z[0] - 1;
}

/* clang-format off */
#define NUMBERS(name, ...) static const double name[] = {__VA_ARGS__};
NUMBERS(rosenbrock_0, -1.2, 1)
NUMBERS(ones, 1, 1, 1, 1, 1, 1)
NUMBERS(freudenstein_0, 0.5, -2)
NUMBERS(freudenstein_1, 5, 4)
NUMBERS(powell_scaled_0, 0, 1)
NUMBERS(brown_scaled_1, 1e6, 2e-6)
NUMBERS(beale_1, 3, 0.5)
NUMBERS(jennrich_0, 0.3, 0.4)
NUMBERS(helical_0, -1, 0, 0)
NUMBERS(helical_1, 1, 0, 0)
NUMBERS(gaussian_0, 0.4, 1, 0)
NUMBERS(meyer_0, 0.02, 4000, 250)
NUMBERS(gulf_0, 5, 2.5, 0.15)
NUMBERS(gulf_1, 50, 25, 1.5)
NUMBERS(box_0, 0, 10, 20)
NUMBERS(box_1, 1, 10, 1)
NUMBERS(powell_0, 3, -1, 0, 1)
NUMBERS(zeros, 0, 0, 0, 0)
NUMBERS(wood_0, -3, -1, -3, -1)
NUMBERS(kowalik_0, 0.25, 0.39, 0.415, 0.39)
NUMBERS(brown_dennis_0, 25, 5, -5, -1)
NUMBERS(osborne_1_0, 0.5, 1.5, -1, 0.01, 0.02)
NUMBERS(biggs_0, 1, 2, 1, 1, 1, 1)
NUMBERS(biggs_1, 1, 10, 1, 5, 4, 3)
NUMBERS(osborne_2_0, 1.3, 0.65, 0.65, 0.7, 0.6, 3, 5, 7, 2, 4.5, 5.5)

/* Minima that are no closed form: Levenberg-Marquardt with these Jacobians, to
 * the last digits; tests/problems compares with those published. */
const lr_mgh lr_mgh_fixed[LR_MGH_FIXED_COUNT] = {
  {"rosenbrock", 2, 2, LR_MGH_FIXED, lr_mgh_rosenbrock, 2, rosenbrock_0, NULL, ones, 0, NULL},
  {"freudenstein-roth", 2, 2, LR_MGH_FIXED, freudenstein_roth, 2, freudenstein_0, NULL, freudenstein_1, 0, NULL},
  {"powell-badly-scaled", 2, 2, LR_MGH_FIXED, powell_scaled, 2, powell_scaled_0, NULL, NULL, 0, NULL},
  {"brown-badly-scaled", 2, 3, LR_MGH_FIXED, brown_scaled, 2, ones, NULL, brown_scaled_1, 0, NULL},
  {"beale", 2, 3, LR_MGH_FIXED, beale, 2, ones, NULL, beale_1, 0, NULL},
  {"jennrich-sampson", 2, 10, LR_MGH_SAMPLES, jennrich_sampson, 2, jennrich_0, NULL, NULL, 0.5 * 124.3621823556148, NULL},
  {"helical-valley", 3, 3, LR_MGH_FIXED, helical_valley, 3, helical_0, NULL, helical_1, 0, NULL},
  {"bard", 3, 15, LR_MGH_FIXED, bard, 3, ones, NULL, NULL, 0.5 * 8.214877306578967e-3, NULL},
  {"gaussian", 3, 15, LR_MGH_FIXED, gaussian, 3, gaussian_0, NULL, NULL, 0.5 * 1.127932769618411e-8, NULL},
  {"meyer", 3, 16, LR_MGH_FIXED, meyer, 3, meyer_0, NULL, NULL, 0.5 * 87.9458551706, NULL},
  {"gulf", 3, 99, LR_MGH_SAMPLES, gulf, 3, gulf_0, NULL, gulf_1, 0, NULL},
  {"box", 3, 10, LR_MGH_SAMPLES, box, 3, box_0, NULL, box_1, 0, NULL},
  {"powell-singular", 4, 4, LR_MGH_FIXED, lr_mgh_powell, 4, powell_0, NULL, zeros, 0, NULL},
  {"wood", 4, 6, LR_MGH_FIXED, wood, 4, wood_0, NULL, ones, 0, NULL},
  {"kowalik-osborne", 4, 11, LR_MGH_FIXED, kowalik_osborne, 4, kowalik_0, NULL, NULL, 0.5 * 3.0750560384923e-4, NULL},
  {"brown-dennis", 4, 20, LR_MGH_SAMPLES, brown_dennis, 4, brown_dennis_0, NULL, NULL, 0.5 * 85822.2016263563, NULL},
  {"osborne-1", 5, 33, LR_MGH_FIXED, osborne_1, 5, osborne_1_0, NULL, NULL, 0.5 * 5.46489469748e-5, NULL},
  {"biggs-exp6", 6, 13, LR_MGH_SAMPLES, biggs_exp6, 6, biggs_0, NULL, biggs_1, 0, NULL},
  {"osborne-2", 11, 65, LR_MGH_FIXED, osborne_2, 11, osborne_2_0, NULL, NULL, 0.5 * 4.01377362935477e-2, NULL},
  {"watson", 6, 31, LR_MGH_WATSON, watson, 1, zeros, NULL, NULL, 0.5 * 2.28767005355240e-3, NULL},
};
/* clang-format on */
