/* Reads .npy files.  The header is a line of Python; what is read here is a
 * small grammar of its own, and nothing is evaluated:
 *   { 'descr': '<f8', 'fortran_order': False, 'shape': (N,), }
 * with the three keys once each, in any order, then blanks and a newline. */
#include "npy.h"

#include "cli_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The magic, the version, and up to four bytes of the header's length. */
enum { MAGIC_SIZE = 6, HEADER_MOST = 4096, WORD_SIZE = 24 };
static const char magic[MAGIC_SIZE + 1] = "\x93NUMPY";

typedef enum npy_type { NPY_F8, NPY_F4, NPY_I8, NPY_TYPES } npy_type;
static const char *const type_names[NPY_TYPES] = {"<f8", "<f4", "<i8"};
static const size_t type_sizes[NPY_TYPES] = {8, 4, 8};

typedef struct npy_header {
  npy_type type;
  uint64_t count;
  unsigned seen; /* the keys read so far, one bit each */
} npy_header;

bool npy_begins(FILE *file)
{
  int c = getc(file);
  if (c != EOF) (void)ungetc(c, file);
  return c == 0x93;
}

/* ---- the grammar: each takes what it knows, or leaves *at alone ---- */

static void skip_blanks(const char **at)
{
  while (**at == ' ') ++*at;
}

static bool take(const char **at, const char *word)
{
  skip_blanks(at);
  size_t length = strlen(word);
  if (strncmp(*at, word, length) != 0) return false;
  *at += length;
  return true;
}

static bool take_quoted(const char **at, char word[WORD_SIZE])
{
  skip_blanks(at);
  char quote = **at;
  if (quote != '\'' && quote != '"') return false;
  const char *end = strchr(*at + 1, quote);
  size_t length = end != NULL ? (size_t)(end - *at) - 1 : WORD_SIZE;
  if (length >= WORD_SIZE) return false;
  memcpy(word, *at + 1, length);
  word[length] = '\0';
  *at = end + 1;
  return true;
}

static bool take_type(const char **at, npy_header *header)
{
  char word[WORD_SIZE];
  if (!take_quoted(at, word)) return false;
  for (int i = 0; i < NPY_TYPES; i++) {
    if (strcmp(word, type_names[i]) != 0) continue;
    header->type = (npy_type)i;
    return true;
  }
  return false;
}

/* Reads a shape of one dimension, "(N,)". */
static bool take_shape(const char **at, npy_header *header)
{
  char digits[WORD_SIZE] = "";
  int64_t count;
  if (!take(at, "(")) return false;
  skip_blanks(at);
  size_t length = strspn(*at, "0123456789");
  if (length == 0 || length >= WORD_SIZE) return false;
  memcpy(digits, *at, length);
  *at += length;
  if (!text_integer(digits, 0, INT64_MAX / 8, &count)) return false;
  header->count = (uint64_t)count;
  return take(at, ",") && take(at, ")");
}

static bool take_pair(const char **at, npy_header *header)
{
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  char key[WORD_SIZE];
  unsigned which = 0;
  if (!take_quoted(at, key) || !take(at, ":")) return false;
  while (which < COUNT_OF(keys) && strcmp(key, keys[which]) != 0) which++;
  if (which == COUNT_OF(keys) || (header->seen >> which & 1) != 0) return false;
  header->seen |= 1U << which;
  if (which == 0) return take_type(at, header);
  return which == 1 ? take(at, "False") : take_shape(at, header);
}

static bool take_header(const char *text, npy_header *header)
{
  const char *at = text;
  *header = (npy_header){.seen = 0};
  if (!take(&at, "{")) return false;
  for (int i = 0; i < 3; i++) {
    if (!take_pair(&at, header)) return false;
    if (!take(&at, ",") && i < 2) return false;
  }
  if (!take(&at, "}")) return false;
  skip_blanks(&at);
  return strcmp(at, "\n") == 0;
}

/* ---- the file ---- */

static uint64_t little_endian(const unsigned char *bytes, size_t size)
{
  uint64_t number = 0;
  for (size_t i = size; i > 0; i--) number = number << 8 | bytes[i - 1];
  return number;
}

/* Reads the header; *offset becomes the position of the first number. */
static bool read_header(FILE *file, npy_header *header, uint64_t *offset)
{
  unsigned char start[MAGIC_SIZE + 6];
  char text[HEADER_MOST + 1];
  size_t fixed = MAGIC_SIZE + 4;
  if (fread(start, 1, fixed, file) != fixed ||
      memcmp(start, magic, MAGIC_SIZE) != 0)
    return false;
  unsigned version = start[MAGIC_SIZE];
  if (version < 1 || version > 3 || start[MAGIC_SIZE + 1] != 0) return false;
  size_t width = version == 1 ? 2 : 4;
  if (width == 4 && fread(start + fixed, 1, 2, file) != 2) return false;
  uint64_t length = little_endian(start + MAGIC_SIZE + 2, width);
  if (length > HEADER_MOST) return false;
  if (fread(text, 1, length, file) != length) return false;
  text[length] = '\0';
  *offset = MAGIC_SIZE + 2 + width + length;
  return strlen(text) == length && take_header(text, header);
}

/* Converts the bytes of a number; false: a whole number is too large for a
 * double. */
static bool decode(const unsigned char *bytes, npy_type type, double *number)
{
  uint64_t bits = little_endian(bytes, type_sizes[type]);
  uint32_t half = (uint32_t)bits;
  int64_t whole;
  float small;
  switch (type) {
  case NPY_F4:
    memcpy(&small, &half, sizeof small);
    *number = (double)small;
    return true;
  case NPY_I8:
    memcpy(&whole, &bits, sizeof whole);
    *number = (double)whole;
    return whole >= -(INT64_C(1) << 53) && whole <= INT64_C(1) << 53;
  default: memcpy(number, &bits, sizeof *number); return true;
  }
}

static lrgd_status read_entries(FILE *file, const char *path,
                                const npy_header *header, double *entries,
                                lrgd_error *error)
{
  unsigned char bytes[8];
  size_t size = type_sizes[header->type];
  for (uint64_t i = 0; i < header->count; i++) {
    if (fread(bytes, 1, size, file) != size)
      return fail(error, LRGD_ERR_INVALID, "%s: cannot be read to its end",
                  path);
    if (!decode(bytes, header->type, &entries[i]))
      return fail(error, LRGD_ERR_INVALID,
                  "%s: number %llu does not fit into a double", path,
                  (unsigned long long)i + 1);
  }
  return LRGD_OK;
}

lrgd_status npy_read(FILE *file, const char *path, double **entries,
                     size_t *count, lrgd_error *error)
{
  npy_header header;
  uint64_t offset;
  struct stat facts;
  *entries = NULL;
  if (!read_header(file, &header, &offset))
    return fail(error, LRGD_ERR_INVALID,
                "%s: not a .npy file of one dimension with <f8, <f4 or <i8 in "
                "C order",
                path);
  uint64_t wanted = offset + header.count * type_sizes[header.type];
  if (fstat(fileno(file), &facts) != 0 || (uint64_t)facts.st_size != wanted)
    return fail(error, LRGD_ERR_INVALID,
                "%s: %llu numbers make %llu bytes, the file has %lld", path,
                (unsigned long long)header.count, (unsigned long long)wanted,
                (long long)facts.st_size);
  double *made = malloc((size_t)header.count * sizeof *made + 1);
  if (made == NULL) return fail_memory(error);
  lrgd_status status = read_entries(file, path, &header, made, error);
  if (status != LRGD_OK) {
    free(made);
    return status;
  }
  *entries = made;
  *count = (size_t)header.count;
  return LRGD_OK;
}
