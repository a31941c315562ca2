/* Converts a PEST case to the inputs of a session. */
#include "pest_inputs.h"

#include "cli/base/files.h"
#include "cli/base/own_file.h"
#include "cli/base/shell_quote.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs ---- */

static bool allocate(cli_inputs *to, size_t p, size_t m)
{
  to->start = malloc(p * sizeof *to->start);
  to->lower = malloc(p * sizeof *to->lower);
  to->upper = malloc(p * sizeof *to->upper);
  to->log = malloc(p * sizeof *to->log);
  to->names = malloc(p * (INPUT_NAME_SIZE + 1) + 1);
  to->observations.at = malloc(m * sizeof *to->observations.at);
  return to->start != NULL && to->lower != NULL && to->upper != NULL &&
         to->log != NULL && to->names != NULL && to->observations.at != NULL;
}

static void fill(cli_inputs *to, const pest_case *of)
{
  char *name = to->names;
  for (size_t k = 0; k < of->adjustable_count; k++) {
    const pest_parameter *at = &of->parameters[of->adjustable[k]];
    to->start[k] = at->start;
    to->lower[k] = at->lower;
    to->upper[k] = at->upper;
    name += sprintf(name, "%s\n", at->name);
    if (at->transform == PEST_LOG) to->log[to->log_count++] = (double)(k + 1);
  }
}

/* ---- prior information ---- */

/* Writes equation i as a line of --prior. */
static char *put_equation(char *to, const pest_case *of, size_t i)
{
  const cli_observation *at = &of->observations[of->observation_count + i];
  to += sprintf(to, "%s ", at->name);
  for (size_t k = i > 0 ? of->term_ends[i - 1] : 0; k < of->term_ends[i]; k++) {
    const pest_term *term = &of->terms[k];
    to += sprintf(to, term->log ? "%c %.17g*log(%s) " : "%c %.17g*%s ",
                  term->factor < 0 ? '-' : '+', fabs(term->factor),
                  of->parameters[term->parameter].name);
  }
  return to +
         sprintf(to, "= %.17g %.17g %s\n", at->value, at->weight, at->group);
}

static lrgd_status check_terms(const pest_case *of, lrgd_error *error)
{
  for (size_t k = 0; k < of->term_count; k++) {
    const pest_parameter *at = &of->parameters[of->terms[k].parameter];
    if (strpbrk(at->name, "+-*=") != NULL)
      return pest_refuse(error, &of->text, at->line,
                         "\"%s\" is in prior information, where a name must "
                         "not have +, -, * or =",
                         at->name);
  }
  return LRGD_OK;
}

static lrgd_status fill_prior(cli_inputs *to, const pest_case *of,
                              lrgd_error *error)
{
  cli_prior_inputs about = inputs_for_prior(to, of->adjustable_count);
  if (of->prior_count == 0) return LRGD_OK;
  lrgd_status status = check_terms(of, error);
  if (status != LRGD_OK) return status;
  char *text = malloc(of->prior_count * (2 * PEST_NAME_SIZE + 80) +
                      of->term_count * (PEST_NAME_SIZE + 40) + 1);
  if (text == NULL) return fail_memory(error);
  char *end = text;
  for (size_t i = 0; i < of->prior_count; i++) end = put_equation(end, of, i);
  status = prior_recall(&to->prior, text, &about, error);
  free(text);
  return status;
}

lrgd_status pest_inputs(cli_inputs *inputs, const pest_case *of,
                        const cli_flags *flags, lrgd_error *error)
{
  size_t m = of->observation_count;
  const char *predictions = flags_text(flags, FLAG_PREDICTIONS);
  *inputs = (struct cli_inputs){0};
  if (!allocate(inputs, of->adjustable_count, m)) {
    inputs_free(inputs);
    return fail_memory(error);
  }
  fill(inputs, of);
  cli_observations *to = &inputs->observations;
  memcpy(to->at, of->observations, m * sizeof *to->at);
  to->count = m;
  lrgd_status status = observations_list(to) ? LRGD_OK : fail_memory(error);
  if (status == LRGD_OK && inputs->log_count == 0) {
    free(inputs->log);
    inputs->log = NULL;
  }
  if (status == LRGD_OK) status = fill_prior(inputs, of, error);
  if (status == LRGD_OK && predictions != NULL)
    status = observations_predict(to, predictions, error);
  if (status != LRGD_OK) inputs_free(inputs);
  return status;
}

/* ---- the worker ---- */

/* Builds the command 'this program' pest 'case' [--copy]. */
static char *command_of(const pest_case *of, bool copied)
{
  char path[PATH_MAX];
  char *made = NULL;
  char *program = own_path(path) ? shell_word(path) : NULL;
  char *file = shell_word(of->text.path);
  if (program != NULL && file != NULL) {
    size_t size = strlen(program) + strlen(file) + 32;
    made = malloc(size);
    if (made != NULL)
      (void)snprintf(made, size, "%s pest %s%s", program, file,
                     copied ? " --copy" : "");
  }
  free(program);
  free(file);
  return made;
}

lrgd_status pest_flags_make(pest_flags *made, const cli_flags *flags,
                            const pest_case *of, lrgd_error *error)
{
  const char *jobs = flags_text(flags, FLAG_JOBS);
  size_t n = flags->given_count;
  *made = (struct pest_flags){.flags = *flags};
  made->flags.given = malloc((n + 2) * sizeof *flags->given);
  made->command = command_of(of, jobs != NULL && strcmp(jobs, "1") != 0);
  if (made->flags.given == NULL || made->command == NULL) {
    pest_flags_free(made);
    return fail_memory(error);
  }
  if (n > 0) memcpy(made->flags.given, flags->given, n * sizeof *flags->given);
  (void)snprintf(made->dimension, sizeof made->dimension, "%zu",
                 of->adjustable_count);
  made->flags.given[n++] = (flag_given){FLAG_WORKER, made->command};
  made->flags.given[n++] = (flag_given){FLAG_DIM, made->dimension};
  made->flags.given_count = n;
  return LRGD_OK;
}

void pest_flags_free(pest_flags *old)
{
  free(old->flags.given);
  free(old->command);
  *old = (struct pest_flags){.command = NULL};
}

/* ---- parameters ---- */

lrgd_status pest_write_parameters(const pest_case *of, const double *x,
                                  const char *path, lrgd_error *error)
{
  double *values = malloc(of->parameter_count * sizeof *values);
  FILE *file = values != NULL ? file_open(path, "w") : NULL;
  if (file == NULL) {
    free(values);
    return fail(error, LRGD_ERR_STORAGE, "\"%s\" cannot be written: %s", path,
                file_trouble());
  }
  pest_case_values(of, x, values);
  fprintf(file, "double %s\n", of->point ? "point" : "nopoint");
  for (size_t i = 0; i < of->parameter_count; i++) {
    const pest_parameter *at = &of->parameters[i];
    fprintf(file, "%-20s %.17g %.17g %.17g\n", at->name, values[i], at->scale,
            at->offset);
  }
  free(values);
  bool bad = ferror(file) != 0;
  if (fclose(file) == 0 && !bad) return LRGD_OK;
  return fail(error, LRGD_ERR_STORAGE, "\"%s\" cannot be written: %s", path,
              strerror(errno));
}
