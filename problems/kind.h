/* What the files of the built-in problems share: a kind, a problem made from
 * it, reading settings, random numbers.  For problems/ only. */
#ifndef LR_KIND_H
#define LR_KIND_H

#include "list.h"
#include "problems.h"

/* Up to LR_SMALL numbers (a rank, say) live on the stack of a callback; more
 * are allocated for the call.  Vectors of length p are walked LR_BLOCK numbers
 * at a time.  A frame with a few of both stays below 16 KiB. */
enum { LR_SMALL = 256, LR_BLOCK = 512 };

/* ---- reading settings ---- */

/* Reads the settings of one create.  The first thing that is wrong stays: its
 * sentence is written, status is set, and later reads change neither, so that
 * a kind reads everything first and looks at status once. */
typedef struct lr_reader {
  const lr_problem_kind *kind;
  const lr_setting *settings; /* borrowed for the create; the last one wins */
  size_t count;
  lrgd_error *error; /* may be NULL */
  lrgd_status status;
} lr_reader;

#if defined(__GNUC__)
#define LR_FORMAT(at) __attribute__((format(printf, at, at + 1)))
#else
#define LR_FORMAT(at)
#endif

/* Notes a failure, if it is the first; returns the status that stays. */
LR_FORMAT(3)
lrgd_status lr_reader_fail(lr_reader *reader, lrgd_status status,
                           const char *format, ...);
/* Every setting must name a parameter of the kind. */
lrgd_status lr_reader_check_names(lr_reader *reader);
/* The text set for name, else its default; *given (may be NULL) says which. */
const char *lr_reader_text(lr_reader *reader, const char *name, int *given);
/* A whole number from low to high. */
size_t lr_reader_size(lr_reader *reader, const char *name, size_t low,
                      size_t high);
/* The dimension p, from 1 to INT_MAX. */
size_t lr_reader_dimension(lr_reader *reader);
/* A whole number from 1 to p; a default that is too large gives p. */
size_t lr_reader_rank(lr_reader *reader, const char *name, size_t p);
uint64_t lr_reader_seed(lr_reader *reader);
/* A finite number >= low (-INFINITY: any). */
double lr_reader_real(lr_reader *reader, const char *name, double low);
/* A finite number > 0. */
double lr_reader_positive(lr_reader *reader, const char *name);
/* The place of the word in choices ("random|none"). */
size_t lr_reader_choice(lr_reader *reader, const char *name,
                        const char *choices);
/* Numbers separated by commas: how many (0 for an empty text); the first room
 * of them go to numbers, which may be NULL with room 0. */
size_t lr_reader_list(lr_reader *reader, const char *name, size_t room,
                      double *numbers);

/* ---- a kind, and a problem ---- */

struct lr_problem_kind {
  const char *name, *help;
  const lr_parameter *parameters;
  size_t parameter_count;
  /* Fills the problem (whose callbacks.dimension is 0 before); returns
   * reader->status. */
  lrgd_status (*build)(lr_problem *problem, lr_reader *reader);
};

/* Memory that goes with the problem: a list of blocks, freed at destroy. */
typedef struct lr_memory lr_memory;

/* Callbacks get the lr_problem as their user and only read it. */
struct lr_problem {
  lrgd_problem callbacks;
  double *start;           /* p numbers */
  const double *minimiser; /* p numbers, or NULL */
  double minimum;          /* NaN: not known */
  double smoothness;       /* NaN: not known */
  size_t rank;             /* 0: not known */
  const void *data;        /* what the callbacks of the kind need */
  /* where f = |F|^2 / 2: F, with the problem as its user, and perhaps its
   * Jacobian, m x p by columns */
  size_t residual_count;
  lrgd_residuals_fn residuals;
  void (*jacobian)(const lr_problem *problem, const double *x, double *J);
  lr_memory *memory;
};

/* Zeroed memory owned by the problem; NULL (and reader told how much was
 * asked) where there is none. */
double *lr_problem_numbers(lr_problem *problem, lr_reader *reader, size_t rows,
                           size_t columns);
void *lr_problem_bytes(lr_problem *problem, lr_reader *reader, size_t bytes);

/* Sets dimension, start (zeros), facts (unknown) and user. */
lrgd_status lr_problem_begin(lr_problem *problem, lr_reader *reader, size_t p);
/* Copies count numbers to memory of the problem. */
double *lr_problem_copy(lr_problem *problem, lr_reader *reader, size_t count,
                        const double *numbers);

/* For kinds without something better: values one by one, and slopes by U^T g
 * (p numbers of scratch, one gradient and one product for all k). */
void lr_problem_values_one_by_one(size_t p, size_t m, const double *X,
                                  double *f, void *user);
void lr_problem_answers(lr_problem *problem, lrgd_value_fn value,
                        lrgd_gradient_fn gradient);

/* Where f = |F|^2 / 2: m residuals. */
void lr_problem_give_residuals(lr_problem *problem, size_t m,
                               lrgd_residuals_fn residuals);

/* Where outputs have limits: m outputs, the first of which is f; lower and
 * upper are copied. */
lrgd_status lr_problem_give_limits(lr_problem *problem, lr_reader *reader,
                                   size_t m, lrgd_residuals_fn outputs,
                                   const double *lower, const double *upper);

/* small (of have bytes) where need fits in it, else memory or NULL; hand both
 * to lr_room_free. */
void *lr_room(void *small, size_t have, size_t need);
void lr_room_free(void *room, const void *small);

/* ---- random numbers: a function of (seed, stream, index), no state ---- */

typedef struct lr_dice {
  uint64_t seed;
  uint64_t stream; /* one for each thing that is drawn */
} lr_dice;

/* Streams: what is drawn.  Appending keeps the problems of older seeds. */
enum {
  LR_STREAM_A,      /* the directions f varies along */
  LR_STREAM_CENTRE, /* the minimiser */
  LR_STREAM_SAMPLES,
  LR_STREAM_NOISE,
  LR_STREAM_LABELS,
  LR_STREAM_START
};

double lr_dice_uniform(lr_dice dice, uint64_t index); /* in (0, 1] */
double lr_dice_normal(lr_dice dice, uint64_t index);
void lr_dice_normals(lr_dice dice, size_t count, double *numbers);

/* Makes the q columns of A (p x q) orthonormal; work has q numbers. */
void lr_orthonormalise(size_t p, size_t q, double *A, double *work);
/* A p x q matrix with orthonormal columns, uniformly distributed. */
double *lr_random_basis(lr_problem *problem, lr_reader *reader, size_t q,
                        uint64_t seed);
/* The largest eigenvalue of C^T C (C: n x q), from above, to 1e-4;
 * NaN for q above 2000, where that would take long. */
double lr_gram_bound(lr_problem *problem, lr_reader *reader, size_t n, size_t q,
                     const double *C);

/* ---- the kinds ---- */

#define LR_DECLARE(name) extern const lr_problem_kind lr_kind_##name;
LR_PROBLEMS(LR_DECLARE)
LR_LIMITED_PROBLEMS(LR_DECLARE)
#undef LR_DECLARE

#endif
