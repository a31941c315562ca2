/* Rounds of W evaluations. */
#include "wide/rounds.h"

#include "base/memory.h"

#include <math.h>

lr_code lr_rounds_open(lr_rounds *r, lr_run *run, const lr_point *start)
{
  lrgd_space *space = run->space;
  *r = (lr_rounds){.run = run, .width = run->oracle.width, .here = *start};
  r->points = space->ops->make(space, r->width);
  r->kept = space->ops->make(space, 1);
  r->serials = lr_alloc(&run->allocator, r->width, sizeof *r->serials);
  if (!r->points || !r->kept || !r->serials)
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for rounds of %zu evaluations in "
                           "dimension %zu",
                           r->width, space->dimension);
  r->here.x = (lrgd_vec){r->kept, 0};
  space->ops->copy(space, r->here.x, start->x, 1);
  return LR_GO;
}

void lr_rounds_close(lr_rounds *r)
{
  if (!r->run) return;
  lrgd_space *space = r->run->space;
  lr_oracle_drain(&r->run->oracle);
  if (r->points) space->ops->free(space, r->points);
  if (r->kept) space->ops->free(space, r->kept);
  lr_free(&r->run->allocator, r->serials);
  *r = (lr_rounds){0};
}

/* ---- one by one ---- */

bool lr_rounds_async(const lr_rounds *r)
{
  return lr_oracle_async(&r->run->oracle);
}

size_t lr_rounds_free(const lr_rounds *r)
{
  return lr_oracle_free_places(&r->run->oracle);
}

size_t lr_rounds_under_way(const lr_rounds *r)
{
  return r->run->oracle.flight.count;
}

lr_code lr_rounds_start(lr_rounds *r, lr_place_fn place, void *self, size_t i,
                        size_t *at)
{
  lrgd_vec x = {r->points, 0};
  place(self, i, x);
  return lr_oracle_start(&r->run->oracle, x, LRGD_PURPOSE_DESCEND, at);
}

lr_code lr_rounds_finish(lr_rounds *r, size_t *at, double *f)
{
  return lr_oracle_finish(&r->run->oracle, at, f);
}

/* Receives a value: of the last ones to be asked for, else a late one. */
static lr_code receive(lr_rounds *r, double *f)
{
  size_t at;
  double value;
  LR_TRY(lr_rounds_finish(r, &at, &value));
  uint64_t serial = r->serials[at];
  if (serial < r->first) {
    if (r->late) r->late(r->late_self, serial, value);
    return LR_GO;
  }
  f[serial - r->first] = value;
  r->missing--;
  return LR_GO;
}

lr_code lr_rounds_ask_most(lr_rounds *r, size_t n, size_t enough,
                           lr_place_fn place, void *self, double *f)
{
  size_t next = 0, at, allowed = n - enough;
  if (!lr_rounds_async(r)) return lr_rounds_ask(r, n, place, self, f);
  r->first = r->next;
  r->next += n;
  for (size_t i = 0; i < n; i++) f[i] = NAN;
  r->missing = n;
  while (next < n || r->missing > allowed) {
    for (; next < n && lr_rounds_free(r) > 0; next++) {
      LR_TRY(lr_rounds_start(r, place, self, next, &at));
      r->serials[at] = r->first + next;
    }
    LR_TRY(receive(r, f));
  }
  return LR_GO;
}

lr_code lr_rounds_rest(lr_rounds *r, double *f)
{
  while (r->missing > 0) LR_TRY(receive(r, f));
  return LR_GO;
}

/* ---- by rounds ---- */

lr_code lr_rounds_ask(lr_rounds *r, size_t n, lr_place_fn place, void *self,
                      double *f)
{
  lr_oracle *o = &r->run->oracle;
  if (lr_rounds_async(r)) return lr_rounds_ask_most(r, n, n, place, self, f);
  for (size_t first = 0, m; first < n; first += m) {
    uint64_t left = lr_oracle_left(o);
    m = n - first < r->width ? n - first : r->width;
    if (left > 0 && left < m) m = (size_t)left;
    for (size_t i = 0; i < m; i++)
      place(self, first + i, (lrgd_vec){r->points, i});
    LR_TRY(lr_oracle_ask_values(o, (lrgd_vec){r->points, 0}, m,
                                LRGD_PURPOSE_DESCEND, f + first));
  }
  return LR_GO;
}

lr_code lr_rounds_arrive(lr_rounds *r, lrgd_vec x, double f)
{
  lr_run *run = r->run;
  run->space->ops->copy(run->space, r->here.x, x, 1);
  lr_oracle_know(&run->oracle, &r->here, f);
  lr_run_stand(run, &r->here);
  LR_TRY(lr_run_offer(run, &r->here));
  return lr_run_arrived(run);
}
