/* A slot: one process at a time, and the question it works on. */
#ifndef LR_RUN_SLOT_H
#define LR_RUN_SLOT_H

#include "child.h"

typedef enum lr_slot_state {
  LR_SLOT_FREE,  /* no process, or a worker that waits for a question */
  LR_SLOT_BUSY,  /* a question is out */
  LR_SLOT_ENDING /* given up; the process is being ended */
} lr_slot_state;

enum { LR_POLL_IN, LR_POLL_OUT, LR_POLL_ERR, LR_POLL_END, LR_POLLS };

/* What went to the process and came from it. */
typedef struct lr_slot_io {
  lr_bytes line; /* the question; sent: so much of it */
  size_t sent;
  lr_bytes output; /* the answer so far; searched: so much has no line end */
  size_t searched;
  size_t shrink_at; /* output beyond this is cut to its last line */
  uint64_t out_total, err_total, most; /* bytes written, and allowed */
  lr_tail tail;
} lr_slot_io;

/* A worker's last question: it may be asked again. */
typedef struct lr_slot_last {
  lr_bytes before, answered; /* the question, and its answer */
  uint64_t answered_number;  /* of that evaluation */
  uint64_t answered_as;      /* the journal's number of it; 0: none */
  int doubt;                 /* that answer may not be true: ask again */
  int checking;              /* it is being asked again */
  char lost[256];            /* meanwhile: why the question fails */
} lr_slot_last;

typedef struct lr_slot {
  lr_slot_state state;
  lr_child child;
  int program;      /* one process per question */
  size_t question;  /* index in the batch */
  uint64_t number;  /* of the evaluation */
  uint64_t answers; /* its process has given */
  lr_slot_io io;
  lr_slot_last last;
  double started_s;
  double deadline_s;    /* INFINITY: none */
  int last_signal;      /* what was sent to end it; 0: nothing */
  int no_memory;        /* for its answer: not its fault */
  int unanswered;       /* ended by us for no fault of its own */
  char why[256];        /* "": nothing wrong so far */
  char *directory;      /* a program's own; owned */
  int polled[LR_POLLS]; /* where its descriptors are in the pool's fds; -1 */
} lr_slot;

double lr_now_s(void); /* CLOCK_MONOTONIC */

/* Ready for a new question, whose line is put in after this. */
void lr_slot_begin(lr_slot *slot, size_t question, uint64_t number);

/* Sends what the pipe takes, but for a worker's line break.  A program's
 * closed pipe is no fault: its answer counts. */
void lr_slot_send(lr_slot *slot);

/* Whether there is more to send for lr_slot_send. */
int lr_slot_sends(const lr_slot *slot);

/* Whether a worker's question lacks some of its bytes. */
int lr_slot_is_unfinished(const lr_slot *slot);

/* Whether only its line break has not been sent; and sends that. */
int lr_slot_is_held(const lr_slot *slot);
void lr_slot_send_break(lr_slot *slot);

/* Takes what has come on stdout and stderr. */
void lr_slot_receive(lr_slot *slot);

/* A worker's answer line is here: its length.  -1: not yet. */
long lr_slot_worker_line(lr_slot *slot);

/* The reason, unless there is one already; then the signal and the state. */
void lr_slot_give_up(lr_slot *slot, int signal, double until_s,
                     const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The deadline has passed: the next harder signal.  0: nothing is left to
 * try. */
int lr_slot_press(lr_slot *slot, double now_s, double grace_s);

/* The process has ended with this status: what was wrong goes into why; else
 * gives the answer line and 1. */
int lr_slot_judge(lr_slot *slot, int status, const char **line, size_t *length);

/* Lets go of the process (which must have ended) and its directory. */
void lr_slot_clear(lr_slot *slot);
void lr_slot_free(lr_slot *slot);

#endif
