/* The problems of the benchmark as one table.  A suite is a class, a mark, or
 * all problems.  Seeds 1 to 99 are for tuning; reported numbers use seeds from
 * 101. */
#include "bench.h"

#include <string.h>

#define Q BENCH_QUICK
#define T BENCH_TUNE
#define S BENCH_SMOKE

/* clang-format off */
const bench_case bench_cases[] = {
  {BENCH_EXACT, "r5 p100", "quadratic p=100 rank=5 kappa=100", 5, 0, 0, 0, T | S},
  {BENCH_EXACT, "r10 p100", "quadratic p=100 rank=10 kappa=100", 10, 0, 0, 0, T},
  {BENCH_EXACT, "r13 p160", "quadratic p=160 rank=13 kappa=100", 13, 0, 0, 0, T},
  {BENCH_EXACT, "r3 p1000", "quadratic p=1000 rank=3 kappa=10", 3, 0, 0, 0, 0},
  {BENCH_EXACT, "r5 p1000", "quadratic p=1000 rank=5 kappa=100", 5, 0, 0, 0, Q | T},
  {BENCH_EXACT, "r10 p1000", "quadratic p=1000 rank=10 kappa=100", 10, 0, 0, 0, Q | T},
  {BENCH_EXACT, "r20 p1000", "quadratic p=1000 rank=20 kappa=100", 20, 0, 0, 0, T},
  {BENCH_EXACT, "r10 k1e4 p1000", "quadratic p=1000 rank=10 kappa=1e4", 10, 0, 0, 0, T},
  {BENCH_EXACT, "r40 k1000 p500", "quadratic p=500 rank=40 kappa=1000", 40, 0, 0, 0, T},
  {BENCH_EXACT, "lsq r8 p500", "least-squares p=500 rank=8 n=300", 8, 0, 0, 0, T},
  {BENCH_EXACT, "logistic r8 p500", "logistic p=500 rank=8 n=400", 8, 0, 0, 0, T},
  {BENCH_EXACT, "r10 p10000", "quadratic p=10000 rank=10 kappa=100", 10, 0, 0, 300000, 0},
  {BENCH_EXACT, "r20 p10000", "quadratic p=10000 rank=20 kappa=100", 20, 0, 0, 300000, 0},
  {BENCH_EXACT, "r5 p100000", "quadratic p=100000 rank=5 kappa=100", 5, 0, 0, 20000, 0},
  {BENCH_EXACT, "r10 p100000", "quadratic p=100000 rank=10 kappa=100", 10, 0, 0, 20000, 0},

  {BENCH_EMBEDDED, "rosenbrock2 p200", "rosenbrock p=200 n=2", 2, 0, 0, 0, Q | T},
  {BENCH_EMBEDDED, "rosenbrock10 p200", "chained-rosenbrock p=200 n=10", 10, 0, 0, 0, Q | T},
  {BENCH_EMBEDDED, "hartmann6 p100", "hartmann p=100", 6, 0, 0, 0, Q | T},
  {BENCH_EMBEDDED, "hartmann6 p300", "hartmann p=300", 6, 0, 0, 0, T},
  {BENCH_EMBEDDED, "beale p100", "beale p=100", 2, 0, 0, 0, Q | T | S},
  {BENCH_EMBEDDED, "beale p200", "beale p=200", 2, 0, 0, 0, T},
  {BENCH_EMBEDDED, "powell8 p300", "powell p=300 n=8", 8, 0, 0, 0, T},
  {BENCH_EMBEDDED, "branin p100", "branin p=100", 2, 0, 0, 0, T},
  {BENCH_EMBEDDED, "styblinski10 p300", "styblinski-tang p=300 n=10", 10, 0, 0, 0, T},
  {BENCH_EMBEDDED, "predator p300", "predator p=300", 6, 0, 0, 0, T},
  {BENCH_EMBEDDED, "rosenbrock10 p100", "chained-rosenbrock p=100 n=10", 10, 0, 0, 0, T},
  {BENCH_EMBEDDED, "rosenbrock10 p1000", "chained-rosenbrock p=1000 n=10", 10, 0, 0, 0, T},
  {BENCH_EMBEDDED, "hartmann6 p1000", "hartmann p=1000", 6, 0, 0, 0, 0},
  {BENCH_EMBEDDED, "branin p1000", "branin p=1000", 2, 0, 0, 0, 0},
  {BENCH_EMBEDDED, "powell8 p2000", "powell p=2000 n=8", 8, 0, 0, 100000, 0},
  {BENCH_EMBEDDED, "beale p2000", "beale p=2000", 2, 0, 0, 100000, 0},

  {BENCH_APPROXIMATE, "ridge 1e-4 p100", "logistic p=100 rank=8 n=300 lambda=1e-4", 8, 0, 0, 0, Q | T},
  {BENCH_APPROXIMATE, "ridge 1e-4 p300", "logistic p=300 rank=10 n=400 lambda=1e-4", 10, 0, 0, 0, T},
  {BENCH_APPROXIMATE, "ridge 1e-6 p300", "logistic p=300 rank=10 n=400 lambda=1e-6", 10, 0, 0, 0, T},
  {BENCH_APPROXIMATE, "ridge 1e-4 p1000", "logistic p=1000 rank=10 n=400 lambda=1e-4", 10, 0, 0, 0, 0},
  {BENCH_APPROXIMATE, "tail 1e-4 p300", "quadratic p=300 rank=10 kappa=100 tail=1e-4", 10, 0, 0, 0, T},
  {BENCH_APPROXIMATE, "tail 1e-3 p100", "quadratic p=100 rank=5 kappa=100 tail=1e-3", 5, 0, 0, 0, T},
  {BENCH_APPROXIMATE, "heat rod p60", "heat-rod p=60", 8, 0, 0, 0, Q | T},
  {BENCH_APPROXIMATE, "heat rod p200", "heat-rod p=200 sensors=12", 12, 0, 0, 0, T},
  {BENCH_APPROXIMATE, "decays p50", "exponentials p=50", 6, 0, 0, 0, T},
  {BENCH_APPROXIMATE, "decays p100", "exponentials p=100", 6, 0, 0, 0, T},
  {BENCH_APPROXIMATE, "predator prior p200", "predator p=200 prior=1e-4", 6, 0, 0, 0, T},

  {BENCH_FULLRANK, "quadratic p60", "quadratic p=60 rank=60 kappa=100", 60, 0, 0, 0, Q | T},
  {BENCH_FULLRANK, "quadratic k10 p100", "quadratic p=100 rank=100 kappa=10", 100, 0, 0, 0, T},
  {BENCH_FULLRANK, "quadratic k1e3 p200", "quadratic p=200 rank=200 kappa=1000", 200, 0, 0, 0, 0},
  {BENCH_FULLRANK, "axes k100 p60", "quadratic p=60 rank=60 kappa=100 rotation=none", 60, 0, 0, 0, T},
  {BENCH_FULLRANK, "axes k1e4 p200", "quadratic p=200 rank=200 kappa=1e4 rotation=none", 200, 0, 0, 0, 0},
  {BENCH_FULLRANK, "rosenbrock100", "chained-rosenbrock p=100 n=100", 100, 0, 0, 80000, T},
  {BENCH_FULLRANK, "rosenbrock100 pairs", "rosenbrock p=100 n=100", 100, 0, 0, 0, T},

  {BENCH_NOISE, "r5 p100 1e-6", "quadratic p=100 rank=5 kappa=50", 5, 1e-6, 0, 0, Q | T},
  {BENCH_NOISE, "r8 p300 1e-6", "quadratic p=300 rank=8 kappa=50", 8, 1e-6, 0, 0, T},
  {BENCH_NOISE, "beale p300 1e-6", "beale p=300", 2, 1e-6, 0, 0, T},
  {BENCH_NOISE, "hartmann6 p300 1e-6", "hartmann p=300", 6, 1e-6, 0, 0, T},
  {BENCH_NOISE, "r8 p300 1e-4", "quadratic p=300 rank=8 kappa=50", 8, 1e-4, 0, 0, T},

  {BENCH_BOUNDS, "r5 p200 box 10", "quadratic p=200 rank=5 kappa=100", 5, 0, 10, 0, T},
  {BENCH_BOUNDS, "r5 p200 box 0.2", "quadratic p=200 rank=5 kappa=100", 5, 0, 0.2, 0, T},
  {BENCH_BOUNDS, "beale p200 box 3", "beale p=200", 2, 0, 3, 0, T},
  {BENCH_BOUNDS, "hartmann6 p200 box 1.2", "hartmann p=200", 6, 0, 1.2, 0, T},
  {BENCH_BOUNDS, "rosenbrock2 p200 box 0.5", "rosenbrock p=200 n=2", 2, 0, 0.5, 0, T},
  {BENCH_BOUNDS, "heat rod p60 box 0.5", "heat-rod p=60", 8, 0, 0.5, 0, 0},

  {BENCH_SIMULATORS, "airfoil p36", "airfoil p=36", 10, 0, 0, 0, 0},
  {BENCH_SIMULATORS, "ladder p72", "ladder p=72", 20, 0, 0, 0, 0},
  {BENCH_SIMULATORS, "ngspice p72", "ngspice", 20, 0, 0, 0, 0},
  {BENCH_SIMULATORS, "cascade p80", "cascade p=80", 10, 0, 0, 0, 0},
  {BENCH_SIMULATORS, "plate fit p160", "plate length=16 width=10", 10, 0, 0, 0, 0},
  {BENCH_SIMULATORS, "plate weight p160", "plate length=16 width=10 goal=weight", 20, 0, 0, 0, 0},
  {BENCH_SIMULATORS, "swing p60", "swing p=60", 20, 0, 0, 0, 0},
  {BENCH_SIMULATORS, "aquifer p100", "aquifer along=10 across=10", 20, 0, 0, 0, 0},
  {BENCH_SIMULATORS, "coating p40", "coating p=40", 20, 0, 0, 0, 0},
  {BENCH_SIMULATORS, "pathway p48", "pathway", 10, 0, 0, 0, 0},
  {BENCH_SIMULATORS, "antenna p64", "antenna p=64", 20, 0, 0, 0, 0},
  {BENCH_SIMULATORS, "tower p90", "tower storeys=10", 20, 0, 0, 0, 0},
};
/* clang-format on */

const size_t bench_case_count = sizeof bench_cases / sizeof bench_cases[0];

static const struct {
  const char *name, *title;
} classes[BENCH_CLASSES] = {
    [BENCH_EXACT] = {"exact",           "exactly low rank"                    },
    [BENCH_EMBEDDED] = {"embedded",        "classics embedded in many dimensions"},
    [BENCH_APPROXIMATE] = {"approximate",     "approximately low rank"              },
    [BENCH_FULLRANK] = {"fullrank",        "full rank"                           },
    [BENCH_NOISE] = {"noise",           "noisy values"                        },
    [BENCH_BOUNDS] = {"bounds",          "in a box"                            },
    [BENCH_FIT_LOW_RANK] = {"fit-low-rank",    "fits of low rank"                    },
    [BENCH_FIT_CALIBRATION] = {"fit-calibration", "calibrations"                        },
    [BENCH_FIT_FULL_RANK] = {"fit-full-rank",   "fits of full rank"                   },
    [BENCH_FIT_SMALL] = {"fit-small",       "fits of a few parameters"            },
    [BENCH_FIT_BOX] = {"fit-box",         "fits in a box"                       },
    [BENCH_COLLECTION] = {"collection",      "others' test functions, f alone told"},
    [BENCH_COLLECTION_BOX] = {"collection-box",  "the same in a box"                   },
    [BENCH_CONSTRAINED] = {"constrained",     "limits on outputs"                   },
    [BENCH_SIMULATORS] = {"simulators",      "simulators"                          },
};

static const struct {
  const char *name;
  unsigned mark;
} marks[] = {
    {"quick", BENCH_QUICK},
    {"tune",  BENCH_TUNE },
    {"smoke", BENCH_SMOKE},
};

const char *bench_class_name(bench_class c)
{
  return classes[c].name;
}

const char *bench_class_title(bench_class c)
{
  return classes[c].title;
}

/* Indices into bench_target, which lists 1e-3, 1e-6, 1e-1, 1e-5. */
const bench_goals *bench_class_goals(bench_class c)
{
  static const bench_goals counted =
                               {
                                   2, {0, 1}
  },
                           fit = {3, {2, 0, 1}}, collected = {3, {2, 0, 3}};
  return bench_class_fits(c)       ? &fit
         : bench_class_collects(c) ? &collected
                                   : &counted;
}

bool bench_class_fits(bench_class c)
{
  return c >= BENCH_FIT_LOW_RANK && c <= BENCH_FIT_BOX;
}

bool bench_class_collects(bench_class c)
{
  return c == BENCH_COLLECTION || c == BENCH_COLLECTION_BOX;
}

bool bench_class_find(const char *name, bench_class *c)
{
  for (int i = 0; i < BENCH_CLASSES; i++)
    if (strcmp(classes[i].name, name) == 0) {
      *c = (bench_class)i;
      return true;
    }
  return false;
}

const bench_case *bench_case_at(size_t index)
{
  if (index < bench_case_count) return &bench_cases[index];
  index -= bench_case_count;
  if (index < bench_fit_count) return &bench_fits[index];
  index -= bench_fit_count;
  if (index < bench_collection_count) return &bench_collection[index];
  index -= bench_collection_count;
  return index < bench_constrained_count ? &bench_constrained[index] : NULL;
}

bool bench_case_bounded(const bench_case *c)
{
  return c->box > 0 || c->class == BENCH_SIMULATORS ||
         c->class == BENCH_FIT_BOX || c->class == BENCH_COLLECTION_BOX;
}

/* Whether c is of the class (or, for "fit" and "collection", of one of the
 * classes) whose name begins with the first `length` letters of name. */
static bool of_class(const bench_case *c, const char *name, size_t length)
{
  const char *own = classes[c->class].name;
  if (strncmp(own, name, length) != 0) return false;
  if (own[length] == '\0') return true;
  return own[length] == '-' &&
         (bench_class_fits(c->class) || bench_class_collects(c->class)) &&
         (strncmp(name, "fit", length) == 0 ||
          strncmp(name, "collection", length) == 0);
}

/* The position of a case within its class, from 1. */
static size_t place_of(const bench_case *c)
{
  const bench_case *other;
  size_t place = 0;
  for (size_t i = 0; (other = bench_case_at(i)); i++) {
    place += other->class == c->class;
    if (other == c) break;
  }
  return place;
}

/* Whether a case is in a half of its class: "fit-tune" has the odd positions,
 * "fit-report" the even ones. */
static bool in_half(const bench_case *c, const char *name)
{
  size_t length = strlen(name), tune = strlen("-tune"),
         report = strlen("-report");
  if (!bench_class_fits(c->class) && !bench_class_collects(c->class) &&
      c->class != BENCH_CONSTRAINED)
    return false;
  if (length > tune && strcmp(name + length - tune, "-tune") == 0)
    return of_class(c, name, length - tune) && place_of(c) % 2 == 1;
  if (length > report && strcmp(name + length - report, "-report") == 0)
    return of_class(c, name, length - report) && place_of(c) % 2 == 0;
  return false;
}

static bool in_suite(const bench_case *c, const char *name)
{
  if (strcmp(name, "full") == 0) return c->class < BENCH_FIT_LOW_RANK;
  if (of_class(c, name, strlen(name)) || in_half(c, name)) return true;
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
    if (strcmp(name, marks[i].name) == 0) return (c->suites & marks[i].mark);
  return false;
}

size_t bench_suite(const char *name, const bench_case **list, size_t room)
{
  const bench_case *c;
  size_t count = 0;
  for (size_t i = 0; (c = bench_case_at(i)) && count < room; i++)
    if (in_suite(c, name)) list[count++] = c;
  return count;
}

const char *bench_suites_text(void)
{
  return "  quick        ten problems, one of each sort: two minutes\n"
         "  full         exact ... bounds: hours\n"
         "  exact        exactly low rank\n"
         "  embedded     classics embedded in many dimensions\n"
         "  approximate  low rank and a little more: ridges, tails, "
         "simulators\n"
         "  fullrank     controls without any low rank\n"
         "  noise        noisy values\n"
         "  bounds       in a box\n"
         "  fit          sums of squares, told by their residuals "
         "(fit-low-rank,\n"
         "               fit-calibration, fit-full-rank, fit-small, fit-box)\n"
         "  collection   others' test functions, f alone told (and "
         "collection-box)\n"
         "  fit-tune, fit-report, collection-tune, ...: every second one\n"
         "  simulators   best values after 4, 8, 16 and 30 p evaluations\n"
         "  tune         for trying out changes of a method, seeds 1-9\n"
         "  smoke        two small ones\n";
}
