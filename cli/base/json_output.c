/* JSON output; the only place that writes with the JSON library. */
#include "json_output.h"

#include "cli.h"

#include "base/shown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *json_double(double number)
{
  return isfinite(number) ? json_real(number) : json_null();
}

json_t *json_count(uint64_t count)
{
  return json_integer((json_int_t)count);
}

json_t *json_doubles(size_t count, const double *numbers)
{
  json_t *array = json_array();
  for (size_t i = 0; array != NULL && i < count; i++) {
    if (json_array_append_new(array, json_double(numbers[i])) == 0) continue;
    json_decref(array);
    array = NULL;
  }
  return array;
}

json_t *json_text(const char *text)
{
  json_t *string = json_string(text);
  if (string != NULL) return string;
  char *plain = strdup(text);
  for (char *c = plain; c != NULL && *c != '\0'; c++)
    if ((*c & 0x80) != 0) *c = '?';
  string = plain != NULL ? json_string(plain) : NULL;
  free(plain);
  return string;
}

/* ---- output ---- */

/* Escapes a character of two or three bytes that must not be shown; none is
 * longer. */
static size_t put_escaped(FILE *file, const unsigned char *s)
{
  unsigned c = s[0], n = 1;
  if (c >= 0xe0)
    c = (c & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu), n = 3;
  else if (c >= 0xc0)
    c = (c & 0x1fu) << 6 | (s[1] & 0x3fu), n = 2;
  fprintf(file, "\\u%04x", c);
  return n;
}

/* Jansson escapes ASCII control characters, and passes whole characters. */
static int put_shown(const char *text, size_t length, void *user)
{
  FILE *file = user;
  while (length > 0) {
    size_t n = 0, more;
    while (n < length && (more = lr_shown_length(text + n, length - n)) > 0)
      n += more;
    fwrite(text, 1, n, file);
    if (n < length) n += put_escaped(file, (const unsigned char *)text + n);
    text += n;
    length -= n;
  }
  return ferror(file) ? -1 : 0;
}

int json_write(const json_t *object, FILE *file)
{
  return json_dump_callback(object, put_shown, file, JSON_REAL_PRECISION(17));
}

int json_print(json_t *object)
{
  if (object == NULL) {
    say("out of memory");
    return EXIT_INTERNAL;
  }
  /* a failed write is reported by finish_output */
  (void)json_write(object, stdout);
  putchar('\n');
  json_decref(object);
  return EXIT_FINE;
}

/* json_object_set_new frees value on failure and refuses NULL. */
void json_put(json_t **object, const char *key, json_t *value)
{
  if (*object != NULL && json_object_set_new(*object, key, value) == 0) return;
  if (*object == NULL) json_decref(value);
  json_decref(*object);
  *object = NULL;
}
