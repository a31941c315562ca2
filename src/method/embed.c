/* Phase R of `auto`.
 *
 * If f(x) = g(A x) with A r x p, then for almost every p x k matrix V with
 * k >= r the restriction z -> f(x0 + V z) attains min f: A need not be known.
 * V grows by one random direction at a time, each with its exact column of the
 * Hessian, so that on a quadratic the minimum over x0 + span V is always known
 * and the whole costs r^2/2 + 2.5 r + 2 values whatever p.
 *
 * The rest of this file is about knowing when that is a bad idea. */
#include "method/embed.h"

#include "base/memory.h"
#include "method/method.h"

#include <math.h>
#include <string.h>

/* ---- life ---- */

lr_code lr_embed_init(lr_embed *e, lr_model *m)
{
  size_t n = m->most + 2;
  *e = (lr_embed){.model = m,
                  .allocator = m->run->allocator,
                  .gain_out = INFINITY,
                  .outside = INFINITY,
                  .lowest = INFINITY};
  e->rank = lr_alloc(&e->allocator, n, sizeof *e->rank);
  e->past = lr_alloc(&e->allocator, n, sizeof *e->past);
  e->pasts = lr_alloc(&e->allocator, n, sizeof *e->pasts);
  if (e->rank && e->past && e->pasts) return LR_GO;
  return lr_oracle_fault(m->oracle, LRGD_ERR_NOMEM,
                         "out of memory for %zu directions", n);
}

void lr_embed_clear(lr_embed *e)
{
  if (!e->model) return;
  lr_free(&e->allocator, e->rank);
  lr_free(&e->allocator, e->past);
  lr_free(&e->allocator, e->pasts);
  *e = (lr_embed){0};
}

static uint64_t spent(const lr_embed *e)
{
  return lrgd_counts_evaluations(&e->model->oracle->counts);
}

static double dimension(const lr_embed *e)
{
  return (double)lr_run_dimension(e->model->run);
}

/* Under bounds the embedding lives in folded coordinates, and half of the
 * patience is enough. */
static bool folded(const lr_embed *e)
{
  return e->model->oracle->fold.lower.block != NULL;
}

static double mean_of_last(const double *ring, size_t size, uint64_t count)
{
  double sum = 0;
  size_t n = count < size ? (size_t)count : size;
  for (size_t i = 0; i < n; i++) sum += ring[i];
  return n > 0 ? sum / (double)n : 0;
}

/* ---- what the landings say ---- */

static void remember_landing(lr_embed *e)
{
  e->trusted[e->landings % 12] = e->model->trust;
  e->trusted_sum += e->model->trust;
  e->landings++;
}

static double trusted_share(const lr_embed *e, uint64_t last)
{
  uint64_t n = e->landings < last ? e->landings : last;
  double sum = 0;
  for (uint64_t i = 1; i <= n; i++) sum += e->trusted[(e->landings - i) % 12];
  return n > 0 ? sum / (double)n : 0;
}

double lr_embed_trusted(const lr_embed *e)
{
  return e->landings > 0 ? e->trusted_sum / (double)e->landings : 0;
}

/* Most landings are where the model said: f looks quadratic. */
static bool quadratic(const lr_embed *e)
{
  if (e->landings < 6) return false;
  return trusted_share(e, 8) >= 0.5 || lr_embed_trusted(e) >= 0.6;
}

/* ---- what the columns say ---- */

/* The share of a new direction's curvature that V does not explain falls like
 * 1 - k/r: so it tells r before V has reached it. */
static void foretell(lr_embed *e, double rho)
{
  size_t k = e->model->V->k;
  e->rho[e->extensions % 5] = rho;
  e->extensions++;
  double n = (double)(e->extensions < 5 ? e->extensions : 5);
  double left = 1 - mean_of_last(e->rho, 5, e->extensions);
  e->rank[k] = ((double)k - 0.5 * n) / fmax(left, 1e-2);
}

/* What the embedding costs on a quadratic of that rank. */
static double price(double rank)
{
  return 0.5 * rank * rank + 4 * rank;
}

/* The rank foretold when V was half as large has not been reached yet (that
 * is believed of nearly quadratic functions only). */
static bool ahead(const lr_embed *e)
{
  size_t k = e->model->V->k;
  return k >= 6 && trusted_share(e, 12) >= 0.25 &&
         (double)k < 1.5 * e->rank[k / 2] + 1;
}

/* The median of the ranks foretold at k = 4 .. 9. */
static double early_rank(const lr_embed *e)
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

/* What the last directions brought that V did not know: where that is nothing,
 * V spans all that matters and a slope outside is one inside, seen again. */
static double newness(const lr_embed *e)
{
  uint64_t n = e->extensions;
  if (n < 2) return 1;
  double last = 0.5 * (e->rho[(n - 1) % 5] + e->rho[(n - 2) % 5]);
  return fmax(last, 0.1);
}

/* ---- what the probes say ---- */

static void remember_probe(lr_embed *e, double d)
{
  size_t k = e->model->V->k;
  e->squares[e->probes % 5] = d * d;
  e->probes++;
  e->outside =
      (dimension(e) - (double)k) * mean_of_last(e->squares, 5, e->probes);
  e->past[k][e->pasts[k] % 3] = e->outside;
  e->pasts[k] = (unsigned char)(e->pasts[k] < 252 ? e->pasts[k] + 1 : 250);
  if (e->probes == 3) e->first = e->reference = e->outside;
}

/* The least of the last three estimates when V had at most k/1.5 columns. */
static double earlier(const lr_embed *e)
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
static double patience(const lr_embed *e)
{
  double p = dimension(e), k = (double)e->model->V->k;
  double values = fmin(fmax(8 * p - 520, p), fmax(p, 300));
  if (folded(e)) values = fmax(0.5 * p, 100);
  return fmax(values, 10 * k);
}

/* ---- when to stop ---- */

/* Values that six directions of a function that is no quadratic take: below
 * 125 dimensions a pause at 1.2 p would come just before the end.  In a box,
 * where a longer attempt costs more than it saves, those of four. */
enum { SHORTEST = 150, SHORTEST_FOLDED = 110 };

/* The gradient outside V has fallen tenfold. */
static bool fades(const lr_embed *e)
{
  return e->first > 0 && e->outside <= 0.1 * e->first;
}

/* Values by which a function that is no quadratic has to show that it pays. */
static double allowance(const lr_embed *e)
{
  double p = dimension(e);
  bool spans = e->extensions >= 3 && newness(e) <= 0.1;
  if (p < 80) return 0.6 * p;
  if (!folded(e) || fades(e) || spans) return INFINITY;
  return fmax(0.6 * p, fmin(1.2 * p, SHORTEST_FOLDED));
}

/* Under a budget: see the names in embed.h.  True: *end says why. */
static bool over_budget(lr_embed *e, lr_embed_end *end)
{
  double p = dimension(e), n = (double)(spent(e) - e->began);
  size_t k = e->model->V->k;
  bool looks_quadratic = quadratic(e);
  if (n > allowance(e) && !looks_quadratic) {
    *end = LR_EMBED_BUDGET;
    return true;
  }
  if (e->first > 0 && n > p) {
    double dear = 1.3 * price(e->rank[k]) + 0.5 * p;
    if (looks_quadratic && e->outside > 1e-3 * e->first && n > dear) {
      *end = LR_EMBED_DEAR;
      return true;
    }
    if (!looks_quadratic && e->outside > 1e-5 * e->first && k > 11 &&
        (double)k > 3 + 0.9 * early_rank(e)) {
      *end = LR_EMBED_PASSED;
      return true;
    }
  }
  double turn = folded(e) ? 1.2 * p : fmax(1.2 * p, SHORTEST);
  if (n > turn * (e->pauses + 1) && !looks_quadratic) {
    e->pauses++;
    *end = LR_EMBED_PAUSED;
    return true;
  }
  return false;
}

/* After a probe: has the gradient outside V stopped falling? */
static bool hopeless(lr_embed *e, bool captured, lr_embed_end *end)
{
  double p = dimension(e), n = (double)(spent(e) - e->began);
  size_t k = e->model->V->k;
  bool waiting = captured || ahead(e);
  uint64_t since = e->looked;
  e->looked = spent(e);
  if (!(e->first > 0)) return false;
  if (k >= 12 && e->outside < 0.03 * e->first && !waiting) {
    e->level = e->outside > 0.4 * earlier(e) ? e->level + 1 : 0;
    *end = LR_EMBED_TAIL;
    if (e->level >= 4 && n > 0.4 * p) return true;
  }
  if (e->outside < 0.1 * e->reference) {
    e->reference = e->outside;
    e->progressed = e->looked;
  } else if (waiting) {
    e->progressed += e->looked - since; /* the clock stands still */
  } else if ((double)(e->looked - e->progressed) > patience(e) ||
             (n > (folded(e) ? 0.35 : 0.7) * (double)(k + 1) * p &&
              e->outside > 1e-3 * e->first)) {
    *end = e->outside < 1e-4 * e->first ? LR_EMBED_TAIL : LR_EMBED_STALL;
    return true;
  }
  return false;
}

/* Small inside (g is measured) and, by the last probe, outside: is it so?  In
 * folded coordinates that is not for us to say (a fold has crests, where every
 * slope is zero), and some room is left for those who look at it plainly. */
static lr_code maybe_certify(lr_embed *e, double d, bool *done)
{
  lr_model *m = e->model;
  lr_run *run = m->run;
  size_t k = m->V->k;
  double bound, outside = (dimension(e) - (double)k) * d * d;
  double inside = lr_norm(k, m->g), tol = folded(e) ? run->tol / 3 : run->tol;
  if (!(inside * inside + outside <= tol * tol)) return LR_GO;
  *done = folded(e);
  if (*done) return LR_GO;
  LR_TRY(lr_model_certify(m, &bound));
  lr_run_note(run, "|grad f| <= %.3g with confidence %.3g, asked for %.3g",
              bound, run->options.confidence, run->tol);
  if (!(bound <= run->tol)) return LR_GO;
  return lr_run_converged(run, bound, run->options.confidence,
                          (int64_t)run->probed);
}

/* ---- the phase ---- */

/* The first direction: slope, curvature by one value, column. */
static lr_code begin(lr_embed *e)
{
  lr_model *m = e->model;
  double d, rho;
  if (!e->begun) e->began = spent(e);
  e->drawn = false;
  e->looked = e->progressed = spent(e);
  lrgd_vec u = lr_model_vec(m, LR_MODEL_PROBE);
  LR_TRY(lr_oracle_value(m->oracle, &m->here, LRGD_DESCEND));
  m->start.f = m->base.f = m->here.f;
  if (isnan(m->run->start_f)) m->run->start_f = m->here.f;
  LR_TRY(lr_run_offer(m->run, &m->here));
  if (!lr_model_draw(m)) return LR_GO;
  LR_TRY(lr_model_slope(m, u, 1e-2, LRGD_PROBE, &d));
  remember_probe(e, d);
  if (d != 0) m->space->ops->scale(m->space, u, d > 0 ? -1 : 1);
  LR_TRY(lr_model_curvature(m, u, -fabs(d), &e->c0));
  e->c0 = fabs(e->c0) > 0 ? fabs(e->c0) : 1;
  e->rank[1] = 1;
  LR_TRY(lr_model_extend(m, u, -fabs(d), e->c0, &rho));
  e->begun = true;
  return LR_GO;
}

/* Slopes made of noise look like this: a step brings next to nothing of what
 * was promised (smooth functions keep a third and more), and nothing that
 * counts beside what was gained so far (where B is nearly singular, promises
 * are large and steps still good).  Or, later: the model is never right. */
static bool suspicious(const lr_embed *e, double fall)
{
  const lr_model *m = e->model;
  double level = lr_oracle_level(m->oracle, m->base.f);
  double gained = m->start.f - m->here.f;
  bool counts = fall > 0.01 * gained && gained > 1e-3 * fabs(m->start.f);
  bool broken = !(fall > 0.1 * m->promised) && m->promised > 100 * level;
  bool within = m->oracle->noise > 0 && !(fall > m->oracle->noise);
  if ((broken && !counts) || within) return true; /* is it that large? */
  return e->landings >= 2 && trusted_share(e, 2) == 0 &&
         spent(e) - e->began > 120;
}

/* Differences were taken for exact, or nearly so, to a degree that matters for
 * what there is to gain.  (Those taken for noisier than they are were only
 * longer than need be.) */
static bool misled(const lr_model *m, double believed)
{
  double noise = m->oracle->noise, gained = fabs(m->start.f - m->here.f);
  return believed < 0.1 * noise && noise > 1e-10 * gained;
}

/* The noise is not what was believed: what was built on that goes. */
static void start_over(lr_embed *e)
{
  lr_model *m = e->model;
  lr_run_note(m->run, "noise of %.2g seen: the embedding starts over",
              m->oracle->noise);
  uint64_t checked = m->checked_noise;
  lr_model_restart(m);
  lr_run_forget_tolerance(m->run);
  m->checked_noise = checked;
  e->fails = e->high = e->level = e->idle = 0;
  e->lowest = INFINITY;
  e->landings = e->probes = e->extensions = 0;
  e->trusted_sum = e->first = e->reference = 0;
  memset(e->pasts, 0, (m->most + 2) * sizeof *e->pasts);
  e->outside = e->gain_out = INFINITY;
}

/* Slopes at the landing; two-sided from where forward ones are all noise. */
static lr_code rebase(lr_embed *e)
{
  lr_model *m = e->model;
  lr_oracle *o = m->oracle;
  size_t k = m->V->k;
  LR_TRY(lr_model_rebase(m, NULL));
  double gg = lr_dot(k, m->g, m->g) / (double)k, bend = 0;
  for (size_t j = 0; j < k; j++) bend += fabs(m->B[j * (m->most + 1)]);
  if (o->noise > 0 && !o->two_sided && gg < o->noise * bend / (double)k) {
    o->two_sided = true;
    LR_TRY(lr_model_measure(m));
  }
  return LR_GO;
}

/* A decrease that may as well be none: within the noise, of a rounding or two,
 * or what errors of slopes promise. */
static lr_code meaningless(lr_model *m, double *fall)
{
  *fall = m->oracle->noise;
  if (*fall > 0) return LR_GO;
  LR_TRY(lr_model_gain_error(m, fall));
  *fall = fmax(*fall, 0.25 * lr_oracle_level(m->oracle, m->base.f));
  return LR_GO;
}

/* Under noise: three landings, new directions among them, have brought nothing
 * that counts.  (A fall is seen from the base, which may be higher than where
 * the model stood before.) */
static bool idles(lr_embed *e)
{
  const lr_model *m = e->model;
  bool falls = !(m->here.f > e->lowest - m->oracle->noise);
  if (falls || !(m->oracle->noise > 0)) {
    e->lowest = m->here.f;
    e->idle = 0;
    e->idle_since = e->extensions;
    return false;
  }
  return ++e->idle >= 3 && e->extensions > e->idle_since;
}

/* Lands and looks at the budget.  *done: hand back, *end says why. */
static lr_code land(lr_embed *e, double *fall, bool *done, lr_embed_end *end)
{
  lr_model *m = e->model;
  LR_TRY(lr_model_land(m, fall));
  remember_landing(e);
  *done = false;
  if (m->checked_noise == 0 && suspicious(e, *fall)) {
    double believed = m->oracle->noise;
    LR_TRY(lr_model_check_noise(m));
    if (misled(m, believed)) {
      start_over(e);
      return begin(e);
    }
  }
  double nothing;
  LR_TRY(meaningless(m, &nothing));
  *end = LR_EMBED_STUCK;
  if (!(*fall > nothing)) {
    m->oracle->two_sided |= m->oracle->noise > 0;
    *done = ++e->fails > 3;
    if (*done) return LR_GO;
  }
  *done = idles(e);
  if (*done) return LR_GO;
  *done = over_budget(e, end);
  /* at its end, as far as noise lets it see: not the time for a pause */
  if (*end == LR_EMBED_PAUSED && e->fails > 0 &&
      !(*fall > 10 * m->oracle->noise))
    *end = LR_EMBED_STUCK;
  return LR_GO;
}

/* Looks outside V along a fresh direction; *captured: V pays better. */
static lr_code probe(lr_embed *e, double fall, double gain_in, double *d,
                     double *c, bool *captured)
{
  lr_model *m = e->model;
  *c = fmax(lr_model_mean_curvature(m), 1e-3 * e->c0);
  LR_TRY(lr_model_probe(m, *c, d));
  e->drawn = false;
  e->gain_out = 0.5 * *d * *d / *c * newness(e);
  bool small =
      (dimension(e) - (double)m->V->k) * *d * *d <= m->run->tol * m->run->tol;
  if (m->trust && (e->gain_out < 1e-3 * fall || small)) {
    /* nothing outside: what did trust leave inside? */
    LR_TRY(rebase(e));
    m->trust = false;
    LR_TRY(lr_model_gain(m, &gain_in));
  }
  *captured = !m->trust && gain_in > e->gain_out;
  remember_probe(e, *d);
  return LR_GO;
}

/* Takes the probed direction in. */
static lr_code extend(lr_embed *e, double d, double c, bool *done,
                      lr_embed_end *end)
{
  lr_model *m = e->model;
  double rho;
  LR_TRY(lr_model_extend(m, lr_model_vec(m, LR_MODEL_PROBE), d, c, &rho));
  foretell(e, rho);
  size_t k = m->V->k;
  lr_run_note(m->run, "direction %zu, %.0f %% of its curvature new: rank %.0f?",
              k, 100 * rho, e->rank[k]);
  bool high = k >= 8 && price(e->rank[k]) > 7 * dimension(e);
  e->high = high ? e->high + 1 : 0;
  *end = LR_EMBED_HIGH_RANK;
  *done = e->high >= 2;
  return LR_GO;
}

/* tol from the first probes, where the user gave none. */
static void set_tolerance(lr_embed *e)
{
  lr_run *run = e->model->run;
  if (!(run->tol > 0) && e->first > 0) run->tol = 1e-6 * sqrt(e->first);
}

/* A direction for the next probe; drawn before landing, so that a value that is
 * paid with a slope can bring it.  False: there is none. */
static bool draw(lr_embed *e, bool *done, lr_embed_end *end)
{
  if (e->drawn) return true;
  e->drawn = lr_model_draw(e->model);
  *done = !e->drawn;
  *end = LR_EMBED_FULL;
  return e->drawn;
}

static lr_code once(lr_embed *e, bool *done, lr_embed_end *end)
{
  lr_model *m = e->model;
  double fall, gain_in = 0, d, c;
  bool captured;
  if (!draw(e, done, end)) return LR_GO;
  LR_TRY(land(e, &fall, done, end));
  if (*done || e->landings == 0) return LR_GO; /* handed back, or begun anew */
  if (!m->trust) {
    LR_TRY(rebase(e));
    LR_TRY(lr_model_gain(m, &gain_in));
    bool near = lr_norm(m->V->k, m->g) <= 0.5 * m->run->tol;
    if (gain_in > e->gain_out && fall > 0 && !near)
      return LR_GO; /* stay inside */
  }
  LR_TRY(probe(e, fall, gain_in, &d, &c, &captured));
  set_tolerance(e);
  if (!m->trust) LR_TRY(maybe_certify(e, d, done));
  *end = LR_EMBED_DONE;
  if (*done) return LR_GO;
  *done = hopeless(e, captured, end);
  if (*done || (captured && fall > 0)) return LR_GO;
  *end = LR_EMBED_FULL;
  *done = m->V->k >= m->most;
  return *done ? LR_GO : extend(e, d, c, done, end);
}

bool lr_embed_pays(lr_embed *e, double f, double fell)
{
  double here = e->model->here.f, lead = f - here;
  bool first = e->pauses == 1 && (!folded(e) || fades(e));
  bool falls = e->paused_f - here >= 0.05 * lead;
  bool flattens = e->outside <= 0.1 * e->paused_outside;
  e->paused_f = here;
  e->paused_outside = e->outside;
  return lead > 0 && lead > 0.07 * fell && (first || falls || flattens);
}

lr_code lr_embed_advance(lr_embed *e, lr_embed_end *end)
{
  bool done = false;
  if (!e->begun) LR_TRY(begin(e));
  while (!done) LR_TRY(once(e, &done, end));
  return LR_GO;
}
