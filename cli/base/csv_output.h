/* Comma-separated values on standard output, as RFC 4180 has them. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include "cli.h"

#include <stdint.h>

/* Writes a field: a text in quotes where it needs them, a number with all its
 * digits, nothing for NaN.  `last`: it is the last field of the row. */
void csv_text(const char *text, bool last);
void csv_number(double number, bool last);
void csv_count(uint64_t count, bool last);

/* --csv and --json exclude each other: one output has one form. */
LRGD_MUST_CHECK lrgd_status csv_alone(bool csv, bool json, lrgd_error *error);

#endif
