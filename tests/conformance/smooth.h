/* Smooth functions whose inputs and derivatives are of very different sizes.
 *
 * Fits of the NIST collection of nonlinear regression problems
 * (https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml), each from its
 * first start: the data of Misra1a-d and Thurber as published; those of
 * Gauss1-3, Hahn1, Kirby2 and Chwirut2, which are long, are made from the
 * published parameters with errors of the published size.  Others are from the
 * CUTEst collection (Gould, Orban, Toint, Comput. Optim. Appl. 60, 2015), by
 * its formulas. */
#ifndef TEST_SMOOTH_H
#define TEST_SMOOTH_H

#include "cosines.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { SMOOTH_MOST_P = 110 };

/* One function: its start, its bounds, and what runs come below. */
typedef struct smooth {
  const char *name;
  size_t p;
  double (*f)(size_t p, const double *x);
  void (*start)(size_t p, double *x);
  void (*bounds)(size_t p, double *lower, double *upper); /* NULL: none */
  double below;
} smooth;

/* ---- fits ---- */

static const double misra_x[] = {77.6,  114.9, 141.1, 190.8, 239.9,
                                 289.0, 332.8, 378.4, 434.8, 477.3,
                                 536.8, 593.1, 689.1, 760.0};
static const double misra_y[] = {10.07, 14.73, 17.94, 23.93, 29.61,
                                 35.18, 40.02, 44.82, 50.76, 55.05,
                                 61.01, 66.40, 75.47, 81.78};

/* Sum of squares of y - model(x; b) over data. */
typedef double (*fit_model)(const double *b, double x);

static inline double fit(const double *b, fit_model model, size_t m,
                         const double *x, const double *y)
{
  double sum = 0;
  for (size_t i = 0; i < m; i++) {
    double e = y[i] - model(b, x[i]);
    sum += e * e;
  }
  return sum;
}

static inline double misra_a(const double *b, double x)
{
  return b[0] * (1 - exp(-b[1] * x));
}
static inline double misra_b(const double *b, double x)
{
  double t = 1 + b[1] * x / 2;
  return b[0] * (1 - 1 / (t * t));
}
static inline double misra_c(const double *b, double x)
{
  return b[0] * (1 - 1 / sqrt(1 + 2 * b[1] * x));
}
static inline double misra_d(const double *b, double x)
{
  return b[0] * b[1] * x / (1 + b[1] * x);
}
static inline double misra1a(size_t p, const double *b)
{
  (void)p;
  return fit(b, misra_a, 14, misra_x, misra_y);
}
static inline double misra1b(size_t p, const double *b)
{
  (void)p;
  return fit(b, misra_b, 14, misra_x, misra_y);
}
static inline double misra1c(size_t p, const double *b)
{
  (void)p;
  return fit(b, misra_c, 14, misra_x, misra_y);
}
static inline double misra1d(size_t p, const double *b)
{
  (void)p;
  return fit(b, misra_d, 14, misra_x, misra_y);
}
static inline void misra_start(size_t p, double *b)
{
  (void)p;
  b[0] = 500;
  b[1] = 1e-4;
}

static const double thurber_x[] = {
    -3.067, -2.981, -2.921, -2.912, -2.840, -2.797, -2.702, -2.699,
    -2.633, -2.481, -2.363, -2.322, -1.501, -1.460, -1.274, -1.212,
    -1.100, -1.046, -0.915, -0.714, -0.566, -0.545, -0.400, -0.309,
    -0.109, -0.103, 0.010,  0.119,  0.377,  0.790,  0.963,  1.006,
    1.115,  1.572,  1.841,  2.047,  2.200};
static const double thurber_y[] = {
    80.574,   84.248,   87.264,   87.195,   89.076,   89.608,   89.868,
    90.101,   92.405,   95.854,   100.696,  101.060,  401.672,  390.724,
    567.534,  635.316,  733.054,  759.087,  894.206,  990.785,  1090.109,
    1080.914, 1122.643, 1178.351, 1260.531, 1273.514, 1288.339, 1327.543,
    1353.863, 1414.509, 1425.208, 1421.384, 1442.962, 1464.350, 1468.705,
    1447.894, 1457.628};

/* (b1 + b2 x + b3 x^2 + b4 x^3) / (1 + b5 x + b6 x^2 + b7 x^3) */
static inline double cubics(const double *b, double x)
{
  return (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) /
         (1 + x * (b[4] + x * (b[5] + x * b[6])));
}
static inline double thurber(size_t p, const double *b)
{
  (void)p;
  return fit(b, cubics, 37, thurber_x, thurber_y);
}
static inline void thurber_start(size_t p, double *b)
{
  static const double start[] = {1000, 1000, 400, 40, 0.7, 0.3, 0.03};
  for (size_t i = 0; i < p; i++) b[i] = start[i];
}

/* Fits of data that are made: m values of the model at x from low to high, off
 * by `error` in a pattern that has no trend. */
typedef struct made_fit {
  fit_model model;
  const double *truth;
  double low, high, error;
  int m;
} made_fit;

static inline double fit_made(const double *b, const made_fit *d)
{
  double sum = 0;
  for (int i = 0; i < d->m; i++) {
    double x = d->low + (d->high - d->low) * i / (d->m - 1);
    double y = d->model(d->truth, x) + d->error * sin(7.0 * i * i + 1);
    double e = y - d->model(b, x);
    sum += e * e;
  }
  return sum;
}

static inline double gaussians(const double *b, double x)
{
  double u = (x - b[3]) / b[4], v = (x - b[6]) / b[7];
  return b[0] * exp(-b[1] * x) + b[2] * exp(-u * u) + b[5] * exp(-v * v);
}
static inline double gauss1(size_t p, const double *b)
{
  static const double truth[] = {98.778, 0.010497, 100.49,  67.481,
                                 23.130, 71.994,   178.998, 18.389};
  static const made_fit d = {gaussians, truth, 1, 250, 3.3, 250};
  (void)p;
  return fit_made(b, &d);
}
static inline double gauss2(size_t p, const double *b)
{
  static const double truth[] = {99.018, 0.010995, 101.88, 107.03,
                                 23.579, 72.046,   153.27, 19.526};
  static const made_fit d = {gaussians, truth, 1, 250, 3.2, 250};
  (void)p;
  return fit_made(b, &d);
}
static inline double gauss3(size_t p, const double *b)
{
  static const double truth[] = {98.940, 0.010946, 100.70, 111.64,
                                 23.300, 73.705,   147.76, 19.668};
  static const made_fit d = {gaussians, truth, 1, 250, 3.2, 250};
  (void)p;
  return fit_made(b, &d);
}
static inline void gauss1_start(size_t p, double *b)
{
  static const double start[] = {97, 0.009, 100, 65, 20, 70, 178, 16.5};
  for (size_t i = 0; i < p; i++) b[i] = start[i];
}
static inline void gauss2_start(size_t p, double *b)
{
  static const double start[] = {96, 0.009, 103, 106, 18, 72, 151, 18};
  for (size_t i = 0; i < p; i++) b[i] = start[i];
}
static inline void gauss3_start(size_t p, double *b)
{
  static const double start[] = {94.9, 0.009, 90.1, 113, 20, 73.8, 140, 20};
  for (size_t i = 0; i < p; i++) b[i] = start[i];
}

static inline double hahn1(size_t p, const double *b)
{
  static const double truth[] = {
      1.0776351733,     -0.12269296921,  4.0863750610e-3, -1.4262662514e-6,
      -5.7609940901e-3, 2.4053735503e-4, -1.2314450199e-7};
  static const made_fit d = {cubics, truth, 14, 851, 0.11, 236};
  (void)p;
  return fit_made(b, &d);
}
static inline void hahn1_start(size_t p, double *b)
{
  static const double start[] = {10, -1, 0.05, -1e-5, -0.05, 0.001, -1e-6};
  for (size_t i = 0; i < p; i++) b[i] = start[i];
}

static inline double squares(const double *b, double x)
{
  return (b[0] + x * (b[1] + x * b[2])) / (1 + x * (b[3] + x * b[4]));
}
static inline double kirby2(size_t p, const double *b)
{
  static const double truth[] = {1.6745063063, -0.13927397867, 2.5961181191e-3,
                                 -1.7241811870e-3, 2.1664802578e-5};
  static const made_fit d = {squares, truth, 9.65, 371.3, 0.23, 151};
  (void)p;
  return fit_made(b, &d);
}
static inline void kirby2_start(size_t p, double *b)
{
  static const double start[] = {2, -0.1, 0.003, -0.001, 1e-5};
  for (size_t i = 0; i < p; i++) b[i] = start[i];
}

static inline double chwirut(const double *b, double x)
{
  return exp(-b[0] * x) / (b[1] + b[2] * x);
}
static inline double chwirut2(size_t p, const double *b)
{
  static const double truth[] = {0.16657666537, 5.1653291286e-3,
                                 0.012150007096};
  static const made_fit d = {chwirut, truth, 0.5, 5.75, 4.4, 54};
  (void)p;
  return fit_made(b, &d);
}
static inline void chwirut2_start(size_t p, double *b)
{
  static const double start[] = {0.1, 0.01, 0.02};
  for (size_t i = 0; i < p; i++) b[i] = start[i];
}

/* ---- CUTEst ---- */

static const double beam_x[] = {
    39.1722, 53.9707, 47.9829, 12.5925, 16.5414, 18.9548, 27.7168, 31.9201,
    45.6830, 22.2524, 33.9805, 6.8425,  35.1677, 33.5682, 43.3659, 13.3835,
    25.7273, 21.0230, 10.9755, 1.5323,  45.4416, 14.5431, 22.4313, 29.0144,
    25.2675, 15.5095, 9.6297,  8.3009,  30.8694, 43.3299};
static const double beam_v[] = {
    -1.2026, 1.7053, 0.5410,  1.1477,  1.2447,  0.9428,  -0.1360, -0.7542,
    -0.3396, 0.7057, -0.8509, -0.1201, -1.2193, -1.0448, -0.7723, 0.4342,
    0.1154,  0.2868, 0.3558,  -0.5090, -0.0842, 0.6021,  0.1197,  -0.1827,
    0.1806,  0.5395, 0.2072,  0.1466,  -0.2672, -0.3038};
static const double beam_p[] = {2.5736, 2.7078, 2.6613, 2.0374, 2.1553, 2.2195,
                                2.4077, 2.4772, 2.6409, 2.2981, 2.5073, 1.8380,
                                2.5236, 2.5015, 2.6186, 0.4947, 0.6062, 0.5588,
                                0.4772, 0.4184, 0.9051, 0.5035, 0.5723, 0.6437,
                                0.6013, 0.5111, 0.4679, 0.4590, 0.6666, 0.8630};

static inline double vibrbeam(size_t p, const double *c)
{
  double sum = 0;
  (void)p;
  for (int i = 0; i < 30; i++) {
    double x = beam_x[i];
    double size = c[0] + x * (c[1] + x * (c[2] + x * c[3]));
    double phase = c[4] + x * (c[5] + x * (c[6] + x * c[7])) - beam_p[i];
    double e = size * cos(phase) - beam_v[i];
    sum += e * e;
  }
  return sum;
}
static inline void vibrbeam_start(size_t p, double *c)
{
  for (size_t i = 0; i < p; i++) c[i] = 0;
  c[0] = -3.5;
  c[1] = 1;
  c[4] = 1.7;
}

static const double palmer_x[] = {
    0,        0.139626, 0.261799, 0.436332, 0.565245, 0.512942, 0.610865,
    0.785398, 0.959931, 1.134464, 1.308997, 1.483530, 1.658063};
static const double palmer_y[] = {
    4.419446, 3.564931, 2.139067,  0.404686,  0.000000,  0.035152,  0.146813,
    2.718058, 9.474417, 26.132221, 41.451561, 72.283164, 117.630959};

static inline double palmer7a(size_t p, const double *a)
{
  double sum = 0;
  (void)p;
  for (int i = 0; i < 13; i++) {
    double s = palmer_x[i] * palmer_x[i];
    double e = a[0] + s * (a[1] + s * (a[2] + s * a[3])) + a[4] / (a[5] + s) -
               palmer_y[i];
    sum += e * e;
  }
  return sum;
}
static inline void all_ones(size_t p, double *x)
{
  for (size_t i = 0; i < p; i++) x[i] = 1;
}
static inline void palmer_bounds(size_t p, double *lower, double *upper)
{
  for (size_t i = 0; i < p; i++) {
    lower[i] = i < 4 ? -INFINITY : 1e-5;
    upper[i] = INFINITY;
  }
}

static inline double djtl_term(double g)
{
  return g + 1 <= 0 ? 1e10 * g * g : -log(g + 1);
}
static inline double djtl(size_t p, const double *x)
{
  double a = (x[0] - 5) * (x[0] - 5), b = (x[1] - 5) * (x[1] - 5);
  double c = (x[0] - 6) * (x[0] - 6);
  (void)p;
  return pow(x[0] - 10, 3) + pow(x[1] - 20, 3) + djtl_term(a + b - 100) +
         djtl_term(200 - a - b) + djtl_term(82.81 - b - c) + djtl_term(b + c) +
         djtl_term(x[0] - 13) + djtl_term(100 - x[0]) + djtl_term(x[1]) +
         djtl_term(100 - x[1]);
}
static inline void djtl_start(size_t p, double *x)
{
  (void)p;
  x[0] = 15;
  x[1] = 6;
}

static inline double humps(size_t p, const double *x)
{
  double s = sin(20 * x[0]) * sin(20 * x[1]);
  (void)p;
  return s * s + 0.05 * (x[0] * x[0] + x[1] * x[1]);
}
static inline void humps_start(size_t p, double *x)
{
  (void)p;
  x[0] = -506;
  x[1] = -506.2;
}

static inline double indefm(size_t p, const double *x)
{
  double sum = 0;
  for (size_t i = 0; i < p; i++) sum += 100 * sin(0.01 * x[i]);
  for (size_t i = 1; i + 1 < p; i++)
    sum += 0.5 * cos(2 * x[i] - x[p - 1] - x[0]);
  return sum;
}
static inline void indefm_start(size_t p, double *x)
{
  for (size_t i = 0; i < p; i++) x[i] = (double)(i + 1) / (double)(p + 1);
}

static inline double ncb20(size_t p, const double *x)
{
  size_t n = p - 10;
  const double *y = x + n;
  double sum = 2.0 * (double)(n + 1);
  for (size_t i = 0; i + 20 < n; i++) {
    double s = 0, t = 0;
    for (size_t j = i; j < i + 20; j++) {
      s += x[j] / (1 + x[j] * x[j]);
      t += x[j];
    }
    sum += 10.0 / (double)(i + 1) * s * s - 0.2 * t;
  }
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i] * x[i] * x[i];
  for (size_t i = 0; i < 10; i++)
    sum += 1e-4 * (x[i] * x[i + 10] * y[i] + 2 * y[i] * y[i]);
  return sum;
}
static inline void ncb20_start(size_t p, double *x)
{
  for (size_t i = 0; i < p; i++) x[i] = i + 10 < p ? 0 : 1;
}

static inline double scond1(size_t p, const double *u)
{
  size_t n = p - 2, last = 9 * n / 10;
  double h = 1e-4 / (double)(n + 1), ca = h * h * 1e12, cb = h * h * 1e13;
  double sum = 0;
  for (size_t i = 1; i <= n; i++) {
    double g = u[i - 1] - 2 * u[i] + u[i + 1] - (i <= last ? ca : -cb) +
               ca * exp(-40 * u[i]) - cb * exp(40 * (u[i] - 700));
    sum += g * g;
  }
  return sum;
}
static inline void scond1_start(size_t p, double *u)
{
  for (size_t i = 0; i < p; i++) u[i] = 0;
  u[p - 1] = 700;
}
static inline void scond1_bounds(size_t p, double *lower, double *upper)
{
  for (size_t i = 0; i < p; i++) {
    lower[i] = i == 0 ? 0 : i == p - 1 ? 700 : -5;
    upper[i] = i == 0 ? 0 : i == p - 1 ? 700 : 705;
  }
}

static inline size_t hadamard_order(size_t p)
{
  return (size_t)(sqrt((double)p) + 0.5);
}
static inline double hadamals(size_t p, const double *q)
{
  size_t n = hadamard_order(p);
  double sum = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i <= j; i++) {
      double e = i == j ? -(double)n : 0;
      for (size_t k = 0; k < n; k++) e += q[i * n + k] * q[j * n + k];
      sum += e * e;
    }
  for (size_t j = 0; j < n; j++)
    for (size_t i = 1; i < n; i++) {
      double e = q[j * n + i] * q[j * n + i] - 1;
      sum += e * e;
    }
  return sum;
}
static inline void hadamals_start(size_t p, double *q)
{
  size_t n = hadamard_order(p);
  for (size_t i = 0; i < p; i++) q[i] = i % n < n / 2 ? 0.9 : -0.9;
}
static inline void hadamals_bounds(size_t p, double *lower, double *upper)
{
  size_t n = hadamard_order(p);
  for (size_t i = 0; i < p; i++) {
    double first = i % n < n / 2 ? 1 : -1;
    lower[i] = i < n ? first : -1;
    upper[i] = i < n ? first : 1;
  }
}

static const smooth smooth_all[] = {
    {"MISRA1A",   2,   misra1a,     misra_start,       NULL,            30   },
    {"MISRA1B",   2,   misra1b,     misra_start,       NULL,            10   },
    {"MISRA1C",   2,   misra1c,     misra_start,       NULL,            6    },
    {"MISRA1D",   2,   misra1d,     misra_start,       NULL,            2    },
    {"THURBER",   7,   thurber,     thurber_start,     NULL,            1e4  },
    {"GAUSS1",    8,   gauss1,      gauss1_start,      NULL,            1500 },
    {"GAUSS2",    8,   gauss2,      gauss2_start,      NULL,            1400 },
    {"GAUSS3",    8,   gauss3,      gauss3_start,      NULL,            1400 },
    {"HAHN1",     7,   hahn1,       hahn1_start,       NULL,            1e5  },
    {"KIRBY2",    5,   kirby2,      kirby2_start,      NULL,            5    },
    {"CHWIRUT2",  3,   chwirut2,    chwirut2_start,    NULL,            440  },
    {"VIBRBEAM",  8,   vibrbeam,    vibrbeam_start,    NULL,            20   },
    {"PALMER7A",  6,   palmer7a,    all_ones,          palmer_bounds,   35   },
    {"DJTL",      2,   djtl,        djtl_start,        NULL,            -8500},
    {"HUMPS",     2,   humps,       humps_start,       NULL,            0.1  },
    {"SCOSINE",   10,  scosine,     scosine_start,     NULL,            -3   },
    {"cosine 10", 10,  mild_cosine, mild_cosine_start, NULL,            -8.7 },
    {"cosine 30", 30,  mild_cosine, mild_cosine_start, NULL,            -20  },
    {"INDEFM",    10,  indefm,      indefm_start,      NULL,            -890 },
    {"NCB20",     110, ncb20,       ncb20_start,       NULL,            184  },
    {"SCOND1LS",  12,  scond1,      scond1_start,      scond1_bounds,   3.1e5},
    {"HADAMALS",  36,  hadamals,    hadamals_start,    hadamals_bounds, 90   },
};
enum { SMOOTH_COUNT = sizeof smooth_all / sizeof smooth_all[0] };

#endif
