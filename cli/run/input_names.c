/* Names of inputs: read from a file, or found in input decks. */
#include "input_names.h"

#include "cli/base/cli_text.h"
#include "cli/base/files.h"
#include "deck.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lrgd_status input_lines_open(cli_lines *lines, flag_id id, const char *path,
                             lrgd_error *error)
{
  *lines = (struct cli_lines){.path = path, .file = file_open(path, "r")};
  if (lines->file != NULL) return LRGD_OK;
  lines->file = file_of_list(path);
  if (lines->file != NULL) {
    lines->path = id == FLAG_LOG ? "--log" : "--names";
    return LRGD_OK;
  }
  return fail(error, LRGD_ERR_INVALID,
              "--%s: \"%s\" is neither %s nor a file that can be read: %s",
              flags_name(id), path,
              id == FLAG_LOG ? "an input's number or name"
                             : "names with commas",
              file_trouble());
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(const char *text)
{
  size_t length = strlen(text);
  if (!is_letter(*text) || length >= INPUT_NAME_SIZE) return false;
  for (; *text != '\0'; text++)
    if (!is_letter(*text) && !(*text >= '0' && *text <= '9')) return false;
  return true;
}

static int compare_names(const void *a, const void *b)
{
  const char *one = *(const char *const *)a, *two = *(const char *const *)b;
  size_t length_1 = strcspn(one, "\n"), length_2 = strcspn(two, "\n");
  size_t least = length_1 < length_2 ? length_1 : length_2;
  int order = memcmp(one, two, least);
  if (order != 0) return order;
  return (length_1 > length_2) - (length_1 < length_2);
}

static lrgd_status check_distinct(const char *names, size_t p, const char *path,
                                  lrgd_error *error)
{
  const char **sorted = malloc(p * sizeof *sorted);
  if (sorted == NULL) return fail_memory(error);
  lrgd_status status = LRGD_OK;
  for (size_t i = 0; i < p; i++, names = input_names_next(names))
    sorted[i] = names;
  qsort(sorted, p, sizeof *sorted, compare_names);
  for (size_t i = 1; i < p && status == LRGD_OK; i++)
    if (compare_names(&sorted[i - 1], &sorted[i]) == 0)
      status = fail(error, LRGD_ERR_INVALID, "%s: \"%.*s\" is there twice",
                    path, (int)strcspn(sorted[i], "\n"), sorted[i]);
  free(sorted);
  return status;
}

/* Reads p names, a newline after each, into names, which has room for them. */
static lrgd_status fill_names(char *names, cli_lines *lines, size_t p,
                              lrgd_error *error)
{
  char buffer[LINE_SIZE];
  const char *line;
  bool bad;
  size_t count = 0;
  while ((line = lines_next(lines, buffer, &bad)) != NULL) {
    if (bad || !is_name(line))
      return fail(error, LRGD_ERR_INVALID,
                  "%s:%zu: \"%.40s\" is not a name (letters, digits and _, not "
                  "a digit first, fewer than %d)",
                  lines->path, lines->number, line, INPUT_NAME_SIZE);
    if (count++ == p)
      return fail(error, LRGD_ERR_INVALID,
                  "%s:%zu: one name too many; the problem has %zu inputs",
                  lines->path, lines->number, p);
    names += sprintf(names, "%s\n", line);
  }
  if (ferror(lines->file))
    return fail(error, LRGD_ERR_INVALID, "%s: %s", lines->path,
                strerror(errno));
  if (count == p) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "%s: %zu names; the problem has %zu inputs", lines->path, count,
              p);
}

/* Without --names, names of inputs are those in the decks, if there are as many
 * and each is one. */
static lrgd_status take_names(char **names, const cli_flags *flags, size_t p,
                              lrgd_error *error)
{
  size_t count;
  char name[INPUT_NAME_SIZE];
  lrgd_status status = deck_list_names(flags, names, &count, error);
  if (status != LRGD_OK) return status;
  bool good = *names != NULL && count == p;
  const char *at = *names;
  for (size_t i = 0; good && i < p; i++, at = input_names_next(at)) {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "\n"), at);
    good = is_name(name);
  }
  if (good) return LRGD_OK;
  free(*names);
  *names = NULL;
  return LRGD_OK;
}

lrgd_status input_names_count(const cli_flags *flags, size_t *count,
                              lrgd_error *error)
{
  const char *path = flags_text(flags, FLAG_NAMES);
  char buffer[LINE_SIZE], *names;
  bool bad;
  cli_lines lines;
  *count = 0;
  if (path == NULL) {
    lrgd_status status = deck_list_names(flags, &names, count, error);
    if (status == LRGD_OK) free(names);
    return status;
  }
  lrgd_status status = input_lines_open(&lines, FLAG_NAMES, path, error);
  if (status != LRGD_OK) return status;
  while (lines_next(&lines, buffer, &bad) != NULL) ++*count;
  fclose(lines.file);
  return LRGD_OK;
}

lrgd_status input_names_read(char **to, const cli_flags *flags, size_t p,
                             lrgd_error *error)
{
  const char *path = flags_text(flags, FLAG_NAMES);
  cli_lines lines;
  if (path == NULL) return take_names(to, flags, p, error);
  lrgd_status status = input_lines_open(&lines, FLAG_NAMES, path, error);
  if (status != LRGD_OK) return status;
  char *names = calloc(p, INPUT_NAME_SIZE + 1);
  *to = names;
  if (names != NULL) status = fill_names(names, &lines, p, error);
  fclose(lines.file);
  if (names == NULL) return fail_memory(error);
  return status == LRGD_OK ? check_distinct(names, p, path, error) : status;
}
