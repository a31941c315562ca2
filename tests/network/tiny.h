/* A network on the tiny set, made and scored: 64-24-4. */
#ifndef TINY_H
#define TINY_H

#include "images.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct tiny {
  lr_dataset set;
  lr_mlp net;
  lr_mlp_work *work;
  lr_gather place;
  float *x;
} tiny;

static inline bool make_tiny(tiny *t, lr_activation activation)
{
  const size_t widths[] = {64, 24, 4};
  lrgd_error error;
  bool made =
      lr_dataset_draw(&t->set, 8, 4, 600, 200, 1, &error) == LRGD_OK &&
      lr_mlp_make(&t->net, 3, widths, activation, &error) == LRGD_OK &&
      lr_mlp_work_create(&t->work, &t->net, 100, 0, &error) == LRGD_OK &&
      lr_gather_create(&t->place, 100, 64, &error) == LRGD_OK;
  t->x = malloc(t->net.p * sizeof *t->x);
  lr_mlp_start(&t->net, 1, t->x);
  return made;
}

static inline void free_tiny(tiny *t)
{
  lr_dataset_free(&t->set);
  lr_mlp_work_destroy(&t->work);
  lr_gather_destroy(&t->place);
  free(t->x);
}

static inline lr_score score(tiny *t)
{
  return lr_score_of(&t->net, t->work, &t->place, 100, t->x, &t->set.test);
}

#endif
