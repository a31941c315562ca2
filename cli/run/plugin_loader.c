/* Loads plugins; the only place that loads foreign code into this process.  The
 * file named is loaded, without a library search path. */
#include "plugin_loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <lrgd/plugin.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static lrgd_status check_problem(const lrgd_problem *problem, const char *path,
                                 lrgd_error *error)
{
  if (problem->dimension == 0)
    return fail(error, LRGD_ERR_INVALID,
                "%s: the plugin does not say how many inputs; give --dim",
                path);
  if (problem->value == NULL && problem->values == NULL &&
      problem->gradient == NULL && problem->slopes == NULL &&
      problem->complex_value == NULL)
    return fail(error, LRGD_ERR_INVALID, "%s: the plugin sets no callback",
                path);
  return LRGD_OK;
}

static lrgd_status ask_plugin(void *library, lrgd_problem *problem,
                              const char *path, const char *text,
                              lrgd_error *error)
{
  void *symbol = dlsym(library, "lrgd_plugin");
  if (symbol == NULL)
    return fail(error, LRGD_ERR_INVALID, "%s: exports no lrgd_plugin", path);
  lrgd_plugin_fn plugin;
  /* the conversion that POSIX prescribes for dlsym */
  memcpy(&plugin, &symbol, sizeof plugin);
  lrgd_error reason = {.text = ""};
  size_t asked = problem->dimension;
  /* room for a longer struct, which the plugin's newer header may have */
  union {
    lrgd_problem problem;
    unsigned char bytes[sizeof(lrgd_problem) + 1024];
  } given = {.bytes = {0}};
  given.problem = *problem;
  lrgd_status status = plugin(&given.problem, text, &reason);
  *problem = given.problem;
  problem->struct_size = sizeof *problem;
  for (size_t i = sizeof *problem; i < sizeof given; i++)
    if (given.bytes[i] != 0)
      return fail(error, LRGD_ERR_INVALID,
                  "%s: was made for a newer version: it sets parts of the "
                  "problem that this one does not know",
                  path);
  if (status != LRGD_OK)
    return fail(error, LRGD_ERR_INVALID, "%s: %.400s", path,
                reason.text[0] != '\0' ? reason.text : "the plugin refused");
  if (asked != 0 && problem->dimension != asked)
    return fail(error, LRGD_ERR_INVALID,
                "%s: has %zu inputs, but --dim asks for %zu", path,
                problem->dimension, asked);
  return check_problem(problem, path, error);
}

lrgd_status plugin_open(void **library, lrgd_problem *problem, const char *path,
                        const char *text, lrgd_error *error)
{
  *library = NULL;
  char *real = realpath(path, NULL);
  if (real == NULL)
    return fail(error, LRGD_ERR_SPAWN, "%s: %s", path, strerror(errno));
  struct stat facts;
  if (stat(real, &facts) == 0 && !S_ISREG(facts.st_mode)) {
    free(real);
    return fail(error, LRGD_ERR_SPAWN, "%s: is not a file", path);
  }
  *library = dlopen(real, RTLD_NOW | RTLD_LOCAL);
  free(real);
  if (*library == NULL)
    return fail(error, LRGD_ERR_SPAWN, "cannot be loaded: %.400s", dlerror());
  lrgd_status status = ask_plugin(*library, problem, path, text, error);
  if (status != LRGD_OK) plugin_close(library);
  return status;
}

void plugin_close(void **library)
{
  if (*library != NULL) dlclose(*library);
  *library = NULL;
}
