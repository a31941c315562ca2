/* The inner loops of vector.c for columns of one element type; included once
 * for each, with REAL and NAME set.  Everything is added up in double.
 *
 * Loops over the lanes are written out as such: gcc and clang make vector code
 * of them at every width and never need to reorder a sum. */

/* x'y */
LR_WIDE static double NAME(dot_one)(size_t n, const REAL *x, const REAL *y)
{
  double s[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (size_t l = 0; l < LANES; l++)
      s[l] += (double)x[i + l] * (double)y[i + l];
  for (size_t l = 0; i + l < n; l++)
    s[l] += (double)x[i + l] * (double)y[i + l];
  return fold(s);
}

/* c = U'g for GROUP columns, so that g is loaded once for all of them. */
LR_WIDE static void NAME(dot_four)(size_t n, const REAL *U, size_t ld,
                                   const REAL *g, double *c)
{
  double s[GROUP][LANES] = {{0}};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (size_t j = 0; j < GROUP; j++)
      for (size_t l = 0; l < LANES; l++)
        s[j][l] += (double)U[j * ld + i + l] * (double)g[i + l];
  for (size_t l = 0; i + l < n; l++)
    for (size_t j = 0; j < GROUP; j++)
      s[j][l] += (double)U[j * ld + i + l] * (double)g[i + l];
  for (size_t j = 0; j < GROUP; j++) c[j] = fold(s[j]);
}

/* ---- where g is longer than a block: lanes go on from block to block ---- */

/* Adds the products x_i y_i to the partial sums `sum`. */
LR_WIDE static void NAME(dot_lanes)(size_t n, const REAL *restrict x,
                                    const REAL *restrict y,
                                    double *restrict sum)
{
  double s[LANES];
  size_t i = 0;
  for (size_t l = 0; l < LANES; l++) s[l] = sum[l];
  for (; i + LANES <= n; i += LANES)
    for (size_t l = 0; l < LANES; l++)
      s[l] += (double)x[i + l] * (double)y[i + l];
  for (size_t l = 0; l < LANES; l++) sum[l] = s[l];
  for (size_t l = 0; i < n; i++, l++) sum[l] += (double)x[i] * (double)y[i];
}

/* The inner products with GROUP columns of U. */
LR_WIDE static void NAME(dot_group)(size_t n, const REAL *restrict U, size_t ld,
                                    const REAL *restrict g,
                                    double *restrict sum)
{
  double s[GROUP][LANES];
  size_t i = 0;
  for (size_t j = 0; j < GROUP; j++)
    for (size_t l = 0; l < LANES; l++) s[j][l] = sum[j * LANES + l];
  for (; i + LANES <= n; i += LANES)
    for (size_t j = 0; j < GROUP; j++)
      for (size_t l = 0; l < LANES; l++)
        s[j][l] += (double)U[j * ld + i + l] * (double)g[i + l];
  for (size_t j = 0; j < GROUP; j++)
    for (size_t l = 0; l < LANES; l++) sum[j * LANES + l] = s[j][l];
  for (size_t l = 0; i < n; i++, l++)
    for (size_t j = 0; j < GROUP; j++)
      sum[j * LANES + l] += (double)U[j * ld + i] * (double)g[i];
}

/* Adds U'g on the rows of one block to the partial sums, LANES numbers a
 * column. */
static void NAME(dot_columns)(size_t n, size_t k, const REAL *U, size_t ld,
                              const REAL *g, double *sum)
{
  size_t j = 0;
  for (; j + GROUP <= k; j += GROUP)
    NAME(dot_group)(n, U + j * ld, ld, g, sum + j * LANES);
  for (; j < k; j++) NAME(dot_lanes)(n, U + j * ld, g, sum + j * LANES);
}

/* c = U'g for at most COLUMNS columns. */
static void NAME(dot_some)(size_t n, size_t k, const REAL *U, size_t ld,
                           const REAL *g, double *c)
{
  double sum[COLUMNS * LANES];
  memset(sum, 0, k * LANES * sizeof *sum);
  for (size_t i = 0; i < n; i += ROWS) {
    size_t m = n - i < ROWS ? n - i : ROWS;
    NAME(dot_columns)(m, k, U + i, ld, g + i, sum);
  }
  for (size_t j = 0; j < k; j++) c[j] = fold(sum + j * LANES);
}

/* c = U'g */
static void NAME(dot_all)(size_t n, size_t k, const REAL *U, size_t ld,
                          const REAL *g, double *c)
{
  size_t j = 0;
  bool blocks = n > ROWS && k > GROUP;
  for (; blocks && j < k; j += COLUMNS) {
    size_t m = k - j < COLUMNS ? k - j : COLUMNS;
    NAME(dot_some)(n, m, U + j * ld, ld, g, c + j);
  }
  for (; j + GROUP <= k; j += GROUP)
    NAME(dot_four)(n, U + j * ld, ld, g, c + j);
  for (; j < k; j++) c[j] = NAME(dot_one)(n, U + j * ld, g);
}

/* ---- sums of columns ---- */

/* y += a x */
LR_WIDE static void NAME(add_one)(size_t n, const REAL *restrict x, double a,
                                  double *restrict y)
{
  for (size_t i = 0; i < n; i++) y[i] += a * (double)x[i];
}

/* y += U c for GROUP columns, one after the other. */
LR_WIDE static void NAME(add_group)(size_t n, const REAL *restrict U, size_t ld,
                                    const double *restrict c,
                                    double *restrict y)
{
  const REAL *u0 = U, *u1 = U + ld, *u2 = u1 + ld, *u3 = u2 + ld;
  double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  for (size_t i = 0; i < n; i++)
    y[i] = (((y[i] + c0 * (double)u0[i]) + c1 * (double)u1[i]) +
            c2 * (double)u2[i]) +
           c3 * (double)u3[i];
}

/* y += U c on the rows of one block. */
static void NAME(add_columns)(size_t n, size_t k, const REAL *U, size_t ld,
                              const double *c, double *y)
{
  size_t j = 0;
  for (; j + GROUP <= k; j += GROUP)
    NAME(add_group)(n, U + j * ld, ld, c + j, y);
  for (; j < k; j++) NAME(add_one)(n, U + j * ld, c[j], y);
}

#undef REAL
#undef NAME
