/* What landings, columns and probes of the embedding say, and when to stop:
 * nothing here asks for a value. */
#include "auto/embedding_state.h"

#include <math.h>

static double mean_of_last(const double *ring, size_t size, uint64_t count)
{
  double sum = 0;
  size_t n = count < size ? (size_t)count : size;
  for (size_t i = 0; i < n; i++) sum += ring[i];
  return n > 0 ? sum / (double)n : 0;
}

/* ---- what the landings say ---- */

void lr_embedding_landed(lr_embedding *e)
{
  e->trusted[e->landings % 12] = e->model->landing.trust;
  e->trusted_sum += e->model->landing.trust;
  e->landings++;
}

static double trusted_share(const lr_embedding *e, uint64_t last)
{
  uint64_t n = e->landings < last ? e->landings : last;
  double sum = 0;
  for (uint64_t i = 1; i <= n; i++) sum += e->trusted[(e->landings - i) % 12];
  return n > 0 ? sum / (double)n : 0;
}

double lr_embedding_trusted(const lr_embedding *e)
{
  return e->landings > 0 ? e->trusted_sum / (double)e->landings : 0;
}

/* Most landings are where the model said: f looks quadratic. */
static bool quadratic(const lr_embedding *e)
{
  if (e->landings < 6) return false;
  return trusted_share(e, 8) >= 0.5 || lr_embedding_trusted(e) >= 0.6;
}

/* ---- what the columns say ---- */

/* What the embedding costs on a quadratic of that rank. */
static double price(double rank)
{
  return 0.5 * rank * rank + 4 * rank;
}

bool lr_embedding_foretell(lr_embedding *e, double rho)
{
  size_t k = e->model->V->k;
  e->rho[e->extensions % 5] = rho;
  e->extensions++;
  double n = (double)(e->extensions < 5 ? e->extensions : 5);
  double left = 1 - mean_of_last(e->rho, 5, e->extensions);
  e->rank[k] = ((double)k - 0.5 * n) / fmax(left, 1e-2);
  bool high = k >= 8 && price(e->rank[k]) > 7 * lr_embedding_dimension(e);
  e->high = high ? e->high + 1 : 0;
  return e->high >= 2;
}

/* The rank foretold when V was half as large has not been reached yet (that
 * is believed of nearly quadratic functions only). */
static bool ahead(const lr_embedding *e)
{
  size_t k = e->model->V->k;
  return k >= 6 && trusted_share(e, 12) >= 0.25 &&
         (double)k < 1.5 * e->rank[k / 2] + 1;
}

/* The median of the ranks foretold at k = 4 .. 9. */
static double early_rank(const lr_embedding *e)
{
  double r[6];
  for (int i = 0; i < 6; i++) {
    double x = e->rank[4 + i];
    int j = i;
    for (; j > 0 && r[j - 1] > x; j--) r[j] = r[j - 1];
    r[j] = x;
  }
  return 0.5 * (r[2] + r[3]);
}

double lr_embedding_newness(const lr_embedding *e)
{
  uint64_t n = e->extensions;
  if (n < 2) return 1;
  double last = 0.5 * (e->rho[(n - 1) % 5] + e->rho[(n - 2) % 5]);
  return fmax(last, 0.1);
}

/* ---- what the probes say ---- */

void lr_embedding_probed(lr_embedding *e, double d)
{
  size_t k = e->model->V->k;
  e->squares[e->probes % 5] = d * d;
  e->probes++;
  e->outside = (lr_embedding_dimension(e) - (double)k) *
               mean_of_last(e->squares, 5, e->probes);
  e->past[k][e->pasts[k] % 3] = e->outside;
  e->pasts[k] = (unsigned char)(e->pasts[k] < 252 ? e->pasts[k] + 1 : 250);
  if (e->probes != 3) return;
  e->reference = e->outside;
  if (!(e->first > 0)) e->first = e->outside; /* else it is known */
}

/* The least of the last three estimates when V had at most k/1.5 columns. */
static double earlier(const lr_embedding *e)
{
  size_t limit = (size_t)((double)e->model->V->k / 1.5);
  double least = INFINITY;
  int found = 0;
  for (size_t k = limit; k > 0 && found < 3; k--) {
    int n = e->pasts[k] < 3 ? e->pasts[k] : 3;
    for (int i = 0; i < n && found < 3; i++, found++)
      least = fmin(least, e->past[k][i]);
  }
  return least;
}

/* Values to spend without the gradient outside falling tenfold: p, or 300
 * where that is more; p again below p = 100, where K costs only some 5 p. */
static double patience(const lr_embedding *e)
{
  double p = lr_embedding_dimension(e), k = (double)e->model->V->k;
  double values = fmin(fmax(8 * p - 520, p), fmax(p, 300));
  if (lr_embedding_folded(e)) values = fmax(0.5 * p, 100);
  return fmax(values, 10 * k);
}

/* ---- when to stop ---- */

/* Values that six directions of a function that is no quadratic take: below
 * 125 dimensions a pause at 1.2 p would come just before the end.  In a box,
 * where a longer attempt costs more than it saves, those of four. */
enum { SHORTEST = 150, SHORTEST_FOLDED = 110 };

/* The gradient outside V has fallen tenfold. */
static bool fades(const lr_embedding *e)
{
  return e->first > 0 && e->outside <= 0.1 * e->first;
}

/* Values by which a function that is no quadratic has to show that it pays. */
static double allowance(const lr_embedding *e)
{
  double p = lr_embedding_dimension(e);
  bool spans = e->extensions >= 3 && lr_embedding_newness(e) <= 0.1;
  if (p < (lr_embedding_folded(e) ? 100 : 80)) return 0.6 * p;
  if (!lr_embedding_folded(e) || fades(e) || spans) return INFINITY;
  return fmax(0.6 * p, fmin(1.2 * p, SHORTEST_FOLDED));
}

bool lr_embedding_near(const lr_embedding *e)
{
  const lr_model *m = e->model;
  return lr_norm(m->V->k, m->g) <= 100 * m->run->goal.tol;
}

bool lr_embedding_over_budget(lr_embedding *e, lr_embedding_end *end)
{
  double p = lr_embedding_dimension(e),
         n = (double)(lr_embedding_spent(e) - e->began);
  size_t k = e->model->V->k;
  bool looks_quadratic = quadratic(e);
  uint64_t failed = lr_oracle_missed(e->model->oracle) - e->failed;
  if ((double)failed > 10 + 0.25 * n) {
    *end = LR_EMBEDDING_WALLED;
    return true;
  }
  if (n > allowance(e) && !looks_quadratic) {
    *end = LR_EMBEDDING_BUDGET;
    return true;
  }
  if (e->first > 0 && n > p) {
    double dear = 1.3 * price(e->rank[k]) + 0.5 * p;
    if (looks_quadratic && e->outside > 1e-3 * e->first && n > dear) {
      *end = LR_EMBEDDING_DEAR;
      return true;
    }
    if (!looks_quadratic && e->outside > 1e-5 * e->first && k > 11 &&
        (double)k > 3 + 0.9 * early_rank(e)) {
      *end = LR_EMBEDDING_PASSED;
      return true;
    }
  }
  double turn = lr_embedding_folded(e) ? 1.2 * p : fmax(1.2 * p, SHORTEST);
  if (n > turn * (e->pauses + 1) && !looks_quadratic && !lr_embedding_near(e)) {
    e->pauses++;
    *end = LR_EMBEDDING_PAUSED;
    return true;
  }
  return false;
}

bool lr_embedding_hopeless(lr_embedding *e, bool captured,
                           lr_embedding_end *end)
{
  double p = lr_embedding_dimension(e),
         n = (double)(lr_embedding_spent(e) - e->began);
  size_t k = e->model->V->k;
  bool waiting = captured || ahead(e);
  uint64_t since = e->looked;
  e->looked = lr_embedding_spent(e);
  if (!(e->first > 0)) return false;
  if (k >= 12 && e->outside < 0.03 * e->first && !waiting) {
    e->level = e->outside > 0.4 * earlier(e) ? e->level + 1 : 0;
    *end = LR_EMBEDDING_TAIL;
    if (e->level >= 4 && n > 0.4 * p) return true;
  }
  if (e->outside < 0.1 * e->reference) {
    e->reference = e->outside;
    e->progressed = e->looked;
  } else if (waiting) {
    e->progressed += e->looked - since; /* the clock stands still */
  } else if ((double)(e->looked - e->progressed) > patience(e) ||
             (n > (lr_embedding_folded(e) ? 0.35 : 0.7) * (double)(k + 1) * p &&
              e->outside > 1e-3 * e->first)) {
    *end =
        e->outside < 1e-4 * e->first ? LR_EMBEDDING_TAIL : LR_EMBEDDING_STALL;
    return true;
  }
  return false;
}

/* ---- noise ---- */

bool lr_embedding_suspicious(const lr_embedding *e, double fall)
{
  const lr_model *m = e->model;
  double level = lr_oracle_level(m->oracle, m->base.f);
  double gained = m->start.f - m->here.f;
  bool counts = fall > 0.01 * gained && gained > 1e-3 * fabs(m->start.f);
  bool broken =
      !(fall > 0.1 * m->landing.promised) && m->landing.promised > 100 * level;
  bool within = m->oracle->differences.noise > 0 &&
                !(fall > m->oracle->differences.noise);
  if ((broken && !counts) || within) return true; /* is it that large? */
  return e->landings >= 2 && trusted_share(e, 2) == 0 &&
         lr_embedding_spent(e) - e->began > 120;
}

bool lr_embedding_idles(lr_embedding *e)
{
  const lr_model *m = e->model;
  bool falls = !(m->here.f > e->lowest - m->oracle->differences.noise);
  if (falls || !(m->oracle->differences.noise > 0)) {
    e->lowest = m->here.f;
    e->idle = 0;
    e->idle_since = e->extensions;
    return false;
  }
  return ++e->idle >= 3 && e->extensions > e->idle_since;
}

bool lr_embedding_pays(lr_embedding *e, double f, double fell)
{
  double here = e->model->here.f, lead = f - here;
  bool first = e->pauses == 1 && (!lr_embedding_folded(e) || fades(e));
  bool falls = e->paused_f - here >= 0.05 * lead;
  bool flattens = e->outside <= 0.1 * e->paused_outside;
  e->paused_f = here;
  e->paused_outside = e->outside;
  /* an earlier run has found that it pays: any lead will do */
  bool leads = lead > 0 && (e->known || lead > 0.07 * fell);
  return leads && (first || falls || flattens);
}
