/* Text helpers: numbers, nearest names, counts with separators. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole of text is one decimal number: [+-] digits [. digits]
 * [e [+-] digits], finite as a double.  No blanks, no hexadecimal, no nan. */
bool text_number(const char *text, double *number);
/* Reads a number, or inf, +inf, -inf. */
bool text_bound(const char *text, double *number);
/* A whole number from least to most. */
bool text_integer(const char *text, int64_t least, int64_t most,
                  int64_t *number);

/* A search for the known name that is closest to a mistyped one. */
#define NEAREST_SIZE 48
typedef struct nearest {
  const char *wanted;
  char name[NEAREST_SIZE]; /* the best so far, "" where none is near */
  size_t distance;
} nearest;
nearest nearest_to(const char *wanted);
void nearest_offer(nearest *search, const char *name);

/* 1234567 as "1,234,567".  Returns buffer. */
#define TEXT_COUNT_SIZE 28
char *text_count(char buffer[TEXT_COUNT_SIZE], uint64_t count);

/* A number with the fewest digits that read back as the same double.  Returns
 * buffer. */
#define TEXT_REAL_SIZE 26
char *text_real(char buffer[TEXT_REAL_SIZE], double number);

#endif
