/* Reads observations.  An error names file and line; nothing is guessed. */
#include "observations.h"

#include "cli/base/cli_text.h"
#include "cli/base/files.h"
#include "cli/base/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void observations_free(cli_observations *o)
{
  free(o->at);
  free(o->values);
  free(o->weights);
  free(o->names);
  free(o->groups);
  free(o->predictions);
  *o = (struct cli_observations){0};
}

/* ---- columns ---- */

bool observations_list(cli_observations *o)
{
  size_t n = o->count;
  o->values = malloc(n * sizeof *o->values);
  o->weights = malloc(n * sizeof *o->weights);
  o->names = malloc(n * (OBSERVATION_NAME_SIZE + 1));
  o->groups = malloc(n * (OBSERVATION_NAME_SIZE + 1));
  if (o->values == NULL || o->weights == NULL || o->names == NULL ||
      o->groups == NULL)
    return false;
  char *name = o->names, *group = o->groups;
  for (size_t i = 0; i < n; i++) {
    o->values[i] = o->at[i].value;
    o->weights[i] = o->at[i].weight;
    name += sprintf(name, "%s\n", o->at[i].name);
    group += sprintf(group, "%s\n", o->at[i].group);
  }
  return true;
}

/* Copies the next of a column of names; NULL: there is none. */
static const char *take_name(const char *from, char name[OBSERVATION_NAME_SIZE])
{
  size_t length = strcspn(from, "\n");
  if (length == 0 || length >= OBSERVATION_NAME_SIZE || from[length] != '\n')
    return NULL;
  memcpy(name, from, length);
  name[length] = '\0';
  return from + length + 1;
}

bool observations_recall(cli_observations *o, size_t count,
                         const double *values, const double *weights,
                         const char *names, const char *groups)
{
  *o = (struct cli_observations){.count = count,
                                 .at = calloc(count, sizeof *o->at)};
  bool good = o->at != NULL;
  for (size_t i = 0; i < count && good; i++) {
    o->at[i].value = values[i];
    o->at[i].weight = weights[i];
    names = take_name(names, o->at[i].name);
    groups = take_name(groups, o->at[i].group);
    good = names != NULL && groups != NULL && weights[i] >= 0;
  }
  good = good && observations_list(o);
  if (!good) observations_free(o);
  return good;
}

/* ---- predictions ---- */

/* Marks the observations of that name, or of that group, as predictions;
 * LRGD_ERR_INVALID where there are none, or one has a weight. */
static lrgd_status mark(cli_observations *o, const char *name, size_t length,
                        lrgd_error *error)
{
  size_t count = 0;
  for (size_t i = 0; i < o->count; i++) {
    cli_observation *at = &o->at[i];
    bool named = strncmp(at->name, name, length) == 0 && !at->name[length];
    bool grouped = strncmp(at->group, name, length) == 0 && !at->group[length];
    if (!named && !grouped) continue;
    if (at->weight > 0)
      return fail(error, LRGD_ERR_INVALID,
                  "--predictions: %s has weight %g; what counts as data is no "
                  "prediction, which has weight 0",
                  at->name, at->weight);
    at->predicted = true;
    count++;
  }
  if (count > 0) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "--predictions: no observation or group is called \"%.*s\"",
              (int)(length < 40 ? length : 40), name);
}

lrgd_status observations_predict(cli_observations *o, const char *names,
                                 lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  for (size_t i = 0; i < o->count; i++) o->at[i].predicted = false;
  for (const char *at = names; status == LRGD_OK && *at != '\0';) {
    size_t length = strcspn(at, ",");
    if (length >= OBSERVATION_NAME_SIZE)
      return fail(error, LRGD_ERR_INVALID,
                  "--predictions: \"%.40s...\" is too long a name", at);
    if (length > 0) status = mark(o, at, length, error);
    at += length + (at[length] == ',');
  }
  char *kept = status == LRGD_OK ? strdup(names) : NULL;
  if (status == LRGD_OK && kept == NULL) return fail_memory(error);
  free(o->predictions);
  o->predictions = kept;
  return status;
}

/* ---- lines ---- */

typedef struct reading {
  cli_lines lines;
  size_t room;
} reading;

static lrgd_status refuse(const reading *r, lrgd_error *error, const char *what,
                          const char *word)
{
  return fail(error, LRGD_ERR_INVALID, "%s:%zu: \"%.40s\" is %s", r->lines.path,
              r->lines.number, word, what);
}

static lrgd_status take_line(const reading *r, char *words[4], size_t count,
                             cli_observation *to, lrgd_error *error)
{
  if (count < 2)
    return fail(error, LRGD_ERR_INVALID,
                "%s:%zu: \"%.40s\" has no value; write NAME VALUE [WEIGHT "
                "[GROUP]]",
                r->lines.path, r->lines.number, words[0]);
  if (strlen(words[0]) >= OBSERVATION_NAME_SIZE)
    return refuse(r, error, "too long a name; 63 bytes are the most", words[0]);
  (void)snprintf(to->name, sizeof to->name, "%s", words[0]);
  if (!text_number(words[1], &to->value))
    return refuse(r, error, "not a finite number, the value of an observation",
                  words[1]);
  to->weight = 1;
  to->predicted = false;
  if (count > 2 && (!text_number(words[2], &to->weight) || to->weight < 0))
    return refuse(r, error, "not a weight, a finite number >= 0", words[2]);
  const char *group = count > 3 ? words[3] : "all";
  if (strlen(group) >= OBSERVATION_NAME_SIZE)
    return refuse(r, error, "too long a name; 63 bytes are the most", group);
  (void)snprintf(to->group, sizeof to->group, "%s", group);
  return LRGD_OK;
}

/* Splits a line at blanks, up to a comment; returns the number of words. */
static size_t split(char *line, char *words[5])
{
  size_t count = 0;
  char *rest = NULL;
  line[strcspn(line, "#")] = '\0';
  for (char *word = strtok_r(line, " \t\r", &rest); word != NULL && count < 5;
       word = strtok_r(NULL, " \t\r", &rest))
    words[count++] = word;
  return count;
}

static lrgd_status add_line(cli_observations *o, reading *r, char *line,
                            lrgd_error *error)
{
  char *words[5];
  size_t count = split(line, words);
  if (count == 0) return LRGD_OK;
  if (count > 4)
    return refuse(r, error,
                  "one word too many; write NAME VALUE [WEIGHT [GROUP]]",
                  words[4]);
  if (o->count == r->room) {
    size_t room = r->room == 0 ? 64 : 2 * r->room;
    cli_observation *grown = realloc(o->at, room * sizeof *grown);
    if (grown == NULL) return fail_memory(error);
    o->at = grown;
    r->room = room;
  }
  lrgd_status status = take_line(r, words, count, &o->at[o->count], error);
  if (status == LRGD_OK) o->count++;
  return status;
}

static lrgd_status read_lines(cli_observations *o, reading *r,
                              lrgd_error *error)
{
  char buffer[LINE_SIZE], *line;
  bool bad;
  lrgd_status status = LRGD_OK;
  while (status == LRGD_OK &&
         (line = lines_next(&r->lines, buffer, &bad)) != NULL) {
    if (bad)
      return fail(error, LRGD_ERR_INVALID,
                  "%s:%zu: a line of text has at most %d characters",
                  r->lines.path, r->lines.number, LINE_SIZE - 1);
    status = add_line(o, r, line, error);
  }
  if (status == LRGD_OK && ferror(r->lines.file))
    status =
        fail(error, LRGD_ERR_INVALID, "%s: %s", r->lines.path, strerror(errno));
  return status;
}

/* ---- the whole file ---- */

static int compare_names(const void *a, const void *b)
{
  return strcmp((*(const cli_observation *const *)a)->name,
                (*(const cli_observation *const *)b)->name);
}

static lrgd_status check_distinct(const cli_observations *o, const char *path,
                                  lrgd_error *error)
{
  const cli_observation **sorted = malloc(o->count * sizeof *sorted);
  lrgd_status status = LRGD_OK;
  if (sorted == NULL) return fail_memory(error);
  for (size_t i = 0; i < o->count; i++) sorted[i] = &o->at[i];
  qsort(sorted, o->count, sizeof *sorted, compare_names);
  for (size_t i = 1; i < o->count && status == LRGD_OK; i++)
    if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
      status = fail(error, LRGD_ERR_INVALID, "%s: \"%.40s\" is there twice",
                    path, sorted[i]->name);
  free(sorted);
  return status;
}

static lrgd_status check(const cli_observations *o, const char *path,
                         lrgd_error *error)
{
  double most = 0;
  for (size_t i = 0; i < o->count; i++)
    if (o->at[i].weight > most) most = o->at[i].weight;
  if (o->count == 0)
    return fail(error, LRGD_ERR_INVALID,
                "%s: no observation is in it; write NAME VALUE [WEIGHT "
                "[GROUP]] on a line each",
                path);
  if (!(most > 0))
    return fail(error, LRGD_ERR_INVALID, "%s: every weight is 0", path);
  return check_distinct(o, path, error);
}

lrgd_status observations_read(cli_observations *o, const char *path,
                              lrgd_error *error)
{
  *o = (struct cli_observations){0};
  reading r = {
      .lines = {.path = path, .file = file_open(path, "r")}
  };
  if (r.lines.file == NULL)
    return fail(error, LRGD_ERR_INVALID,
                "--observations: \"%s\" cannot be read: %s", path,
                file_trouble());
  lrgd_status status = read_lines(o, &r, error);
  fclose(r.lines.file);
  if (status == LRGD_OK) status = check(o, path, error);
  if (status == LRGD_OK && !observations_list(o)) status = fail_memory(error);
  if (status != LRGD_OK) observations_free(o);
  return status;
}
