/* The messages between ranks, shared by the files of lrgd-mpi only.
 *
 * No rank waits inside MPI, which would use the processor that a program of
 * another rank may need: ranks poll, and sleep a little in between. */
#ifndef MPI_MESSAGE_H
#define MPI_MESSAGE_H

#include <mpi.h>
#include <stdbool.h>

typedef enum message_tag {
  MESSAGE_SETUP = 1,
  MESSAGE_FLAGS,
  MESSAGE_HOME,
  MESSAGE_READY,
  MESSAGE_VALUE,
  MESSAGE_GRADIENT,
  MESSAGE_SLOPE,
  MESSAGE_ANSWER, /* numbers */
  MESSAGE_FAILURE /* message_failure */
} message_tag;

/* Sent instead of an answer. */
typedef struct message_failure {
  double f; /* a NaN, perhaps lrgd_unanswered() */
  char why[2048];
} message_failure;

/* Polls for a message (from: a rank, or MPI_ANY_SOURCE) for so many seconds,
 * INFINITY: until there is one. */
bool message_await(int from, double seconds, MPI_Status *status);

/* Seconds of a clock that never goes back. */
double message_now_s(void);

/* Whether f is lrgd_unanswered(), a NaN with a mark in its payload. */
bool message_is_unanswered(double f);

#endif
