/* Numbers as text, the same in every locale. */
#ifndef LR_NUMBER_H
#define LR_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  LR_NUMBER_SIZE = 25,  /* the longest that is written, and one more */
  LR_NUMBER_MOST = 1000 /* the longest that is read */
};

/* Where a decimal number that starts at s ends: [-+] digits [. digits]
 * [e [-+] digits].  NULL: none starts there. */
const char *lr_number_end(const char *s, const char *end);

/* Converts what lr_number_end found; *end can be read, and is no part of the
 * number.
 * False: longer than LR_NUMBER_MOST or beyond all doubles. */
bool lr_number_convert(const char *s, const char *end, double *x);

/* The whole text must be one decimal number: no blanks, hex, nan or inf. */
bool lr_read_real(const char *text, double *x);
bool lr_read_integer(const char *text, int64_t *n);

/* Writes x as printf's %.17g does in the C locale, no final 0; returns the
 * length, at most LR_NUMBER_SIZE - 1. */
size_t lr_number_write(char *text, double x);

/* Prints x with no more digits than it takes to read it back. */
size_t lr_number_shortest(char *text, double x);

/* lr_number_write as a string; returns the length as snprintf does. */
int lr_write_real(char *text, size_t size, double x);

#endif
