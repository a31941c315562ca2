/* Text: error messages, the words of a command, and program output made safe to
 * print. */
#ifndef LR_RUN_TEXT_H
#define LR_RUN_TEXT_H

#include <lrgd/lrgd.h>

/* Writes the message (error may be NULL) and returns status. */
lrgd_status lr_run_fail(lrgd_error *error, lrgd_status status,
                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A growing buffer. data is NULL while it is empty. */
typedef struct lr_bytes {
  char *data;
  size_t size, capacity;
} lr_bytes;

/* Makes room for more bytes at the end.  0: out of memory, nothing changed. */
int lr_bytes_reserve(lr_bytes *bytes, size_t more);
void lr_bytes_free(lr_bytes *bytes);

/* The last bytes of a program's output. */
enum { LR_TAIL_SIZE = 4096 };
typedef struct lr_tail {
  char data[LR_TAIL_SIZE];
  size_t total; /* ever put in */
} lr_tail;

void lr_tail_put(lr_tail *tail, const char *data, size_t size);

/* The most that lr_show writes for n bytes, the final 0 included. */
#define LR_SHOWN_SIZE(n) (4 * (n) + 1)

/* Appends bytes to text (a C string within size), with terminal control
 * characters escaped as \xNN; line breaks stay where keep_lines. */
void lr_show(char *text, size_t size, const char *bytes, size_t count,
             int keep_lines);

/* Appends the tail, from its first whole line on, escaped. */
void lr_tail_show(const lr_tail *tail, char *text, size_t size);

/* Splits a command as a shell would split spaces, quotes and backslashes, and
 * does nothing else a shell does.  *words ends with NULL; one free() frees it.
 * LRGD_ERR_INVALID: an open quote, or no word. */
LRGD_MUST_CHECK lrgd_status lr_words_split(const char *command, char ***words,
                                           lrgd_error *error);

#endif
