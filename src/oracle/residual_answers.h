/* Residuals for the oracle: the part of the adaptor of an lrgd_problem that is
 * about them. */
#ifndef LR_RESIDUAL_ANSWERS_H
#define LR_RESIDUAL_ANSWERS_H

#include "oracle/host_answers.h"

/* Allocates the residuals, with the known rows, and their derivatives. */
LRGD_MUST_CHECK lrgd_status lr_host_make_residuals(lr_host_answers *host);
void lr_host_free_residuals(lr_host_answers *host);
/* Sets the callbacks on residuals. */
void lr_host_view_residuals(lr_host_answers *host, lr_answers *answers);

#endif
