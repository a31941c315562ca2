/* What the ranks send each other; between the files of lrgd-mpi only.
 *
 * Nobody waits inside MPI, which would burn the processor that a program of
 * another rank may need: all look, and sleep a little in between. */
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

/* In place of an answer. */
typedef struct message_failure {
  double f; /* a NaN, perhaps lrgd_unanswered() */
  char why[2048];
} message_failure;

/* Looks for a message (from: MPI_ANY_SOURCE for any rank) for so many seconds,
 * INFINITY: until there is one. */
bool message_await(int from, double seconds, MPI_Status *status);

#endif
