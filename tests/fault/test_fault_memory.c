/* Memory that runs short, at every allocation there is; and who allocates. */
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plain.h"

/* An allocator that counts, and fails when told to. */
typedef struct meter {
  size_t calls, live, most; /* most: bytes allowed at once; 0: any */
  size_t fail_at;           /* the call that fails; 0: none */
  bool persistent;          /* and all after it */
  bool failed;
} meter;

static void *meter_alloc(size_t bytes, void *user)
{
  meter *m = user;
  m->calls++;
  bool now = m->fail_at > 0 && (m->calls == m->fail_at ||
                                (m->persistent && m->calls > m->fail_at));
  if (now || (m->most > 0 && bytes > m->most)) {
    m->failed = true;
    return NULL;
  }
  void *memory = malloc(bytes);
  m->live += memory != NULL;
  return memory;
}

static void meter_free(void *memory, void *user)
{
  ((meter *)user)->live--;
  free(memory);
}

enum { PLAIN, BOXED, GIVEN_BASIS, CONSTRAINED, DIFFERENCES, SHAPES };

/* A whole life: create, perhaps a basis, solve, and solve once more after the
 * memory is back.  The status of the first that went wrong. */
static lrgd_status live(meter *m, int method, int shape)
{
  static double low[PLAIN_P] = {-1, -1, -1, -1, -1, -1};
  static double high[PLAIN_P] = {0.5, 2, 2, 2, 2, 2};
  double x[PLAIN_P] = {0}, A[PLAIN_P] = {1, 1, 0, 0, 0, 1}, b = 1;
  double W[4 * PLAIN_P] = {0};
  lrgd_allocator allocator = {meter_alloc, meter_free, m};
  lrgd_problem problem = plain(NULL);
  lrgd_options o = plain_options(method);
  lrgd_error error = {LRGD_OK, ""};
  lrgd_solver *solver;
  o.allocator = &allocator;
  if (o.rank != LRGD_UNSET) o.rank = 2;
  if (shape == DIFFERENCES) problem.slopes = NULL;
  if (shape == BOXED) {
    problem.lower = low;
    problem.upper = high;
  }
  for (int j = 0; j < 4; j++) W[j * PLAIN_P + j] = 1;
  lrgd_status status = lrgd_solver_create(&solver, &problem, &o, &error);
  if (status == LRGD_OK && shape == GIVEN_BASIS)
    status = lrgd_solver_set_basis(solver, 4, W, &error);
  if (status == LRGD_OK && shape == CONSTRAINED)
    status = lrgd_solver_set_constraints(solver, 1, A, &b, &error);
  if (status == LRGD_OK) status = lrgd_solver_solve(solver, x, x, NULL, &error);
  if (status != LRGD_OK) {
    check(error.text[0] != '\0', "there is a sentence");
    m->fail_at = 0; /* memory is back */
    double y[PLAIN_P] = {0};
    if (solver)
      check(lrgd_solver_solve(solver, y, y, NULL, NULL) == LRGD_OK,
            "method %d, shape %d: the solver is usable again", method, shape);
  }
  (void)lrgd_solver_destroy(&solver);
  return status;
}

/* Fails allocation n = 1, 2, 3 ... until the run passes. */
static void every_allocation(bool persistent)
{
  for (int method = 0; method < PLAIN_METHODS; method++)
    for (int shape = 0; shape < SHAPES; shape++)
      for (size_t n = 1;; n++) {
        meter m = {.fail_at = n, .persistent = persistent};
        lrgd_status status = live(&m, method, shape);
        check(m.live == 0, "method %d, shape %d, allocation %zu: leaks %zu",
              method, shape, n, m.live);
        check(status == (m.failed ? LRGD_ERR_NOMEM : LRGD_OK),
              "method %d, shape %d, allocation %zu: %s", method, shape, n,
              lrgd_status_text(status));
        if (!m.failed || check_broken > 5) break;
      }
}

TEST("row 28: whichever allocation fails once, the status is NOMEM, no leak")
{
  every_allocation(false);
}

TEST(
    "row 28: whichever allocation fails first and all after it, NOMEM and "
    "no leak")
{
  every_allocation(true);
}

static void *crooked_alloc(size_t bytes, void *user)
{
  (void)user;
  char *memory = malloc(bytes + 64);
  return memory ? memory + 4 : NULL;
}

static void crooked_free(void *memory, void *user)
{
  (void)user;
  free((char *)memory - 4);
}

TEST("row 28: misaligned memory counts as none: NOMEM")
{
  double x[PLAIN_P] = {0};
  lrgd_allocator allocator = {crooked_alloc, crooked_free, NULL};
  lrgd_problem problem = plain(NULL);
  lrgd_options o = plain_options(LRGD_METHOD_GD);
  o.allocator = &allocator;
  check(plain_run(&problem, &o, x, NULL) == LRGD_ERR_NOMEM, "%s",
        plain_sentence);
}

TEST("row 28: an allocator without both functions is refused")
{
  double x[PLAIN_P] = {0};
  lrgd_allocator allocators[2] = {
      {meter_alloc, NULL,       NULL},
      {NULL,        meter_free, NULL}
  };
  for (int i = 0; i < 2; i++) {
    lrgd_problem problem = plain(NULL);
    lrgd_options o = plain_options(LRGD_METHOD_GD);
    o.allocator = &allocators[i];
    check(plain_run(&problem, &o, x, NULL) == LRGD_ERR_INVALID, "%s",
          plain_sentence);
  }
}

/* ---- row 13: more than there is ---- */

static lrgd_status create_huge(const lrgd_allocator *allocator,
                               lrgd_error *error)
{
  lrgd_problem problem = plain(NULL);
  lrgd_options o = plain_options(LRGD_METHOD_LRGD);
  lrgd_solver *solver;
  problem.dimension = 1000000000;
  o.rank = 1000;
  o.allocator = allocator;
  lrgd_status status = lrgd_solver_create(&solver, &problem, &o, error);
  (void)lrgd_solver_destroy(&solver);
  return status;
}

/* The sentence names at least the 8e12 bytes of U. */
static bool names_bytes(const char *sentence)
{
  const char *needs = strstr(sentence, "needs some ");
  return needs && strtod(needs + 11, NULL) >= 8e12;
}

TEST("row 13: p = 1e9 and r = 1000 is NOMEM, and the bytes are named")
{
  meter m = {.most = (size_t)1 << 30};
  lrgd_allocator allocator = {meter_alloc, meter_free, &m};
  lrgd_error error = {LRGD_OK, ""};
  check(create_huge(&allocator, &error) == LRGD_ERR_NOMEM, "%s", error.text);
  check(names_bytes(error.text) && m.live == 0, "%s", error.text);
}

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifndef SANITIZED /* whose own memory is beyond any limit */
TEST("row 13: malloc under a limit, as `ulimit -v` sets it, gives NOMEM too")
{
  (void)fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {(rlim_t)3 << 30, (rlim_t)3 << 30};
    lrgd_error error = {LRGD_OK, ""};
    (void)setrlimit(RLIMIT_AS, &limit);
    lrgd_status status = create_huge(NULL, &error);
    _exit(status == LRGD_ERR_NOMEM && names_bytes(error.text) ? 0 : 1);
  }
  int how = 0;
  (void)waitpid(child, &how, 0);
  check(WIFEXITED(how) && WEXITSTATUS(how) == 0, "how it ended: %d", how);
}
#endif

TEST("row 13: constraints that leave more directions than memory holds: NOMEM")
{
  enum { WIDE = 20000 };
  meter m = {.most = (size_t)1 << 30};
  lrgd_allocator allocator = {meter_alloc, meter_free, &m};
  lrgd_problem problem = plain(NULL);
  lrgd_options o = plain_options(LRGD_METHOD_GD);
  lrgd_error error = {LRGD_OK, ""};
  lrgd_solver *solver;
  double *A = calloc(WIDE, sizeof *A), b = 0;
  if (!A) abort();
  A[0] = 1;
  problem.dimension = WIDE;
  o.allocator = &allocator;
  require(lrgd_solver_create(&solver, &problem, &o, NULL) == LRGD_OK, "made");
  check(lrgd_solver_set_constraints(solver, 1, A, &b, &error) ==
                LRGD_ERR_NOMEM &&
            strstr(error.text, "19999"),
        "%s", error.text);
  (void)lrgd_solver_destroy(&solver);
  check(m.live == 0, "no leak");
  free(A);
}

/* ---- an iteration does not allocate ---- */

typedef struct season {
  meter m;
  size_t after_first; /* calls when the second iterate was reached */
  size_t rank;        /* directions then */
  uint64_t late, iterations;
} season;

static void watch_season(const lrgd_progress *progress, void *user)
{
  season *s = user;
  if (progress->event != LRGD_EVENT_ITERATION) return;
  s->iterations = progress->iteration;
  if (progress->iteration < 2 || progress->rank > s->rank) {
    s->after_first = s->m.calls;
    s->rank = progress->rank;
  }
  s->late += s->m.calls > s->after_first;
}

static double valley(size_t p, const double *x, double *g, void *user)
{
  double bend = x[1] - x[0] * x[0], rest = 1 - x[0];
  (void)user;
  for (size_t i = 0; i < p; i++) g[i] = 0;
  g[0] = -400 * bend * x[0] - 2 * rest;
  g[1] = 200 * bend;
  return 100 * bend * bend + rest * rest;
}

static double valley_value(size_t p, const double *x, void *user)
{
  double g[PLAIN_P];
  return valley(p, x, g, user);
}

static void no_late_allocation(int method, int step, bool differences)
{
  season s = {.rank = 0};
  double x[PLAIN_P] = {-1.2, 1};
  lrgd_allocator allocator = {meter_alloc, meter_free, &s.m};
  lrgd_problem problem = lrgd_problem_default(PLAIN_P);
  lrgd_options o = plain_options(method);
  if (differences)
    problem.value = valley_value;
  else
    problem.gradient = valley;
  if (o.rank != LRGD_UNSET) o.rank = 2;
  o.step = step;
  if (step == LRGD_STEP_FIXED) o.alpha = 1e-3;
  o.max_iterations = 40;
  o.allocator = &allocator;
  o.progress = watch_season;
  o.progress_user = &s;
  check(plain_run(&problem, &o, x, NULL) == LRGD_OK, "%s", plain_sentence);
  check(s.iterations > 10, "method %d, step %d: %d iterations", method, step,
        (int)s.iterations);
  check(s.late == 0, "method %d, step %d: %d iterations allocated", method,
        step, (int)s.late);
}

TEST("nothing is allocated in an iteration of lrgd, whatever the step")
{
  for (int step = LRGD_STEP_FIXED; step <= LRGD_STEP_ADAM; step++)
    for (int differences = 0; differences < 2; differences++)
      no_late_allocation(LRGD_METHOD_LRGD, step, differences);
}

TEST("an iteration of gd, or of iterated, allocates nothing")
{
  for (int step = LRGD_STEP_FIXED; step <= LRGD_STEP_ADAM; step++) {
    no_late_allocation(LRGD_METHOD_GD, step, true);
    no_late_allocation(LRGD_METHOD_ITERATED, step, true);
  }
}

TEST("adaptive allocates only when its subspace grows")
{
  for (int step = LRGD_STEP_FIXED; step <= LRGD_STEP_BFGS; step++)
    no_late_allocation(LRGD_METHOD_ADAPTIVE, step, true);
}

/* auto and quasi-newton: where they grow or change phase they may, else not. */
static void watch_phases(const lrgd_progress *progress, void *user)
{
  season *s = user;
  if (progress->event == LRGD_EVENT_PHASE) s->rank = 0;
  watch_season(progress, user);
}

static double wide_valley(size_t p, const double *x, void *user)
{
  double s[3] = {-1.2, 1, 0.5}, f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) s[i % 3] += x[i] / 4;
  for (int i = 0; i < 2; i++) {
    double bend = s[i + 1] - s[i] * s[i];
    f += 100 * bend * bend + (1 - s[i]) * (1 - s[i]);
  }
  return f;
}

static double wide_gradient(size_t p, const double *x, double *g, void *user)
{
  double s[3] = {-1.2, 1, 0.5}, d[3] = {0};
  for (size_t i = 0; i < p; i++) s[i % 3] += x[i] / 4;
  for (int i = 0; i < 2; i++) {
    double bend = s[i + 1] - s[i] * s[i];
    d[i] -= 400 * bend * s[i] + 2 * (1 - s[i]);
    d[i + 1] += 200 * bend;
  }
  for (size_t i = 0; i < p; i++) g[i] = d[i % 3] / 4;
  return wide_valley(p, x, user);
}

static void no_late_allocation_in_phases(int method, bool gradient, bool boxed)
{
  enum { WIDE = 60 };
  season s = {.rank = 0};
  double x[WIDE] = {0}, lower[WIDE], upper[WIDE];
  lrgd_allocator allocator = {meter_alloc, meter_free, &s.m};
  lrgd_problem problem = lrgd_problem_default(WIDE);
  lrgd_options o = plain_options(method);
  for (int i = 0; i < WIDE; i++) {
    lower[i] = -0.3;
    upper[i] = 0.05;
  }
  problem.value = wide_valley;
  if (gradient) problem.gradient = wide_gradient;
  if (boxed) {
    problem.lower = lower;
    problem.upper = upper;
  }
  o.max_evals = gradient ? 60 : 1500;
  o.allocator = &allocator;
  o.progress = watch_phases;
  o.progress_user = &s;
  check(plain_run(&problem, &o, x, NULL) == LRGD_OK, "%s", plain_sentence);
  check(s.iterations > 3, "method %d: %d iterations", method,
        (int)s.iterations);
  check(s.late == 0, "method %d, gradient %d, box %d: %d iterations allocated",
        method, gradient, boxed, (int)s.late);
}

/* A box in which K opens by values alone. */
static lrgd_status live_in_wide_box(meter *m)
{
  enum { WIDE = 30 };
  double x[WIDE] = {0}, lower[WIDE], upper[WIDE];
  lrgd_allocator allocator = {meter_alloc, meter_free, m};
  lrgd_problem problem = lrgd_problem_default(WIDE);
  lrgd_options o = plain_options(LRGD_METHOD_QUASI_NEWTON);
  for (int i = 0; i < WIDE; i++) {
    lower[i] = -1;
    upper[i] = 0.5;
  }
  problem.value = wide_valley;
  problem.lower = lower;
  problem.upper = upper;
  o.max_evals = 200;
  o.allocator = &allocator;
  return plain_run(&problem, &o, x, NULL);
}

TEST("row 28: whichever allocation fails in a wide box, NOMEM and no leak")
{
  bool passed = false;
  for (size_t n = 1; !passed && check_broken <= 5; n++) {
    meter m = {.fail_at = n};
    lrgd_status status = live_in_wide_box(&m);
    passed = !m.failed;
    check(m.live == 0, "allocation %zu: leaks %zu", n, m.live);
    check(status == (passed ? LRGD_OK : LRGD_ERR_NOMEM), "allocation %zu: %s",
          n, lrgd_status_text(status));
  }
}

TEST("auto and quasi-newton allocate only where they grow or change phase")
{
  for (int way = 0; way < 4; way++) {
    no_late_allocation_in_phases(LRGD_METHOD_AUTO, way & 1, way & 2);
    no_late_allocation_in_phases(LRGD_METHOD_QUASI_NEWTON, way & 1, way & 2);
  }
}

/* ---- with an allocator given, malloc is not called ---- */

static size_t plain_mallocs;
static bool counting;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_malloc(size_t bytes)
{
  plain_mallocs += counting;
  return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t size)
{
  plain_mallocs += counting;
  return __real_calloc(count, size);
}

static char arena[1 << 22];
static size_t arena_used;

static void *arena_alloc(size_t bytes, void *user)
{
  (void)user;
  size_t padded = (bytes + 127) / 64 * 64; /* room to align it in */
  if (padded > sizeof arena - arena_used) return NULL;
  char *memory = arena + arena_used;
  memory += (64 - (uintptr_t)memory % 64) % 64;
  arena_used += padded;
  return memory;
}

static void arena_free(void *memory, void *user)
{
  (void)memory;
  (void)user;
}

TEST("with an allocator given the library calls no malloc of its own")
{
  for (int m = 0; m < PLAIN_METHODS; m++) {
    double x[PLAIN_P] = {0};
    lrgd_allocator allocator = {arena_alloc, arena_free, NULL};
    lrgd_problem problem = plain(NULL);
    lrgd_options o = plain_options(m);
    o.allocator = &allocator;
    arena_used = plain_mallocs = 0;
    counting = true;
    lrgd_status status = plain_run(&problem, &o, x, NULL);
    counting = false;
    check(status == LRGD_OK, "method %d: %s", m, plain_sentence);
    check_int(plain_mallocs, 0, "method %d: mallocs", m);
  }
}
