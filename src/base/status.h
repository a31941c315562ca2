/* Return codes inside a run. */
#ifndef LR_STATUS_H
#define LR_STATUS_H

#include <lrgd/lrgd.h>

/* Most functions inside a run return one of these.  LR_END: the run is over and
 * its outcome is set.  LR_NOVALUE: the point cannot be evaluated.  LR_AGAIN:
 * the box has changed, and the method restarts.  LR_FAULT: an error; status and
 * message are in the run's lrgd_error. */
typedef enum lr_code { LR_GO, LR_END, LR_NOVALUE, LR_AGAIN, LR_FAULT } lr_code;

/* Returns the code of a call unless it is LR_GO. */
#define LR_TRY(call)                                                           \
  do {                                                                         \
    lr_code lr_try_code = (call);                                              \
    if (lr_try_code != LR_GO) return lr_try_code;                              \
  } while (0)

/* Writes the message (error may be NULL) and returns status. */
lrgd_status lr_fail(lrgd_error *error, lrgd_status status, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));

#endif
