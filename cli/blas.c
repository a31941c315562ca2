/* Notices OpenBLAS on its oldest kernels and restarts the program with better
 * ones.  OpenBLAS reads the variable when it is loaded: hence a restart. */
#include "blas.h"

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CORETYPE "OPENBLAS_CORETYPE"
#define RESTARTED "LRGD_BLAS_RESTARTED"

/* A function of the BLAS in use, if it is OpenBLAS. */
static void *openblas_symbol(const char *name)
{
  void *program = dlopen(NULL, RTLD_LAZY);
  if (program == NULL) return NULL;
  void *symbol = dlsym(program, name);
  dlclose(program);
  return symbol;
}

const char *blas_kernels(void)
{
  void *symbol = openblas_symbol("openblas_get_corename");
  char *(*corename)(void) = NULL;
  memcpy(&corename, &symbol, sizeof corename);
  return corename != NULL ? corename() : "unknown";
}

void blas_be_one(void)
{
  void *symbol = openblas_symbol("openblas_set_num_threads");
  void (*set_threads)(int) = NULL;
  memcpy(&set_threads, &symbol, sizeof set_threads);
  if (set_threads != NULL) set_threads(1);
}

/* The newest kernels of OpenBLAS 0.3.21 that this processor can run. */
static const char *better_kernels(void)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return "Haswell";
#endif
  return NULL;
}

void blas_choose_kernels(char **argv)
{
  if (getenv(RESTARTED) != NULL) {
    /* what we set for ourselves is no business of the programs we start */
    unsetenv(RESTARTED);
    unsetenv(CORETYPE);
    return;
  }
  const char *better = better_kernels();
  if (better == NULL || getenv(CORETYPE) != NULL ||
      strcmp(blas_kernels(), "Prescott") != 0)
    return;
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = '\0';
  if (setenv(CORETYPE, better, 1) != 0 || setenv(RESTARTED, "1", 1) != 0)
    return;
  execv(path, argv);
  unsetenv(RESTARTED); /* could not restart: slower, not wrong */
  unsetenv(CORETYPE);
}
