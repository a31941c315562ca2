/* PEST's templates: the model's input files with spaces for parameters. */
#ifndef CLI_PEST_TEMPLATE_FILE_H
#define CLI_PEST_TEMPLATE_FILE_H

#include "pest_text.h"

/* A space for a parameter: columns first to end of a line. */
typedef struct pest_space {
  size_t line, first, end;
  size_t parameter;
} pest_space;

typedef struct pest_template {
  pest_text text;
  pest_space *spaces; /* in order */
  size_t count;
} pest_template;

/* used: of each parameter whether it is in a template; those found are set. */
LRGD_MUST_CHECK lrgd_status pest_template_read(pest_template *to,
                                               const char *path,
                                               const pest_index *parameters,
                                               bool *used, lrgd_error *error);
void pest_template_free(pest_template *old);

/* The number in `width` letters, with as many digits as go in, blanks before
 * it; point: with a decimal point.  false: it does not go in. */
bool pest_put_number(char *to, size_t width, double number, bool point);

/* Writes the model's input file; values are those the model gets. */
LRGD_MUST_CHECK lrgd_status pest_template_write(const pest_template *of,
                                                const char *path,
                                                const double *values,
                                                bool point, lrgd_error *error);

#endif
