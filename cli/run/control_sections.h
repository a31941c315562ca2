/* The sections of a control file that define the problem. */
#ifndef CLI_PEST_CONTROL_SECTIONS_H
#define CLI_PEST_CONTROL_SECTIONS_H

#include "control_file.h"

/* The position in the file, and the counts that the control data announce. */
typedef struct pest_reading {
  pest_case *to;
  size_t next, end; /* lines of the section */
  size_t line;      /* the present line */
  size_t parameter_count, observation_count, prior_count;
  size_t template_count, instruction_count;
} pest_reading;

lrgd_status pest_read_control(pest_reading *r, lrgd_error *error);
lrgd_status pest_read_groups(pest_reading *r, lrgd_error *error);
lrgd_status pest_read_parameters(pest_reading *r, lrgd_error *error);
lrgd_status pest_read_observation_groups(pest_reading *r, lrgd_error *error);
lrgd_status pest_read_observations(pest_reading *r, lrgd_error *error);
lrgd_status pest_read_prior(pest_reading *r, lrgd_error *error);
lrgd_status pest_read_command(pest_reading *r, lrgd_error *error);
lrgd_status pest_read_files(pest_reading *r, lrgd_error *error);
lrgd_status pest_read_inputs(pest_reading *r, lrgd_error *error);
lrgd_status pest_read_outputs(pest_reading *r, lrgd_error *error);

/* The next line of the section that is neither empty nor a comment; NULL at its
 * end. */
const char *pest_next_line(pest_reading *r);

/* The next word of the present line; 0 and an error message where there is
 * none. */
size_t pest_take_word(pest_reading *r, const char **at, const char *what,
                      lrgd_error *error);
/* The next word as a name or a number; false with an error message. */
bool pest_take_name(pest_reading *r, const char **at, const char *what,
                    char name[PEST_NAME_SIZE], lrgd_error *error);
bool pest_take_number(pest_reading *r, const char **at, const char *what,
                      double *number, lrgd_error *error);

#endif
