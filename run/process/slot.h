/* A slot: one process at a time, and the evaluation it works on. */
#ifndef LR_RUN_SLOT_H
#define LR_RUN_SLOT_H

#include "child.h"

#include <lrgd/run.h>

typedef enum lr_slot_state {
  LR_SLOT_FREE,  /* no process, or an idle worker */
  LR_SLOT_BUSY,  /* an evaluation is under way */
  LR_SLOT_ENDING /* given up; the process is being terminated */
} lr_slot_state;

enum { LR_POLL_IN, LR_POLL_OUT, LR_POLL_ERR, LR_POLL_END, LR_POLLS };

/* Bytes sent to and received from the process. */
typedef struct lr_slot_io {
  lr_bytes line; /* the request; sent: bytes of it */
  size_t sent;
  lr_bytes output; /* the answer so far; searched: bytes without a line end */
  size_t searched;
  size_t shrink_at; /* longer output is cut to its last line */
  int whole;        /* the collecting hook reads all output: it is not cut */
  uint64_t out_total, err_total, most; /* bytes written, and allowed */
  lr_tail tail;
} lr_slot_io;

/* A worker's last evaluation, which may be repeated. */
typedef struct lr_slot_last {
  lr_bytes before,
      answered; /* the request of the last evaluation, and its answer */
  uint64_t answered_number; /* number of the evaluation that was answered */
  uint64_t answered_as;     /* the journal's number of it; 0: none */
  lrgd_oracle kind;         /* what the evaluation was asked for */
  size_t p, wanted;         /* number of inputs; numbers that the answer has */
  int doubt;                /* the answer may be wrong: repeat the evaluation */
  int checking;             /* the evaluation is being repeated */
  char lost[256]; /* why the evaluation that it interrupts has failed */
} lr_slot_last;

typedef struct lr_slot {
  lr_slot_state state;
  lr_child child;
  int program;      /* one process per evaluation */
  size_t question;  /* index of the evaluation in the batch */
  uint64_t number;  /* number of the evaluation */
  uint64_t answers; /* answers of its process so far */
  lr_slot_io io;
  lr_slot_last last;
  double started_s;
  double deadline_s; /* INFINITY: none */
  int last_signal;   /* the last signal sent to end it; 0: none */
  int no_memory;  /* out of memory for its answer: the program has not failed */
  int unanswered; /* we terminated the process; the evaluation has not failed */
  int partial;    /* some residuals of its answer are missing */
  char why[256];  /* "": no failure so far */
  char *directory; /* the folder of a program's evaluation; owned */
  /* indices of its descriptors in the pool's fds; -1: none */
  int polled[LR_POLLS];
} lr_slot;

double lr_now_s(void); /* CLOCK_MONOTONIC */

/* Prepares for a new request, whose line is written after this. */
void lr_slot_begin(lr_slot *slot, size_t question, uint64_t number);

/* Sends what the pipe takes, except a worker's line break.  A pipe that a
 * program closed is no failure: its answer counts. */
void lr_slot_send(lr_slot *slot);

/* Whether there is more to send for lr_slot_send. */
int lr_slot_sends(const lr_slot *slot);

/* Whether part of a worker's request has not been sent. */
int lr_slot_is_unfinished(const lr_slot *slot);

/* Whether only its line break has not been sent; and sends it. */
int lr_slot_is_held(const lr_slot *slot);
void lr_slot_send_break(lr_slot *slot);

/* Reads what has arrived on stdout and stderr. */
void lr_slot_receive(lr_slot *slot);

/* The length of a worker's answer line; -1: not complete yet. */
long lr_slot_worker_line(lr_slot *slot);

/* Records the reason, unless there is one; then sends the signal and sets the
 * state. */
void lr_slot_give_up(lr_slot *slot, int signal, double until_s,
                     const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The deadline has passed: sends the next stronger signal.  0: none is left. */
int lr_slot_press(lr_slot *slot, double now_s, double grace_s);

/* The process has ended with this status: writes what was wrong to why;
 * otherwise gives the answer line and 1. */
int lr_slot_judge(lr_slot *slot, int status, const char **line, size_t *length);

/* Releases the process (which must have ended) and its directory. */
void lr_slot_clear(lr_slot *slot);
void lr_slot_free(lr_slot *slot);

#endif
