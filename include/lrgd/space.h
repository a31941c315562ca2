/* Vectors of length p as the solvers see them: a small table of operations.
 *
 * For writers of backends (host memory, slices over MPI, a device) and for
 * problems whose vectors are not host doubles.  A block is p x n numbers,
 * column after column, opaque to the solvers; a vec names one of its columns.
 * Coefficients are always host doubles.  In a distributed space every process
 * calls every operation in the same order and gets the same small numbers. */
#ifndef LRGD_SPACE_H
#define LRGD_SPACE_H

#include <lrgd/lrgd.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lrgd_space lrgd_space;
typedef struct lrgd_block lrgd_block;

/* Column `col` of a block; with a count k beside it, columns col..col+k-1. */
typedef struct lrgd_vec {
  lrgd_block *block;
  size_t col;
} lrgd_vec;

/* Bounds of a box, as vecs; lower.block NULL: no box. */
typedef struct lrgd_box {
  lrgd_vec lower, upper;
} lrgd_box;

/* The operations.  A backend sets struct_size to sizeof(lrgd_space_ops);
 * operations that later versions append may be missing, and then count as NULL.
 * One table of over 20 members, since a backend consists of all of them. */
typedef struct lrgd_space_ops {
  size_t struct_size;
  const char *name;

  /* Creation and destruction. make: contents undefined; NULL when memory is
   * short. */
  lrgd_block *(*make)(lrgd_space *space, size_t columns);
  void (*free)(lrgd_space *space, lrgd_block *block);
  void (*destroy)(lrgd_space *space);

  /* y_j = x_j for k columns; y *= a (a = 0 makes zero of anything); y += U c;
   * c = U'g; G = U'U (k x k). */
  void (*copy)(lrgd_space *space, lrgd_vec y, lrgd_vec x, size_t k);
  void (*scale)(lrgd_space *space, lrgd_vec y, double a);
  void (*add)(lrgd_space *space, lrgd_vec y, lrgd_vec U, size_t k,
              const double *c);
  /* y = x + t u, in one pass; y is neither of them. */
  void (*axpy_into)(lrgd_space *space, lrgd_vec y, lrgd_vec x, lrgd_vec u,
                    double t);
  void (*dot)(lrgd_space *space, lrgd_vec U, size_t k, lrgd_vec g, double *c);
  void (*gram)(lrgd_space *space, lrgd_vec U, size_t k, double *G);
  /* W = U C, C being k x m, column after column; W and U do not overlap. */
  void (*combine)(lrgd_space *space, lrgd_vec W, size_t m, lrgd_vec U, size_t k,
                  const double *C);
  /* Whether y is finite, and if so its 2-norm, safe from overflow and
   * underflow on the way (DBL_MAX where the norm itself overflows). */
  int (*measure)(lrgd_space *space, lrgd_vec y, double *norm);

  /* Standard normal numbers that depend on (seed, stream, global index). */
  void (*gaussian)(lrgd_space *space, lrgd_vec y, uint64_t seed,
                   uint64_t stream);
  /* Coordinates first .. first+n-1 from and to host memory. */
  void (*put)(lrgd_space *space, lrgd_vec y, size_t first, size_t n,
              const double *from);
  void (*get)(lrgd_space *space, lrgd_vec y, size_t first, size_t n,
              double *to);
  /* y_i += h for one i; returns the change after rounding. */
  double (*add_at)(lrgd_space *space, lrgd_vec y, size_t i, double h);

  /* Boxes.  clip: y into the box, and onto a bound that only rounding keeps it
   * from; returns how many coordinates were outside.
   * max_step: the largest t with x - t u (back) and x + t u (ahead) in the box.
   * zero_near_bounds: zeroes u_i where x_i lies within margin of a bound.
   * free_norm: norm of g without the coordinates that a bound holds, that is
   * where x_i is at a bound and -g_i points out of the box. */
  size_t (*clip)(lrgd_space *space, lrgd_vec y, lrgd_box box);
  void (*max_step)(lrgd_space *space, lrgd_vec x, lrgd_vec u, lrgd_box box,
                   double *back, double *ahead);
  void (*zero_near_bounds)(lrgd_space *space, lrgd_vec u, lrgd_vec x,
                           lrgd_box box, double margin);
  double (*free_norm)(lrgd_space *space, lrgd_vec g, lrgd_vec x, lrgd_box box);
  /* zero_active: zeroes u_i where a bound holds x_i, as above; returns how many
   * were not zero. map_to_box: x = the image of y under a smooth map of all
   * space onto the box, nearly the identity in its middle. map_from_box: y = a
   * point near x whose image is near x. x may be y. NULL: in a box no random
   * directions are tried. */
  size_t (*zero_active)(lrgd_space *space, lrgd_vec u, lrgd_vec x, lrgd_vec g,
                        lrgd_box box);
  void (*map_to_box)(lrgd_space *space, lrgd_vec x, lrgd_vec y, lrgd_box box);
  void (*map_from_box)(lrgd_space *space, lrgd_vec y, lrgd_vec x, lrgd_box box);
  /* Whether `mine` is nonzero on any process: for conditions that a process
   * sees for itself, a clock or a signal.  NULL where there is only one
   * process. */
  int (*agree)(lrgd_space *space, int mine);
} lrgd_space_ops;

/* A backend embeds this as its first member; it is frozen for that, as are
 * lrgd_vec and lrgd_box. */
struct lrgd_space {
  const lrgd_space_ops *ops;
  size_t dimension; /* p, over all processes */
};

/* Host memory: the reference.  The allocator is borrowed; NULL: malloc. */
typedef enum lrgd_scalar { LRGD_SCALAR_DOUBLE, LRGD_SCALAR_FLOAT } lrgd_scalar;
LRGD_API lrgd_space *lrgd_host_space(size_t dimension, lrgd_scalar scalar,
                                     const lrgd_allocator *allocator);
LRGD_API void lrgd_space_destroy(lrgd_space **space);

/* The numbers of one column of a host block (double* or float*): columns
 * follow each other without gaps. */
LRGD_API void *lrgd_host_data(lrgd_vec y);

/* Slices of host memory over many processes, of which each calls every verb in
 * the same order.  All that is known of how they talk is `reduce`: it replaces
 * x by the same n numbers everywhere, the sums, the largest, or the bits of
 * all processes' x taken together with "or".  lrgd_mpi_space (lrgd/mpi.h)
 * fills this in for MPI. */
typedef enum lrgd_reduction {
  LRGD_REDUCTION_SUM,
  LRGD_REDUCTION_MAX,
  LRGD_REDUCTION_BITS
} lrgd_reduction;

typedef struct lrgd_slices {
  size_t struct_size; /* lrgd_slices_init sets it */
  size_t dimension;   /* p, over all processes */
  /* the coordinates of this process, in the order of the processes */
  size_t first, count;
  size_t blocks; /* 0, or sums are made of so many blocks in a fixed order: the
                    same to the bit on any number of processes, where slices
                    begin and end with blocks (lrgd_slice_first) */
  void (*reduce)(lrgd_reduction how, double *x, size_t n, void *user);
  /* called when the space is destroyed; NULL: nothing to do */
  void (*release)(void *user);
  void *user;
} lrgd_slices;

/* Initialises slices: all p coordinates on one process. */
LRGD_API void lrgd_slices_init(lrgd_slices *slices, size_t size,
                               size_t dimension);
LRGD_INLINE lrgd_slices lrgd_slices_default(size_t dimension)
{
  lrgd_slices slices;
  lrgd_slices_init(&slices, sizeof slices, dimension);
  return slices;
}

/* Copies slices.  NULL on every process where memory is short on one or its
 * slice is not sound; release is then not called.  reduce NULL: one process.
 * lrgd_host_data gives the numbers of a slice. */
LRGD_API lrgd_space *lrgd_sliced_space(const lrgd_slices *slices,
                                       const lrgd_allocator *allocator);

/* The slices that a space was made with, borrowed; NULL: it is of another
 * kind. */
LRGD_API const lrgd_slices *lrgd_space_slices(const lrgd_space *space);

/* The first coordinate of slice `part` of `parts` that are cut between blocks;
 * of slice `parts`: p.  Without blocks: blocks = p. */
LRGD_API size_t lrgd_slice_first(size_t dimension, size_t blocks, size_t parts,
                                 size_t part);

/* A problem whose vectors live in any space.  As lrgd_problem; callbacks read
 * vecs with the space's own means (lrgd_host_data for the host). */
typedef struct lrgd_space_problem {
  size_t struct_size; /* lrgd_space_problem_init sets it */
  lrgd_space *space;  /* borrowed until the solver is destroyed */
  double (*value)(lrgd_vec x, void *user);
  void (*values)(lrgd_vec X, size_t m, double *f, void *user);
  double (*gradient)(lrgd_vec x, lrgd_vec g, void *user);
  double (*slopes)(lrgd_vec x, lrgd_vec U, size_t k, double *d, void *user);
  lrgd_box box; /* bounds, borrowed until the solver is destroyed */
  void *user;
} lrgd_space_problem;

LRGD_API void lrgd_space_problem_init(lrgd_space_problem *problem, size_t size,
                                      lrgd_space *space);
LRGD_INLINE lrgd_space_problem lrgd_space_problem_default(lrgd_space *space)
{
  lrgd_space_problem problem;
  lrgd_space_problem_init(&problem, sizeof problem, space);
  return problem;
}

LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_solver_create_in(lrgd_solver **solver, const lrgd_space_problem *problem,
                      const lrgd_options *options, lrgd_error *error);

/* x: the start, receives the best point. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_solver_solve_in_sized(lrgd_solver *solver, lrgd_vec x, lrgd_result *result,
                           size_t result_size, lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status lrgd_solver_solve_in(
    lrgd_solver *solver, lrgd_vec x, lrgd_result *result, lrgd_error *error)
{
  return lrgd_solver_solve_in_sized(solver, x, result, sizeof *result, error);
}

/* The basis of the last solve, where it lives: lrgd_solver_basis_size columns
 * from U on. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_solver_basis_in(const lrgd_solver *solver, lrgd_vec U);

#ifdef __cplusplus
}
#endif
#endif
