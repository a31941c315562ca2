/* print_policy rows|page: the policy, for tools/mutate and docs/parameters.md.
 */
#include "base/policy_table.h"

#include <stdbool.h>
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

typedef struct section {
  const char *room, *title;
} section;

static const section sections[] = {
    {"step",          "Steps and line searches"                         },
    {"model",         "The quadratic model in a subspace"               },
    {"dfo",           "Interpolation in a trust region"                 },
    {"surrogate",     "The Gaussian process in a box"                   },
    {"hidden",        "Hidden constraints"                              },
    {"auto",          "The scheduler"                                   },
    {"embedding",     "The embedding"                                   },
    {"quasi-newton",  "Quasi-Newton"                                    },
    {"polytope",      "Linear equations within bounds"                  },
    {"paper",         "Moves of all methods, and the paper's algorithms"},
    {"certificate",   "Certificates"                                    },
    {"difference",    "Finite differences"                              },
    {"answers",       "Answers"                                         },
    {"variables",     "Variables"                                       },
    {"noise",         "Noise"                                           },
    {"learn",         "Known evaluations"                               },
    {"diagnosis",     "The diagnosis"                                   },
    {"constrained",   "Limits on outputs"                               },
    {"least-squares", "Least squares"                                   },
    {"wide",          "Rounds of several evaluations"                   },
};

/* NULL: the page has no section for that room. */
static const char *title_of(const char *room)
{
  for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
    if (strcmp(sections[i].room, room) == 0) return sections[i].title;
  return NULL;
}

static void print_row(const lr_policy_row *row)
{
  printf("| `%s` | %.4g |", row->name, row->value);
  print_cell(row->unit);
  print_cell(row->reason);
  printf(" `%s` |\n", row->test);
}

/* The rows of one room stand together in the table.  False: a room has no
 * title, so that its rows would be missing. */
static bool print_sections(void)
{
  const lr_policy_row *row;
  const char *room = "";
  for (size_t i = 0; (row = lr_policy_row_at(i)); i++) {
    if (strcmp(row->room, room) != 0) {
      const char *title = title_of(room = row->room);
      if (!title) return false;
      printf(
          "\n## %s\n\n| name | default | unit | reason | test |\n"
          "|---|---:|---|---|---|\n",
          title);
    }
    print_row(row);
  }
  return true;
}

static bool print_page(void)
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
  return print_sections();
}

int main(int argc, char **argv)
{
  if (argc == 2 && strcmp(argv[1], "rows") == 0)
    print_rows();
  else if (argc == 2 && strcmp(argv[1], "page") == 0)
    return print_page() && !ferror(stdout) ? 0 : 1;
  else
    return fputs("usage: print-policy rows|page\n", stderr) >= 0 ? 2 : 1;
  return ferror(stdout) ? 1 : 0;
}
