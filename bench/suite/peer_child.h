/* The arguments of a process that does one run. */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include "bench.h"

typedef struct bench_child {
  const bench_case *from;
  const char *spec;
  uint64_t seed;
  double minimum; /* NaN: as the problem states, or computed */
  double seconds; /* 0: no limit */
  bool to_end;
} bench_child;

/* Prints "minimum NUMBER". */
void bench_child_reference(const bench_case *from, uint64_t seed);
/* Runs the solver, prints targets as they are reached and then the end of the
 * record, and ends the process. */
void bench_child_run(const bench_child *child);

#endif
