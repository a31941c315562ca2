/* A solver on a function that is answered from outside. */
#ifndef BENCH_ASKS_H
#define BENCH_ASKS_H

/* For `lrgd compare`: minimises what standard input answers (cli/compare/peer.c
 * says how); leaves the process. */
_Noreturn void bench_asks(const char *solver);

#endif
