/* An HTML page in memory.  Text from outside goes through page_text, and cannot
 * become markup. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "cli/base/json_output.h"

#include <stdbool.h>

typedef struct cli_page {
  char *text; /* owned; length bytes */
  size_t length, room;
  bool lost; /* out of memory: the page is incomplete */
} cli_page;

void page_free(cli_page *page);

/* Adds markup of the program itself. */
void page_raw(cli_page *page, const char *markup);
void page_bytes(cli_page *page, const void *bytes, size_t count);
/* Adds a text with numbers; formats may not insert texts from outside. */
void page_add(cli_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds text of any origin and encoding, escaped, for element content and for
 * attributes in double quotes.  Invisible characters and direction marks are
 * shown by their number. */
void page_text(cli_page *page, const char *text);
void page_textn(cli_page *page, const char *text, size_t length);

/* Adds a block of data for the script; owns the object, NULL: out of memory. */
void page_json(cli_page *page, json_t *object);

/* Add numbers: 1234567 as "1,234,567"; a number with some digits, "not known"
 * for NaN; a number with all digits needed to read it back. */
void page_count(cli_page *page, uint64_t count);
void page_number(cli_page *page, double number, int digits);
void page_real(cli_page *page, double number);

#endif
