/* Orthonormal bases: append, expand, project, drop. */
#include "unit_spaces.h"

enum { P = 50 };
static const double cut = 1e-10;

typedef struct room {
  lrgd_space *space;
  lr_basis U;
  lrgd_block *w;
} room;

static room enter(size_t p, size_t capacity)
{
  room r = {.space = doubles(p)};
  r.w = block_of(r.space, 2);
  if (lr_basis_init(&r.U, r.space, &lr_malloc, capacity) != LRGD_OK) abort();
  return r;
}

static void leave(room *r)
{
  lr_basis_clear(&r->U);
  r->space->ops->free(r->space, r->w);
  lrgd_space_destroy(&r->space);
}

/* Appends a Gaussian vector times scale. */
static bool append_random(room *r, uint64_t stream, double scale)
{
  bool kept = false;
  lrgd_vec w = {r->w, 0};
  r->space->ops->gaussian(r->space, w, 1, stream);
  r->space->ops->scale(r->space, w, scale);
  check(lr_basis_append(&r->U, w, cut, &kept) == LRGD_OK, "append works");
  return kept;
}

TEST("random vectors give an orthonormal basis to a few roundings")
{
  room r = enter(P, 10);
  for (uint64_t j = 0; j < 10; j++) check(append_random(&r, j, 1), "kept");
  check_int(r.U.k, 10, "columns");
  check(defect(&r.U) < 4 * DBL_EPSILON * sqrt(P), "defect %g", defect(&r.U));
  leave(&r);
}

TEST("a basis grows beyond its first capacity, up to the whole space")
{
  room r = enter(P, 1);
  for (uint64_t j = 0; j < P; j++) check(append_random(&r, j, 1), "%d", (int)j);
  check_int(r.U.k, P, "columns");
  check(defect(&r.U) < 8 * DBL_EPSILON * sqrt(P), "defect %g", defect(&r.U));
  check(!append_random(&r, 99, 1), "nothing is left outside");
  leave(&r);
}

TEST("vectors of size 1e300 and 1e-310 give the same directions as of size 1")
{
  room a = enter(P, 3), b = enter(P, 3);
  static const double scales[] = {1e300, 1e-310, 1e-300};
  for (uint64_t j = 0; j < 3; j++) {
    check(append_random(&a, j, 1) && append_random(&b, j, scales[j]), "kept");
    const double *u = column(a.U.block, j), *v = column(b.U.block, j);
    double worst = 0;
    for (int i = 0; i < P; i++) worst = fmax(worst, fabs(u[i] - v[i]));
    check(worst < (scales[j] < 1e-305 ? 1e-11 : 1e-14), "scale %g: off by %g",
          scales[j], worst);
  }
  check(defect(&b.U) < 8 * DBL_EPSILON * sqrt(P), "defect %g", defect(&b.U));
  leave(&a);
  leave(&b);
}

TEST("a vector in the span is left out")
{
  room r = enter(P, 4);
  bool kept = true;
  double z[2] = {3, -2e5};
  append_random(&r, 1, 1);
  append_random(&r, 2, 1);
  lrgd_vec w = {r.w, 0};
  r.space->ops->scale(r.space, w, 0);
  lr_basis_expand(&r.U, w, z);
  check(lr_basis_append(&r.U, w, cut, &kept) == LRGD_OK && !kept, "left out");
  check_int(r.U.k, 2, "columns");
  leave(&r);
}

TEST("a vector nearly in the span gives an orthonormal column all the same")
{
  room r = enter(P, 4);
  bool kept = false;
  append_random(&r, 1, 1);
  lrgd_vec w = {r.w, 0};
  r.space->ops->copy(r.space, w, lr_basis_column(&r.U, 0), 1);
  (void)r.space->ops->add_at(r.space, w, 3, 1e-9);
  check(lr_basis_append(&r.U, w, cut, &kept) == LRGD_OK && kept, "kept");
  check(defect(&r.U) < 4 * DBL_EPSILON * sqrt(P), "defect %g", defect(&r.U));
  leave(&r);
}

TEST("zero, NaN and infinite vectors are left out")
{
  static const double wrong[] = {0, NAN, INFINITY};
  room r = enter(P, 2);
  append_random(&r, 1, 1);
  for (int i = 0; i < 3; i++) {
    bool kept = true;
    for (int j = 0; j < P; j++) column(r.w, 0)[j] = wrong[i] * (j == 5);
    check(lr_basis_append(&r.U, (lrgd_vec){r.w, 0}, cut, &kept) == LRGD_OK &&
              !kept,
          "%g is left out", wrong[i]);
  }
  check_int(r.U.k, 1, "columns");
  leave(&r);
}

TEST("projecting what was expanded gives the coefficients back")
{
  room r = enter(P, 6);
  double z[6] = {1, -2, 3, -4, 5, -6}, c[6];
  for (uint64_t j = 0; j < 6; j++) append_random(&r, j, 1);
  lrgd_vec w = {r.w, 0};
  r.space->ops->scale(r.space, w, 0);
  lr_basis_expand(&r.U, w, z);
  lr_basis_project(&r.U, w, c);
  for (int j = 0; j < 6; j++)
    check_within(c[j], z[j], 1e-13, "coefficient %d", j);
  leave(&r);
}

TEST("rejecting leaves what is orthogonal to every column")
{
  room r = enter(P, 6);
  double c[6];
  for (uint64_t j = 0; j < 6; j++) append_random(&r, j, 1);
  lrgd_vec w = {r.w, 0};
  r.space->ops->gaussian(r.space, w, 2, 0);
  double left = lr_basis_reject(&r.U, w), norm = 0;
  (void)r.space->ops->measure(r.space, w, &norm);
  lr_basis_project(&r.U, w, c);
  check_near(left, norm, 1e-15, "the norm that is left");
  for (int j = 0; j < 6; j++) check_within(c[j], 0, 1e-14, "column %d", j);
  leave(&r);
}

TEST("dropping a column moves the later ones up")
{
  room r = enter(P, 3);
  double third;
  for (uint64_t j = 0; j < 3; j++) append_random(&r, j, 1);
  third = column(r.U.block, 2)[7];
  lr_basis_drop(&r.U, 1);
  check_int(r.U.k, 2, "columns");
  check(column(r.U.block, 1)[7] == third, "the third is now the second");
  check(defect(&r.U) < 1e-14, "still orthonormal");
  lr_basis_drop(&r.U, 1);
  lr_basis_drop(&r.U, 0);
  check_int(r.U.k, 0, "columns");
  leave(&r);
}

TEST("a basis of no columns expands to nothing and rejects nothing")
{
  room r = enter(P, 1);
  lrgd_vec w = {r.w, 0};
  r.space->ops->gaussian(r.space, w, 1, 1);
  double before = 0;
  (void)r.space->ops->measure(r.space, w, &before);
  lr_basis_expand(&r.U, w, NULL);
  check(lr_basis_reject(&r.U, w) == before, "the vector is what it was");
  leave(&r);
}

TEST("reserving keeps the columns there are")
{
  room r = enter(P, 2);
  append_random(&r, 1, 1);
  double was = column(r.U.block, 0)[9];
  check(lr_basis_reserve(&r.U, 40) == LRGD_OK && r.U.capacity == 40, "room");
  check(r.U.k == 1 && column(r.U.block, 0)[9] == was, "the column is there");
  leave(&r);
}

TEST("in one dimension a basis is one number of size one")
{
  room r = enter(1, 1);
  check(append_random(&r, 1, 1e-200), "kept");
  check(fabs(column(r.U.block, 0)[0]) == 1, "plus or minus one");
  check(!append_random(&r, 2, 1), "and that is all");
  leave(&r);
}
