/* What the suite of the space's verbs must know of a backend. */
#ifndef CONFORMANCE_BACKEND_H
#define CONFORMANCE_BACKEND_H

#include <float.h>
#include <lrgd/space.h>
#include <stdlib.h>

#include "check.h"

typedef struct backend {
  const char *name;
  lrgd_space *(*make)(size_t p);
  double eps, largest, smallest; /* of its numbers */
  size_t processes;
} backend;

#endif
