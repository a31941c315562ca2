/* JSON on standard output. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A number, null where it is not finite: JSON has no word for it. */
json_t *json_double(double number);
json_t *json_count(uint64_t count);
json_t *json_doubles(size_t count, const double *numbers);

/* Text of a program may be in any encoding, JSON's may not. */
json_t *json_text(const char *text);

/* Writes object on one line.  What a terminal would take for a command is
 * escaped as JSON has it: a reader sees no difference.  -1: it failed. */
int json_write(const json_t *object, FILE *file);

/* Sets a member, which becomes the object's.  One that cannot be had or set
 * spoils the whole: *object is NULL then, and json_print says so. */
void json_put(json_t **object, const char *key, json_t *value);

/* Prints object on one line and releases it; returns an exit_code.  NULL
 * stands for memory that ran out on the way. */
int json_print(json_t *object);

#endif
