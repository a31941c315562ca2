/* Reads input decks with {{name}} in them and fills them, every number with the
 * fewest digits that read back as the same double. */
#include "deck.h"

#include "cli/base/cli_text.h"
#include "cli/base/files.h"
#include "template_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DECK_MOST = 1 << 28, WIDEST = 64 };

void deck_free(cli_deck *deck)
{
  free(deck->text);
  free(deck->to);
  free(deck->places);
  *deck = (struct cli_deck){0};
}

bool path_is_inside(const char *path)
{
  if (path[0] == '/' || path[0] == '\0') return false;
  for (const char *part = path; part != NULL;) {
    const char *slash = strchr(part, '/');
    size_t length = slash != NULL ? (size_t)(slash - part) : strlen(part);
    if (length == 2 && part[0] == '.' && part[1] == '.') return false;
    part = slash != NULL ? slash + 1 : NULL;
  }
  return path[strlen(path) - 1] != '/';
}

/* ---- reading ---- */

static lrgd_status read_whole(cli_deck *deck, const char *path,
                              lrgd_error *error)
{
  FILE *file = file_open(path, "r");
  if (file == NULL)
    return fail(error, LRGD_ERR_INVALID, "--template: %.200s: %s", path,
                file_trouble());
  size_t room = 0;
  bool good = true;
  while (good && feof(file) == 0 && ferror(file) == 0) {
    room = 2 * room + 4096;
    char *grown = room <= DECK_MOST ? realloc(deck->text, room) : NULL;
    good = grown != NULL;
    if (!good) break;
    deck->text = grown;
    deck->size +=
        fread(deck->text + deck->size, 1, room - 1 - deck->size, file);
    deck->text[deck->size] = '\0';
  }
  bool bad = ferror(file) != 0;
  (void)fclose(file);
  if (!good) return fail_memory(error);
  if (bad)
    return fail(error, LRGD_ERR_INVALID,
                "--template: %.200s: it cannot be read", path);
  return LRGD_OK;
}

static size_t line_of(const cli_deck *deck, size_t at)
{
  size_t line = 1;
  for (size_t i = 0; i < at; i++) line += deck->text[i] == '\n';
  return line;
}

static size_t find_input(const cli_inputs *inputs, size_t p, const char *name,
                         nearest *search)
{
  char own[INPUT_NAME_SIZE];
  for (size_t i = 0; i < p; i++) {
    if (strcmp(input_name(inputs, i, own), name) == 0) return i;
    nearest_offer(search, own);
  }
  return SIZE_MAX;
}

/* Reads what is between {{ and }}: NAME or NAME:WIDTH. */
static lrgd_status read_place(deck_place *place, const cli_deck *deck,
                              const char *path, const cli_inputs *inputs,
                              size_t p, lrgd_error *error)
{
  char name[INPUT_NAME_SIZE + 16] = "";
  int64_t width = 0;
  size_t line = line_of(deck, place->begin);
  size_t length = place->end - place->begin - 4;
  if (length >= sizeof name) length = sizeof name - 1;
  memcpy(name, deck->text + place->begin + 2, length);
  char *colon = strchr(name, ':');
  if (colon != NULL) *colon++ = '\0';
  if (colon != NULL && !text_integer(colon, 1, WIDEST, &width))
    return fail(error, LRGD_ERR_INVALID,
                "%.200s:%zu: the width \"%.20s\" of {{%.60s}} is not a whole "
                "number from 1 to %d",
                path, line, colon, name, WIDEST);
  nearest search = nearest_to(name);
  place->width = (size_t)width;
  place->input = find_input(inputs, p, name, &search);
  if (place->input != SIZE_MAX) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "%.200s:%zu: {{%.60s}} names no input%s%s%s", path, line, name,
              search.name[0] != '\0' ? "; did you mean " : "", search.name,
              search.name[0] != '\0' ? "?" : "");
}

static lrgd_status add_place(cli_deck *deck, deck_place place,
                             lrgd_error *error)
{
  if ((deck->count & (deck->count - 1)) == 0) {
    size_t room = deck->count == 0 ? 1 : 2 * deck->count;
    deck_place *grown = realloc(deck->places, room * sizeof *grown);
    if (grown == NULL) return fail_memory(error);
    deck->places = grown;
  }
  deck->places[deck->count++] = place;
  return LRGD_OK;
}

static lrgd_status find_places(cli_deck *deck, const char *path,
                               const cli_inputs *inputs, size_t p, bool *used,
                               lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  const char *at = deck->text;
  while (status == LRGD_OK && (at = strstr(at, "{{")) != NULL) {
    const char *close = strstr(at, "}}");
    deck_place place = {.begin = (size_t)(at - deck->text)};
    if (close == NULL || memchr(at, '\n', (size_t)(close - at)) != NULL)
      return fail(error, LRGD_ERR_INVALID,
                  "%.200s:%zu: {{ is not closed by }} on its line", path,
                  line_of(deck, place.begin));
    place.end = (size_t)(close - deck->text) + 2;
    status = read_place(&place, deck, path, inputs, p, error);
    if (status == LRGD_OK) status = add_place(deck, place, error);
    if (status == LRGD_OK) used[place.input] = true;
    at = close + 2;
  }
  return status;
}

/* ---- the names that decks have ---- */

typedef struct name_list {
  char *text;         /* a newline after each */
  size_t count, size; /* names, and letters of text */
  size_t last;        /* the largest k, where all names are x1, x2, ... xk */
  bool named;         /* some name is not of that form */
} name_list;

static bool has_name(const name_list *list, const char *name, size_t length)
{
  const char *at = list->text != NULL ? list->text : "";
  for (; *at != '\0'; at += strcspn(at, "\n") + 1)
    if (strcspn(at, "\n") == length && memcmp(at, name, length) == 0)
      return true;
  return false;
}

static lrgd_status add_name(name_list *list, const char *name, size_t length,
                            lrgd_error *error)
{
  char digits[16] = "";
  int64_t k = 0;
  if (length > 1 && length <= sizeof digits && name[0] == 'x')
    memcpy(digits, name + 1, length - 1);
  if (!text_integer(digits, 1, INT32_MAX, &k)) list->named = true;
  if ((size_t)k > list->last) list->last = (size_t)k;
  if (has_name(list, name, length)) return LRGD_OK;
  char *grown = realloc(list->text, list->size + length + 2);
  if (grown == NULL) return fail_memory(error);
  list->text = grown;
  memcpy(grown + list->size, name, length);
  memcpy(grown + list->size + length, "\n", 2);
  list->size += length + 1;
  list->count++;
  return LRGD_OK;
}

/* Adds the names of one deck; what is wrong with it deck_read() tells. */
static lrgd_status add_names(name_list *list, const char *pair,
                             lrgd_error *error)
{
  cli_deck deck = {0};
  const char *colon = strrchr(pair, ':');
  if (colon == NULL) return LRGD_OK;
  char *from = strndup(pair, (size_t)(colon - pair));
  lrgd_status status =
      from != NULL ? read_whole(&deck, from, error) : fail_memory(error);
  free(from);
  const char *at = status == LRGD_OK ? deck.text : NULL;
  while (status == LRGD_OK && (at = strstr(at, "{{")) != NULL) {
    size_t length = strcspn(at += 2, "}:\n");
    if (length > 0 && length < INPUT_NAME_SIZE)
      status = add_name(list, at, length, error);
  }
  deck_free(&deck);
  return status;
}

lrgd_status deck_list_names(const cli_flags *flags, char **names, size_t *count,
                            lrgd_error *error)
{
  name_list list = {0};
  lrgd_status status = LRGD_OK;
  const char *pair;
  size_t cursor = 0;
  while (status == LRGD_OK &&
         (pair = flags_next(flags, FLAG_TEMPLATE, &cursor)) != NULL)
    status = add_names(&list, pair, error);
  *count = list.named ? list.count : list.last;
  *names = list.named && status == LRGD_OK ? list.text : NULL;
  if (*names == NULL) free(list.text);
  return status;
}

lrgd_status deck_read(cli_deck *deck, const char *pair,
                      const cli_inputs *inputs, size_t p, bool *used,
                      lrgd_error *error)
{
  *deck = (struct cli_deck){0};
  const char *colon = strrchr(pair, ':');
  if (colon == NULL || colon == pair || !path_is_inside(colon + 1))
    return fail(error, LRGD_ERR_INVALID,
                "--template \"%.100s\": write IN:OUT, OUT being a file in the "
                "folder of an evaluation",
                pair);
  char *from = strndup(pair, (size_t)(colon - pair));
  deck->to = strdup(colon + 1);
  lrgd_status status = from == NULL || deck->to == NULL
                           ? fail_memory(error)
                           : read_whole(deck, from, error);
  if (status == LRGD_OK && strlen(deck->text) < deck->size)
    status = fail(error, LRGD_ERR_INVALID,
                  "--template: %.200s has a zero byte and is no text", from);
  if (status == LRGD_OK)
    status = find_places(deck, from, inputs, p, used, error);
  if (status == LRGD_OK && deck->count == 0)
    status = fail(error, LRGD_ERR_INVALID,
                  "--template: %.200s has no {{NAME}} of an input", from);
  free(from);
  if (status != LRGD_OK) deck_free(deck);
  return status;
}

/* ---- writing ---- */

static bool put_place(const deck_place *place, double number, FILE *file)
{
  char text[WIDEST + TEXT_REAL_SIZE];
  if (place->width == 0) return fputs(text_real(text, number), file) >= 0;
  return pest_put_number(text, place->width, number, true) &&
         fwrite(text, 1, place->width, file) == place->width;
}

/* Makes the parent folders of a file. */
static void make_folders(char *path, size_t from)
{
  for (char *slash = path + from; (slash = strchr(slash, '/')) != NULL;
       slash++) {
    *slash = '\0';
    (void)mkdir(path, 0700);
    *slash = '/';
  }
}

static bool put_deck(const cli_deck *deck, const double *x, FILE *file)
{
  size_t at = 0;
  bool good = true;
  for (size_t i = 0; i < deck->count && good; i++) {
    const deck_place *place = &deck->places[i];
    size_t before = place->begin - at;
    good = fwrite(deck->text + at, 1, before, file) == before &&
           put_place(place, x[place->input], file);
    at = place->end;
  }
  return good &&
         fwrite(deck->text + at, 1, deck->size - at, file) == deck->size - at;
}

bool deck_write(const cli_deck *deck, const char *folder, const double *x,
                char *why, size_t size)
{
  char *path = malloc(strlen(folder) + strlen(deck->to) + 2);
  FILE *file = NULL;
  if (path != NULL) {
    (void)sprintf(path, "%s/%s", folder, deck->to);
    make_folders(path, strlen(folder) + 1);
    file = file_open(path, "w");
  }
  bool good = file != NULL && put_deck(deck, x, file);
  int reason = errno;
  if (file != NULL && fclose(file) != 0) good = false;
  free(path);
  if (!good)
    (void)snprintf(why, size, "the input \"%.100s\" cannot be written: %s",
                   deck->to, strerror(reason));
  return good;
}
