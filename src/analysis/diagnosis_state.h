/* A study: what the files that make it up share. */
#ifndef LR_STUDY_H
#define LR_STUDY_H

#include "analysis/standalone_oracle.h"
#include "learn/known.h"

#include <lrgd/analysis.h>

/* What one held-out point told. */
typedef struct lr_held {
  double f;
  double outside;   /* |g - U U'g|^2, measured or estimated by probes */
  double at_most;   /* the same from above, see holdout.c */
  double tolerance; /* share of |g| that may be error */
  double active[2]; /* its first two active coordinates */
} lr_held;

/* What was known before the study.  remember.c */
typedef struct lr_memory {
  lrgd_problem inner;   /* the user's; the study asks for what is not known */
  lr_known known;       /* in the user's inputs */
  unsigned char *given; /* which of it have answered a question */
  bool again;           /* they may do so more than once */
  bool closed;          /* nothing is answered from memory now */
  bool verify;          /* ask one of them again first */
  uint64_t recalled;    /* questions answered */
  size_t gradients;     /* the first so many samples are not random ones */
} lr_memory;

/* What the user gave. */
typedef struct lr_diagnosis_given {
  lrgd_problem problem; /* its bounds are lower and upper */
  double *lower, *upper;
  double noise;
  double *start; /* in the bounds */
} lr_diagnosis_given;

/* Where points are drawn. */
typedef struct lr_diagnosis_region {
  bool boxed;    /* the whole box; else a ball */
  double radius; /* of the ball */
} lr_diagnosis_region;

/* Sampled gradients. */
typedef struct lr_diagnosis_samples {
  lrgd_block *G;   /* one a column ... */
  lrgd_block *X;   /* ... and where */
  double *length;  /* of each */
  size_t n, most;  /* how many, and how many may be */
  size_t clean;    /* the last so many lay in the span of the others */
  size_t patience; /* how many such end the sampling, beside Q.k */
  double *share;   /* the tolerance at each sample */
  double bent;     /* what bending does to a gradient, at the last one */
  lr_basis Q;      /* that span ... */
  double *tilt;    /* ... and how far each of it may be off, radians */
} lr_diagnosis_samples;

/* Their singular values, and the directions by importance. */
typedef struct lr_diagnosis_singular {
  lr_basis U;
  double *R;       /* Q'G, U.k x n */
  double *sigma;   /* singular values of the samples, n numbers */
  double *numbers; /* spectrum, bands and ... */
  double *lean;    /* ... how far off each direction of U may be, in radians */
  lrgd_eta *eta;
} lr_diagnosis_singular;

/* Points kept aside. */
typedef struct lr_diagnosis_holdout {
  lr_held *held;
  double *d;      /* slopes along U at each of them, U.k x held_out */
  uint64_t looks; /* points drawn so far */
} lr_diagnosis_holdout;

struct lrgd_diagnosis {
  lrgd_diagnosis_result result;
  lrgd_diagnosis_options want;
  lrgd_diagnosis_plan plan;
  lr_diagnosis_given given;
  lrgd_composite *scaled;   /* the problem on -1 .. 1; NULL: as given */
  lr_standalone_oracle rig; /* asks the scaled problem */
  size_t p;
  bool ran;
  bool repeats; /* values do, though they are noisy */
  lr_diagnosis_region region;
  lrgd_block *points; /* LR_CENTRE, LR_TRIAL, LR_SPARE, LR_ASIDE */
  lr_point centre, trial;
  double *x0; /* the centre, scaled */
  lr_memory memory;
  double lowest, highest; /* of f, wherever it was asked */
  lr_diagnosis_samples samples;
  lr_diagnosis_singular spectrum;
  lr_diagnosis_holdout holdout;
};

enum { LR_CENTRE, LR_TRIAL, LR_SPARE, LR_ASIDE, LR_POINTS };

/* Streams of random numbers: one for each sample, held-out point, probe. */
#define LR_STUDY_SAMPLE (UINT64_C(1) << 44)
#define LR_STUDY_HELD (UINT64_C(2) << 44)
#define LR_STUDY_PROBE (UINT64_C(3) << 44)
#define LR_STUDY_BOOT (UINT64_C(4) << 44)
#define LR_STUDY_LOOK (UINT64_C(5) << 44)
#define LR_STUDY_BEND (UINT64_C(6) << 44)
#define LR_STUDY_OUTSIDE (UINT64_C(7) << 44)

/* Is f noisier than rounding makes it? */
bool lr_diagnosis_noisy(const lrgd_diagnosis *s);
/* The problem that is asked: scaled, or as it was given. */
const lrgd_problem *lr_diagnosis_asked(const lrgd_diagnosis *s);

/* region.c: the trial becomes a random point of the region, pulled towards the
 * centre by `share` (1: not at all). */
void lr_diagnosis_place(lrgd_diagnosis *s, uint64_t stream, double share);
/* A number in (0, 1). */
double lr_diagnosis_uniform(uint64_t seed, uint64_t stream, uint64_t index);

/* remember.c: the problem answers what is known from memory. */
void lr_diagnosis_remember(lrgd_diagnosis *s);
void lr_diagnosis_forget_known(lrgd_diagnosis *s);
/* Asks one of the known points again, where that is wanted. */
lr_code lr_diagnosis_verify(lrgd_diagnosis *s);
/* Known gradients become the first samples, where they widen the span; before
 * lr_diagnosis_sample. */
lr_code lr_diagnosis_sample_known(lrgd_diagnosis *s);

/* sample.c: the gradient in the next column of G, at the trial, becomes a
 * sample if it widens the span. */
lr_code lr_diagnosis_note_known(lrgd_diagnosis *s);
/* Gradients until the rank is plain, or as many as allowed. */
lr_code lr_diagnosis_sample(lrgd_diagnosis *s);
/* Asks at a random point, nearer the centre where it cannot be evaluated. */
lr_code lr_diagnosis_try(lrgd_diagnosis *s, uint64_t stream,
                         lr_code (*ask)(lrgd_diagnosis *s, void *user),
                         void *user);
/* Suits noise and steps to the size of f at the trial, where values are
 * printed; and back to those at the centre. */
lr_code lr_diagnosis_suit(lrgd_diagnosis *s, lrgd_purpose why);
void lr_diagnosis_unsuit(lrgd_diagnosis *s);
/* The share of a gradient of length norm at the trial that may be error, where
 * f bends by `bend` along a coordinate on average (0: not known). */
double lr_diagnosis_tolerance(lrgd_diagnosis *s, const lr_point *at,
                              double norm, double bend);

/* spectrum.c: singular values, directions, bands. */
lrgd_status lr_diagnosis_spectrum(lrgd_diagnosis *s);
void lr_diagnosis_forget(lrgd_diagnosis *s);

/* holdout.c: what fresh points say, and eta for each r. */
lr_code lr_diagnosis_hold_out(lrgd_diagnosis *s);
lrgd_status lr_diagnosis_quantiles(lrgd_diagnosis *s);
/* Whether all held-out gradients lie in U, as far as can be seen. */
bool lr_diagnosis_all_inside(const lrgd_diagnosis *s);
/* How many of the directions are more than error. */
size_t lr_diagnosis_rank_seen(const lrgd_diagnosis *s);
void lr_diagnosis_certify(lrgd_diagnosis *s);
lr_code lr_diagnosis_invariance(lrgd_diagnosis *s);

/* pick.c: sigma_r and the shortest of the r samples that are most independent.
 */
lrgd_status lr_diagnosis_pick(lrgd_diagnosis *s);

/* constants.c: curvature at the centre inside H. */
lr_code lr_diagnosis_constants(lrgd_diagnosis *s);

/* local.c: what the propositions on the Hessian say; *left: evaluations that
 * may be spent, less those that were, 0 where the user's budget ends here. */
lrgd_status lr_diagnosis_local(lrgd_diagnosis *s, uint64_t *left,
                               lrgd_error *error);
lr_code lr_diagnosis_mu_seen(lrgd_diagnosis *s);

/* rehearse.c: what each method would cost. */
lrgd_status lr_diagnosis_rehearse(lrgd_diagnosis *s, lrgd_error *error);

/* Evaluations that the user's budget leaves.  It ends a study, and decides
 * nothing else, so that one that goes on with more asks the same first. */
uint64_t lr_diagnosis_budget(const lrgd_diagnosis *s);

/* verdict.c: which r, and the sentences. */
void lr_diagnosis_decide(lrgd_diagnosis *s);
void lr_diagnosis_verdict(lrgd_diagnosis *s);

#endif
