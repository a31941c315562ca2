/* Memory of the model in a subspace. */
#include "wide/span.h"

#include "base/memory.h"
#include "space/vec.h"

lr_code lr_span_open(lr_span *s, lr_rounds *rounds, const lr_point *start,
                     size_t most)
{
  lr_run *run = rounds->run;
  const lrgd_allocator *a = &run->allocator;
  *s = (lr_span){
      .rounds = rounds, .run = run, .start = *start, .f = NAN, .most = most};
  s->unit = lr_scale_of(run->space, start->x);
  s->B = lr_alloc(a, most * most, sizeof *s->B);
  s->g = lr_alloc(a, 2 * most, sizeof *s->g);
  s->spare = run->space->ops->make(run->space, 1);
  if (s->B && s->g && s->spare &&
      lr_region_init(&s->region, a, most) == LRGD_OK &&
      lr_basis_init(&s->V, run->space, a, most < 16 ? most : 16) == LRGD_OK) {
    s->c = s->g + most;
    return LR_GO;
  }
  return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for a model of %zu directions", most);
}

void lr_span_close(lr_span *s)
{
  if (!s->run) return;
  lr_free(&s->run->allocator, s->B);
  lr_free(&s->run->allocator, s->g);
  if (s->spare) s->run->space->ops->free(s->run->space, s->spare);
  lr_region_clear(&s->region);
  lr_basis_clear(&s->V);
  *s = (lr_span){0};
}

void lr_span_place(lr_span *s, const double *z, size_t n, lrgd_vec y)
{
  lrgd_space *space = s->run->space;
  space->ops->copy(space, y, s->start.x, 1);
  if (n > 0) space->ops->add(space, y, lr_basis_column(&s->V, 0), n, z);
}

double lr_span_blur(const lr_span *s, double f, size_t k, double step)
{
  double level = lr_oracle_level(&s->run->oracle, f);
  /* each second difference has four values */
  return 4 * level * (double)k / (step * step);
}
