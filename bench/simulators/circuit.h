/* A circuit simulated by ngspice, which is started once for each evaluation, as
 * a user's own program would be.  Only this file knows the netlist and the
 * format of the output. */
#ifndef BENCH_CIRCUIT_H
#define BENCH_CIRCUIT_H

#include <lrgd/lrgd.h>

/* The built-in problem `ladder` with 72 inputs, where ngspice computes the
 * levels; the target is its output for the true parts. */
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
