/* Text files of PEST: their syntax, not their meaning. */
#include "pest_text.h"

#include "cli/base/cli_text.h"
#include "cli/base/files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ---- */

enum { MOST_BYTES = 1 << 30 };

void pest_text_free(pest_text *text)
{
  free(text->path);
  free(text->bytes);
  free(text->lines);
  *text = (struct pest_text){0};
}

/* Reads all bytes and appends a 0; NULL: errno is set, or there are too
 * many. */
static char *read_all(FILE *file, size_t *size)
{
  size_t room = 1 << 16;
  char *bytes = malloc(room + 1);
  *size = 0;
  while (bytes != NULL) {
    size_t n = fread(bytes + *size, 1, room - *size, file);
    *size += n;
    if (n == 0 || *size < room) break;
    room *= 2;
    char *grown = room <= MOST_BYTES ? realloc(bytes, room + 1) : NULL;
    if (grown == NULL) free(bytes);
    bytes = grown;
  }
  if (bytes != NULL && ferror(file)) {
    free(bytes);
    return NULL;
  }
  if (bytes != NULL) bytes[*size] = '\0';
  return bytes;
}

static bool split_lines(pest_text *text, size_t size)
{
  size_t count = 1;
  for (size_t i = 0; i < size; i++) count += text->bytes[i] == '\n';
  text->lines = malloc(count * sizeof *text->lines);
  if (text->lines == NULL) return false;
  for (char *at = text->bytes, *end = at + size; at < end;) {
    char *stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL) stop = end;
    *stop = '\0';
    if (stop > at && stop[-1] == '\r') stop[-1] = '\0';
    text->lines[text->count++] = at;
    at = stop + 1;
  }
  return true;
}

lrgd_status pest_text_read(pest_text *text, const char *path, const char *what,
                           lrgd_error *error)
{
  size_t size = 0;
  *text = (struct pest_text){.path = strdup(path)};
  FILE *file = file_open(path, "r");
  if (file == NULL || text->path == NULL) {
    const char *trouble = file_trouble();
    if (file != NULL) fclose(file);
    pest_text_free(text);
    return fail(error, LRGD_ERR_INVALID, "the %s \"%s\" cannot be read: %s",
                what, path, trouble);
  }
  text->bytes = read_all(file, &size);
  fclose(file);
  bool good = text->bytes != NULL && split_lines(text, size);
  bool plain = good && memchr(text->bytes, 0, 0) == NULL;
  for (size_t i = 0, length = 0; plain && i < text->count; i++) {
    length = strlen(text->lines[i]);
    const char *next =
        i + 1 < text->count ? text->lines[i + 1] : text->bytes + size;
    /* after a line there is one NUL, or two where it ended in CR LF */
    plain = text->lines[i] + length + 3 > next;
  }
  if (plain) return LRGD_OK;
  pest_text_free(text);
  return fail(error, LRGD_ERR_INVALID, "the %s \"%s\" %s", what, path,
              good ? "is no text: there is a zero byte in it"
                   : "cannot be read, or is too large");
}

lrgd_status pest_refuse(lrgd_error *error, const pest_text *text, size_t line,
                        const char *format, ...)
{
  char sentence[400];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  return fail(error, LRGD_ERR_INVALID, "%.100s:%zu: %s", text->path, line + 1,
              sentence);
}

/* ---- words ---- */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

size_t pest_word(const char **at)
{
  const char *from = *at;
  while (is_blank(*from)) from++;
  *at = from;
  while (*from != '\0' && !is_blank(*from)) from++;
  return (size_t)(from - *at);
}

static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool pest_is(const char *word, size_t length, const char *text)
{
  if (strlen(text) != length) return false;
  for (size_t i = 0; i < length; i++)
    if (lower(word[i]) != lower(text[i])) return false;
  return true;
}

bool pest_name(const char *word, size_t length, char name[PEST_NAME_SIZE])
{
  if (length == 0 || length >= PEST_NAME_SIZE) return false;
  for (size_t i = 0; i < length; i++) name[i] = lower(word[i]);
  name[length] = '\0';
  return true;
}

/* ---- numbers ---- */

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Copies [+-]digits[.digits], with a digit before or after the point; returns
 * how many letters were read and written. */
static size_t copy_mantissa(const char *word, size_t length, char *to,
                            size_t *written)
{
  size_t i = 0, n = 0, digits = 0;
  if (i < length && (word[i] == '+' || word[i] == '-')) to[n++] = word[i++];
  if (i < length && word[i] == '.') to[n++] = '0';
  for (; i < length && is_digit(word[i]); i++, digits++) to[n++] = word[i];
  if (i < length && word[i] == '.') {
    to[n++] = word[i++];
    size_t before = i;
    for (; i < length && is_digit(word[i]); i++, digits++) to[n++] = word[i];
    if (i == before) to[n++] = '0';
  }
  *written = n;
  return digits > 0 ? i : 0;
}

bool pest_number(const char *word, size_t length, double *number)
{
  char text[128];
  size_t n;
  if (length == 0 || length > 100) return false;
  size_t i = copy_mantissa(word, length, text, &n);
  if (i == 0) return false;
  if (i < length) { /* an exponent, whose letter Fortran may omit */
    bool letter = strchr("eEdD", word[i]) != NULL;
    if (!letter && word[i] != '+' && word[i] != '-') return false;
    text[n++] = 'e';
    i += letter;
    while (i < length) text[n++] = word[i++];
  }
  text[n] = '\0';
  return text_number(text, number);
}

bool pest_count(const char *word, size_t length, size_t *count)
{
  char text[16];
  int64_t number;
  if (length == 0 || length >= sizeof text) return false;
  memcpy(text, word, length);
  text[length] = '\0';
  if (!text_integer(text, 0, INT32_MAX, &number)) return false;
  *count = (size_t)number;
  return true;
}

char *pest_join(const char *folder, const char *name, size_t length)
{
  bool absolute = length > 0 && *name == '/';
  size_t size = strlen(folder) + length + 2;
  char *made = malloc(size);
  if (made != NULL)
    (void)snprintf(made, size, "%s%s%.*s", absolute ? "" : folder,
                   absolute ? "" : "/", (int)length, name);
  return made;
}

/* ---- names ---- */

static int compare(const void *a, const void *b)
{
  const char *one = *(const char *const *)a, *two = *(const char *const *)b;
  int order = strcmp(one, two);
  return order != 0 ? order : (one > two) - (one < two);
}

bool pest_index_make(pest_index *index, const char *first, size_t stride,
                     size_t count, const char **twice)
{
  *twice = NULL;
  *index =
      (struct pest_index){.count = count, .stride = stride, .first = first};
  index->names = malloc((count + 1) * sizeof *index->names);
  if (index->names == NULL) return false;
  for (size_t i = 0; i < count; i++) index->names[i] = first + i * stride;
  qsort(index->names, count, sizeof *index->names, compare);
  for (size_t i = 1; i < count; i++)
    if (strcmp(index->names[i - 1], index->names[i]) == 0)
      *twice = index->names[i];
  return true;
}

size_t pest_index_find(const pest_index *index, const char *name)
{
  size_t low = 0, high = index->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(index->names[middle], name);
    if (order == 0)
      return (size_t)(index->names[middle] - index->first) / index->stride;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return SIZE_MAX;
}

void pest_index_free(pest_index *index)
{
  free(index->names);
  *index = (struct pest_index){0};
}
