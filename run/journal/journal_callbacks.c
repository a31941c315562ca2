/* The callbacks by which a journal wraps a problem: each is a call of
 * evaluations with numbers of their own (journal_ask.c). */
#include "journal_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Stops the run for lack of memory.  A plain NaN would be recorded as a failure
 * of the program, and change the path of the run. */
static double give_up_for_memory(lrgd_journal *journal, size_t m)
{
  lr_journal_fail_for_memory(journal);
  journal->count.unanswered += m;
  return lrgd_unanswered();
}

static void fill(double *to, size_t n, double value)
{
  for (size_t i = 0; to && i < n; i++) to[i] = value;
}

static double ask_value(size_t p, const double *x, void *user)
{
  double f = NAN;
  lr_journal_ask(user,
                 &(lr_questions){LR_ROW_VALUE, p, 1, x, NULL, &f, NULL, 0});
  return f;
}

static void ask_values(size_t p, size_t m, const double *X, double *f,
                       void *user)
{
  if (m)
    lr_journal_ask(user,
                   &(lr_questions){LR_ROW_VALUE, p, m, X, NULL, f, NULL, 0});
}

static double ask_gradient(size_t p, const double *x, double *g, void *user)
{
  double f = NAN;
  lr_journal_ask(user,
                 &(lr_questions){LR_ROW_GRADIENT, p, 1, x, NULL, &f, g, 0});
  return f;
}

static double ask_slopes(size_t p, const double *x, size_t k, const double *U,
                         double *d, void *user)
{
  double unused, result = NAN;
  size_t m = k ? k : 1;
  double *zero = k ? NULL : calloc(p, sizeof *zero);
  double *f = malloc(m * sizeof *f);
  if (f && (k || zero)) {
    lr_journal_ask(user, &(lr_questions){LR_ROW_SLOPE, p, m, x, k ? U : zero, f,
                                         k ? d : &unused, 0});
    result = f[0];
    for (size_t i = 0; i < m && !isfinite(result); i++) result = f[i];
  } else {
    result = give_up_for_memory(user, m);
  }
  free(f);
  free(zero);
  return result;
}

static lrgd_complex ask_complex(size_t p, const lrgd_complex *x, void *user)
{
  lrgd_complex y = {NAN, NAN};
  double *parts = malloc(2 * p * sizeof *parts);
  if (!parts) return (lrgd_complex){give_up_for_memory(user, 1), NAN};
  for (size_t i = 0; i < p; i++) {
    parts[i] = x[i].re;
    parts[p + i] = x[i].im;
  }
  lr_journal_ask(user, &(lr_questions){LR_ROW_COMPLEX, p, 1, parts, parts + p,
                                       &y.re, &y.im, 0});
  free(parts);
  return y;
}

static void ask_residuals(size_t p, const double *x, size_t m, double *r,
                          void *user)
{
  double f = NAN;
  if (m)
    lr_journal_ask(user,
                   &(lr_questions){LR_ROW_RESIDUALS, p, 1, x, NULL, &f, r, m});
}

static void ask_residual_batch(size_t p, size_t n, const double *X, size_t m,
                               double *R, void *user)
{
  double *f = malloc(n * sizeof *f);
  if (f)
    lr_journal_ask(user,
                   &(lr_questions){LR_ROW_RESIDUALS, p, n, X, NULL, f, R, m});
  else
    fill(R, n * m, give_up_for_memory(user, n));
  free(f);
}

/* Asks k questions for residuals with derivatives: r becomes the residuals, NaN
 * where an answer has failed, and D the numbers behind them. */
static void ask_derived(lrgd_journal *journal, lr_questions *q, double *r,
                        double *D)
{
  size_t n = q->n, each = lr_numbers_of(q), good = 0;
  double *d = malloc((each + 1) * q->m * sizeof *d);
  if (!d) {
    fill(r, n, give_up_for_memory(journal, q->m));
    return;
  }
  q->d = d;
  q->f = d + each * q->m;
  lr_journal_ask(journal, q);
  for (size_t j = 0; j < q->m; j++)
    memcpy(D + j * (each - n), d + j * each + n, (each - n) * sizeof *d);
  while (good < q->m - 1 && isfinite(q->f[good])) good++;
  memcpy(r, d + good * each, n * sizeof *d);
  free(d);
}

static void ask_jacobian(size_t p, const double *x, size_t m, double *r,
                         double *J, void *user)
{
  lr_questions q = {.kind = LR_ROW_JACOBIAN, .p = p, .m = 1, .x = x, .n = m};
  ask_derived(user, &q, r, J);
}

static void ask_residual_slopes(size_t p, const double *x, size_t k,
                                const double *U, size_t m, double *r, double *D,
                                void *user)
{
  lr_questions q = {
      .kind = LR_ROW_RESIDUAL_SLOPE, .p = p, .m = k, .x = x, .u = U, .n = m};
  if (k) ask_derived(user, &q, r, D);
}

/* Unanswered questions that the solver was not told of. */
static size_t unanswered(void *user)
{
  lrgd_journal *journal = user;
  uint64_t news = journal->count.unanswered - journal->count.told_unanswered;
  journal->count.told_unanswered = journal->count.unanswered;
  return (size_t)news;
}

void lr_journal_set_callbacks(const lrgd_problem *inner, lrgd_problem *wrapped)
{
  /* the same set of callbacks as the inner problem: the solver's choices depend
   * on it */
  wrapped->value = inner->value ? ask_value : NULL;
  wrapped->values = inner->values ? ask_values : NULL;
  wrapped->start = inner->start ? lr_journal_start : NULL;
  wrapped->finish = inner->finish ? lr_journal_finish : NULL;
  wrapped->gradient = inner->gradient ? ask_gradient : NULL;
  wrapped->slopes = inner->slopes ? ask_slopes : NULL;
  wrapped->complex_value = inner->complex_value ? ask_complex : NULL;
  wrapped->residuals = inner->residuals ? ask_residuals : NULL;
  wrapped->residual_batch = inner->residual_batch ? ask_residual_batch : NULL;
  wrapped->residual_jacobian = inner->residual_jacobian ? ask_jacobian : NULL;
  wrapped->residual_slopes =
      inner->residual_slopes ? ask_residual_slopes : NULL;
  wrapped->unanswered = unanswered;
}
