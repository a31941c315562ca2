/* PEST's templates: input files of the model with spaces for parameters. */
#ifndef CLI_PEST_TEMPLATE_FILE_H
#define CLI_PEST_TEMPLATE_FILE_H

#include "pest_text.h"

/* A space for a parameter: from column `first` to column `end` of a line. */
typedef struct pest_space {
  size_t line, first, end;
  size_t parameter;
} pest_space;

typedef struct pest_template {
  pest_text text;
  pest_space *spaces; /* in order */
  size_t count;
} pest_template;

/* Reads a template.  used: for each parameter whether it is in a template;
 * those of this one are set. */
LRGD_MUST_CHECK lrgd_status pest_template_read(pest_template *to,
                                               const char *path,
                                               const pest_index *parameters,
                                               bool *used, lrgd_error *error);
void pest_template_free(pest_template *old);

/* Writes the number in `width` letters, with as many digits as fit, padded with
 * blanks on the left; point: with a decimal point.  false: it does not fit. */
bool pest_put_number(char *to, size_t width, double number, bool point);

/* Writes the model's input file for these values. */
LRGD_MUST_CHECK lrgd_status pest_template_write(const pest_template *of,
                                                const char *path,
                                                const double *values,
                                                bool point, lrgd_error *error);

#endif
