/* Numbers as text, the same in every locale. */
#ifndef LR_NUMBER_H
#define LR_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole text must be one decimal number: no blanks, hex, nan or inf. */
bool lr_read_real(const char *text, double *x);
bool lr_read_integer(const char *text, int64_t *n);

/* Writes x with 17 digits and a point; returns the length as snprintf does. */
int lr_write_real(char *text, size_t size, double x);

#endif
