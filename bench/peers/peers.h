/* The peers, each list in a file of its own that is compiled where the peer
 * was found.  Each list ends with a NULL name. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "bench.h"

/* Runs a script of bench/ that counts rounds of several evaluations (`width`)
 * or computes times on many workers (`makespan`). */
_Noreturn void bench_script(const char *name, int argc, char **argv);

extern const bench_solver bench_nlopt[], bench_nlopt_limits[], bench_gsl[],
    bench_tao[], bench_python[];

#endif
