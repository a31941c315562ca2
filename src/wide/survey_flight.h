/* The survey where evaluations end in any order: a value is used when it comes,
 * and the next point starts where it was. */
#ifndef LR_SURVEY_FLIGHT_H
#define LR_SURVEY_FLIGHT_H

#include "solver/frame.h"
#include "wide/span.h"
#include "wide/survey_model.h"

/* Surveys a box from the iterate of the rounds on. */
LRGD_MUST_CHECK lr_code lr_survey_box_in_flight(lr_survey_model *m,
                                                lr_rounds *rounds,
                                                lr_frame *frame);

/* Minimises f in the subspace, beginning with the complete model at x0; leaves
 * the model at its last centre. */
LRGD_MUST_CHECK lr_code lr_survey_span_in_flight(lr_span *s);

#endif
