/* An HTML page in memory; the only place that escapes text. */
#include "page.h"

#include "cli/base/cli_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void page_free(cli_page *page)
{
  free(page->text);
  *page = (struct cli_page){0};
}

static bool need(cli_page *page, size_t more)
{
  if (page->lost) return false;
  if (more < page->room - page->length) return true;
  size_t room = 2 * (page->length + more) + 4096;
  char *grown = realloc(page->text, room);
  if (grown == NULL) {
    page->lost = true;
    return false;
  }
  page->text = grown;
  page->room = room;
  return true;
}

void page_bytes(cli_page *page, const void *bytes, size_t count)
{
  if (!need(page, count)) return;
  memcpy(page->text + page->length, bytes, count);
  page->length += count;
}

void page_raw(cli_page *page, const char *markup)
{
  page_bytes(page, markup, strlen(markup));
}

void page_add(cli_page *page, const char *format, ...)
{
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof text)
    page->lost = true;
  else
    page_bytes(page, text, (size_t)length);
}

/* ---- text ---- */

/* The code point at text, and its bytes; 0 bytes: not UTF-8 (overlong forms,
 * surrogates and code points beyond Unicode are invalid). */
static size_t decode(const unsigned char *text, size_t left, uint32_t *code)
{
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t bytes = text[0] < 0x80             ? 1
                 : (text[0] & 0xe0) == 0xc0 ? 2
                 : (text[0] & 0xf0) == 0xe0 ? 3
                 : (text[0] & 0xf8) == 0xf0 ? 4
                                            : 0;
  if (bytes == 0 || bytes > left) return 0;
  *code = bytes == 1 ? text[0] : text[0] & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; i++) {
    if ((text[i] & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (text[i] & 0x3fu);
  }
  bool half = *code >= 0xd800 && *code <= 0xdfff;
  return *code < least[bytes] || *code > 0x10ffff || half ? 0 : bytes;
}

/* Control characters, direction marks, line separators, and noncharacters. */
static bool is_hidden(uint32_t code)
{
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad ||
         code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
         (code & 0xfffe) == 0xfffe || (code >= 0xe0000 && code <= 0xe0fff);
}

static void add_code(cli_page *page, const char *bytes, size_t count,
                     uint32_t code)
{
  switch (code) {
  case '<': page_raw(page, "&lt;"); break;
  case '>': page_raw(page, "&gt;"); break;
  case '&': page_raw(page, "&amp;"); break;
  case '"': page_raw(page, "&quot;"); break;
  case '\'': page_raw(page, "&#39;"); break;
  case '\n':
  case '\t': page_bytes(page, bytes, count); break;
  default:
    if (is_hidden(code))
      page_add(page, "\\u{%x}", (unsigned)code);
    else
      page_bytes(page, bytes, count);
  }
}

void page_textn(cli_page *page, const char *text, size_t length)
{
  for (size_t i = 0; i < length;) {
    uint32_t code;
    size_t bytes = decode((const unsigned char *)text + i, length - i, &code);
    if (bytes == 0)
      page_add(page, "\\x%02x", (unsigned)(unsigned char)text[i++]);
    else
      add_code(page, text + i, bytes, code);
    i += bytes;
  }
}

void page_text(cli_page *page, const char *text)
{
  page_textn(page, text, strlen(text));
}

void page_json(cli_page *page, json_t *object)
{
  char *text = object != NULL
                   ? json_dumps(object, JSON_ENSURE_ASCII | JSON_COMPACT |
                                            JSON_REAL_PRECISION(12))
                   : NULL;
  if (text == NULL) page->lost = true;
  json_decref(object);
  /* no "<" can end the element, no "&" begins an entity */
  for (const char *c = text; c != NULL && *c != '\0'; c++) {
    if (*c == '<' || *c == '>' || *c == '&')
      page_add(page, "\\u%04x", (unsigned)*c);
    else
      page_bytes(page, c, 1);
  }
  free(text);
}

/* ---- numbers ---- */

void page_count(cli_page *page, uint64_t count)
{
  char text[TEXT_COUNT_SIZE];
  page_raw(page, text_count(text, count));
}

void page_number(cli_page *page, double number, int digits)
{
  if (isnan(number))
    page_raw(page, "not known");
  else
    page_add(page, "%.*g", digits, number);
}

void page_real(cli_page *page, double number)
{
  char text[TEXT_REAL_SIZE];
  page_raw(page, text_real(text, number));
}
