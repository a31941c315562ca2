/* The model of a PEST case: parameters in, simulated values out. */
#ifndef CLI_PEST_MODEL_H
#define CLI_PEST_MODEL_H

#include "control_file.h"
#include "instruction_file.h"
#include "template_file.h"

typedef struct pest_model {
  pest_case of;
  pest_template *templates;        /* one for each input file */
  pest_instructions *instructions; /* one for each output file */
  double *values;                  /* values of all parameters */
} pest_model;

/* Reads the control file and the files it names, and checks that every
 * observation is read once and every adjustable parameter is in a template. */
LRGD_MUST_CHECK lrgd_status pest_model_open(pest_model *to, const char *path,
                                            lrgd_error *error);
void pest_model_close(pest_model *old);

/* Writes the model's inputs in the working directory, runs its command there
 * and reads its outputs: the observations.
 * LRGD_ERR_ORACLE: the model failed. */
LRGD_MUST_CHECK lrgd_status pest_model_run(pest_model *model, const double *x,
                                           double *simulated,
                                           lrgd_error *error);

#endif
