/* Methods on one function: what each was given, and what it gave. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "shared_values.h"

enum { CONTENDERS_MOST = 16, MARKS = 3 };

/* Shares of the gap between the first value and the lowest that was found. */
extern const double compare_mark[MARKS];

typedef struct cli_contender {
  const char *name, *family;   /* family: "lrgd", or whose it is */
  const struct cli_peer *peer; /* NULL: ours */
  int64_t method;              /* lrgd_method, of ours */
  cli_tally tally;
  const char *end; /* how it ended, in a word */
} cli_contender;

typedef struct cli_comparison {
  const char *problem;
  size_t p;
  uint64_t most; /* values each */
  cli_contender contenders[CONTENDERS_MOST];
  size_t count;
  double first, lowest, minimum; /* minimum NaN: not known */
} cli_comparison;

/* After how many values a contender was that close; 0: never. */
uint64_t compare_reached(const cli_comparison *c, const cli_contender *one,
                         size_t mark);

void compare_print(const cli_comparison *c);
int compare_print_csv(const cli_comparison *c);
int compare_print_json(const cli_comparison *c);

#endif
