/* A line of numbers: written as %.17g, read strictly, the same in every
 * locale. */
#ifndef LR_RUN_LINE_H
#define LR_RUN_LINE_H

#include "text.h"

/* Appends n numbers, a blank before each unless the line is empty.
 * 0: out of memory. */
int lr_line_append(lr_bytes *line, size_t n, const double *x);

/* Reads exactly count numbers from a line into x; line[length] exists and is
 * no part of a number (the line break).  1, or 0 and a sentence that names the
 * byte or the counts. */
int lr_line_read(const char *line, size_t length, size_t count, double *x,
                 char *why, size_t why_size);

/* Reads a line of count > 1 numbers of which some, not all, are nan or inf:
 * these become NaN.  Returns how many are missing; 0: it is no such line. */
size_t lr_line_read_partial(const char *line, size_t length, size_t count,
                            double *x);

/* Whether a line that lr_line_read refuses reports a failure by the protocol:
 * nan or inf, or numbers out of range, as many as requested, or one nan or inf
 * alone. */
int lr_line_tells_failure(const char *line, size_t length, size_t count);

/* Whether a line of count numbers repeats x, up to rounding of sums whose order
 * may vary.  alone: the first number has a scale of its own. */
int lr_line_agrees(const char *line, size_t length, size_t count,
                   const double *x, int alone);

/* How many words it has. */
size_t lr_line_words(const char *line, size_t length);

#endif
