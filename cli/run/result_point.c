/* Prints the point of a result as text. */
#include "result_point.h"

#include "cli/base/cli_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void result_print_point(const cli_run *run)
{
  enum { FEW = 4 };
  printf("  x             ");
  for (size_t i = 0; i < run->p && i < FEW; i++) printf("%.6g ", run->x[i]);
  if (run->p > FEW) {
    char text[TEXT_COUNT_SIZE];
    printf("... (%s numbers: --json or --save FILE)", text_count(text, run->p));
  }
  putchar('\n');
}

void result_print_moves(const cli_run *run, const cli_inputs *inputs)
{
  enum { MOST = 5 };
  size_t top[MOST], count = 0;
  for (size_t i = 0; i < run->p; i++) {
    double move = fabs(run->x[i] - inputs->start[i]);
    if (!(move > 0)) continue;
    size_t at = count;
    while (at > 0 &&
           move > fabs(run->x[top[at - 1]] - inputs->start[top[at - 1]]))
      at--;
    if (at == MOST) continue;
    if (count < MOST) count++;
    memmove(top + at + 1, top + at, (count - at - 1) * sizeof *top);
    top[at] = i;
  }
  for (size_t k = 0; k < count; k++) {
    char name[INPUT_NAME_SIZE];
    printf("  %s ", k == 0 ? "moved most   " : "             ");
    put_safe(stdout, input_name(inputs, top[k], name));
    printf(": %.6g -> %.6g\n", inputs->start[top[k]], run->x[top[k]]);
  }
}
