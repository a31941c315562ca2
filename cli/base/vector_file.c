/* Reads and writes vector files: numbers on lines of their own or side by side,
 * with blanks or commas between, a header, names of rows and comments; or .npy.
 * An error names file, line and text. */
#include "vector_file.h"

#include "cli_text.h"
#include "files.h"
#include "lines.h"
#include "npy.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct cli_reader {
  cli_lines lines;
  size_t wanted; /* 0: any */
  bool infinite;
  bool list;  /* the flag has the numbers, and not a file */
  bool table; /* error messages do not offer a NUMBER as an alternative */
  size_t room;
  /* counts of labels and numbers in the present line */
  size_t labels, numbers;
  char label[LINE_SIZE]; /* the first label of the line */
  bool header;           /* the file has a line of column names */
} cli_reader;

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
    return fail(error, LRGD_ERR_INVALID,
                "%s:%zu: \"%.40s\" is not a %snumber (numbers are expected, on "
                "lines of their own or with blanks or commas between)",
                reader->lines.path, reader->lines.number, line,
                reader->infinite ? "" : "finite ");
  if (reader->wanted != 0 && vector->count == reader->wanted)
    return fail(error, LRGD_ERR_INVALID,
                "%s:%zu: one number too many; the problem has %zu inputs",
                reader->lines.path, reader->lines.number, reader->wanted);
  return append(vector, reader, number, error);
}

/* Whether c ends a word. */
static bool ends_word(int c)
{
  return c == EOF || c == ' ' || c == '\t' || c == '\r' || c == '\n' ||
         c == ',' || c == ';';
}

static bool is_number(const cli_reader *reader, const char *word)
{
  double number;
  return reader->infinite ? text_bound(word, &number)
                          : text_number(word, &number);
}

/* Whether a word can be a label, in a header or before a number: it does not
 * begin as a number does, so that a mistyped number is not taken for a
 * header. */
static bool is_label(const char *word)
{
  double number;
  if (text_bound(word, &number) || strncmp(word, "nan", 3) == 0 ||
      strncmp(word, "NaN", 3) == 0)
    return false; /* inf and nan are numbers */
  return (*word >= 'a' && *word <= 'z') || (*word >= 'A' && *word <= 'Z') ||
         *word == '_' || *word == '"';
}

/* Reads one word of the line.  Labels are remembered: one may precede a number,
 * and a first line of labels only is a header. */
static lrgd_status read_word(cli_vector *vector, cli_reader *reader,
                             const char *word, lrgd_error *error)
{
  bool label = !is_number(reader, word) && is_label(word);
  if (!label && reader->labels > (reader->table ? 0 : 1))
    return read_line(vector, reader, reader->label, error);
  if (label && reader->numbers == 0) {
    if (reader->labels++ == 0)
      snprintf(reader->label, sizeof reader->label, "%s", word);
    return LRGD_OK;
  }
  reader->numbers++;
  return read_line(vector, reader, word, error);
}

/* At the end of a line: a line of labels only is a header, which must precede
 * all numbers. */
static lrgd_status end_line(cli_vector *vector, cli_reader *reader,
                            lrgd_error *error)
{
  bool header = reader->labels > 0 && reader->numbers == 0;
  lrgd_status status = LRGD_OK;
  if (header && (vector->count > 0 || reader->header))
    status = read_line(vector, reader, reader->label, error);
  reader->header = reader->header || header;
  reader->labels = reader->numbers = 0;
  return status;
}

/* Skips a byte order mark, which some programs write.  One character at most is
 * put back, as the file may be a pipe.  False: the mark is not complete. */
static bool skip_mark(FILE *file)
{
  int c = getc(file);
  if (c == 0xEF) return getc(file) == 0xBB && getc(file) == 0xBF;
  if (c != EOF) (void)ungetc(c, file);
  return true;
}

/* The next character; a comment, from # to the end of its line, is skipped. */
static int next_character(FILE *file)
{
  int c = getc(file);
  if (c != '#') return c;
  while (c != '\n' && c != EOF) c = getc(file);
  return c;
}

/* Reads numbers separated by blanks, commas or line ends; a word that is too
 * long is no number. */
static lrgd_status read_words(cli_vector *vector, cli_reader *reader,
                              lrgd_error *error)
{
  char word[LINE_SIZE];
  size_t length = 0;
  lrgd_status status = LRGD_OK;
  int c = 0, last = 0;
  reader->lines.number = 1;
  if (!skip_mark(reader->lines.file))
    return fail(error, LRGD_ERR_INVALID, "%s:1: the file is not text",
                reader->lines.path);
  while (c != EOF && status == LRGD_OK) {
    last = c;
    c = next_character(reader->lines.file);
    if (!ends_word(c)) {
      if (length + 1 < sizeof word) word[length++] = c == '\0' ? '?' : (char)c;
      continue;
    }
    word[length] = '\0';
    if (length > 0) status = read_word(vector, reader, word, error);
    length = 0;
    if (status == LRGD_OK && (c == '\n' || c == EOF))
      status = end_line(vector, reader, error);
    reader->lines.number += c == '\n' && status == LRGD_OK;
  }
  /* the line break ended the last line */
  if (c == EOF && last == '\n') reader->lines.number--;
  return status;
}

static lrgd_status read_all(cli_vector *vector, cli_reader *reader,
                            lrgd_error *error)
{
  lrgd_status status = read_words(vector, reader, error);
  if (status != LRGD_OK) return status;
  if (ferror(reader->lines.file))
    return fail(error, LRGD_ERR_INVALID, "%s: %s", reader->lines.path,
                strerror(errno));
  if (vector->count == 0)
    return fail(error, LRGD_ERR_INVALID, "%s: no numbers in it",
                reader->lines.path);
  if (reader->wanted != 0 && vector->count < reader->wanted)
    return fail(error, LRGD_ERR_INVALID,
                "%s:%zu: the %s ends after %zu numbers; the problem has %zu "
                "inputs",
                reader->lines.path, reader->lines.number,
                reader->list ? "list" : "file", vector->count, reader->wanted);
  return LRGD_OK;
}

static lrgd_status read_npy(cli_vector *vector, const cli_reader *reader,
                            lrgd_error *error)
{
  const char *path = reader->lines.path;
  lrgd_status status = npy_read(reader->lines.file, path, &vector->entries,
                                &vector->count, error);
  if (status != LRGD_OK) return status;
  if (vector->count == 0)
    return fail(error, LRGD_ERR_INVALID, "%s: no numbers in it", path);
  if (reader->wanted != 0 && vector->count != reader->wanted)
    return fail(error, LRGD_ERR_INVALID,
                "%s: has %zu numbers; the problem has %zu inputs", path,
                vector->count, reader->wanted);
  for (size_t i = 0; i < vector->count; i++) {
    double number = vector->entries[i];
    if (isfinite(number) || (reader->infinite && !isnan(number))) continue;
    return fail(error, LRGD_ERR_INVALID,
                "%s: number %zu, %g, is not a %snumber", path, i + 1, number,
                reader->infinite ? "" : "finite ");
  }
  return LRGD_OK;
}

static lrgd_status read_file(cli_vector *vector, const char *flag,
                             const char *path, cli_reader options,
                             lrgd_error *error)
{
  char named[64];
  options.lines.path = path;
  FILE *file = file_open(path, "r");
  if (file == NULL && (file = file_of_list(path)) != NULL) {
    snprintf(named, sizeof named, "--%s", flag);
    options.lines.path = named;
    options.list = true;
  }
  if (file == NULL)
    return fail(error, LRGD_ERR_INVALID,
                "--%s: \"%s\" is %s a file that can be read: %s", flag, path,
                options.table ? "not" : "neither a number nor", file_trouble());
  options.lines.file = file;
  lrgd_status status = npy_begins(file) ? read_npy(vector, &options, error)
                                        : read_all(vector, &options, error);
  fclose(file);
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

lrgd_status vector_read_table(cli_vector *vector, const char *flag,
                              const char *path, lrgd_error *error)
{
  *vector = (struct cli_vector){0};
  return read_file(vector, flag, path, (cli_reader){.table = true}, error);
}

static lrgd_status cannot_write(const char *path, lrgd_error *error)
{
  return fail(error, LRGD_ERR_STORAGE, "%s: cannot be written: %s", path,
              file_trouble());
}

static lrgd_status write_to(const char *path, size_t count,
                            const double *entries, lrgd_error *error)
{
  char number[TEXT_REAL_SIZE];
  FILE *file = file_open(path, "w");
  if (file == NULL) return cannot_write(path, error);
  for (size_t i = 0; i < count; i++)
    fprintf(file, "%s\n", text_real(number, entries[i]));
  bool bad = fflush(file) != 0 || ferror(file) != 0;
  bad = fclose(file) != 0 || bad;
  return bad ? cannot_write(path, error) : LRGD_OK;
}

/* Pipes and devices are written directly; a file is renamed into place when
 * complete, so that a full disk never destroys an old one. */
lrgd_status vector_write(const char *path, size_t count, const double *entries,
                         lrgd_error *error)
{
  char part[4096];
  struct stat facts;
  int length = snprintf(part, sizeof part, "%s.part", path);
  if ((lstat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) ||
      (size_t)length >= sizeof part)
    return write_to(path, count, entries, error);
  lrgd_status status = write_to(part, count, entries, error);
  if (status == LRGD_OK && rename(part, path) != 0)
    status = cannot_write(path, error);
  if (status != LRGD_OK) (void)remove(part);
  return status;
}
