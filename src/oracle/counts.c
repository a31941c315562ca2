/* Counts of evaluations and oracle calls: their sums, and their names. */
#include <lrgd/lrgd.h>

#include <stdbool.h>

uint64_t lrgd_counts_evaluations(const lrgd_counts *counts)
{
  uint64_t sum = 0;
  for (int kind = 0; counts && kind < LRGD_KIND_COUNT; kind++)
    for (int why = 0; why < LRGD_PURPOSE_COUNT; why++)
      sum += counts->evaluations[kind][why];
  return sum;
}

uint64_t lrgd_counts_oracle_calls(const lrgd_counts *counts)
{
  uint64_t sum = 0;
  for (int why = 0; counts && why < LRGD_PURPOSE_COUNT; why++)
    sum += counts->oracle_calls[why];
  return sum;
}

uint64_t lrgd_counts_of(const lrgd_counts *counts, lrgd_kind kind,
                        lrgd_purpose purpose)
{
  bool known = counts && (size_t)kind < LRGD_KIND_ROOM &&
               (size_t)purpose < LRGD_PURPOSE_ROOM;
  return known ? counts->evaluations[kind][purpose] : 0;
}

const char *lrgd_kind_text(lrgd_kind kind)
{
  static const char *const texts[] = {"values", "slopes", "gradients"};
  return (size_t)kind < LRGD_KIND_COUNT ? texts[kind] : "unknown kind";
}

const char *lrgd_purpose_text(lrgd_purpose purpose)
{
  static const char *const texts[] = {"identify", "descend", "search", "probe",
                                      "check"};
  return (size_t)purpose < LRGD_PURPOSE_COUNT ? texts[purpose]
                                              : "unknown purpose";
}
