/* Evaluations that end in any order. */
#include "oracle/asking.h"

#include "base/finite.h"

#include <math.h>

bool lr_oracle_async(const lr_oracle *o)
{
  return o->flight.room > 0;
}

size_t lr_oracle_free_places(const lr_oracle *o)
{
  size_t n = o->flight.room - o->flight.count;
  uint64_t left = lr_oracle_left(o);
  /* the budget is used and nothing is under way: one more start ends the run */
  if (left == 0 && o->flight.count == 0) return 1;
  return left < n ? (size_t)left : n;
}

/* ---- starting ---- */

static lrgd_vec point(const lr_oracle *o, size_t at)
{
  return (lrgd_vec){o->flight.points, at};
}

/* Calls the user for the evaluation at a place, with a ticket of its own. */
static lr_code call(lr_oracle *o, size_t at)
{
  lr_oracle_flight *flight = &o->flight;
  lr_flying *e = &flight->places[at];
  LR_TRY(lr_oracle_afford(o, 1));
  lr_asking_count(o, LRGD_KIND_VALUES, e->why, 1);
  if (flight->started++ % o->width == 0) o->counts.rounds++;
  e->ticket = ++flight->last;
  o->answers.start(o->answers.self, point(o, at), e->ticket);
  return lr_asking_returned(o);
}

lr_code lr_oracle_start(lr_oracle *o, lrgd_vec x, lrgd_purpose why, size_t *at)
{
  lr_oracle_flight *flight = &o->flight;
  for (*at = 0; flight->places[*at].ticket > 0;) ++*at;
  lr_flying *e = &flight->places[*at];
  lrgd_vec y = point(o, *at);
  *e = (lr_flying){.retries = o->options->retries, .why = why, .f = NAN};
  if (o->fold.lower.block)
    o->space->ops->map_to_box(o->space, y, x, o->fold);
  else
    o->space->ops->copy(o->space, y, x, 1);
  bool recalled = false, good = lr_oracle_admit(o, y);
  if (good) recalled = lr_asking_recalls(o, y, &e->f);
  o->recalled += recalled;
  e->known = recalled || !good;
  if (e->known)
    e->ticket = ++flight->last;
  else
    LR_TRY(call(o, *at));
  flight->count++;
  return LR_GO;
}

/* ---- finishing ---- */

/* The place with that ticket; room: there is none. */
static size_t find(const lr_oracle_flight *flight, uint64_t ticket)
{
  size_t at = 0;
  while (at < flight->room &&
         (flight->places[at].known || flight->places[at].ticket != ticket))
    at++;
  return ticket > 0 ? at : flight->room;
}

static lr_code wrong_ticket(lr_oracle *o, uint64_t ticket)
{
  o->flight.count = 0; /* those under way cannot be told apart any more */
  return lr_oracle_fault(o, LRGD_ERR_ORACLE,
                         "the finish callback returned ticket %llu, which no "
                         "evaluation under way has",
                         (unsigned long long)ticket);
}

/* Waits for an answer of the user. */
static lr_code receive(lr_oracle *o, size_t *at, double *f)
{
  uint64_t ticket = o->answers.finish(o->answers.self, f);
  LR_TRY(lr_asking_returned(o));
  *at = find(&o->flight, ticket);
  if (*at == o->flight.room) return wrong_ticket(o, ticket);
  return LR_GO;
}

/* The earliest of those whose f was known when they were started; false: there
 * is none. */
static bool take_known(const lr_oracle_flight *flight, size_t *at)
{
  bool found = false;
  for (size_t i = 0; i < flight->room; i++) {
    const lr_flying *e = &flight->places[i];
    if (e->ticket == 0 || !e->known) continue;
    if (!found || e->ticket < flight->places[*at].ticket) *at = i;
    found = true;
  }
  return found;
}

static void set_free(lr_oracle *o, size_t at)
{
  o->flight.places[at].ticket = 0;
  o->flight.count--;
}

static void hear(lr_oracle *o, size_t at, double f)
{
  if (o->listener.hear && lr_finite(f))
    o->listener.hear(o->listener.self, point(o, at), f);
}

/* Whether the evaluation at a place was not made; it is not counted then.  The
 * user may tell of several at once, each of which has a purpose of its own. */
static bool take_back(lr_oracle *o, size_t at, double f)
{
  lr_oracle_flight *flight = &o->flight;
  if (o->answers.unanswered)
    flight->unmade += o->answers.unanswered(o->answers.self);
  if (flight->unmade == 0 || lr_finite(f)) return false;
  flight->unmade--;
  uint64_t *asked =
      &o->counts.evaluations[LRGD_KIND_VALUES][flight->places[at].why];
  *asked -= *asked > 0;
  return true;
}

/* Receives one answer and judges it. */
static lr_code finish(lr_oracle *o, size_t *at, double *f)
{
  LR_TRY(receive(o, at, f));
  if (take_back(o, *at, *f)) {
    set_free(o, *at);
    return lr_oracle_end_stopped(o);
  }
  lr_asking_take_value(o, f);
  hear(o, *at, *f);
  return lr_asking_judge(o, point(o, *at), *f, true);
}

lr_code lr_oracle_finish(lr_oracle *o, size_t *at, double *f)
{
  lr_oracle_flight *flight = &o->flight;
  for (;;) {
    if (take_known(flight, at)) {
      *f = flight->places[*at].f;
      if (lr_finite(*f)) lr_asking_take_value(o, f);
      hear(o, *at, *f);
      set_free(o, *at);
      return LR_GO;
    }
    lr_code code = finish(o, at, f);
    if (code == LR_FAULT || flight->count == 0) return code;
    lr_flying *e = &flight->places[*at];
    bool again = code == LR_NOVALUE && !lr_finite(*f) && e->retries-- > 0;
    if (again) {
      code = call(o, *at);
      if (code == LR_GO) continue;
    }
    if (e->ticket > 0) set_free(o, *at);
    if (code == LR_NOVALUE) *f = NAN;
    return code == LR_NOVALUE ? LR_GO : code;
  }
}

void lr_oracle_drain(lr_oracle *o)
{
  lr_oracle_flight *flight = &o->flight;
  size_t at;
  double f;
  for (size_t i = 0; i < flight->room; i++)
    if (flight->places[i].ticket > 0 && flight->places[i].known) set_free(o, i);
  while (flight->count > 0) {
    uint64_t ticket = o->answers.finish(o->answers.self, &f);
    (void)fesetenv(&o->session.fenv);
    at = find(flight, ticket);
    if (at == flight->room) break;
    if (!take_back(o, at, f)) {
      lr_asking_take_value(o, &f);
      hear(o, at, f);
    }
    set_free(o, at);
  }
  for (size_t i = 0; i < flight->room; i++) flight->places[i].ticket = 0;
  flight->count = flight->unmade = 0;
}
