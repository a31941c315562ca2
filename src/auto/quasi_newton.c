/* Phase K of `auto`.
 *
 * The iterates of BFGS stay in the span of the gradients seen (Gill, Leonard,
 * SIAM J. Optim. 12, 2001), so V = that span and a k x k matrix do.  After
 * every full gradient steps are taken inside V, at k values each, for as long
 * as they pay better than the full gradient did.  On low-rank functions it
 * needs at most r + 1 of those; on others it is a quasi-Newton method that
 * does not waste evaluations. */
#include "auto/quasi_newton_state.h"

#include "certificate/certificate.h"
#include "hidden/hidden_bound.h"
#include "space/vec.h"

#include <math.h>

void lr_quasi_newton_init(lr_quasi_newton *K, lr_model *m)
{
  *K = (lr_quasi_newton){.model = m, .lowest = INFINITY};
}

static uint64_t spent(const lr_quasi_newton *K)
{
  return lr_oracle_spent(K->model->oracle);
}

/* A gradient costs one evaluation: there is nothing to save inside V. */
static bool cheap_gradient(const lr_quasi_newton *K)
{
  return K->model->oracle->answers.gradient != NULL;
}

/* What is known of the curvature along coordinates, for differences. */
static double hint(const lr_quasi_newton *K)
{
  return fmin(-K->spread, 0);
}

/* The gradient, G, cannot be told from the noise or rounding of f any more. */
static lr_code at_noise(lr_quasi_newton *K, lrgd_vec G, double norm)
{
  lr_run *run = K->model->run;
  lrgd_vec spare = lr_model_vec(K->model, LR_MODEL_SPARE);
  double error;
  LR_TRY(lr_run_gradient_error(run, G, hint(K), spare, norm, &error));
  if (lr_run_smooth(run, norm + error))
    lr_run_settle(run, norm + error, lr_run_confidence(run), 0);
  bool noisy = run->oracle.differences.noise > 0;
  return lr_oracle_stall(
      &run->oracle, noisy ? LRGD_STALL_NOISE : LRGD_STALL_ROUNDING,
      "%s is %.3g, which %s of %.2g in f explains; %.3g was asked",
      lr_run_gradient_text(run), lr_run_told(run, norm),
      noisy ? "noise" : "rounding",
      lr_run_told(run, lr_oracle_level(&run->oracle, run->at.f)),
      lr_run_told(run, run->goal.tol));
}

/* The value where the model stands is known: it counts, whatever follows. */
static lr_code stand(lr_model *m)
{
  m->run->at = m->here;
  return lr_run_count(m->run, &m->here);
}

/* Takes out of G, the gradient at the base, what bounds hold. */
static void strike(lr_quasi_newton *K, lrgd_vec G)
{
  lr_model *m = K->model;
  lrgd_vec full = lr_model_vec(m, LR_MODEL_FULL);
  K->held =
      m->space->ops->zero_active(m->space, G, m->here.x, full, m->oracle->box);
}

/* Whether noise is larger than all that a step could gain, by the model inside
 * V and by the last curvature outside; g is what it is where the base is. */
static lr_code drowns(lr_quasi_newton *K, double norm, bool *drowned)
{
  lr_model *m = K->model;
  double gain, inside = lr_norm(m->V->k, m->g);
  *drowned = false;
  if (!m->oracle->differences.two_sided || !(m->oracle->differences.noise > 0))
    return LR_GO;
  if (!(K->curvature > 0) || lr_oracle_boxed(m->oracle)) return LR_GO;
  LR_TRY(lr_model_gain(m, &gain));
  gain += 0.5 * fmax(norm * norm - inside * inside, 0) / K->curvature;
  *drowned = gain < 0.5 * m->oracle->differences.noise;
  return LR_GO;
}

/* Whether bounds hold enough for a gradient without what they hold.  They are
 * looked at every so often, and where a round has failed.  A V that is most of
 * space is better taught by whole gradients: what it knew of the coordinates
 * that are left out would fade. */
static bool on_face(const lr_quasi_newton *K)
{
  enum { IN_A_ROW = 8 };
  const lr_model *m = K->model;
  const lr_answers *a = &m->oracle->answers;
  bool by_value = !a->slopes && !a->gradient && m->run->domain.k == 0;
  size_t p = m->space->dimension;
  return by_value && K->whole && K->fails == 0 && K->faces < IN_A_ROW &&
         !K->plain && 10 * K->held >= p && 2 * m->V->k <= p;
}

/* How far the norm of a gradient here may be off, with the confidence of the
 * options. */
static double gradient_error(lr_quasi_newton *K)
{
  lr_model *m = K->model;
  return lr_oracle_gradient_error(m->oracle, &m->here, -K->spread,
                                  m->space->dimension,
                                  m->run->options.confidence);
}

/* A gradient on the face.  *enough: nothing else need be asked here, as it is
 * neither small nor drowns. */
static lr_code ask_on_face(lr_quasi_newton *K, lrgd_vec G, double c,
                           double *norm, bool *enough)
{
  lr_model *m = K->model;
  LR_TRY(lr_model_face_gradient(m, G, false, c, norm));
  double p = (double)m->space->dimension, error = gradient_error(K);
  double other = lr_oracle_slope_error(m->oracle, &m->here, 0) * sqrt(p);
  double bound = *norm + error + other; /* as of a whole one: told.c */
  *enough = *norm > fmax(m->run->goal.tol, 2 * error);
  if (!(bound <= m->run->goal.tol) || *norm == 0) return LR_GO;
  /* probes are dearer than what they stand for, where that is little */
  if (K->held <= 2 * (size_t)m->run->options.probes) return LR_GO;
  m->run->at = m->here;
  m->run->progress.grad_norm = *norm;
  LR_TRY(lr_model_certify_face(m, G, &bound));
  return bound < INFINITY ? lr_run_certified(m->run, bound) : LR_GO;
}

/* The gradient where the model stands. */
static lr_code ask_gradient(lr_quasi_newton *K, lrgd_vec G, double *norm)
{
  lr_model *m = K->model;
  double c = hint(K);
  LR_TRY(lr_oracle_value(m->oracle, &m->here, LRGD_PURPOSE_DESCEND));
  LR_TRY(stand(m));
  if (K->whole) lr_model_foresee(m);
  bool part = on_face(K);
  K->face = part;
  if (part) LR_TRY(ask_on_face(K, G, c, norm, &K->face));
  K->faces = K->face ? K->faces + 1 : 0;
  K->faced |= K->face;
  if (K->face) return LR_GO;
  if (part) return lr_model_face_gradient(m, G, true, c, norm);
  return lr_run_gradient_at(m->run, &m->here, G, LRGD_PURPOSE_DESCEND, c, norm);
}

/* The base moves to where G is the gradient. */
static lr_code take_gradient(lr_quasi_newton *K, lrgd_vec G)
{
  lr_model *m = K->model;
  if (K->whole && (K->face || K->guessed)) {
    const lr_model_gaps gaps = {.base = K->guessed, .here = K->face};
    return lr_model_rebase_partly(m, G, gaps);
  }
  lr_basis_project(m->V, G, m->work.fresh);
  return lr_model_rebase(m, m->work.fresh);
}

/* In a box: what is known of the gradient, and without what bounds hold. */
static void keep_gradient(lr_quasi_newton *K, lrgd_vec G)
{
  lr_model *m = K->model;
  if (K->face)
    lr_model_keep_measured(m, G);
  else
    m->space->ops->copy(m->space, lr_model_vec(m, LR_MODEL_WHOLE), G, 1);
  m->space->ops->copy(m->space, lr_model_vec(m, LR_MODEL_FULL), G, 1);
  K->whole = true;
  K->guessed = K->face;
  strike(K, G);
}

/* Whether bounds hold every input, by slopes that are more than their error. */
static bool cornered(const lr_quasi_newton *K, lrgd_vec G)
{
  lr_model *m = K->model;
  double g[LR_FEW], error = lr_oracle_slope_error(m->oracle, &m->here, 0);
  for (size_t i = 0, n; (n = lr_few(m->space, i)) > 0; i += n) {
    m->space->ops->get(m->space, G, i, n, g);
    for (size_t j = 0; j < n; j++)
      if (!(fabs(g[j]) > 2 * error)) return false;
  }
  return true;
}

/* One-sided differences cannot see what f bends along them, but a few random
 * directions can, all together: that is cheaper than to measure on both sides
 * where there are many inputs, and tells less.  Ends the run where it tells
 * enough. */
static lr_code small_by_trace(lr_quasi_newton *K, double norm)
{
  enum { PROBES = 4 };
  lr_model *m = K->model;
  double p = (double)m->space->dimension, noise = gradient_error(K), trace;
  double reach = lr_oracle_reach(m->oracle, &m->here, -K->spread);
  double known = fabs(lr_model_spread(m)) * p;
  double about = 0.5 * reach * known * lr_model_trace_slack(m, PROBES);
  if (m->oracle->differences.noise > 0 ||
      !(norm + noise + about <= 0.7 * m->run->goal.tol))
    return LR_GO;
  if (p <= 2 * PROBES) return LR_GO;
  LR_TRY(lr_model_trace(m, PROBES, &trace));
  double bound = norm + noise + 0.5 * reach * fmax(trace, known);
  if (!(bound <= m->run->goal.tol)) return LR_GO;
  return lr_run_converged(m->run, bound, m->run->options.confidence, 0);
}

/* A gradient that is as small as was asked for, and how far it may be off.
 * Where that is more than was asked for, two-sided differences are to tell, and
 * then a smaller gradient, unless noise hides it. */
static lr_code small_gradient(lr_quasi_newton *K, lrgd_vec G, double norm)
{
  lr_model *m = K->model;
  lr_oracle *o = m->oracle;
  bool given = o->answers.slopes || o->answers.gradient;
  double error;
  if (norm == 0 && !given && !(o->differences.noise > 0)) /* f is flat */
    return lr_run_converged(m->run, gradient_error(K),
                            m->run->options.confidence, 0);
  if (!given && !o->differences.two_sided) {
    LR_TRY(small_by_trace(K, norm));
    lr_oracle_use_two_sided(o);
    return LR_GO;
  }
  lrgd_vec spare = lr_model_vec(m, LR_MODEL_SPARE);
  LR_TRY(lr_run_gradient_error(m->run, G, hint(K), spare, norm, &error));
  /* no slope was ever seen, or bounds hold every input by what was */
  bool flat =
      norm == 0 && (!(m->run->goal.tol > 0) || (!given && cornered(K, G)));
  if (flat || norm + error <= m->run->goal.tol)
    return lr_run_converged(m->run, norm + error, lr_run_confidence(m->run), 0);
  return error < 0.5 * m->run->goal.tol ? LR_GO : at_noise(K, G, norm);
}

/* Slopes that are nothing at all: f is flat, or its values have fewer digits
 * than steps need.  *again: it is worth asking with what is known now. */
static lr_code saw_nothing(lr_quasi_newton *K, bool *again)
{
  lr_model *m = K->model;
  double noise = m->oracle->differences.noise;
  LR_TRY(lr_model_check_noise(m));
  *again = m->oracle->differences.noise > noise;
  return LR_GO;
}

/* A millionth of the first gradient.  Where that is stationary as far as
 * two-sided differences can tell, what they can tell. */
static void derive_tolerance(const lr_quasi_newton *K, double norm,
                             double error)
{
  lr_run *run = K->model->run;
  double tol = 1e-6 * fmax(norm, run->goal.first_slope);
  if (K->closer && norm <= 2 * error) tol = fmax(tol, norm + error);
  run->goal.tol = fmin(tol, run->goal.most_tol);
}

static lr_code no_gradient(lr_run *run)
{
  static const char text[] = "the gradient cannot be evaluated at iterate %g";
  lr_oracle *o = &run->oracle;
  double where = (double)run->progress.moves;
  if (o->seen.cliffs > 0)
    return lr_oracle_stall(o, LRGD_STALL_UNEVALUABLE, text, where);
  return lr_oracle_end(o, LRGD_OUTCOME_FAILED, text, where);
}

/* The gradient where the model stands, its slopes in V taken over. */
static lr_code full_gradient(lr_quasi_newton *K, lrgd_vec G)
{
  lr_model *m = K->model;
  lr_run *run = m->run;
  double norm;
  if (m->V->k > 0) K->spread = lr_model_spread(m);
  lr_code code = ask_gradient(K, G, &norm);
  if (code == LR_NOVALUE) return no_gradient(run);
  LR_TRY(code);
  bool again = false;
  if (norm == 0 && !cheap_gradient(K)) LR_TRY(saw_nothing(K, &again));
  if (again) return full_gradient(K, G);
  run->at = m->here;
  run->progress.grad_norm = norm;
  double error = gradient_error(K);
  if (!(run->goal.tol > 0)) derive_tolerance(K, norm, error);
  if (norm <= run->goal.tol) {
    LR_TRY(small_gradient(K, G, norm));
  } else if (norm <= 2 * error) {
    if (m->oracle->differences.two_sided) return at_noise(K, G, norm);
    lr_oracle_use_two_sided(m->oracle); /* longer steps see further */
  }
  LR_TRY(take_gradient(K, G));
  bool drowned;
  LR_TRY(drowns(K, norm, &drowned));
  if (drowned) return at_noise(K, G, norm);
  if (lr_oracle_boxed(m->oracle)) keep_gradient(K, G);
  return LR_GO;
}

/* In a box: the gradient at the base is to have the slopes in V. */
static void took_slopes(lr_model *m)
{
  lrgd_vec full = lr_model_vec(m, LR_MODEL_FULL);
  lr_basis_project(m->V, full, m->work.fresh);
  for (size_t j = 0; j < m->V->k; j++)
    m->work.column[j] = m->g[j] - m->work.fresh[j];
  lr_basis_expand(m->V, full, m->work.column);
}

/* BFGS after a gradient that has left V: its update of B is y y'/s'y with the
 * part of y along u, the new direction, too (Gill and Leonard).  The rest of
 * B's curvature along u is guessed as y'y/s'y (Shanno and Phua). */
static lr_code append_turned(lr_model *m, lrgd_vec u, double left)
{
  double sy = m->secant.sy, more = left * left;
  const double *y = m->secant.y;
  double c = (lr_dot(m->V->k, y, y) + more) / sy;
  for (size_t i = 0; i < m->V->k; i++) m->work.column[i] = y[i] * (left / sy);
  return lr_model_append(m, u, left, m->work.column, c + more / sy);
}

/* The curvature along u, downwards; on a face along what of it is free, since
 * other slopes are not known well. */
static lr_code curvature_along(lr_quasi_newton *K, lrgd_vec u, double slope,
                               double *c)
{
  lr_model *m = K->model;
  lrgd_vec down = lr_model_vec(m, LR_MODEL_SPARE);
  lrgd_vec full = lr_model_vec(m, LR_MODEL_FULL);
  m->space->ops->copy(m->space, down, u, 1);
  if (K->face) {
    (void)m->space->ops->zero_active(m->space, down, m->here.x, full,
                                     m->oracle->box);
    (void)lr_normalise(m->space, down, NULL);
    m->space->ops->dot(m->space, down, 1, full, &slope);
  }
  m->space->ops->scale(m->space, down, -1);
  return lr_model_curvature(m, down, -slope, c);
}

/* Where a gradient costs one evaluation its direction is not asked about. */
static lr_code enter_unseen(lr_quasi_newton *K, lrgd_vec G, double left)
{
  lr_model *m = K->model;
  if (m->secant.sy > 0 && !lr_oracle_boxed(m->oracle))
    return append_turned(m, G, left);
  double c = m->V->k > 0 ? lr_model_mean_curvature(m) : K->curvature;
  if (!(c > 0)) c = left / lr_oracle_scale(m->oracle, &m->here);
  K->curvature = c; /* a box asks for it */
  return lr_model_append(m, G, left, NULL, c);
}

/* G becomes what of it is outside V, a unit vector; *slope along it.  *none:
 * nothing is. */
static void leave(const lr_quasi_newton *K, lrgd_vec G, double *slope,
                  bool *none)
{
  const lr_model *m = K->model;
  double before = 0;
  (void)m->space->ops->measure(m->space, G, &before);
  *slope = lr_basis_reject(m->V, G);
  *none = !(*slope > 1e-10 * before);
  if (*none) return;
  (void)lr_normalise(m->space, G, NULL);
  if (K->held > 0) /* it is not without the coordinates that are held */
    m->space->ops->dot(m->space, G, 1, lr_model_vec(m, LR_MODEL_FULL), slope);
}

/* Where f bends down and nothing else is known: one, unless that makes a step
 * that is a thousand times as long as x is large. */
static double guess_curvature(const lr_quasi_newton *K, double slope)
{
  const double longest = 1e3;
  lr_model *m = K->model;
  return fmax(1, slope / (longest * lr_oracle_scale(m->oracle, &m->here)));
}

/* f's curvature along u, for which the last one has to do where it is none. */
static lr_code see_curvature(lr_quasi_newton *K, lrgd_vec u, double slope)
{
  double c;
  LR_TRY(curvature_along(K, u, slope, &c));
  if (c > 0)
    K->curvature = c;
  else if (!(K->curvature > 0))
    K->curvature = lr_model_mean_curvature(K->model);
  if (!(K->curvature > 0)) K->curvature = guess_curvature(K, slope);
  return LR_GO;
}

/* The part of G outside V becomes a direction, or a better one. */
static lr_code enter(lr_quasi_newton *K, lrgd_vec G)
{
  lr_model *m = K->model;
  size_t p = lr_run_dimension(m->run);
  double slope, rho;
  bool apart = false, none = false;
  if (m->V->k >= m->most && m->V->k < p) lr_model_forget(m, (m->V->k + 1) / 2);
  if (m->V->k >= p) return LR_GO;
  if (!cheap_gradient(K)) LR_TRY(lr_quasi_newton_apart(K, G, &slope, &apart));
  if (!apart) leave(K, G, &slope, &none);
  if (none) return LR_GO;
  if (cheap_gradient(K)) return enter_unseen(K, G, slope);
  if (!apart) LR_TRY(see_curvature(K, G, slope));
  if (K->held > 0 || 3 * m->V->k > p)
    return lr_model_append(m, G, slope, NULL, K->curvature);
  lr_code code = lr_model_extend(m, G, slope, K->curvature, &rho);
  if (code == LR_NOVALUE)
    return lr_model_append(m, G, slope, NULL, K->curvature);
  LR_TRY(code);
  if (lr_oracle_boxed(m->oracle)) took_slopes(m); /* the base has moved */
  return LR_GO;
}

static lr_code land_boxed(lr_quasi_newton *K, double *fall)
{
  lr_model *m = K->model;
  lr_hidden_bounds *walls = lr_hidden_bounds_of(m->run);
  lr_step_guard guard = {0};
  if (walls) guard = lr_hidden_surface_guard(&walls->edge);
  lr_code code =
      lr_model_land_boxed(m, K->curvature, walls ? &guard : NULL, fall);
  if (code == LR_NOVALUE) lr_model_forget(m, m->V->k); /* what it has is none */
  return code == LR_NOVALUE ? LR_GO : code;
}

/* Steps have to keep to an edge. */
static bool at_edge(const lr_quasi_newton *K)
{
  const lr_hidden_bounds *walls = lr_hidden_bounds_of(K->model->run);
  return walls && walls->edge.met;
}

static lr_code land(lr_quasi_newton *K, double *fall)
{
  lr_model *m = K->model;
  bool fits = !lr_oracle_boxed(m->oracle);
  if (!fits && K->held == 0 && !at_edge(K)) LR_TRY(lr_model_fits(m, &fits));
  K->inner = fits;
  if (!fits) return land_boxed(K, fall);
  LR_TRY(lr_model_land(m, fall));
  if (!lr_oracle_boxed(m->oracle) || !(*fall > 0)) return LR_GO;
  return lr_model_follow(m, K->curvature);
}

/* The base follows to where the model has landed, slopes along V measured. */
static lr_code rebase(lr_quasi_newton *K)
{
  lr_model *m = K->model;
  lrgd_vec G = lr_model_vec(m, LR_MODEL_GRADIENT);
  if (!lr_oracle_boxed(m->oracle)) return lr_model_rebase(m, NULL);
  if (K->inner) {
    LR_TRY(lr_model_rebase(m, NULL));
    took_slopes(m);
  } else {
    LR_TRY(lr_model_rebase_boxed(m));
    K->guessed = true;
  }
  m->space->ops->copy(m->space, G, lr_model_vec(m, LR_MODEL_FULL), 1);
  strike(K, G);
  return LR_GO;
}

/* Steps inside V while they pay: at least `rate_out` per evaluation. */
static lr_code steps_inside(lr_quasi_newton *K, double rate_out)
{
  lr_model *m = K->model;
  bool explore =
      (double)(K->inside + m->V->k) < 0.1 * (double)(K->inside + K->outside);
  /* at bounds, slopes along V leave open what the gradient is across them: so
   * they have to be cheap */
  bool cheap = K->inner || 5 * m->V->k <= lr_run_dimension(m->run);
  bool go = !m->landing.trust && m->V->k > 0 && cheap &&
            (!K->tried_inside || K->rate_in >= rate_out || explore);
  uint64_t met = m->oracle->seen.cliffs;
  while (go) {
    uint64_t before = spent(K);
    double f = m->here.f, fall;
    lr_code code = rebase(K);
    if (code == LR_NOVALUE) return LR_GO; /* a whole gradient tells more */
    LR_TRY(code);
    LR_TRY(land(K, &fall));
    double price = (double)(spent(K) - before);
    K->inside += spent(K) - before;
    K->rate_in = (f - m->here.f) / price;
    K->tried_inside = true;
    go = K->rate_in >= rate_out && K->rate_in > 0 && !m->landing.trust &&
         m->oracle->seen.cliffs < met + 3; /* else it would creep along them */
  }
  return LR_GO;
}

/* A round that did not fall: noise?  Then two-sided differences, unless there
 * is no time for these.  From the second on everything learned is distrusted,
 * and so are differences on one side. */
static lr_code failed(lr_quasi_newton *K, bool *stuck)
{
  lr_model *m = K->model;
  *stuck = ++K->fails >
           (m->oracle->differences.noise > 0 && m->oracle->differences.two_sided
                ? 2
                : 4);
  if (*stuck) return LR_GO;
  LR_TRY(lr_model_check_noise(m));
  *stuck = K->hasty && m->oracle->differences.noise > 0;
  if (*stuck) return LR_GO;
  if (m->oracle->differences.noise > 0 || K->fails > 1)
    lr_oracle_use_two_sided(m->oracle);
  if (K->fails > 1) lr_model_forget(m, m->V->k);
  return LR_GO;
}

/* Thirty rounds that together brought next to nothing of what was gained so
 * far: f is not smooth here, or it creeps; more of the same will not help.
 * Among faces it may creep for ever, from one to another and back, and what was
 * learned there may be at fault: once more without, then.  Along walls it
 * creeps too, and where nearly every round meets one, a thirtieth is not
 * enough.  f: where the round began. */
static bool creeps(lr_quasi_newton *K, double f)
{
  enum { WINDOW = 30 };
  double here = K->model->here.f;
  if (K->rounds == 0) K->first_f = K->window_f = f;
  if (++K->rounds % WINDOW != 0) return false;
  double gained = K->first_f - here, lately = K->window_f - here;
  bool faces = K->faced && !K->plain;
  uint64_t met = K->model->oracle->seen.cliffs - K->met;
  double least = met >= 24 ? 0.03 : met >= 10 ? 1e-5 : faces ? 1e-4 : 1e-9;
  K->met += met;
  K->window_f = here;
  if (lately > least * gained) return false;
  if (!faces) return true;
  K->plain = true;
  lr_model_forget(K->model, K->model->V->k);
  return false;
}

/* Under noise the long step that a column needs may lead up as far as the last
 * step has led down, again and again: rounds in a row that brought nothing
 * beyond it. */
static bool idles(lr_quasi_newton *K)
{
  enum { ROUNDS = 12 };
  double f = K->model->here.f, noise = K->model->oracle->differences.noise;
  if (!(K->lowest <= f + noise)) {
    K->lowest = f;
    K->idle = 0;
  }
  return noise > 0 && ++K->idle > ROUNDS;
}

/* The noise, from time to time.  Where differences were far too short for it,
 * what was learned from them is curvature that is not there: steps would be too
 * short, and teach nothing, for ever. */
static lr_code watch_noise(lr_quasi_newton *K)
{
  enum { SELDOM = 120 }; /* of few inputs a look costs more than a round */
  lr_model *m = K->model;
  uint64_t since = spent(K) + 1 - m->noise.checked;
  bool late = since > 4 * m->space->dimension &&
              (m->oracle->differences.noise > 0 || since > SELDOM);
  bool due = m->noise.checked == 0 || late;
  if (cheap_gradient(K) || !due) return LR_GO;
  LR_TRY(lr_model_check_noise(m));
  if (lr_model_misled(m, 1000)) lr_model_forget(m, m->V->k);
  return LR_GO;
}

/* Whether the first gradient is no more than what one-sided differences make of
 * rounding and of the curvature that was measured since: the start is as good
 * as stationary, and says nothing of how small a gradient is small. */
static bool is_blurred(lr_quasi_newton *K)
{
  lr_model *m = K->model;
  lr_oracle *o = m->oracle;
  bool first = K->rounds == 0 && K->fails == 0 && !K->closer;
  bool exact = o->answers.slopes || o->answers.gradient;
  if (!first || exact || !(K->curvature > 0) || o->differences.noise > 0)
    return false;
  double p = (double)m->space->dimension;
  double reach = lr_oracle_reach(o, &m->here, -K->spread);
  double error = gradient_error(K) + 0.5 * reach * K->curvature * sqrt(p);
  return m->run->progress.grad_norm < 2 * error;
}

/* Two-sided differences where the run began, and all that follows from them. */
static void look_closer(lr_quasi_newton *K)
{
  lr_model *m = K->model;
  lr_oracle_use_two_sided(m->oracle);
  lr_run_forget_tolerance(m->run);
  lr_model_restart(m);
  K->paired = false;
  K->closer = true;
}

lr_code lr_quasi_newton_round(lr_quasi_newton *K, bool *stuck)
{
  lr_model *m = K->model;
  lrgd_vec G = lr_model_vec(m, LR_MODEL_GRADIENT);
  uint64_t before = spent(K);
  double fall = 0;
  *stuck = idles(K);
  if (*stuck) return LR_GO;
  LR_TRY(lr_hidden_bounds_review(lr_hidden_bounds_of(m->run), &m->here));
  LR_TRY(lr_quasi_newton_glance(K));
  LR_TRY(watch_noise(K));
  bool two_sided = m->oracle->differences.two_sided;
  LR_TRY(full_gradient(K, G));
  double f = m->here.f;
  LR_TRY(enter(K, G));
  if (!two_sided && is_blurred(K)) {
    look_closer(K);
    return LR_GO;
  }
  if (m->V->k > 0) LR_TRY(land(K, &fall));
  uint64_t price = spent(K) - before;
  /* a fall within the noise, or of a rounding or two, is none */
  double level = 0.25 * lr_oracle_level(m->oracle, f);
  if (!(f - m->here.f > fmax(m->oracle->differences.noise, level)))
    return failed(K, stuck);
  K->fails = 0;
  K->fall = f - m->here.f;
  *stuck = creeps(K, f) ||
           (at_edge(K) &&
            lr_hidden_surface_ends(&lr_hidden_bounds_of(m->run)->edge));
  K->outside += price;
  if (cheap_gradient(K)) return LR_GO;
  return steps_inside(K, (f - m->here.f) / (double)price);
}
