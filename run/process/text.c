/* Text: error messages, growing buffers, the last lines of output, and
 * escaping. */
#include "text.h"

#include "base/shown.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lrgd_status lr_run_fail(lrgd_error *error, lrgd_status status,
                        const char *format, ...)
{
  if (!error) return status;
  error->status = status;
  va_list args;
  va_start(args, format);
  (void)vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  return status;
}

int lr_bytes_reserve(lr_bytes *bytes, size_t more)
{
  size_t wanted;
  if (__builtin_add_overflow(bytes->size, more, &wanted)) return 0;
  if (wanted <= bytes->capacity) return 1;
  size_t capacity = bytes->capacity < 512 ? 512 : bytes->capacity;
  while (capacity < wanted)
    if (__builtin_add_overflow(capacity, capacity, &capacity)) return 0;
  char *data = realloc(bytes->data, capacity);
  if (!data) return 0;
  bytes->data = data;
  bytes->capacity = capacity;
  return 1;
}

void lr_bytes_free(lr_bytes *bytes)
{
  free(bytes->data);
  *bytes = (lr_bytes){0};
}

void lr_tail_put(lr_tail *tail, const char *data, size_t size)
{
  if (size > LR_TAIL_SIZE) { /* only the end is kept */
    tail->total += size - LR_TAIL_SIZE;
    data += size - LR_TAIL_SIZE;
    size = LR_TAIL_SIZE;
  }
  size_t at = tail->total % LR_TAIL_SIZE;
  size_t first = size < LR_TAIL_SIZE - at ? size : LR_TAIL_SIZE - at;
  memcpy(tail->data + at, data, first);
  memcpy(tail->data, data + first, size - first);
  tail->total += size;
}

/* The length of what is printed as it is; 0: escaped as \xNN. */
static size_t shown_length(const char *s, size_t count, int keep_lines)
{
  if (*s == '\t' || (*s == '\n' && keep_lines)) return 1;
  return lr_shown_length(s, count);
}

void lr_show(char *text, size_t size, const char *bytes, size_t count,
             int keep_lines)
{
  size_t at = strlen(text);
  for (size_t i = 0; i < count;) {
    const char *s = bytes + i;
    size_t n = shown_length(s, count - i, keep_lines);
    if (at + (n ? n : 4) + 1 > size) break;
    if (n)
      memcpy(text + at, s, n);
    else
      (void)snprintf(text + at, 5, "\\x%02x", (unsigned char)*s);
    at += n ? n : 4;
    i += n ? n : 1;
  }
  text[at] = 0;
}

void lr_tail_show(const lr_tail *tail, char *text, size_t size)
{
  char flat[LR_TAIL_SIZE];
  size_t count = tail->total < LR_TAIL_SIZE ? tail->total : LR_TAIL_SIZE;
  size_t from = tail->total - count;
  for (size_t i = 0; i < count; i++)
    flat[i] = tail->data[(from + i) % LR_TAIL_SIZE];
  const char *start = flat;
  if (from > 0) { /* the first line was cut: leave it out if another follows */
    const char *line = memchr(flat, '\n', count);
    if (line && line + 1 < flat + count) start = line + 1;
  }
  size_t left = count - (size_t)(start - flat);
  while (left > 0 && (start[left - 1] == '\n' || start[left - 1] == ' '))
    left--;
  lr_show(text, size, start, left, 1);
}
