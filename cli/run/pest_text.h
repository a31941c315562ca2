/* Text files of PEST: lines with their numbers, words, and numbers in Fortran's
 * notation. */
#ifndef CLI_PEST_TEXT_H
#define CLI_PEST_TEXT_H

#include "cli/base/cli.h"

#define PEST_NAME_SIZE 64

/* A whole file as lines; owned. */
typedef struct pest_text {
  char *path;
  char *bytes; /* all lines, a 0 after each */
  char **lines;
  size_t count;
} pest_text;

/* Reads a file; what: "control file" or the like, for messages. */
LRGD_MUST_CHECK lrgd_status pest_text_read(pest_text *text, const char *path,
                                           const char *what, lrgd_error *error);
void pest_text_free(pest_text *text);

/* Fails with "path:line: sentence", line counted from 0. */
lrgd_status pest_refuse(lrgd_error *error, const pest_text *text, size_t line,
                        const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The length of the next word at *at, separated by blanks; 0: the line ends.
 * *at is moved to its beginning. */
size_t pest_word(const char **at);
/* Whether the word equals text, ignoring case. */
bool pest_is(const char *word, size_t length, const char *text);
/* Copies a name in lower case; false: it is too long. */
bool pest_name(const char *word, size_t length, char name[PEST_NAME_SIZE]);

/* Reads a whole word as a number: 12, -1.5, 3.e-2, 1.5D+03, 1.5-103. */
bool pest_number(const char *word, size_t length, double *number);
/* Reads a whole number from 0 to 2^31. */
bool pest_count(const char *word, size_t length, size_t *count);

/* folder/name, or name where it is absolute; to be freed. */
char *pest_join(const char *folder, const char *name, size_t length);

/* The names of parameters or observations, sorted for a search. */
typedef struct pest_index {
  const char **names; /* borrowed */
  size_t count;
  size_t stride; /* distance in bytes between names in the original array */
  const char *first;
} pest_index;
/* Makes an index of count structs of stride bytes each; first: the name in the
 * first one.  *twice: a name that occurs twice, else NULL.  false: out of
 * memory. */
bool pest_index_make(pest_index *index, const char *first, size_t stride,
                     size_t count, const char **twice);
/* The index of a name in the original array; SIZE_MAX: none. */
size_t pest_index_find(const pest_index *index, const char *name);
void pest_index_free(pest_index *index);

#endif
