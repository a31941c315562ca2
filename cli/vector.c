/* Reads and writes vector files: one number per line, nothing else.
 * A wrong line is named with file, line and text; nothing is guessed. */
#include "vector.h"

#include "text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer than any number anyone writes; bounds the memory a line can take. */
enum { LINE_SIZE = 512 };

typedef struct cli_reader {
  FILE *file;
  const char *path;
  size_t wanted; /* 0: any */
  bool infinite;
  size_t line;
  size_t room;
} cli_reader;

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The line without blanks at its ends; NULL at the end of the file. *bad says
 * that the line holds a zero byte or is too long to be a number. */
static char *next_line(cli_reader *reader, char line[LINE_SIZE], bool *bad)
{
  size_t length = 0;
  int c = getc(reader->file);
  if (c == EOF) return NULL;
  *bad = false;
  reader->line++;
  for (; c != EOF && c != '\n'; c = getc(reader->file)) {
    if (c == '\0' || length + 1 >= LINE_SIZE) *bad = true;
    if (*bad) return line[length] = '\0', line;
    line[length++] = (char)c;
  }
  while (length > 0 && is_blank(line[length - 1])) length--;
  line[length] = '\0';
  while (is_blank(*line)) line++;
  return line;
}

static lrgd_status append(cli_vector *vector, cli_reader *reader, double number,
                          lrgd_error *error)
{
  if (vector->count == reader->room) {
    size_t room = reader->room == 0 ? 64 : reader->room * 2;
    double *grown = room <= SIZE_MAX / sizeof *grown
                        ? realloc(vector->entries, room * sizeof *grown)
                        : NULL;
    if (grown == NULL) return fail_memory(error);
    vector->entries = grown;
    reader->room = room;
  }
  vector->entries[vector->count++] = number;
  return LRGD_OK;
}

static lrgd_status read_line(cli_vector *vector, cli_reader *reader,
                             const char *line, lrgd_error *error)
{
  double number;
  bool good =
      reader->infinite ? text_bound(line, &number) : text_number(line, &number);
  if (!good)
    return fail(error, LRGD_ERR_INVALID, "%s:%zu: \"%.40s\" is not a %snumber",
                reader->path, reader->line, line,
                reader->infinite ? "" : "finite ");
  if (reader->wanted != 0 && vector->count == reader->wanted)
    return fail(error, LRGD_ERR_INVALID,
                "%s:%zu: one number too many; the problem has %zu inputs",
                reader->path, reader->line, reader->wanted);
  return append(vector, reader, number, error);
}

static lrgd_status read_all(cli_vector *vector, cli_reader *reader,
                            lrgd_error *error)
{
  char buffer[LINE_SIZE];
  const char *line;
  bool bad;
  while ((line = next_line(reader, buffer, &bad)) != NULL) {
    if (bad)
      return fail(error, LRGD_ERR_INVALID, "%s:%zu: this line is not a number",
                  reader->path, reader->line);
    if (*line == '\0') continue;
    lrgd_status status = read_line(vector, reader, line, error);
    if (status != LRGD_OK) return status;
  }
  if (ferror(reader->file))
    return fail(error, LRGD_ERR_INVALID, "%s: %s", reader->path,
                strerror(errno));
  if (vector->count == 0)
    return fail(error, LRGD_ERR_INVALID, "%s: no numbers in it", reader->path);
  if (reader->wanted != 0 && vector->count < reader->wanted)
    return fail(error, LRGD_ERR_INVALID,
                "%s:%zu: the file ends after %zu numbers; the problem has %zu "
                "inputs",
                reader->path, reader->line, vector->count, reader->wanted);
  return LRGD_OK;
}

static lrgd_status read_file(cli_vector *vector, const char *flag,
                             const char *path, cli_reader options,
                             lrgd_error *error)
{
  options.path = path;
  options.file = fopen(path, "re");
  if (options.file == NULL)
    return fail(error, LRGD_ERR_INVALID,
                "--%s: \"%s\" is neither a number nor a file that can be "
                "read: %s",
                flag, path, strerror(errno));
  lrgd_status status = read_all(vector, &options, error);
  fclose(options.file);
  if (status != LRGD_OK) {
    free(vector->entries);
    *vector = (struct cli_vector){0};
  }
  return status;
}

lrgd_status vector_read(cli_vector *vector, const char *flag, const char *text,
                        size_t count, bool infinite, lrgd_error *error)
{
  *vector = (struct cli_vector){0};
  double number;
  if (!(infinite ? text_bound(text, &number) : text_number(text, &number)))
    return read_file(vector, flag, text,
                     (cli_reader){.wanted = count, .infinite = infinite},
                     error);
  if (count == 0)
    return fail(error, LRGD_ERR_INVALID,
                "--%s %s: how many inputs? give --dim, or a file", flag, text);
  vector->entries =
      count <= SIZE_MAX / sizeof number ? malloc(count * sizeof number) : NULL;
  if (vector->entries == NULL) return fail_memory(error);
  vector->count = count;
  for (size_t i = 0; i < count; i++) vector->entries[i] = number;
  return LRGD_OK;
}

lrgd_status vector_write(const char *path, size_t count, const double *entries,
                         lrgd_error *error)
{
  FILE *file = fopen(path, "we");
  if (file == NULL)
    return fail(error, LRGD_ERR_STORAGE, "%s: %s", path, strerror(errno));
  for (size_t i = 0; i < count; i++) fprintf(file, "%.17g\n", entries[i]);
  bool bad = ferror(file) != 0;
  if (fclose(file) != 0 || bad)
    return fail(error, LRGD_ERR_STORAGE, "%s: cannot be written: %s", path,
                strerror(errno));
  return LRGD_OK;
}
