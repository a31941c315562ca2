/* Runs the model of a PEST case once. */
#include "pest_model.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void pest_model_close(pest_model *old)
{
  for (size_t i = 0; old->templates != NULL && i < old->of.input_count; i++)
    pest_template_free(&old->templates[i]);
  for (size_t i = 0; old->instructions != NULL && i < old->of.output_count; i++)
    pest_instructions_free(&old->instructions[i]);
  free(old->templates);
  free(old->instructions);
  free(old->values);
  pest_case_free(&old->of);
  *old = (struct pest_model){0};
}

/* ---- reading ---- */

static lrgd_status read_templates(pest_model *to, bool *used, lrgd_error *error)
{
  const pest_case *of = &to->of;
  lrgd_status status = LRGD_OK;
  for (size_t i = 0; i < of->input_count && status == LRGD_OK; i++) {
    const char *name = of->inputs[i].ours;
    char *path = pest_join(of->folder, name, strlen(name));
    status = path == NULL
                 ? fail_memory(error)
                 : pest_template_read(&to->templates[i], path,
                                      &of->parameter_names, used, error);
    free(path);
  }
  for (size_t k = 0; k < of->adjustable_count && status == LRGD_OK; k++) {
    const pest_parameter *at = &of->parameters[of->adjustable[k]];
    bool tied = false; /* whether a parameter tied to it is in a template */
    for (size_t i = 0; i < of->parameter_count; i++)
      tied |= of->parameters[i].transform == PEST_TIED &&
              of->parameters[i].parent == of->adjustable[k] && used[i];
    if (!used[of->adjustable[k]] && !tied)
      status = pest_refuse(error, &of->text, at->line,
                           "the parameter %s is in no template", at->name);
  }
  return status;
}

static lrgd_status read_instructions(pest_model *to, bool *used,
                                     lrgd_error *error)
{
  const pest_case *of = &to->of;
  lrgd_status status = LRGD_OK;
  for (size_t i = 0; i < of->output_count && status == LRGD_OK; i++) {
    const char *name = of->outputs[i].ours;
    char *path = pest_join(of->folder, name, strlen(name));
    status = path == NULL
                 ? fail_memory(error)
                 : pest_instructions_read(&to->instructions[i], path,
                                          &of->observation_names, used, error);
    free(path);
  }
  for (size_t i = 0; i < of->observation_count && status == LRGD_OK; i++)
    if (!used[i])
      status = fail(error, LRGD_ERR_INVALID,
                    "%.200s: the observation %s is in no instruction file",
                    of->text.path, of->observations[i].name);
  return status;
}

static lrgd_status read_files(pest_model *to, lrgd_error *error)
{
  const pest_case *of = &to->of;
  size_t most = of->parameter_count > of->observation_count
                    ? of->parameter_count
                    : of->observation_count;
  bool *used = calloc(most, sizeof *used);
  to->templates = calloc(of->input_count + 1, sizeof *to->templates);
  to->instructions = calloc(of->output_count + 1, sizeof *to->instructions);
  to->values = calloc(2 * of->parameter_count, sizeof *to->values);
  lrgd_status status = LRGD_OK;
  if (used == NULL || to->templates == NULL || to->instructions == NULL ||
      to->values == NULL)
    status = fail_memory(error);
  if (status == LRGD_OK) status = read_templates(to, used, error);
  if (status == LRGD_OK) {
    memset(used, 0, most * sizeof *used);
    status = read_instructions(to, used, error);
  }
  free(used);
  return status;
}

lrgd_status pest_model_open(pest_model *to, const char *path, lrgd_error *error)
{
  *to = (struct pest_model){0};
  lrgd_status status = pest_case_read(&to->of, path, error);
  if (status == LRGD_OK) status = read_files(to, error);
  if (status != LRGD_OK) pest_model_close(to);
  return status;
}

/* ---- running ---- */

/* Starts the model, with its own output on standard error: standard output is
 * for answers. */
static int spawn(const char *command, pid_t *child)
{
  posix_spawn_file_actions_t files;
  char *const words[] = {"sh", "-c", (char *)command, NULL};
  int failure = posix_spawn_file_actions_init(&files);
  if (failure != 0) return failure;
  failure = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", 0, 0);
  if (failure == 0) failure = posix_spawn_file_actions_adddup2(&files, 2, 1);
  if (failure == 0)
    failure = posix_spawn(child, "/bin/sh", &files, NULL, words, environ);
  (void)posix_spawn_file_actions_destroy(&files);
  return failure;
}

static lrgd_status run_command(const char *command, lrgd_error *error)
{
  pid_t child;
  int status = 0, failure = spawn(command, &child);
  if (failure != 0)
    return fail(error, LRGD_ERR_SPAWN, "the model cannot be started: %s",
                strerror(failure));
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return LRGD_OK;
  if (WIFSIGNALED(status))
    return fail(error, LRGD_ERR_ORACLE, "the model was ended by signal %d",
                WTERMSIG(status));
  return fail(error, LRGD_ERR_ORACLE, "the model ended with exit status %d",
              WEXITSTATUS(status));
}

/* The parameters times their scales plus their offsets, as the model reads
 * them. */
static const double *scaled(pest_model *model)
{
  const pest_case *of = &model->of;
  double *to = model->values + of->parameter_count;
  for (size_t i = 0; i < of->parameter_count; i++)
    to[i] =
        of->parameters[i].scale * model->values[i] + of->parameters[i].offset;
  return to;
}

lrgd_status pest_model_run(pest_model *model, const double *x,
                           double *simulated, lrgd_error *error)
{
  const pest_case *of = &model->of;
  lrgd_status status = LRGD_OK;
  pest_case_values(of, x, model->values);
  const double *given = scaled(model);
  for (size_t i = 0; i < of->input_count && status == LRGD_OK; i++)
    status = pest_template_write(&model->templates[i], of->inputs[i].models,
                                 given, of->point, error);
  /* remove the outputs of an earlier run */
  for (size_t i = 0; i < of->output_count; i++)
    (void)unlink(of->outputs[i].models);
  if (status == LRGD_OK) status = run_command(of->command, error);
  for (size_t i = 0; i < of->output_count && status == LRGD_OK; i++)
    status = pest_instructions_follow(&model->instructions[i],
                                      of->outputs[i].models, simulated, error);
  return status;
}
