/* PEST's control file: parameters, observations, and the model's command. */
#ifndef CLI_PEST_CONTROL_FILE_H
#define CLI_PEST_CONTROL_FILE_H

#include "observations.h"
#include "pest_text.h"

typedef enum pest_transform {
  PEST_NONE,
  PEST_LOG,
  PEST_FIXED,
  PEST_TIED
} pest_transform;

typedef struct pest_parameter {
  char name[PEST_NAME_SIZE]; /* the name in lower case, as PEST ignores case */
  pest_transform transform;
  double start, lower, upper;
  double scale, offset; /* the model reads scale * value + offset */
  size_t parent;        /* the parameter to which a tied one is tied */
  size_t line;
} pest_parameter;

/* factor * parameter, or factor * log10(parameter). */
typedef struct pest_term {
  size_t parameter;
  double factor;
  bool log;
} pest_term;

/* A template with the model file it makes, or an instruction file with the
 * output it reads; paths from the folder of the case, owned. */
typedef struct pest_pair {
  char *ours, *models;
} pest_pair;

typedef struct pest_case {
  pest_text text;
  char *folder; /* the folder in which the model runs */
  pest_parameter *parameters;
  size_t parameter_count;
  size_t *adjustable; /* the parameters that are estimated */
  size_t adjustable_count;
  /* observations of the model, then equations of prior information */
  cli_observation *observations;
  size_t observation_count; /* number of the model's observations */
  size_t prior_count;
  pest_term *terms; /* terms of all equations of prior information */
  size_t term_count;
  size_t *term_ends; /* for each equation, the end of its terms */
  char *command;
  pest_pair *inputs, *outputs;
  size_t input_count, output_count;
  pest_index parameter_names, observation_names;
  bool point; /* numbers are written with a decimal point */
} pest_case;

/* Reads a control file.  Errors, and what is not supported, are refused with
 * file and line. */
LRGD_MUST_CHECK lrgd_status pest_case_read(pest_case *to, const char *path,
                                           lrgd_error *error);
void pest_case_free(pest_case *old);

/* Computes all parameters from the adjustable ones, x; values has room for
 * all. */
void pest_case_values(const pest_case *of, const double *x, double *values);

#endif
