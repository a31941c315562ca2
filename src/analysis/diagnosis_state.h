/* The state of a diagnosis, shared by the files of this room. */
#ifndef LR_DIAGNOSIS_STATE_H
#define LR_DIAGNOSIS_STATE_H

#include "analysis/diagnosis_rules.h"
#include "analysis/standalone_oracle.h"
#include "learn/known.h"

#include <lrgd/analysis.h>

/* The measurements at a held-out point. */
typedef struct lr_held {
  double f;
  double outside;   /* |g - U U'g|^2, measured or estimated by probes */
  double at_most;   /* an upper bound of it, see holdout.c */
  double tolerance; /* relative error of the gradient there */
  double active[2]; /* first two active-subspace coordinates of the point */
} lr_held;

/* Evaluations known before the diagnosis (known_samples.c). */
typedef struct lr_memory {
  lrgd_problem
      inner; /* the user's problem, to which only unknown points are passed */
  lr_known known; /* known evaluations, in the user's inputs */
  unsigned char
      *given;        /* which known evaluations have been used as an answer */
  bool again;        /* an answer may be used more than once */
  bool closed;       /* no answers from memory for now */
  bool verify;       /* evaluate one of them again first, as a check */
  uint64_t recalled; /* number of evaluations answered from memory */
  size_t gradients;  /* the first so many samples come from known gradients */
} lr_memory;

/* What the user gave. */
typedef struct lr_diagnosis_given {
  lrgd_problem problem; /* the problem, with bounds `lower` and `upper` */
  double *lower, *upper;
  double noise;
  double *start; /* the start, moved into the bounds */
} lr_diagnosis_given;

/* The region where points are drawn. */
typedef struct lr_diagnosis_region {
  bool boxed;    /* the whole box; else a ball */
  double radius; /* radius of the ball */
} lr_diagnosis_region;

/* Sampled gradients. */
typedef struct lr_diagnosis_samples {
  lrgd_block *G;  /* gradients, one a column */
  lrgd_block *X;  /* the points where the gradients were sampled */
  double *length; /* the norm of each */
  size_t n, most; /* number of samples, and capacity */
  size_t clean; /* how many of the last ones lie in the span of those before */
  /* with Q.k: the number of such gradients that ends the sampling */
  size_t patience;
  double *share; /* the relative error of each sample */
  double bent;   /* relative truncation error of the last gradient, from its
                    curvature */
  lr_basis Q;    /* orthonormal directions of the samples */
  double *tilt;  /* by which angle each column of Q may be off, in radians */
} lr_diagnosis_samples;

/* The singular values of the samples, and their directions by energy. */
typedef struct lr_diagnosis_singular {
  lr_basis U;
  double *R;       /* Q'G, U.k x n */
  double *sigma;   /* singular values of the samples, n numbers */
  double *numbers; /* spectrum, confidence bands and `angle` */
  double *angle;   /* the angle by which each direction of U may be off, in
                      radians */
  lrgd_eta *eta;
} lr_diagnosis_singular;

/* Held-out points. */
typedef struct lr_diagnosis_holdout {
  lr_held *held;
  double *d; /* directional derivatives along U at each point, U.k x held_out */
  uint64_t looks; /* points drawn so far */
} lr_diagnosis_holdout;

struct lrgd_diagnosis {
  lrgd_diagnosis_result result;
  lrgd_diagnosis_options want;
  lrgd_diagnosis_plan plan;
  lr_diagnosis_given given;
  lrgd_composite *scaled;          /* the problem on -1 .. 1; NULL: as given */
  lr_standalone_oracle standalone; /* evaluates the scaled problem */
  size_t p;
  bool ran;
  bool repeats; /* values repeat at one point, though they are noisy */
  lr_diagnosis_region region;
  lrgd_block *points; /* LR_CENTRE, LR_TRIAL, LR_SPARE, LR_ASIDE */
  lr_point centre, trial;
  double *x0; /* the centre, scaled */
  lr_memory memory;
  double lowest, highest; /* the range of all values so far */
  lr_diagnosis_samples samples;
  lr_diagnosis_singular spectrum;
  lr_diagnosis_holdout holdout;
};

enum { LR_CENTRE, LR_TRIAL, LR_SPARE, LR_ASIDE, LR_POINTS };

/* Streams of random numbers: one for each sample, held-out point, probe. */
#define LR_DIAGNOSIS_SAMPLE (UINT64_C(1) << 44)
#define LR_DIAGNOSIS_HELD (UINT64_C(2) << 44)
#define LR_DIAGNOSIS_PROBE (UINT64_C(3) << 44)
#define LR_DIAGNOSIS_BOOT (UINT64_C(4) << 44)
#define LR_DIAGNOSIS_LOOK (UINT64_C(5) << 44)
#define LR_DIAGNOSIS_BEND (UINT64_C(6) << 44)
#define LR_DIAGNOSIS_OUTSIDE (UINT64_C(7) << 44)

/* Whether f is noisier than its rounding errors. */
bool lr_diagnosis_noisy(const lrgd_diagnosis *s);
/* The problem that is evaluated: scaled, or as given. */
const lrgd_problem *lr_diagnosis_asked(const lrgd_diagnosis *s);

/* sample_region.c: moves the trial to a random point of the region, drawn
 * towards the centre by the factor `share` (1: not at all). */
void lr_diagnosis_place(lrgd_diagnosis *s, uint64_t stream, double share);
/* A uniform number in (0, 1). */
double lr_diagnosis_uniform(uint64_t seed, uint64_t stream, uint64_t index);

/* known_samples.c: wraps the problem so that known evaluations are not
 * repeated. */
void lr_diagnosis_remember(lrgd_diagnosis *s);
void lr_diagnosis_forget_known(lrgd_diagnosis *s);
/* Evaluates one of the known points again, where that was requested. */
lr_code lr_diagnosis_verify(lrgd_diagnosis *s);
/* Known gradients become the first samples, where they enlarge the span; before
 * lr_diagnosis_sample. */
lr_code lr_diagnosis_sample_known(lrgd_diagnosis *s);

/* sample.c: the gradient in the next column of G, at the trial, becomes a
 * sample if it enlarges the span. */
lr_code lr_diagnosis_note_known(lrgd_diagnosis *s);
/* Samples gradients until the rank is clear or the number allowed is reached.
 */
lr_code lr_diagnosis_sample(lrgd_diagnosis *s);
/* Takes the gradient at a random point, drawn nearer to the centre where it
 * cannot be evaluated. */
lr_code lr_diagnosis_try(lrgd_diagnosis *s, uint64_t stream,
                         lr_code (*ask)(lrgd_diagnosis *s, void *user),
                         void *user);
/* Adapts noise and difference steps to the size of f at the trial, where values
 * are rounded to printed digits; and back to those at the centre. */
lr_code lr_diagnosis_suit(lrgd_diagnosis *s, lrgd_purpose why);
void lr_diagnosis_unsuit(lrgd_diagnosis *s);
/* The relative error of a gradient of that norm at the trial; bend: the mean
 * curvature along a coordinate (0: unknown). */
double lr_diagnosis_tolerance(lrgd_diagnosis *s, const lr_point *at,
                              double norm, double bend);

/* gradient_spectrum.c: singular values, directions, confidence bands. */
lrgd_status lr_diagnosis_spectrum(lrgd_diagnosis *s);
void lr_diagnosis_forget(lrgd_diagnosis *s);

/* holdout.c: derivatives at held-out points, and eta for each r. */
lr_code lr_diagnosis_hold_out(lrgd_diagnosis *s);
lrgd_status lr_diagnosis_quantiles(lrgd_diagnosis *s);
/* Whether all held-out gradients lie in the span of U, within their errors. */
bool lr_diagnosis_all_inside(const lrgd_diagnosis *s);
/* The number of directions that are larger than their errors. */
size_t lr_diagnosis_rank_seen(const lrgd_diagnosis *s);
void lr_diagnosis_certify(lrgd_diagnosis *s);
lr_code lr_diagnosis_invariance(lrgd_diagnosis *s);

/* pick.c: sigma_r and the shortest of the r most independent samples. */
lrgd_status lr_diagnosis_pick(lrgd_diagnosis *s);

/* theorem_constants.c: the curvatures in H at the centre. */
lr_code lr_diagnosis_constants(lrgd_diagnosis *s);

/* local_rank.c: the propositions on the Hessian; *left: evaluations that may be
 * spent, reduced by those that were; 0 where the user's budget ends here. */
lrgd_status lr_diagnosis_local(lrgd_diagnosis *s, uint64_t *left,
                               lrgd_error *error);
lr_code lr_diagnosis_mu_seen(lrgd_diagnosis *s);

/* trial_run.c: the cost of each method. */
lrgd_status lr_diagnosis_try_methods(lrgd_diagnosis *s, lrgd_error *error);

/* Evaluations left of the user's budget.  It ends a diagnosis and decides
 * nothing else, so that a resumed one repeats the same evaluations first. */
uint64_t lr_diagnosis_budget(const lrgd_diagnosis *s);

/* verdict.c: the rank, and the sentences about it. */
void lr_diagnosis_decide(lrgd_diagnosis *s);
void lr_diagnosis_verdict(lrgd_diagnosis *s);

#endif
