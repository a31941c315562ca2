/* Structs that grow: conversions between a caller's struct and the library's.
 *
 * Either may be the longer one, as header and library may come from different
 * versions.  Both begin with struct_size; lrgd.h has the rules.  All of it is
 * inline, as the libraries on top of the core use it, too. */
#ifndef LR_SIZED_H
#define LR_SIZED_H

#include <lrgd/lrgd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Fills the caller's struct, of `size` bytes, from ours, of `known` bytes;
 * members that ours lacks become zero.  Its struct_size becomes `size`. */
static inline void lr_sized_give(void *to, size_t size, const void *from,
                                 size_t known)
{
  size_t shared = size < known ? size : known;
  if (!to || size < sizeof size) return;
  memcpy(to, from, shared);
  memset((char *)to + shared, 0, size - shared);
  memcpy(to, &size, sizeof size);
}

/* The number of nonzero bytes of the caller's struct beyond those we know:
 * options that cannot be honoured. */
static inline size_t lr_sized_beyond(const void *from, size_t size,
                                     size_t known)
{
  const unsigned char *bytes = from;
  size_t count = 0;
  for (size_t i = known; i < size; i++) count += bytes[i] != 0;
  return count;
}

/* Copies the caller's struct, which may be shorter or longer, over ours, which
 * has known bytes and holds the defaults.  what: the struct, for the message.
 * False: it is refused, and ours is unchanged.  No struct has a megabyte: such
 * a size was never set, and is refused. */
static inline bool lr_sized_take(void *to, size_t known, const void *from,
                                 const char *what, lrgd_error *error)
{
  lrgd_error none, *said = error ? error : &none;
  size_t size, beyond = 0;
  memcpy(&size, from, sizeof size);
  bool sane = size >= 2 * sizeof size && size < (size_t)1 << 20;
  if (sane) beyond = lr_sized_beyond(from, size, known);
  if (sane && beyond == 0) {
    memcpy(to, from, size < known ? size : known);
    memcpy(to, &known, sizeof known);
    return true;
  }
  said->status = LRGD_ERR_INVALID;
  if (!sane)
    (void)snprintf(said->text, sizeof said->text,
                   "%s: struct_size is %zu; it is set by the struct's _init or "
                   "_default function",
                   what, size);
  else
    (void)snprintf(said->text, sizeof said->text,
                   "%s: %zu bytes beyond the %zu that this library knows are "
                   "not zero: its header is newer",
                   what, beyond, known);
  return false;
}

#endif
