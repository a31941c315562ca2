/* A comparison of methods on one function: what each was given, and its
 * result. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "shared_values.h"

enum { CONTENDERS_MOST = 16, MARKS = 3 };

/* Shares of the gap between the first and the lowest value, at which
 * evaluations are reported. */
extern const double compare_mark[MARKS];

typedef struct cli_contender {
  const char *name, *family; /* family: "lrgd", or the package it belongs to */
  const struct cli_peer *peer; /* NULL: a method of this library */
  int64_t method;              /* lrgd_method, of this library */
  cli_tally tally;
  const char *end; /* why it ended, in one word */
} cli_contender;

typedef struct cli_comparison {
  const char *problem;
  size_t p;
  uint64_t most; /* the budget of each method, in values */
  cli_contender contenders[CONTENDERS_MOST];
  size_t count;
  double first, lowest, minimum; /* minimum NaN: not known */
} cli_comparison;

/* The number of values after which a contender was that close; 0: never. */
uint64_t compare_reached(const cli_comparison *c, const cli_contender *one,
                         size_t mark);

void compare_print(const cli_comparison *c);
int compare_print_csv(const cli_comparison *c);
int compare_print_json(const cli_comparison *c);

#endif
