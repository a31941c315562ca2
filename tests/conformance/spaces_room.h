/* A space of the suite (spaces.h) with columns of numbers in it. */
#ifndef CONFORMANCE_SPACES_ROOM_H
#define CONFORMANCE_SPACES_ROOM_H

enum { P = 257, K = 5 }; /* odd, and no multiple of a vector register */

/* A space with a block of columns: 0 .. K-1 are U, then x, y, lower, upper. */
enum { X = K, Y, LOWER, UPPER, W, COLUMNS = W + K };

typedef struct room {
  const backend *b;
  lrgd_space *space;
  const lrgd_space_ops *ops;
  lrgd_block *block;
  double eps;
} room;

static room enter(int i)
{
  room r = {.b = &backends[i], .eps = backends[i].eps};
  r.space = r.b->make(P);
  if (!r.space) abort();
  r.ops = r.space->ops;
  r.block = r.ops->make(r.space, COLUMNS);
  if (!r.block) abort();
  for (uint64_t j = 0; j < K; j++)
    r.ops->gaussian(r.space, (lrgd_vec){r.block, j}, 1, j);
  return r;
}

static void leave(room *r)
{
  r->ops->free(r->space, r->block);
  lrgd_space_destroy(&r->space);
  check(r->space == NULL, "the handle is cleared");
}

static lrgd_vec at(const room *r, size_t col)
{
  return (lrgd_vec){r->block, col};
}

static void put(room *r, size_t col, const double *x)
{
  r->ops->put(r->space, at(r, col), 0, P, x);
}

static void fetch(room *r, size_t col, double *x)
{
  r->ops->get(r->space, at(r, col), 0, P, x);
}

/* Numbers that every element type holds exactly: multiples of 1/64. */
static void exact_numbers(double *x)
{
  for (int i = 0; i < P; i++) x[i] = (i * 37 % 129 - 64) / 64.0;
}

static void fill(room *r, size_t col, double value)
{
  double x[P];
  for (int i = 0; i < P; i++) x[i] = value;
  put(r, col, x);
}

typedef void (*verb_test)(room *r);

static void on_all(verb_test test)
{
  for (int i = 0; i < BACKENDS; i++) {
    room r = enter(i);
    int before = check_broken;
    test(&r);
    if (check_broken > before) printf("\n  (%s)", backends[i].name);
    leave(&r);
  }
}

#endif
