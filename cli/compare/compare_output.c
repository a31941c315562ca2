/* A comparison as a table, as CSV and as JSON. */
#include "cli/base/cli_text.h"
#include "cli/base/json_output.h"
#include "compare.h"

#include <math.h>
#include <stdio.h>

const double compare_mark[MARKS] = {0.1, 0.01, 0.001};

uint64_t compare_reached(const cli_comparison *c, const cli_contender *one,
                         size_t mark)
{
  double goal = c->lowest + compare_mark[mark] * (c->first - c->lowest);
  const cli_trace *trace = &one->tally.trace;
  for (size_t i = 0; i < trace->count; i++)
    if (trace->best[i] <= goal) return (uint64_t)trace->evaluations[i];
  return 0;
}

static uint64_t paid(const cli_comparison *c)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < c->count; i++) sum += c->contenders[i].tally.paid;
  return sum;
}

static void print_contender(const cli_comparison *c, const cli_contender *one)
{
  char count[TEXT_COUNT_SIZE];
  printf("  %-14s %-7s", one->name, one->family);
  for (size_t mark = 0; mark < MARKS; mark++) {
    uint64_t reached = compare_reached(c, one, mark);
    printf(" %9s", reached > 0 ? text_count(count, reached) : "-");
  }
  printf(" %9s  %-13.6g %s\n", text_count(count, one->tally.asked),
         isfinite(one->tally.best) ? one->tally.best : NAN, one->end);
}

void compare_print(const cli_comparison *c)
{
  char count[TEXT_COUNT_SIZE];
  uint64_t asked = 0;
  put_safe(stdout, c->problem);
  printf(": %s inputs, ", text_count(count, c->p));
  printf("at most %s values each\n\n", text_count(count, c->most));
  printf("  %-14s %-7s %29s\n", "", "", "values until the gap is");
  printf("  %-14s %-7s %9s %9s %9s %9s  %-13s %s\n", "method", "of", "10 %",
         "1 %", "0.1 %", "values", "lowest f", "ended");
  for (size_t i = 0; i < c->count; i++) {
    print_contender(c, &c->contenders[i]);
    asked += c->contenders[i].tally.asked;
  }
  printf(
      "\nThe gap is f less the lowest value that any of them found, %.6g; "
      "f is %.6g at\nthe start.  ",
      c->lowest, c->first);
  printf("%s values were asked for, ", text_count(count, asked));
  printf("%s of them were shared and paid once.\n",
         text_count(count, asked - paid(c)));
}

int compare_print_csv(const cli_comparison *c)
{
  puts("method,family,evaluations,best_f");
  for (size_t i = 0; i < c->count; i++) {
    const cli_contender *one = &c->contenders[i];
    for (size_t j = 0; j < one->tally.trace.count; j++)
      printf("%s,%s,%.0f,%.17g\n", one->name, one->family,
             one->tally.trace.evaluations[j], one->tally.trace.best[j]);
  }
  return EXIT_FINE;
}

static json_t *reached_json(const cli_comparison *c, const cli_contender *one)
{
  json_t *list = json_array();
  for (size_t mark = 0; mark < MARKS; mark++) {
    uint64_t reached = compare_reached(c, one, mark);
    (void)json_array_append_new(
        list, json_pack("{s:f, s:o}", "gap", compare_mark[mark], "evaluations",
                        reached > 0 ? json_count(reached) : json_null()));
  }
  return list;
}

int compare_print_json(const cli_comparison *c)
{
  json_t *list = json_array();
  for (size_t i = 0; i < c->count; i++) {
    const cli_contender *one = &c->contenders[i];
    const cli_tally *tally = &one->tally;
    (void)json_array_append_new(
        list,
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "method",
                  one->name, "family", one->family, "outcome", one->end, "f",
                  json_double(tally->best), "evaluations",
                  json_count(tally->asked), "paid", json_count(tally->paid),
                  "failures", json_count(tally->failed), "reached",
                  reached_json(c, one)));
  }
  return json_print(json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "problem", json_text(c->problem),
      "dimension", json_count(c->p), "max_evals", json_count(c->most),
      "f_start", json_double(c->first), "f_lowest", json_double(c->lowest),
      "evaluations", json_count(paid(c)), "methods", list));
}
