/* From sampled gradients to directions: SVD, QR and Gram-Schmidt. */
#include "subspace/identify.h"
#include "unit_spaces.h"

enum { P = 60, MOST = 24 };
static const double cut = 1e-10;
static const lrgd_identify all[] = {LRGD_IDENTIFY_SVD, LRGD_IDENTIFY_QR,
                                    LRGD_IDENTIFY_GRAM_SCHMIDT};
static const char *const names[] = {"svd", "qr", "gram-schmidt"};

typedef struct room {
  lrgd_space *space;
  lr_basis truth, U;
  lrgd_block *G, *w;
  lr_identified found;
} room;

/* A planted subspace of r random directions, and room for samples. */
static room enter(size_t r)
{
  room m = {.space = doubles(P)};
  m.G = block_of(m.space, MOST);
  m.w = block_of(m.space, 1);
  if (lr_basis_init(&m.truth, m.space, &lr_malloc, r) != LRGD_OK ||
      lr_basis_init(&m.U, m.space, &lr_malloc, 1) != LRGD_OK)
    abort();
  for (uint64_t j = 0; j < r; j++) {
    bool kept;
    lrgd_vec w = {m.w, 0};
    m.space->ops->gaussian(m.space, w, 7, j);
    check(lr_basis_append(&m.truth, w, cut, &kept) == LRGD_OK && kept, "made");
  }
  return m;
}

static void leave(room *m)
{
  lr_basis_clear(&m->truth);
  lr_basis_clear(&m->U);
  m->space->ops->free(m->space, m->G);
  m->space->ops->free(m->space, m->w);
  lrgd_space_destroy(&m->space);
}

/* Sample j: random coefficients in the planted subspace, times scale. */
static void sample(room *m, size_t j, double scale)
{
  double z[MOST];
  lrgd_vec g = {m->G, j};
  m->space->ops->gaussian(m->space, (lrgd_vec){m->w, 0}, 8, j);
  memcpy(z, column(m->w, 0), sizeof z);
  m->space->ops->scale(m->space, g, 0);
  for (size_t i = 0; i < m->truth.k; i++) z[i] *= scale;
  lr_basis_expand(&m->truth, g, z);
}

static lrgd_status identify(room *m, size_t n, size_t r, int how)
{
  return lr_identify(&m->U, (lrgd_vec){m->G, 0}, n, r, all[how], cut,
                     &m->found);
}

/* U and the planted subspace are the same. */
static void check_same_span(const room *m, const char *who, double allowed)
{
  check_int(m->U.k, m->truth.k, "%s: directions", who);
  check(defect(&m->U) < 8 * DBL_EPSILON * sqrt(P), "%s: defect %g", who,
        defect(&m->U));
  for (size_t j = 0; j < m->truth.k; j++) {
    double off = outside(&m->U, column(m->truth.block, j));
    check(off < allowed, "%s: direction %zu is off by %g", who, j, off);
  }
}

TEST("a planted subspace is found again from as many samples, by all three")
{
  for (int how = 0; how < 3; how++) {
    room m = enter(5);
    for (size_t j = 0; j < 5; j++) sample(&m, j, 1);
    check(identify(&m, 5, 5, how) == LRGD_OK, "%s", names[how]);
    check_same_span(&m, names[how], 1e-12);
    check_int(m.found.samples, 5, "%s: samples", names[how]);
    leave(&m);
  }
}

TEST("over-sampling finds it too, and never more than r directions")
{
  for (int how = 0; how < 3; how++) {
    room m = enter(5);
    for (size_t j = 0; j < 20; j++) sample(&m, j, 1);
    check(identify(&m, 20, 5, how) == LRGD_OK, "%s", names[how]);
    check_same_span(&m, names[how], 1e-12);
    leave(&m);
  }
}

TEST("with fewer wanted than there are, the count wanted is kept")
{
  for (int how = 0; how < 3; how++) {
    room m = enter(8);
    for (size_t j = 0; j < 16; j++) sample(&m, j, 1);
    check(identify(&m, 16, 3, how) == LRGD_OK, "%s", names[how]);
    check_int(m.U.k, 3, "%s: directions", names[how]);
    check(defect(&m.U) < 1e-13, "%s: orthonormal", names[how]);
    leave(&m);
  }
}

TEST("row 6: samples of lower rank than wanted give the rank they have")
{
  for (int how = 0; how < 3; how++) {
    room m = enter(3);
    for (size_t j = 0; j < 9; j++) sample(&m, j, 1);
    check(identify(&m, 9, 9, how) == LRGD_OK, "%s", names[how]);
    check_same_span(&m, names[how], 1e-11);
    check(m.found.sigma_r > 1e-6, "%s: sigma_r is %g", names[how],
          m.found.sigma_r);
    leave(&m);
  }
}

TEST("row 6: exact duplicates are one direction")
{
  for (int how = 0; how < 3; how++) {
    room m = enter(1);
    for (size_t j = 0; j < 6; j++) sample(&m, j, j % 2 ? -1e5 : 1);
    check(identify(&m, 6, 4, how) == LRGD_OK, "%s", names[how]);
    check_same_span(&m, names[how], 1e-14);
    leave(&m);
  }
}

TEST("zero gradients are left out")
{
  for (int how = 0; how < 3; how++) {
    room m = enter(3);
    for (size_t j = 0; j < 6; j++) sample(&m, j, j < 3 ? 0 : 1);
    check(identify(&m, 6, 3, how) == LRGD_OK, "%s", names[how]);
    check_int(m.found.samples, 3, "%s: samples", names[how]);
    check_same_span(&m, names[how], 1e-11);
    leave(&m);
  }
}

TEST("only zero gradients give no direction, and no SVD of a zero matrix")
{
  for (int how = 0; how < 3; how++) {
    room m = enter(3);
    for (size_t j = 0; j < 4; j++) sample(&m, j, 0);
    check(identify(&m, 4, 3, how) == LRGD_OK, "%s", names[how]);
    check(m.U.k == 0 && m.found.samples == 0 && isnan(m.found.sigma_r),
          "%s: nothing", names[how]);
    leave(&m);
  }
}

TEST("row 36: a gradient with one Inf or NaN is left out before the SVD")
{
  for (int how = 0; how < 3; how++) {
    room m = enter(3);
    for (size_t j = 0; j < 6; j++) sample(&m, j, 1);
    column(m.G, 1)[17] = INFINITY;
    column(m.G, 2)[18] = NAN;
    check(identify(&m, 6, 3, how) == LRGD_OK, "%s", names[how]);
    check_int(m.found.samples, 4, "%s: samples", names[how]);
    check_same_span(&m, names[how], 1e-11);
    leave(&m);
  }
}

TEST("row 37: gradients from 1e-310 to 1e305 weigh the same")
{
  static const double scales[] = {1e305, 1e-300, 1, 1e200, 1e-200, 1e-310};
  for (int how = 0; how < 3; how++) {
    room m = enter(3);
    for (size_t j = 0; j < 6; j++) sample(&m, j, scales[j]);
    check(identify(&m, 6, 3, how) == LRGD_OK, "%s", names[how]);
    /* a sample of size 1e-310 has some 13 digits less than the others */
    check_same_span(&m, names[how], 1e-9);
    leave(&m);
  }
}

TEST("sigma_r is the r-th singular value of the normalised samples")
{
  for (int how = 0; how < 3; how++) {
    room m = enter(2);
    double c = 0.6, s = 0.8; /* two unit vectors at an angle: sqrt(1 -+ c) */
    for (size_t j = 0; j < 2; j++) {
      double z[2] = {j ? 5 * c : 3, j ? 5 * s : 0};
      m.space->ops->scale(m.space, (lrgd_vec){m.G, j}, 0);
      lr_basis_expand(&m.truth, (lrgd_vec){m.G, j}, z);
    }
    check(identify(&m, 2, 2, how) == LRGD_OK, "%s", names[how]);
    check_near(m.found.sigma_r, sqrt(1 - c), 1e-13, "%s", names[how]);
    leave(&m);
  }
}

TEST("by SVD the directions come in the order of their singular values")
{
  room m = enter(2);
  for (size_t j = 0; j < 6; j++) { /* mostly along the first direction */
    double z[2] = {1, j % 2 ? 0.1 : -0.1};
    m.space->ops->scale(m.space, (lrgd_vec){m.G, j}, 0);
    lr_basis_expand(&m.truth, (lrgd_vec){m.G, j}, z);
  }
  check(identify(&m, 6, 1, 0) == LRGD_OK, "svd");
  check(outside(&m.U, column(m.truth.block, 0)) < 1e-12,
        "the one kept is the dominant one");
  leave(&m);
}

TEST("QR picks the most independent samples, Gram-Schmidt the first")
{
  for (int how = 1; how < 3; how++) {
    room m = enter(2);
    for (size_t j = 0; j < 3; j++) { /* 0 and 1 nearly equal, 2 across */
      double z[2] = {j < 2, j == 2 ? 1 : 1e-4 * (double)j};
      m.space->ops->scale(m.space, (lrgd_vec){m.G, j}, 0);
      lr_basis_expand(&m.truth, (lrgd_vec){m.G, j}, z);
    }
    check(identify(&m, 3, 2, how) == LRGD_OK, "%s", names[how]);
    check_int(m.U.k, 2, "%s: directions", names[how]);
    check(defect(&m.U) < 1e-12, "%s: orthonormal", names[how]);
    leave(&m);
  }
}

TEST("directions below the cut are dropped")
{
  room m = enter(2);
  for (size_t j = 0; j < 6; j++) {
    double z[2] = {1, j % 2 ? 1e-6 : -1e-6};
    m.space->ops->scale(m.space, (lrgd_vec){m.G, j}, 0);
    lr_basis_expand(&m.truth, (lrgd_vec){m.G, j}, z);
  }
  lrgd_vec G = {m.G, 0};
  check(lr_identify(&m.U, G, 6, 2, LRGD_IDENTIFY_SVD, 1e-3, &m.found) ==
            LRGD_OK,
        "svd");
  check_int(m.U.k, 1, "directions above 1e-3");
  leave(&m);
}
