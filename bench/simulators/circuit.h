/* A circuit simulated by ngspice, started once for each evaluation: what a
 * user's own program would do.  Known here: the netlist and what is printed;
 * not known: who asks. */
#ifndef BENCH_CIRCUIT_H
#define BENCH_CIRCUIT_H

#include <lrgd/lrgd.h>

/* The built-in problem `ladder` with 72 inputs, except that ngspice computes
 * the levels; the target is what it prints for the true parts. */
typedef struct bench_circuit bench_circuit;

/* Whether ngspice can be started. */
int bench_circuit_there(void);
LRGD_MUST_CHECK lrgd_status bench_circuit_make(bench_circuit **made,
                                               uint64_t seed,
                                               lrgd_error *error);
void bench_circuit_free(bench_circuit **circuit);
/* Dimension, value and bounds; borrowed until free.  NaN where ngspice fails
 * or prints something else. */
const lrgd_problem *bench_circuit_problem(const bench_circuit *circuit);
const double *bench_circuit_start(const bench_circuit *circuit);

#endif
