/* Waiting for a message without burning a processor. */
#include "message.h"

#include <lrgd/run.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

enum { SHORTEST_US = 20, LONGEST_US = 2000 };

bool message_await(int from, double seconds, MPI_Status *status)
{
  int here = 0;
  double waited = 0;
  for (long us = SHORTEST_US;;) {
    (void)MPI_Iprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &here, status);
    if (here || waited >= seconds) return here != 0;
    (void)nanosleep(&(struct timespec){0, us * 1000}, NULL);
    waited += 1e-6 * (double)us;
    if (us < LONGEST_US) us *= 2;
  }
}

double message_now_s(void)
{
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool message_is_unanswered(double f)
{
  double mark = lrgd_unanswered();
  return memcmp(&f, &mark, sizeof f) == 0;
}
