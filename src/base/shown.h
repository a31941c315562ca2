/* Which characters of a foreign text may be printed on a terminal. */
#ifndef LR_SHOWN_H
#define LR_SHOWN_H

#include <stddef.h>
#include <stdint.h>

/* A character beyond ASCII that is not printed: the C1 controls, surrogates,
 * direction marks and line separators: U+061C, U+200E, U+200F, U+2028 to
 * U+202E, U+2066 to U+2069. */
static inline int lr_shown_refuses(uint32_t c)
{
  return c < 0xa0 || (c >= 0xd800 && c <= 0xdfff) || c == 0x61c ||
         c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

/* The length in bytes of the character at the start of the text, of which count
 * bytes exist.  0: a control character or invalid UTF-8, whose first byte is to
 * be shown as \xNN. */
static inline size_t lr_shown_length(const char *text, size_t count)
{
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *s = (const unsigned char *)text;
  if (count == 0) return 0;
  if (s[0] < 0x80) return s[0] >= 0x20 && s[0] != 0x7f;
  size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  if (s[0] < 0xc2 || s[0] > 0xf4 || n > count) return 0;
  uint32_t c = s[0] & (0x7fu >> n);
  for (size_t i = 1; i < n; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
    c = c << 6 | (s[i] & 0x3fu);
  }
  return c < least[n] || c > 0x10ffff || lr_shown_refuses(c) ? 0 : n;
}

#endif
