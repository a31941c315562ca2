/* Ask and tell: the solver runs on a thread of its own, whose callbacks hand
 * their evaluation requests to the caller and wait.  This inverts the control
 * for callers that own the loop. */
#include "process/text.h"

#include "base/sized.h"

#include <lrgd/run.h>

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef enum turn { NOBODY, SOLVER, CALLER, ENDED } turn; /* whose it is */

struct lrgd_ask_tell {
  pthread_t thread;
  pthread_mutex_t lock;  /* guards what follows */
  pthread_cond_t passed; /* the turn */
  turn turn;
  int abandoned; /* the caller has destroyed it: every request gets NaN */
  lrgd_question question;
  double *f,
      *d; /* where answers are written; borrowed while the caller evaluates */

  lrgd_solver *solver;
  double *x; /* p numbers: the start, then the best point */
  size_t p;
  size_t m; /* residuals of a point, where they are asked for */
  lrgd_result result;
  lrgd_status status;
  lrgd_error error;
};

/* ---- the solver's side ---- */

static size_t values_of(const lrgd_ask_tell *asker, const lrgd_question *q)
{
  if (q->kind == LRGD_ORACLE_RESIDUALS) return asker->m;
  return q->kind == LRGD_ORACLE_VALUE ? q->count : 1;
}

static size_t slopes_of(const lrgd_question *q)
{
  if (q->kind == LRGD_ORACLE_VALUE || q->kind == LRGD_ORACLE_RESIDUALS)
    return 0;
  return q->kind == LRGD_ORACLE_GRADIENT ? q->p : q->count;
}

static void fill(double *to, size_t n, const double *from)
{
  for (size_t i = 0; i < n; i++) to[i] = from ? from[i] : (double)NAN;
}

static void hand_over(lrgd_ask_tell *asker, const lrgd_question *question,
                      double *f, double *d)
{
  (void)pthread_mutex_lock(&asker->lock);
  asker->question = *question;
  asker->f = f;
  asker->d = d;
  asker->turn = CALLER;
  (void)pthread_cond_broadcast(&asker->passed);
  while (asker->turn == CALLER && !asker->abandoned)
    (void)pthread_cond_wait(&asker->passed, &asker->lock);
  if (asker->turn == CALLER) { /* abandoned */
    fill(f, values_of(asker, question), NULL);
    fill(d, slopes_of(question), NULL);
    asker->turn = SOLVER;
  }
  (void)pthread_mutex_unlock(&asker->lock);
}

static double ask_value(size_t p, const double *x, void *user)
{
  double f = NAN;
  hand_over(
      user,
      &(lrgd_question){sizeof(lrgd_question), LRGD_ORACLE_VALUE, 1, p, x, NULL},
      &f, NULL);
  return f;
}

static void ask_values(size_t p, size_t m, const double *X, double *f,
                       void *user)
{
  if (m == 0) return; /* a count of 0 marks the end */
  hand_over(
      user,
      &(lrgd_question){sizeof(lrgd_question), LRGD_ORACLE_VALUE, m, p, X, NULL},
      f, NULL);
}

static double ask_gradient(size_t p, const double *x, double *g, void *user)
{
  double f = NAN;
  hand_over(user,
            &(lrgd_question){sizeof(lrgd_question), LRGD_ORACLE_GRADIENT, 1, p,
                             x, NULL},
            &f, g);
  return f;
}

static double ask_slopes(size_t p, const double *x, size_t k, const double *U,
                         double *d, void *user)
{
  double f = NAN, unused;
  double *zero = k ? NULL : calloc(p, sizeof *zero);
  if (k || zero) {
    lrgd_question question = {
        sizeof question, LRGD_ORACLE_SLOPE, k ? k : 1, p, x, k ? U : zero};
    hand_over(user, &question, &f, k ? d : &unused);
  }
  free(zero);
  return f;
}

static void ask_residuals(size_t p, const double *x, size_t m, double *r,
                          void *user)
{
  (void)m;
  hand_over(user,
            &(lrgd_question){sizeof(lrgd_question), LRGD_ORACLE_RESIDUALS, 1, p,
                             x, NULL},
            r, NULL);
}

static void *run(void *user)
{
  lrgd_ask_tell *asker = user;
  asker->status = lrgd_solver_solve(asker->solver, asker->x, asker->x,
                                    &asker->result, &asker->error);
  (void)pthread_mutex_lock(&asker->lock);
  asker->turn = ENDED;
  (void)pthread_cond_broadcast(&asker->passed);
  (void)pthread_mutex_unlock(&asker->lock);
  return NULL;
}

/* ---- life ---- */

/* Signals of the host are handled by the host's threads. */
static int start_thread(lrgd_ask_tell *asker)
{
  sigset_t all, before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  int failure = pthread_create(&asker->thread, NULL, run, asker);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failure;
}

static void free_asker(lrgd_ask_tell *asker)
{
  (void)lrgd_solver_destroy(&asker->solver);
  (void)pthread_cond_destroy(&asker->passed);
  (void)pthread_mutex_destroy(&asker->lock);
  free(asker->x);
  free(asker);
}

static lrgd_problem make_problem(const lrgd_problem *bounds, lrgd_oracle kind,
                                 lrgd_ask_tell *asker)
{
  lrgd_problem problem = lrgd_problem_default(bounds->dimension);
  problem.lower = bounds->lower;
  problem.upper = bounds->upper;
  problem.user = asker;
  if (kind == LRGD_ORACLE_GRADIENT) problem.gradient = ask_gradient;
  if (kind == LRGD_ORACLE_SLOPE) problem.slopes = ask_slopes;
  if (kind == LRGD_ORACLE_VALUE) {
    problem.value = ask_value;
    problem.values = ask_values;
  }
  if (kind == LRGD_ORACLE_RESIDUALS) {
    problem.residuals = ask_residuals;
    problem.residual_count = bounds->residual_count;
    problem.limits = bounds->limits;
  }
  return problem;
}

lrgd_status lrgd_ask_tell_create(lrgd_ask_tell **asker,
                                 const lrgd_problem *bounds, lrgd_oracle kind,
                                 const lrgd_options *options, const double *x0,
                                 lrgd_error *error)
{
  if (!asker || !bounds || !x0)
    return lr_run_fail(error, LRGD_ERR_INVALID, "asker, bounds or x0 is NULL");
  *asker = NULL;
  lrgd_problem own = lrgd_problem_default(0);
  if (!lr_sized_take(&own, sizeof own, bounds, "bounds", error))
    return LRGD_ERR_INVALID;
  lrgd_ask_tell *made = calloc(1, sizeof *made);
  if (!made) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  (void)pthread_mutex_init(&made->lock, NULL);
  (void)pthread_cond_init(&made->passed, NULL);
  made->p = own.dimension;
  made->m = own.residual_count;
  lrgd_problem problem = make_problem(&own, kind, made);
  lrgd_status status =
      lrgd_solver_create(&made->solver, &problem, options, error);
  if (!status) {
    made->x = calloc(made->p, sizeof *made->x);
    if (made->x)
      memcpy(made->x, x0, made->p * sizeof *made->x);
    else
      status = lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  }
  if (status)
    free_asker(made);
  else
    *asker = made;
  return status;
}

void lrgd_ask_tell_destroy(lrgd_ask_tell **asker)
{
  if (!asker || !*asker) return;
  lrgd_ask_tell *gone = *asker;
  lrgd_solver_stop(gone->solver);
  (void)pthread_mutex_lock(&gone->lock);
  gone->abandoned = 1;
  (void)pthread_cond_broadcast(&gone->passed);
  (void)pthread_mutex_unlock(&gone->lock);
  if (gone->turn != NOBODY) (void)pthread_join(gone->thread, NULL);
  free_asker(gone);
  *asker = NULL;
}

/* ---- the caller's side ---- */

/* Whether the solver can be told something still. */
static lrgd_status check_unbegun(lrgd_ask_tell *asker, lrgd_error *error)
{
  if (!asker) return lr_run_fail(error, LRGD_ERR_INVALID, "asker is NULL");
  (void)pthread_mutex_lock(&asker->lock);
  int begun = asker->turn != NOBODY;
  (void)pthread_mutex_unlock(&asker->lock);
  if (begun)
    return lr_run_fail(error, LRGD_ERR_BUSY, "the run has begun already");
  return LRGD_OK;
}

lrgd_status lrgd_ask_tell_learn(lrgd_ask_tell *asker, size_t n,
                                const lrgd_evaluation *evaluations, int verify,
                                lrgd_error *error)
{
  lrgd_status status = check_unbegun(asker, error);
  if (status != LRGD_OK) return status;
  return lrgd_solver_learn(asker->solver, n, evaluations, verify, error);
}

lrgd_status lrgd_ask_tell_set_samples(lrgd_ask_tell *asker, size_t n,
                                      const double *X, lrgd_error *error)
{
  lrgd_status status = check_unbegun(asker, error);
  if (status != LRGD_OK) return status;
  return lrgd_solver_set_samples(asker->solver, n, X, error);
}

/* Starts the solver at the first request: until then known evaluations can be
 * added.  The lock is held. */
static lrgd_status begin(lrgd_ask_tell *asker, lrgd_error *error)
{
  if (asker->turn != NOBODY) return LRGD_OK;
  if (start_thread(asker))
    return lr_run_fail(error, LRGD_ERR_NOMEM, "cannot start a thread");
  asker->turn = SOLVER;
  return LRGD_OK;
}

/* After its end the thread does not access the solver. */
const lrgd_solver *lrgd_ask_tell_solver(lrgd_ask_tell *asker)
{
  if (!asker) return NULL;
  (void)pthread_mutex_lock(&asker->lock);
  int ended = asker->turn == ENDED;
  (void)pthread_mutex_unlock(&asker->lock);
  return ended ? asker->solver : NULL;
}

lrgd_status lrgd_ask_sized(lrgd_ask_tell *asker, lrgd_question *question,
                           size_t size, lrgd_error *error)
{
  if (!asker || !question)
    return lr_run_fail(error, LRGD_ERR_INVALID, "asker or question is NULL");
  (void)pthread_mutex_lock(&asker->lock);
  lrgd_status status = begin(asker, error);
  while (asker->turn == SOLVER)
    (void)pthread_cond_wait(&asker->passed, &asker->lock);
  lrgd_question own = asker->question;
  if (asker->turn == ENDED) own = (lrgd_question){.p = asker->p};
  if (!status) lr_sized_give(question, size, &own, sizeof own);
  (void)pthread_mutex_unlock(&asker->lock);
  return status;
}

lrgd_status lrgd_tell(lrgd_ask_tell *asker, const double *f, const double *d,
                      lrgd_error *error)
{
  if (!asker || !f)
    return lr_run_fail(error, LRGD_ERR_INVALID, "asker or f is NULL");
  lrgd_status status = LRGD_OK;
  (void)pthread_mutex_lock(&asker->lock);
  if (asker->turn != CALLER) {
    status = lr_run_fail(error, LRGD_ERR_INVALID, "told without being asked");
  } else if (!d && slopes_of(&asker->question)) {
    status = lr_run_fail(error, LRGD_ERR_INVALID, "%zu slopes were asked",
                         slopes_of(&asker->question));
  } else {
    fill(asker->f, values_of(asker, &asker->question), f);
    if (d) fill(asker->d, slopes_of(&asker->question), d);
    asker->turn = SOLVER;
    (void)pthread_cond_broadcast(&asker->passed);
  }
  (void)pthread_mutex_unlock(&asker->lock);
  return status;
}

lrgd_status lrgd_ask_tell_result_sized(lrgd_ask_tell *asker, double *x,
                                       lrgd_result *result, size_t result_size,
                                       lrgd_error *error)
{
  if (!asker) return lr_run_fail(error, LRGD_ERR_INVALID, "asker is NULL");
  (void)pthread_mutex_lock(&asker->lock);
  int ended = asker->turn == ENDED;
  (void)pthread_mutex_unlock(&asker->lock);
  if (!ended) return lr_run_fail(error, LRGD_ERR_BUSY, "the run has not ended");
  if (asker->status) {
    if (error) *error = asker->error;
    return asker->status;
  }
  if (x) memcpy(x, asker->x, asker->p * sizeof *x);
  lr_sized_give(result, result_size, &asker->result, sizeof asker->result);
  return LRGD_OK;
}
