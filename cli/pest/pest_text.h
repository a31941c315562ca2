/* Text files of PEST: lines with their numbers, words, numbers as Fortran
 * writes them. */
#ifndef CLI_PEST_TEXT_H
#define CLI_PEST_TEXT_H

#include "cli/base/cli.h"

#define PEST_NAME_SIZE 64

/* A whole file as lines; owned. */
typedef struct pest_text {
  char *path;
  char *bytes; /* of all lines, a 0 after each */
  char **lines;
  size_t count;
} pest_text;

/* what: "control file" and the like, for messages. */
LRGD_MUST_CHECK lrgd_status pest_text_read(pest_text *text, const char *path,
                                           const char *what, lrgd_error *error);
void pest_text_free(pest_text *text);

/* "path:line: sentence", line counted from 0. */
lrgd_status pest_refuse(lrgd_error *error, const pest_text *text, size_t line,
                        const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The next word of *at, parted by blanks: its length, 0 at the end of the line;
 * *at is where it begins. */
size_t pest_word(const char **at);
/* Whether the `length` letters are those of text, in upper or lower case. */
bool pest_is(const char *word, size_t length, const char *text);
/* A name in lower case; false where it is too long. */
bool pest_name(const char *word, size_t length, char name[PEST_NAME_SIZE]);

/* 12, -1.5, 3.e-2, 1.5D+03, 1.5-103: the whole of a word. */
bool pest_number(const char *word, size_t length, double *number);
/* A whole number from 0 to 2^31. */
bool pest_count(const char *word, size_t length, size_t *count);

/* folder/name, or name where it is absolute; to be freed. */
char *pest_join(const char *folder, const char *name, size_t length);

/* The names of parameters or observations, sorted for a search. */
typedef struct pest_index {
  const char **names; /* borrowed */
  size_t count;
  size_t stride; /* bytes from one name to the next in their own order */
  const char *first;
} pest_index;
/* first: the name of the first of count structs of stride bytes.  On a name
 * that is there twice, *twice is it, else NULL.  false: no memory. */
bool pest_index_make(pest_index *index, const char *first, size_t stride,
                     size_t count, const char **twice);
/* Its place in their own order, SIZE_MAX: none. */
size_t pest_index_find(const pest_index *index, const char *name);
void pest_index_free(pest_index *index);

#endif
