/* The test functions of J. J. More, B. S. Garbow and K. E. Hillstrom, Testing
 * unconstrained optimization software, ACM TOMS 7 (1981) 17-41, by their
 * numbers there.  Theirs is sum r_i^2; here, as everywhere, f is half of it. */
#ifndef LR_MGH_H
#define LR_MGH_H

#include "residual_system.h"

/* How n and m go together. */
typedef enum lr_mgh_size {
  LR_MGH_FIXED,      /* as in the table */
  LR_MGH_SAMPLES,    /* n as in the table, any m >= n (and at most `most`) */
  LR_MGH_SQUARE,     /* any n >= 1, m = n */
  LR_MGH_PAIRS,      /* n even, m = n */
  LR_MGH_FOURS,      /* n a multiple of four, m = n */
  LR_MGH_WATSON,     /* n from 2 to 31, m = 31 */
  LR_MGH_ONE_MORE,   /* m = n + 1 */
  LR_MGH_TWO_MORE,   /* m = n + 2 */
  LR_MGH_DOUBLE,     /* m = 2 n */
  LR_MGH_RECTANGLE,  /* any n, any m >= n; 2 n unless told */
  LR_MGH_TALL_SQUARE /* any n, any m >= n; n unless told */
} lr_mgh_size;

typedef struct lr_mgh {
  const char *name;
  size_t n, m; /* the usual ones */
  lr_mgh_size size;
  void (*residuals)(const lr_system *s, const double complex *z,
                    double complex *r);
  /* the start: width numbers, repeated; or a function of input j */
  size_t width;
  const double *start;
  double (*start_at)(size_t n, size_t j);
  const double *minimiser; /* width numbers, repeated; NULL: not known */
  /* of f at the usual n and m; if it is 0, or minimum_of is set, also at other
   * n and m */
  double minimum;
  double (*minimum_of)(size_t n, size_t m);
} lr_mgh;

enum { LR_MGH_FIXED_COUNT = 20, LR_MGH_ANY_COUNT = 15 };
extern const lr_mgh lr_mgh_fixed[LR_MGH_FIXED_COUNT]; /* 1 to 20 */
extern const lr_mgh lr_mgh_any[LR_MGH_ANY_COUNT];     /* 21 to 35 */

/* Residuals that the scalable functions share with the small ones. */
void lr_mgh_rosenbrock(const lr_system *s, const double complex *z,
                       double complex *r);
void lr_mgh_powell(const lr_system *s, const double complex *z,
                   double complex *r);

#endif
