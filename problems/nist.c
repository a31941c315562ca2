/* Nonlinear regression on NIST's reference data (nist.h): the models, and the
 * problem made of a set. */
#include "nist.h"

#include <math.h>
#include <string.h>

#include "analytic.h"

static const lr_parameter parameters[] = {
    {"set",   "Misra1a", "its name, as `Thurber`"                        },
    {"start", "1",       "1: NIST's first start, far away; 2: the second"},
    LR_SYSTEM_P,
    LR_SYSTEM_BOX,
    LR_SYSTEM_SEED,
};

/* ---- the models ---- */

LR_NIST_MODEL(saturation)
{
  return b[0] * (1 - lr_cexp(-b[1] * x));
}

LR_NIST_MODEL(chwirut)
{
  return lr_cdiv(lr_cexp(-b[0] * x), b[1] + b[2] * x);
}

LR_NIST_MODEL(lanczos)
{
  return b[0] * lr_cexp(-b[1] * x) + b[2] * lr_cexp(-b[3] * x) +
         b[4] * lr_cexp(-b[5] * x);
}

LR_NIST_MODEL(power)
{
  return b[0] * lr_cexp(b[1] * lr_log(x));
}

LR_NIST_MODEL(misra1b)
{
  double complex under = 1 + b[1] * x / 2;
  return b[0] * (1 - lr_cdiv(1, under * under));
}

LR_NIST_MODEL(misra1c)
{
  return b[0] * (1 - lr_cdiv(1, lr_csqrt(1 + 2 * b[1] * x)));
}

LR_NIST_MODEL(misra1d)
{
  return lr_cdiv(b[0] * b[1] * x, 1 + b[1] * x);
}

LR_NIST_MODEL(roszman)
{
  return b[0] - b[1] * x - lr_catan(lr_cdiv(b[2], x - b[3])) / LR_PI;
}

LR_NIST_MODEL(mgh17)
{
  return b[0] + b[1] * lr_cexp(-x * b[3]) + b[2] * lr_cexp(-x * b[4]);
}

LR_NIST_MODEL(mgh09)
{
  return lr_cdiv(b[0] * (x * x + x * b[1]), x * x + x * b[2] + b[3]);
}

LR_NIST_MODEL(cubic)
{
  return lr_cdiv(b[0] + x * (b[1] + x * (b[2] + x * b[3])),
                 1 + x * (b[4] + x * (b[5] + x * b[6])));
}

LR_NIST_MODEL(rat42)
{
  return lr_cdiv(b[0], 1 + lr_cexp(b[1] - b[2] * x));
}

LR_NIST_MODEL(mgh10)
{
  return b[0] * lr_cexp(lr_cdiv(b[1], x + b[2]));
}

LR_NIST_MODEL(eckerle)
{
  double complex way = lr_cdiv(x - b[2], b[1]);
  return lr_cdiv(b[0], b[1]) * lr_cexp(-0.5 * way * way);
}

LR_NIST_MODEL(rat43)
{
  double complex rest = 1 + lr_cexp(b[1] - b[2] * x);
  return b[0] * lr_cexp(-lr_cdiv(lr_clog(rest), b[3]));
}

/* ---- the problem ---- */

static void residuals(const lr_system *s, const double complex *z,
                      double complex *r)
{
  const lr_nist *set = s->data;
  for (size_t i = 0; i < set->m; i++)
    r[i] = set->model(z, set->x[i]) - set->y[i];
}

static const lr_nist *find(lr_reader *reader)
{
  const char *name = lr_reader_text(reader, "set", NULL);
  for (size_t i = 0; i < LR_NIST_COUNT; i++)
    if (strcmp(lr_nist_sets[i].name, name) == 0) return &lr_nist_sets[i];
  lr_reader_fail(reader, LRGD_ERR_INVALID,
                 "no set of NIST's is here that is called '%.60s'", name);
  return NULL;
}

/* The minimiser is certified to ten digits only, and is not stated. */
static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  const lr_nist *set = find(reader);
  size_t start = lr_reader_size(reader, "start", 1, 2);
  if (reader->status) return reader->status;
  return lr_system_build(problem, reader,
                         &(lr_system){set->n, set->m, residuals, set},
                         &(lr_system_facts){.start = set->start[start - 1],
                                            .minimum = 0.5 * set->squares});
}

const lr_problem_kind lr_kind_nist = {
    "nist", "nonlinear regression on NIST's reference data", parameters,
    sizeof parameters / sizeof parameters[0], build};
