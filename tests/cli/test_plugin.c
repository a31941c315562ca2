/* A plugin for the tests: |x - shift|^2 in p = 3 or --dim dimensions, by value
 * and gradient; --set shift=... sets shift, --set refuse makes it refuse, --set
 * later lets it set a member that the problem of a later version might have. */
#include <lrgd/plugin.h>
#include <stdlib.h>
#include <string.h>

static double shift = 1;

static double gradient(size_t p, const double *x, double *g, void *user)
{
  double f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) {
    f += (x[i] - shift) * (x[i] - shift);
    g[i] = 2 * (x[i] - shift);
  }
  return f;
}

static double value(size_t p, const double *x, void *user)
{
  double f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) f += (x[i] - shift) * (x[i] - shift);
  return f;
}

lrgd_status lrgd_plugin(lrgd_problem *problem, const char *text,
                        lrgd_error *error)
{
  if (strncmp(text, "refuse", 6) == 0) {
    strcpy(error->text, "no thanks");
    return LRGD_ERR_INVALID;
  }
  if (strncmp(text, "later", 5) == 0)
    memset((char *)problem + sizeof *problem, 1, 16);
  if (strncmp(text, "shift=", 6) == 0) shift = strtod(text + 6, NULL);
  if (problem->dimension == 0) problem->dimension = 3;
  problem->value = value;
  problem->gradient = gradient;
  return LRGD_OK;
}
