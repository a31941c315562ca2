/* A solver whose function is evaluated by another process. */
#ifndef BENCH_ASKS_H
#define BENCH_ASKS_H

/* For `lrgd compare`: minimises the function whose values come on standard
 * input (protocol: cli/compare/peer.c); does not return. */
_Noreturn void bench_asks(const char *solver);

#endif
