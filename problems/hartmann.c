/* Hartmann's function of 6 variables (Dixon and Szego, 1978): four wells,
 * f = 0 far away.  From the start, the middle of its usual box, descent leads
 * to the deepest. */
#include "analytic.h"
#include "embedded.h"

static const lr_parameter parameters[] = {
    {"p",    "100", "dimension; at least 6"},
    {"seed", "1",   "of the embedding A"   },
};

enum { WELLS = 4, WIDTH = 6 };

static const double depth[WELLS] = {1, 1.2, 3, 3.2};
static const double sharp[WELLS][WIDTH] = {
    {10,   3,   17,   3.5, 1.7, 8 },
    {0.05, 10,  17,   0.1, 8,   14},
    {3,    3.5, 1.7,  10,  17,  8 },
    {17,   8,   0.05, 10,  0.1, 14},
};
static const double centre[WELLS][WIDTH] = {
    {0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
    {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
    {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
    {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381},
};

static double complex hartmann(size_t n, const double complex *z,
                               const void *data)
{
  double complex sum = 0;
  (void)data;
  for (size_t i = 0; i < WELLS; i++) {
    double complex far = 0;
    for (size_t j = 0; j < n; j++) {
      double complex d = z[j] - centre[i][j];
      far += sharp[i][j] * d * d;
    }
    sum -= depth[i] * lr_cexp(-far);
  }
  return sum;
}

static const double start[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
static const double minimiser[] = {0.20168951100670543, 0.15001069182345797,
                                   0.47687397422189703, 0.2753324304940561,
                                   0.31165161660011326, 0.6573005340656204};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  lr_core_formula formula = {
      WIDTH, WIDTH, start, minimiser, -3.322368011415515, hartmann, NULL, 0};
  lr_embedded_check(reader, WIDTH, p);
  return lr_embedded_build(problem, reader, p, &formula);
}

const lr_problem_kind lr_kind_hartmann = {
    "hartmann", "Hartmann's four wells in 6 of p directions", parameters,
    sizeof parameters / sizeof parameters[0], build};
