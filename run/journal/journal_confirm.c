/* Checks that the function is still the same: where the text of a command has
 * changed, one stored point is evaluated again before anything new. */
#include "journal_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* AGREEMENT is relative to |f|: values printed with fewer digits, or sums in
 * another order, are the same function.  Relative to the decrease so far: a
 * stored point may be off by LR_CODEC_ACCURACY of its size, and f may be 0 at a
 * minimum. */
#define AGREEMENT 1e-9
#define DESCENT_AGREEMENT (10 * LR_CODEC_ACCURACY)
/* In standard deviations: the best of a million noisy values is 4.9 below its
 * mean, and a second value lies within 5 of the mean. */
#define NOISE_AGREEMENT 10

int lrgd_journal_needs_confirming(const lrgd_journal *journal)
{
  return journal && journal->kept.unconfirmed_count > 0;
}

void lrgd_journal_keep_noise(lrgd_journal *journal, double noise)
{
  if (journal && noise >= 0 && isfinite(noise)) journal->kept.noise = noise;
}

void lrgd_journal_keep_multipliers(lrgd_journal *journal, size_t count,
                                   const double *multipliers)
{
  if (!journal) return;
  free(journal->kept.multipliers);
  journal->kept.multipliers = NULL;
  journal->kept.multiplier_count = count;
  if (count == 0 || !multipliers) return;
  journal->kept.multipliers = malloc(count * sizeof *multipliers);
  if (journal->kept.multipliers)
    memcpy(journal->kept.multipliers, multipliers, count * sizeof *multipliers);
}

static double noise_of(const lrgd_journal *journal)
{
  const lrgd_setting *kept = lrgd_journal_setting(journal, LRGD_SETTING_NOISE);
  double noise = journal->options.noise;
  if (isnan(noise) && kept && kept->text) noise = strtod(kept->text, NULL);
  return noise > 0 && isfinite(noise) ? noise : 0;
}

/* ---- evaluating the stored point again ---- */

/* f at x, by whatever callback the problem has. */
static double ask_f(lrgd_journal *journal, const double *x, int *memory)
{
  const lrgd_problem *inner = &journal->asked.inner;
  size_t p = journal->p;
  double f = lrgd_unanswered();
  size_t n = inner->residual_count;
  lr_questions q = {.kind = LR_ROW_VALUE, .p = p, .m = 1, .x = x, .f = &f};
  q.n = n;
  if (inner->residual_jacobian) q.kind = LR_ROW_JACOBIAN;
  if (inner->residual_slopes) q.kind = LR_ROW_RESIDUAL_SLOPE;
  if (inner->residuals) q.kind = LR_ROW_RESIDUALS;
  size_t numbers = lr_numbers_of(&q);
  double *other = calloc(numbers + p, sizeof *other), slope;
  if (lr_row_kind_has_residuals(q.kind)) {
    q.d = other;
    q.u = q.kind == LR_ROW_RESIDUAL_SLOPE ? other + numbers : NULL;
  } else if (!inner->value && !inner->values && inner->gradient) {
    q.kind = LR_ROW_GRADIENT;
    q.d = other;
  } else if (!inner->value && !inner->values) {
    q.kind = inner->slopes ? LR_ROW_SLOPE : LR_ROW_COMPLEX;
    q.u = other;
    q.d = &slope;
  }
  *memory = other && lr_journal_ask_bare(journal, &q);
  free(other);
  return f;
}

/* ---- the stored answer ---- */

typedef struct reference {
  uint64_t sequence;
  double f, first; /* the best value, and the first one */
} reference;

static int find_first(const lrgd_journal_row *row, void *user)
{
  reference *to = user;
  to->first = row->f;
  return !isnan(row->f);
}

static lrgd_status find_reference(lrgd_journal *journal, reference *to,
                                  lrgd_error *error)
{
  lrgd_journal_summary summary;
  lrgd_status status = lrgd_journal_summarize(journal, &summary, error);
  if (status) return status;
  *to = (reference){summary.best_sequence, summary.best_f, NAN};
  return lrgd_journal_rows(journal, 1, find_first, to, error);
}

static lrgd_status compare(const lrgd_journal *journal, const reference *stored,
                           double f, lrgd_error *error)
{
  double noise = noise_of(journal);
  double most = fmax(AGREEMENT * fabs(stored->f), NOISE_AGREEMENT * noise);
  most = fmax(most, DESCENT_AGREEMENT * fabs(stored->first - stored->f));
  if (fabs(f - stored->f) <= most) return LRGD_OK;
  char now[40] = "it fails";
  if (!isnan(f)) (void)snprintf(now, sizeof now, "f is %.17g", f);
  return lr_run_fail(error, LRGD_ERR_REFUSED,
                     "%.150s is of another function: at the point of "
                     "evaluation %llu f is %.17g there, and here %s (%.60s has "
                     "changed)",
                     journal->path, (unsigned long long)stored->sequence,
                     stored->f, now, journal->kept.unconfirmed[0].key);
}

/* ---- recording the comparison ---- */

/* Stores the result of the check and the new settings; check NULL: there was no
 * check. */
static lrgd_status keep(lrgd_journal *journal, const lr_check *check,
                        int confirmed, lrgd_error *error)
{
  int full;
  confirmed = confirmed && !journal->kept.difference[0];
  lrgd_status status = lr_store_begin(journal->store, &full, error);
  if (!status && check)
    status = lr_store_put_check(journal->store, check, error);
  for (size_t i = 0;
       i < journal->kept.unconfirmed_count && confirmed && !status; i++)
    if (journal->kept.unconfirmed[i].view.may_change & LRGD_SETTING_MAY_CHANGE)
      status = lr_store_put_setting(journal->store,
                                    &journal->kept.unconfirmed[i].view, error);
  if (!status) status = lr_store_commit(journal->store, &full, error);
  if (status) lr_store_abandon(journal->store);
  return status;
}

/* Evaluates the point again; if it stays unanswered, the settings stay
 * unconfirmed. */
static lrgd_status ask_again(lrgd_journal *journal, const reference *stored,
                             double *x, lrgd_error *error)
{
  int memory;
  lrgd_status status = lrgd_journal_point(journal, stored->sequence, x, error);
  if (status) return status;
  double began_s = lr_now_s();
  double f = ask_f(journal, x, &memory);
  if (!memory) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  if (lr_is_unanswered(f)) return LRGD_OK;
  lrgd_error other;
  lrgd_status same = compare(journal, stored, f, &other);
  lr_check check = {stored->sequence, f, lr_now_s() - began_s};
  status = keep(journal, &check, same == LRGD_OK, error);
  if (status) return status;
  if (same && error) *error = other;
  if (!same) lr_journal_free_unconfirmed(journal);
  return same;
}

static lrgd_status confirm(lrgd_journal *journal, lrgd_error *error)
{
  reference stored;
  lrgd_status status = find_reference(journal, &stored, error);
  if (status) return status;
  if (stored.sequence ==
      0) { /* all evaluations have failed: nothing to compare with */
    status = keep(journal, NULL, 1, error);
    if (!status) lr_journal_free_unconfirmed(journal);
    return status;
  }
  double *x = malloc(journal->p * sizeof *x);
  if (!x) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  status = ask_again(journal, &stored, x, error);
  free(x);
  return status;
}

void lr_journal_confirm_now(lrgd_journal *journal)
{
  lrgd_error error;
  if (journal->kept.unconfirmed_count && confirm(journal, &error))
    lr_journal_fail(journal, &error);
}

lrgd_status lrgd_journal_confirm(lrgd_journal *journal, lrgd_error *error)
{
  if (!journal) return lr_journal_none(error);
  if (journal->readonly || !journal->asked.wrapped)
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "there is nobody to ask: wrap a problem first");
  if (!journal->trouble.fatal) lr_journal_confirm_now(journal);
  return lrgd_journal_status(journal, error);
}
