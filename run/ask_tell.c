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

typedef enum turn { NOBODY, SOLVER, CALLER, ENDED } turn; /* who may run */

struct lrgd_ask_tell {
  pthread_t thread;
  pthread_mutex_t lock;  /* guards the members below */
  pthread_cond_t passed; /* signalled when `turn` changes */
  turn turn;
  /* the caller has destroyed it: every request is answered with NaN */
  int abandoned;
  lrgd_question question;
  double *f,
      *d; /* where answers are written; borrowed while the caller evaluates */

  lrgd_solver *solver;
  double *x; /* p numbers: the start, then the best point */
  size_t p;
  size_t m; /* residuals of a point, where they are requested */
  lrgd_result result;
  lrgd_status status;
  lrgd_error error;
};

/* ---- the solver's side ---- */

static size_t values_of(const lrgd_ask_tell *ask_tell, const lrgd_question *q)
{
  if (q->kind == LRGD_ORACLE_RESIDUALS) return ask_tell->m;
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

static void hand_over(lrgd_ask_tell *ask_tell, const lrgd_question *question,
                      double *f, double *d)
{
  (void)pthread_mutex_lock(&ask_tell->lock);
  ask_tell->question = *question;
  ask_tell->f = f;
  ask_tell->d = d;
  ask_tell->turn = CALLER;
  (void)pthread_cond_broadcast(&ask_tell->passed);
  while (ask_tell->turn == CALLER && !ask_tell->abandoned)
    (void)pthread_cond_wait(&ask_tell->passed, &ask_tell->lock);
  if (ask_tell->turn == CALLER) { /* abandoned */
    fill(f, values_of(ask_tell, question), NULL);
    fill(d, slopes_of(question), NULL);
    ask_tell->turn = SOLVER;
  }
  (void)pthread_mutex_unlock(&ask_tell->lock);
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
  lrgd_ask_tell *ask_tell = user;
  ask_tell->status =
      lrgd_solver_solve(ask_tell->solver, ask_tell->x, ask_tell->x,
                        &ask_tell->result, &ask_tell->error);
  (void)pthread_mutex_lock(&ask_tell->lock);
  ask_tell->turn = ENDED;
  (void)pthread_cond_broadcast(&ask_tell->passed);
  (void)pthread_mutex_unlock(&ask_tell->lock);
  return NULL;
}

/* ---- creation and destruction ---- */

/* Starts the solver's thread with all signals blocked: the host's own threads
 * handle them. */
static int start_thread(lrgd_ask_tell *ask_tell)
{
  sigset_t all, before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  int failure = pthread_create(&ask_tell->thread, NULL, run, ask_tell);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failure;
}

static void free_ask_tell(lrgd_ask_tell *ask_tell)
{
  (void)lrgd_solver_destroy(&ask_tell->solver);
  (void)pthread_cond_destroy(&ask_tell->passed);
  (void)pthread_mutex_destroy(&ask_tell->lock);
  free(ask_tell->x);
  free(ask_tell);
}

static lrgd_problem make_problem(const lrgd_problem *bounds, lrgd_oracle kind,
                                 lrgd_ask_tell *ask_tell)
{
  lrgd_problem problem = lrgd_problem_default(bounds->dimension);
  problem.lower = bounds->lower;
  problem.upper = bounds->upper;
  problem.user = ask_tell;
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

lrgd_status lrgd_ask_tell_create(lrgd_ask_tell **ask_tell,
                                 const lrgd_problem *bounds, lrgd_oracle kind,
                                 const lrgd_options *options, const double *x0,
                                 lrgd_error *error)
{
  if (!ask_tell || !bounds || !x0)
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "ask_tell, bounds or x0 is NULL");
  *ask_tell = NULL;
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
    free_ask_tell(made);
  else
    *ask_tell = made;
  return status;
}

void lrgd_ask_tell_destroy(lrgd_ask_tell **ask_tell)
{
  if (!ask_tell || !*ask_tell) return;
  lrgd_ask_tell *gone = *ask_tell;
  lrgd_solver_stop(gone->solver);
  (void)pthread_mutex_lock(&gone->lock);
  gone->abandoned = 1;
  (void)pthread_cond_broadcast(&gone->passed);
  (void)pthread_mutex_unlock(&gone->lock);
  if (gone->turn != NOBODY) (void)pthread_join(gone->thread, NULL);
  free_ask_tell(gone);
  *ask_tell = NULL;
}

/* ---- the caller's side ---- */

/* Fails once the solver has begun, as it can no longer be changed then. */
static lrgd_status check_unbegun(lrgd_ask_tell *ask_tell, lrgd_error *error)
{
  if (!ask_tell)
    return lr_run_fail(error, LRGD_ERR_INVALID, "ask_tell is NULL");
  (void)pthread_mutex_lock(&ask_tell->lock);
  int begun = ask_tell->turn != NOBODY;
  (void)pthread_mutex_unlock(&ask_tell->lock);
  if (begun)
    return lr_run_fail(error, LRGD_ERR_BUSY, "the run has begun already");
  return LRGD_OK;
}

lrgd_status lrgd_ask_tell_learn(lrgd_ask_tell *ask_tell, size_t n,
                                const lrgd_evaluation *evaluations, int verify,
                                lrgd_error *error)
{
  lrgd_status status = check_unbegun(ask_tell, error);
  if (status != LRGD_OK) return status;
  return lrgd_solver_learn(ask_tell->solver, n, evaluations, verify, error);
}

lrgd_status lrgd_ask_tell_set_samples(lrgd_ask_tell *ask_tell, size_t n,
                                      const double *X, lrgd_error *error)
{
  lrgd_status status = check_unbegun(ask_tell, error);
  if (status != LRGD_OK) return status;
  return lrgd_solver_set_samples(ask_tell->solver, n, X, error);
}

/* Starts the solver at the first request: until then known evaluations can be
 * added.  The lock is held. */
static lrgd_status begin(lrgd_ask_tell *ask_tell, lrgd_error *error)
{
  if (ask_tell->turn != NOBODY) return LRGD_OK;
  if (start_thread(ask_tell))
    return lr_run_fail(error, LRGD_ERR_NOMEM, "cannot start a thread");
  ask_tell->turn = SOLVER;
  return LRGD_OK;
}

/* Once its thread has ended, the solver may be read without the lock. */
const lrgd_solver *lrgd_ask_tell_solver(lrgd_ask_tell *ask_tell)
{
  if (!ask_tell) return NULL;
  (void)pthread_mutex_lock(&ask_tell->lock);
  int ended = ask_tell->turn == ENDED;
  (void)pthread_mutex_unlock(&ask_tell->lock);
  return ended ? ask_tell->solver : NULL;
}

lrgd_status lrgd_ask_sized(lrgd_ask_tell *ask_tell, lrgd_question *question,
                           size_t size, lrgd_error *error)
{
  if (!ask_tell || !question)
    return lr_run_fail(error, LRGD_ERR_INVALID, "ask_tell or question is NULL");
  (void)pthread_mutex_lock(&ask_tell->lock);
  lrgd_status status = begin(ask_tell, error);
  while (ask_tell->turn == SOLVER)
    (void)pthread_cond_wait(&ask_tell->passed, &ask_tell->lock);
  lrgd_question own = ask_tell->question;
  if (ask_tell->turn == ENDED) own = (lrgd_question){.p = ask_tell->p};
  if (!status) lr_sized_give(question, size, &own, sizeof own);
  (void)pthread_mutex_unlock(&ask_tell->lock);
  return status;
}

lrgd_status lrgd_tell(lrgd_ask_tell *ask_tell, const double *f, const double *d,
                      lrgd_error *error)
{
  if (!ask_tell || !f)
    return lr_run_fail(error, LRGD_ERR_INVALID, "ask_tell or f is NULL");
  lrgd_status status = LRGD_OK;
  (void)pthread_mutex_lock(&ask_tell->lock);
  if (ask_tell->turn != CALLER) {
    status = lr_run_fail(error, LRGD_ERR_INVALID, "told without being asked");
  } else if (!d && slopes_of(&ask_tell->question)) {
    status = lr_run_fail(error, LRGD_ERR_INVALID, "%zu slopes were asked",
                         slopes_of(&ask_tell->question));
  } else {
    fill(ask_tell->f, values_of(ask_tell, &ask_tell->question), f);
    if (d) fill(ask_tell->d, slopes_of(&ask_tell->question), d);
    ask_tell->turn = SOLVER;
    (void)pthread_cond_broadcast(&ask_tell->passed);
  }
  (void)pthread_mutex_unlock(&ask_tell->lock);
  return status;
}

lrgd_status lrgd_ask_tell_result_sized(lrgd_ask_tell *ask_tell, double *x,
                                       lrgd_result *result, size_t result_size,
                                       lrgd_error *error)
{
  if (!ask_tell)
    return lr_run_fail(error, LRGD_ERR_INVALID, "ask_tell is NULL");
  (void)pthread_mutex_lock(&ask_tell->lock);
  int ended = ask_tell->turn == ENDED;
  (void)pthread_mutex_unlock(&ask_tell->lock);
  if (!ended) return lr_run_fail(error, LRGD_ERR_BUSY, "the run has not ended");
  if (ask_tell->status) {
    if (error) *error = ask_tell->error;
    return ask_tell->status;
  }
  if (x) memcpy(x, ask_tell->x, ask_tell->p * sizeof *x);
  lr_sized_give(result, result_size, &ask_tell->result,
                sizeof ask_tell->result);
  return LRGD_OK;
}
