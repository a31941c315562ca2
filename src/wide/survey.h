/* The opening phase in a box: one quadratic model of all near values, W new
 * ones a round. */
#ifndef LR_SURVEY_H
#define LR_SURVEY_H

#include "solver/frame.h"
#include "wide/rounds.h"

/* Descends from rounds->here until 2 p values bring a negligible decrease;
 * radius: the length of the last step, in the frame. */
LRGD_MUST_CHECK lr_code lr_survey(lr_rounds *rounds, lr_frame *frame,
                                  double *radius);

#endif
