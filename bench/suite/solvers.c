/* The list of solvers: our methods, and the peers found at build time. */
#include "bench.h"
#include "peers.h"

#include <string.h>

static const bench_solver *const families[] = {
    bench_ours,
#ifdef BENCH_WITH_NLOPT
    bench_nlopt,  bench_nlopt_limits,
#endif
#ifdef BENCH_WITH_GSL
    bench_gsl,
#endif
#ifdef BENCH_WITH_TAO
    bench_tao,
#endif
#ifdef BENCH_WITH_PYTHON
    bench_python,
#endif
};

enum { FAMILIES = sizeof families / sizeof families[0] };

/* Whether name is one of the words separated by '|'. */
static bool listed(const char *words, const char *name, size_t length)
{
  while (words) {
    size_t n = strcspn(words, "|");
    if (n == length && strncmp(words, name, n) == 0) return true;
    words = words[n] ? words + n + 1 : NULL;
  }
  return false;
}

/* Whether the library has a method of that name, determined at run time. */
static bool has_method(const char *name, size_t length)
{
  for (size_t i = 0; i < lrgd_option_count(); i++)
    if (strcmp(lrgd_option_at(i)->name, "method") == 0)
      return listed(lrgd_option_at(i)->choices, name, length);
  return false;
}

static bool there(const bench_solver *solver)
{
  size_t length = strcspn(solver->name, "+*");
  if (strcmp(solver->name, "auto-f") == 0) length = strlen("auto");
  return solver->run != bench_run_ours || has_method(solver->name, length);
}

static const bench_solver *step(size_t *family, const bench_solver *at)
{
  at = at ? at + 1 : families[0];
  while (!at->name || !there(at)) {
    if (at->name) {
      at++;
      continue;
    }
    if (++*family == FAMILIES) return NULL;
    at = families[*family];
  }
  return at;
}

const bench_solver *bench_solver_at(size_t index)
{
  size_t family = 0;
  const bench_solver *at = step(&family, NULL);
  while (at && index-- > 0) at = step(&family, at);
  return at;
}

size_t bench_solver_count(void)
{
  size_t count = 0;
  while (bench_solver_at(count)) count++;
  return count;
}

const bench_solver *bench_solver_find(const char *spec)
{
  size_t length = strcspn(spec, ":");
  const bench_solver *solver;
  for (size_t i = 0; (solver = bench_solver_at(i)); i++)
    if (strlen(solver->name) == length &&
        strncmp(solver->name, spec, length) == 0)
      return solver;
  return NULL;
}

bool bench_solver_is_ours(const bench_solver *solver)
{
  return solver->run == bench_run_ours;
}
