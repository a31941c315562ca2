/* The method that needs to be told nothing.
 *
 * R (embed.c) minimises in a growing random embedding, at a price that does
 * not depend on p; K (krylov.c) is the quasi-Newton method for functions that
 * are not low-rank.  R has to earn its keep: it pauses every 1.2 p evaluations,
 * K takes a round from the start with a model of its own, and R goes on only
 * if it has come further down.  K's rounds are kept. */
#include "method/embed.h"
#include "method/krylov.h"
#include "method/method.h"

#include <math.h>

enum { MOST = 150, SMALL = 30 };

/* Directions a model may hold: bounded, so that memory is O(p). */
static size_t most_directions(const lr_run *run)
{
  size_t most = lr_run_dimension(run);
  if (most > MOST) most = MOST;
  if (run->options.rank != LRGD_UNSET && (size_t)run->options.rank < most)
    most = (size_t)run->options.rank;
  return most;
}

/* K to its end. */
static lr_code krylov(lr_krylov *K)
{
  bool stuck = false;
  while (!stuck) LR_TRY(lr_krylov_round(K, &stuck));
  return LR_GO;
}

/* The two phases and what passes between them. */
typedef struct phases {
  lr_run *run;
  lr_model r, k;
  lr_embed R;
  lr_krylov K;
  bool k_begun;
} phases;

/* K's model stands where R's began, or where the run does. */
static lr_code begin_k(phases *a)
{
  if (a->k_begun) return LR_GO;
  const lr_point *start = a->R.begun ? &a->r.start : &a->run->at;
  LR_TRY(lr_model_init(&a->k, a->run, start, false, most_directions(a->run),
                       LR_STREAM_KRYLOV));
  lr_krylov_init(&a->K, &a->k);
  a->k_begun = true;
  return LR_GO;
}

/* R with its pauses.  *end: why it ended for good. */
static lr_code embed(phases *a, lr_embed_end *end, bool *k_leads)
{
  bool stuck;
  *k_leads = false;
  for (;;) {
    LR_TRY(lr_embed_advance(&a->R, end));
    if (*end != LR_EMBED_PAUSED) return LR_GO;
    uint64_t before = lrgd_counts_evaluations(&a->run->oracle.counts);
    LR_TRY(begin_k(a));
    LR_TRY(lr_krylov_round(&a->K, &stuck));
    uint64_t used = lrgd_counts_evaluations(&a->run->oracle.counts) - before;
    *k_leads = !(a->r.here.f < a->k.here.f);
    lr_run_note(a->run, "%s: embedding at %.6g, quasi-Newton at %.6g",
                *k_leads ? "the embedding does not pay" : "it pays, goes on",
                a->r.here.f, a->k.here.f);
    if (*k_leads) return LR_GO;
    a->R.began += used; /* K's values are not R's */
    a->R.looked += used;
    a->R.progressed += used;
  }
}

/* R can go no lower: what is known there? */
static lr_code stuck_at(phases *a, bool *go_on)
{
  lr_run *run = a->run;
  double bound, c = lr_model_mean_curvature(&a->r);
  LR_TRY(lr_model_rebase(&a->r, NULL));
  LR_TRY(lr_model_certify(&a->r, &bound));
  if (bound <= run->tol)
    return lr_run_converged(run, bound, run->options.confidence,
                            run->options.probes);
  double floor = lr_oracle_slope_error(&run->oracle, &a->r.here, c) *
                 sqrt((double)lr_run_dimension(run));
  *go_on = bound > 5 * floor;
  if (*go_on) return LR_GO;
  run->certificate = (lrgd_certificate){1, bound, run->options.confidence,
                                        run->options.probes};
  return lr_oracle_end(&run->oracle, LRGD_STALLED,
                       "no step falls; |grad f| <= %.3g with confidence %.3g, "
                       "as far as differences can tell",
                       bound, run->options.confidence);
}

/* K where R's model stands, with all that was learned. */
static lr_code go_on_from_r(phases *a)
{
  lr_krylov K;
  lr_krylov_init(&K, &a->r);
  return krylov(&K);
}

static lr_code run_phases(phases *a)
{
  lr_run *run = a->run;
  bool wide = lr_run_dimension(run) >= SMALL;
  if (wide && !run->oracle.answers.gradient) {
    lr_embed_end end;
    bool k_leads, go_on = false;
    lr_run_note(run, "embedding in random directions");
    LR_TRY(lr_model_init(&a->r, run, &run->at, true, most_directions(run),
                         LR_STREAM_EMBED));
    LR_TRY(lr_embed_init(&a->R, &a->r));
    LR_TRY(embed(a, &end, &k_leads));
    if (!k_leads)
      lr_run_note(run, "embedding ends: %s", lr_embed_end_text(end));
    if (end == LR_EMBED_STUCK) LR_TRY(stuck_at(a, &go_on));
    if (go_on || (end == LR_EMBED_TAIL && !(run->oracle.noise > 0)))
      LR_TRY(go_on_from_r(a));
  }
  run->oracle.two_sided = run->options.differences == LRGD_CENTRAL;
  lr_run_note(run, "quasi-Newton in the span of gradients%s",
              run->oracle.answers.gradient ? ", one evaluation each" : "");
  LR_TRY(begin_k(a));
  LR_TRY(krylov(&a->K));
  return lr_oracle_end(&run->oracle, LRGD_STALLED,
                       "no step falls; |grad f| is %.3g, %.3g was asked",
                       run->grad_norm, run->tol);
}

/* The run keeps the basis of the model it ended in. */
static void finish(phases *a)
{
  lr_run *run = a->run;
  if (run->shown == &a->k.own) {
    lr_basis last = a->k.own;
    a->k.own = run->U;
    run->U = last;
  }
  run->shown = NULL;
  lr_model_clear(&a->k);
}

lr_code lr_method_auto(lr_run *run)
{
  phases a = {.run = run};
  run->oracle.forgiving = true;
  lr_code code = run_phases(&a);
  finish(&a);
  lr_embed_clear(&a.R);
  lr_model_clear(&a.r);
  return code;
}

lr_code lr_method_krylov(lr_run *run)
{
  phases a = {.run = run};
  run->oracle.forgiving = true;
  lr_code code = begin_k(&a);
  if (code == LR_GO) code = krylov(&a.K);
  if (code == LR_GO)
    code = lr_oracle_end(&run->oracle, LRGD_STALLED,
                         "no step falls; |grad f| is %.3g, %.3g was asked",
                         run->grad_norm, run->tol);
  finish(&a);
  return code;
}
