/* The one place that knows the JSON library's output side. */
#include "json.h"

#include "cli.h"

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

int json_print(json_t *object)
{
  if (object == NULL) {
    say("out of memory");
    return EXIT_INTERNAL;
  }
  /* a write that fails is seen by finish_output */
  (void)json_dumpf(object, stdout, JSON_REAL_PRECISION(17));
  putchar('\n');
  json_decref(object);
  return EXIT_FINE;
}
