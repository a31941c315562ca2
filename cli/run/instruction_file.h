/* PEST's instruction files: how simulated values are found in the model's
 * output. */
#ifndef CLI_PEST_INSTRUCTION_FILE_H
#define CLI_PEST_INSTRUCTION_FILE_H

#include "pest_text.h"

typedef enum pest_instruction_kind {
  PEST_LINES,       /* l5: go to the beginning of the fifth line from here */
  PEST_PRIMARY,     /* %text%, first in its line: go to the next line with it */
  PEST_SECONDARY,   /* %text%: go to its end, in the same line */
  PEST_WHITESPACE,  /* w: go to the blank before the next word */
  PEST_TAB,         /* t5: go to column 5 */
  PEST_FIXED_FIELD, /* [name]3:9: read the number in these columns */
  PEST_SEMI_FIXED,  /* (name)3:9: read the word that overlaps these columns */
  PEST_FREE         /* !name!: read the next word */
} pest_instruction_kind;

typedef struct pest_instruction {
  pest_instruction_kind kind;
  size_t line;        /* line of the instruction file, counted from 0 */
  const char *marker; /* text to search for, borrowed from the file */
  size_t length;      /* bytes of the marker */
  /* index of the observation; SIZE_MAX: dum, which is skipped */
  size_t observation;
  size_t a, b; /* lines, or columns from 1 */
} pest_instruction;

typedef struct pest_instructions {
  pest_text text;
  pest_instruction *at;
  size_t count;
} pest_instructions;

/* Reads an instruction file.  used: for each observation whether a file reads
 * it; those of this one are set, and one that is set already is refused. */
LRGD_MUST_CHECK lrgd_status pest_instructions_read(
    pest_instructions *to, const char *path, const pest_index *observations,
    bool *used, lrgd_error *error);
void pest_instructions_free(pest_instructions *old);

/* Finds the values in the model's output. */
LRGD_MUST_CHECK lrgd_status
pest_instructions_follow(const pest_instructions *of, const char *path,
                         double *values, lrgd_error *error);

#endif
