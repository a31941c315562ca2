/* Prepares the folder of an evaluation, reads what a program leaves there, and
 * keeps folders.  The pool calls these functions; none starts a process. */
#include "evaluation_folder.h"

#include "cli/base/cli_text.h"
#include "cli/base/files.h"
#include "cli/base/lines.h"
#include "copy_folder.h"
#include "keep_folder.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cli_simulator {
  cli_deck *decks;
  size_t deck_count;
  cli_pick *picks;
  size_t pick_count;
  char **copies; /* absolute paths, owned; those of --link likewise */
  size_t copy_count;
  char **links;
  size_t link_count;
  cli_kept_folders kept;
  size_t *places; /* inputs of the places, from --tie */
  size_t place_count;
};

static void free_paths(char **paths, size_t count)
{
  for (size_t i = 0; i < count; i++) free(paths[i]);
  free(paths);
}

void simulator_destroy(cli_simulator **simulator)
{
  cli_simulator *gone = *simulator;
  if (gone == NULL) return;
  for (size_t i = 0; i < gone->deck_count; i++) deck_free(&gone->decks[i]);
  for (size_t i = 0; i < gone->pick_count; i++) pick_free(&gone->picks[i]);
  free_paths(gone->copies, gone->copy_count);
  free_paths(gone->links, gone->link_count);
  kept_folders_free(&gone->kept);
  free(gone->decks);
  free(gone->picks);
  free(gone->places);
  free(gone);
  *simulator = NULL;
}

size_t simulator_reads(const cli_simulator *simulator)
{
  return simulator != NULL ? simulator->pick_count : 0;
}

/* ---- files that go into the folder ---- */

static lrgd_status add_path(char ***paths, size_t *count, const char *path,
                            lrgd_error *error)
{
  char **grown = realloc(*paths, (*count + 1) * sizeof *grown);
  if (grown == NULL) return fail_memory(error);
  *paths = grown;
  char *absolute = realpath(path, NULL);
  if (absolute == NULL) return fail_memory(error);
  grown[(*count)++] = absolute;
  return LRGD_OK;
}

/* Adds one name of a list separated by commas; it may be a pattern. */
static lrgd_status add_pattern(char ***paths, size_t *count, flag_id id,
                               const char *pattern, lrgd_error *error)
{
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0)
    return fail(error, LRGD_ERR_INVALID, "--%s: there is no file \"%.200s\"",
                flags_name(id), pattern);
  lrgd_status status = LRGD_OK;
  for (size_t i = 0; i < found.gl_pathc && status == LRGD_OK; i++)
    status = add_path(paths, count, found.gl_pathv[i], error);
  globfree(&found);
  return status;
}

static lrgd_status read_paths(char ***paths, size_t *count, flag_id id,
                              const cli_flags *flags, lrgd_error *error)
{
  size_t cursor = 0;
  const char *text;
  lrgd_status status = LRGD_OK;
  while (status == LRGD_OK && (text = flags_next(flags, id, &cursor)) != NULL) {
    char *copy = strdup(text), *rest = NULL;
    if (copy == NULL) return fail_memory(error);
    char *word = strtok_r(copy, ",", &rest);
    for (; word != NULL && status == LRGD_OK; word = strtok_r(NULL, ",", &rest))
      status = add_pattern(paths, count, id, word, error);
    free(copy);
  }
  return status;
}

/* ---- templates, answers, ties ---- */

static lrgd_status read_decks(cli_simulator *to, const cli_flags *flags,
                              const cli_inputs *inputs, size_t p,
                              lrgd_error *error)
{
  size_t count = flags_count(flags, FLAG_TEMPLATE), cursor = 0;
  char name[INPUT_NAME_SIZE];
  if (count == 0) return LRGD_OK;
  to->decks = calloc(count, sizeof *to->decks);
  bool *used = calloc(p, sizeof *used);
  lrgd_status status =
      to->decks != NULL && used != NULL ? LRGD_OK : fail_memory(error);
  const char *pair;
  while (status == LRGD_OK &&
         (pair = flags_next(flags, FLAG_TEMPLATE, &cursor)) != NULL) {
    status =
        deck_read(&to->decks[to->deck_count], pair, inputs, p, used, error);
    if (status == LRGD_OK) to->deck_count++;
  }
  for (size_t i = 0; i < p && status == LRGD_OK; i++)
    if (!used[i])
      status = fail(error, LRGD_ERR_INVALID,
                    "--template: no template has {{%s}}, input %zu",
                    input_name(inputs, i, name), i + 1);
  free(used);
  return status;
}

static lrgd_status read_picks(cli_simulator *to, const cli_flags *flags,
                              lrgd_error *error)
{
  size_t count = flags_count(flags, FLAG_READ), cursor = 0;
  if (count == 0) return LRGD_OK;
  to->picks = calloc(count, sizeof *to->picks);
  if (to->picks == NULL) return fail_memory(error);
  const char *text;
  while ((text = flags_next(flags, FLAG_READ, &cursor)) != NULL) {
    lrgd_status status = pick_read(&to->picks[to->pick_count], text, error);
    if (status != LRGD_OK) return status;
    for (size_t i = 0; i < to->pick_count; i++)
      if (strcmp(to->picks[i].name, to->picks[to->pick_count].name) == 0) {
        to->pick_count++;
        return fail(error, LRGD_ERR_INVALID, "--read: %.60s is read twice",
                    to->picks[i].name);
      }
    to->pick_count++;
  }
  return LRGD_OK;
}

/* The input that a line of --tie names, by its number or its name. */
static lrgd_status read_tie(size_t *place, const char *line,
                            const cli_lines *lines, const cli_inputs *inputs,
                            size_t p, lrgd_error *error)
{
  char name[INPUT_NAME_SIZE];
  int64_t number = 0;
  for (size_t i = 0; i < p; i++)
    if (strcmp(input_name(inputs, i, name), line) == 0) number = (int64_t)i + 1;
  if (number == 0 && !text_integer(line, 1, (int64_t)p, &number))
    return fail(error, LRGD_ERR_INVALID,
                "%.200s:%zu: \"%.60s\" is neither the name nor the number of "
                "one of the %zu inputs",
                lines->path, lines->number, line, p);
  *place = (size_t)number - 1;
  return LRGD_OK;
}

static lrgd_status check_ties(const cli_simulator *of, const char *path,
                              const cli_inputs *inputs, size_t p,
                              lrgd_error *error)
{
  char name[INPUT_NAME_SIZE];
  for (size_t i = 0; i < p; i++) {
    size_t j = 0;
    while (j < of->place_count && of->places[j] != i) j++;
    if (j == of->place_count)
      return fail(error, LRGD_ERR_INVALID,
                  "--tie: %.200s has no place for %s, input %zu", path,
                  input_name(inputs, i, name), i + 1);
  }
  return LRGD_OK;
}

static lrgd_status read_ties(cli_simulator *to, const cli_flags *flags,
                             const cli_inputs *inputs, size_t p,
                             lrgd_error *error)
{
  const char *path = flags_text(flags, FLAG_TIE);
  char buffer[LINE_SIZE], *line;
  bool wrong = false;
  if (path == NULL) return LRGD_OK;
  cli_lines lines = {.file = file_open(path, "r"), .path = path};
  if (lines.file == NULL)
    return fail(error, LRGD_ERR_INVALID, "--tie: %.200s: %s", path,
                file_trouble());
  lrgd_status status = LRGD_OK;
  while (status == LRGD_OK &&
         (line = lines_next(&lines, buffer, &wrong)) != NULL) {
    if (*line == '\0' || *line == '#') continue;
    size_t *grown = realloc(to->places, (to->place_count + 1) * sizeof *grown);
    if (grown == NULL) {
      status = fail_memory(error);
      break;
    }
    to->places = grown;
    status =
        read_tie(&grown[to->place_count++], line, &lines, inputs, p, error);
  }
  (void)fclose(lines.file);
  if (status == LRGD_OK && wrong)
    return fail(error, LRGD_ERR_INVALID,
                "%.200s:%zu: this is no line of a text file", path,
                lines.number);
  return status == LRGD_OK ? check_ties(to, path, inputs, p, error) : status;
}

/* ---- flags ---- */

static lrgd_status check_flags(const cli_flags *flags, lrgd_error *error)
{
  static const flag_id folder[] = {FLAG_TEMPLATE, FLAG_READ, FLAG_COPY_FILES,
                                   FLAG_LINK, FLAG_KEEP};
  const char *oracle = flags_text(flags, FLAG_ORACLE);
  bool program = flags_has(flags, FLAG_PROGRAM);
  for (size_t i = 0; i < COUNT_OF(folder); i++) {
    if (!flags_has(flags, folder[i])) continue;
    if (!program)
      return fail(error, LRGD_ERR_INVALID,
                  "--%s goes with --program, which has a folder for each "
                  "evaluation",
                  flags_name(folder[i]));
    if (oracle != NULL && strcmp(oracle, "value") != 0)
      return fail(error, LRGD_ERR_INVALID,
                  "--%s: such a program is asked for values, not --oracle "
                  "%.20s",
                  flags_name(folder[i]), oracle);
  }
  if (!flags_has(flags, FLAG_TIE)) return LRGD_OK;
  if (!program && !flags_has(flags, FLAG_WORKER))
    return fail(error, LRGD_ERR_INVALID,
                "--tie is for programs: give --worker or --program");
  if (oracle != NULL && strcmp(oracle, "gradient") == 0)
    return fail(error, LRGD_ERR_INVALID,
                "--tie: a program with tied inputs is asked for values or "
                "slopes, not --oracle gradient");
  return LRGD_OK;
}

static bool has_any(const cli_flags *flags)
{
  static const int ids[] = {SIMULATOR_FLAGS};
  for (size_t i = 0; i < COUNT_OF(ids); i++)
    if (flags_has(flags, (enum flag_id)ids[i])) return true;
  return false;
}

lrgd_status simulator_create(cli_simulator **simulator, const cli_flags *flags,
                             const cli_inputs *inputs, size_t p,
                             lrgd_error *error)
{
  *simulator = NULL;
  if (!has_any(flags)) return LRGD_OK;
  lrgd_status status = check_flags(flags, error);
  if (status != LRGD_OK) return status;
  cli_simulator *made = calloc(1, sizeof *made);
  *simulator = made;
  if (made == NULL) return fail_memory(error);
  status = read_decks(made, flags, inputs, p, error);
  if (status == LRGD_OK) status = read_picks(made, flags, error);
  if (status == LRGD_OK) status = read_ties(made, flags, inputs, p, error);
  if (status == LRGD_OK)
    status = read_paths(&made->copies, &made->copy_count, FLAG_COPY_FILES,
                        flags, error);
  if (status == LRGD_OK)
    status =
        read_paths(&made->links, &made->link_count, FLAG_LINK, flags, error);
  if (status == LRGD_OK) status = kept_folders_read(&made->kept, flags, error);
  if (status != LRGD_OK) simulator_destroy(simulator);
  return status;
}

/* ---- while it runs ---- */

static bool link_into(const char *folder, const char *path, char *why,
                      size_t size)
{
  const char *name = strrchr(path, '/') + 1;
  char *to = malloc(strlen(folder) + strlen(name) + 2);
  if (to != NULL) (void)sprintf(to, "%s/%s", folder, name);
  bool good = to != NULL && symlink(path, to) == 0;
  if (!good)
    (void)snprintf(why, size, "\"%.100s\" cannot be linked: %s", name,
                   strerror(errno));
  free(to);
  return good;
}

static int on_prepare(const lrgd_pool_folder *folder, char *why, size_t size,
                      void *user)
{
  const cli_simulator *own = user;
  for (size_t i = 0; i < own->copy_count; i++)
    if (!copy_into(folder->path, own->copies[i], why, size)) return 0;
  for (size_t i = 0; i < own->link_count; i++)
    if (!link_into(folder->path, own->links[i], why, size)) return 0;
  for (size_t i = 0; i < own->deck_count; i++)
    if (!deck_write(&own->decks[i], folder->path, folder->x, why, size))
      return 0;
  return 1;
}

static int on_collect(const lrgd_pool_folder *folder, size_t count,
                      double *numbers, char *why, size_t size, void *user)
{
  const cli_simulator *own = user;
  for (size_t i = 0; i < count && i < own->pick_count; i++)
    if (!pick_number(&own->picks[i], folder->path, &numbers[i], why, size))
      return 0;
  return 1;
}

static void on_release(const lrgd_pool_folder *folder, double f, void *user)
{
  cli_simulator *own = user;
  kept_folders_take(&own->kept, folder->path, folder->number, f);
}

void simulator_set(cli_simulator *simulator, lrgd_pool_options *options)
{
  if (simulator == NULL) return;
  options->folder_user = simulator;
  if (options->mode == LRGD_POOL_MODE_PROGRAM) options->prepare = on_prepare;
  if (simulator->pick_count > 0) options->collect = on_collect;
  if (simulator->kept.keep != KEEP_NONE) options->release = on_release;
  options->place_count = simulator->place_count;
  options->places = simulator->places;
}
