/* The sizes of the structs that grow, as the headers of a source have them. */
#ifndef SIZES_H
#define SIZES_H

#include <lrgd/analysis.h>
#include <lrgd/run.h>
#include <lrgd/space.h>

#define SIZES                                                                  \
  {                                                                            \
    sizeof(lrgd_options), sizeof(lrgd_problem), sizeof(lrgd_progress),         \
        sizeof(lrgd_result), sizeof(lrgd_phase), sizeof(lrgd_pool_options),    \
        sizeof(lrgd_pool_counts), sizeof(lrgd_journal_options),                \
        sizeof(lrgd_journal_summary), sizeof(lrgd_diagnosis_options),          \
        sizeof(lrgd_diagnosis_result), sizeof(lrgd_diagnosis_plan),            \
        sizeof(lrgd_space_ops), sizeof(lrgd_slices)                            \
  }
enum { SIZE_COUNT = 14 };

extern const size_t library_sizes[SIZE_COUNT];

#endif
