/* print_policy rows|page: the policy, for tools/mutate and docs/parameters.md.
 */
#include "base/policy_table.h"

#include <stdio.h>
#include <string.h>

static void print_rows(void)
{
  const lr_policy_row *row;
  for (size_t i = 0; (row = lr_policy_row_at(i)); i++)
    printf("%s\t%.17g\t%s\t%s\n", row->name, row->value, row->unit, row->test);
}

/* A cell of a table, in which bars end cells. */
static void print_cell(const char *text)
{
  printf(" ");
  for (; *text; text++) printf(*text == '|' ? "\\|" : "%c", *text);
  printf(" |");
}

static void print_room(const char *room, const char *title)
{
  const lr_policy_row *row;
  printf(
      "\n## %s\n\n| name | default | unit | reason | test |\n"
      "|---|---:|---|---|---|\n",
      title);
  for (size_t i = 0; (row = lr_policy_row_at(i)); i++)
    if (strcmp(row->room, room) == 0) {
      printf("| `%s` | %.4g |", row->name, row->value);
      print_cell(row->unit);
      print_cell(row->reason);
      printf(" `%s` |\n", row->test);
    }
}

static void print_page(void)
{
  printf(
      "# Parameters\n\n"
      "The numbers by which the solver decides something. They are no options: "
      "nobody has to know them, and they may change with any release. Each "
      "has a reason, and a test that notices if it is doubled or halved "
      "(`make mutate`). `lrgd-bench --sweep NAME=A,B,..` shows what another "
      "value would cost. What they steer is on the page of [the "
      "algorithm](auto.md), what was measured for them under "
      "[evidence](evidence.md).\n\n"
      "This page is made from `src/base/policy.h`: `make parameters`. *V* is "
      "the subspace, *k* its dimension, *p* that of the problem, *g* the "
      "gradient; a share is between 0 and 1.\n");
  print_room("step", "Steps and line searches");
  print_room("model", "The quadratic model in a subspace");
  print_room("dfo", "Interpolation in a trust region");
  print_room("hidden", "Hidden constraints");
  print_room("auto", "The scheduler");
  print_room("embedding", "The embedding");
  print_room("quasi-newton", "Quasi-Newton");
  print_room("polytope", "Linear equations within bounds");
  print_room("paper", "Moves of all methods, and the paper's algorithms");
  print_room("certificate", "Certificates");
  print_room("difference", "Finite differences");
  print_room("answers", "Answers");
  print_room("noise", "Noise");
  print_room("learn", "Known evaluations");
  print_room("least-squares", "Least squares");
}

int main(int argc, char **argv)
{
  if (argc == 2 && strcmp(argv[1], "rows") == 0)
    print_rows();
  else if (argc == 2 && strcmp(argv[1], "page") == 0)
    print_page();
  else
    return fputs("usage: print-policy rows|page\n", stderr) >= 0 ? 2 : 1;
  return ferror(stdout) ? 1 : 0;
}
