/* JSON on standard output. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A number; null where it is not finite, which JSON cannot express. */
json_t *json_double(double number);
json_t *json_count(uint64_t count);
json_t *json_doubles(size_t count, const double *numbers);

/* A string: text of a program may be in any encoding, JSON's must be UTF-8. */
json_t *json_text(const char *text);

/* Writes object on one line.  Terminal control characters are escaped as JSON
 * allows: a parser sees no difference. -1: it failed. */
int json_write(const json_t *object, FILE *file);

/* Sets a member, which becomes the object's.  Where that fails for lack of
 * memory the whole is dropped: *object is NULL then, and json_print reports it.
 */
void json_put(json_t **object, const char *key, json_t *value);

/* Prints object on one line and releases it; returns an exit_code.  NULL:
 * memory ran out before. */
int json_print(json_t *object);

#endif
