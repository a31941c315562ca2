/* Loads a BLAS, with the right kernels where it is OpenBLAS.
 *
 * OpenBLAS chooses its kernels in its constructor.  Version 0.3.21 (Debian 12)
 * does not know newer Intel processors and falls back to those of 2004, four
 * times slower.  So it is loaded, asked which kernels it runs and, where they
 * are the oldest, loaded once more with OPENBLAS_CORETYPE set (5 ms in all).
 * Where another library of the process holds OpenBLAS it stays loaded, and its
 * kernels are what they are. */
#include "blas.h"

#include "base/status.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORETYPE "OPENBLAS_CORETYPE"
#define UNKNOWN "unknown"

lr_blas_table lr_blas = {.kernels = UNKNOWN};

/* The newest kernels of OpenBLAS 0.3.21 that this processor can run. */
static const char *newest_kernels(void)
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

const char *lr_blas_better(const char *kernels)
{
  bool oldest = strcmp(kernels, "Prescott") == 0;
  return oldest && getenv(CORETYPE) == NULL ? newest_kernels() : NULL;
}

/* ---- one library ---- */

/* ISO C has no conversion from void * to a pointer to a function; POSIX has
 * both of one size. */
static bool find(void *library, const char *name, void *function)
{
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static bool fill(lr_blas_table *table, void *library)
{
  char *(*corename)(void) = NULL;
  *table = (lr_blas_table){.library = library, .kernels = UNKNOWN};
  if (find(library, "openblas_get_corename", &corename))
    snprintf(table->kernels, sizeof table->kernels, "%s", corename());
  return find(library, "cblas_sgemm", &table->sgemm) &&
         find(library, "cblas_sgemv", &table->sgemv) &&
         find(library, "cblas_saxpy", &table->saxpy) &&
         find(library, "cblas_sscal", &table->sscal) &&
         find(library, "cblas_dsdot", &table->dsdot) &&
         find(library, "cblas_dsyr", &table->dsyr) &&
         find(library, "cblas_dsyrk", &table->dsyrk);
}

static bool load(lr_blas_table *table, const char *name)
{
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return false;
  if (fill(table, library)) return true;
  dlclose(library);
  return false;
}

/* Sets the variable around dlopen alone: programs that are started later do
 * not inherit it.  setenv may move the environment under a thread that reads
 * it; this thread is the only one that does (see blas.h), and those of
 * OpenBLAS have ended with dlclose. */
static bool load_again(lr_blas_table *table, const char *name,
                       const char *kernels)
{
  dlclose(table->library);
  bool set = setenv(CORETYPE, kernels, 1) == 0;
  bool loaded = load(table, name);
  if (set) unsetenv(CORETYPE); /* it was not there before: lr_blas_better */
  return loaded;
}

/* ---- the first of several ---- */

lrgd_status lr_blas_open(lr_blas_table *table, size_t count,
                         const char *const *names, lrgd_error *error)
{
  for (size_t i = 0; i < count; i++) {
    if (!load(table, names[i])) continue;
    const char *better = lr_blas_better(table->kernels);
    if (better == NULL || load_again(table, names[i], better)) return LRGD_OK;
  }
  *table = (lr_blas_table){.kernels = UNKNOWN};
  return lr_fail(error, LRGD_ERR_INVALID,
                 "networks need a BLAS: install libopenblas0-pthread (%s was "
                 "not found)",
                 names[0]);
}

lrgd_status lr_blas_need(lrgd_error *error)
{
  /* OpenBLAS as Debian and as Fedora name it, then whatever BLAS the system
   * has; the reference BLAS of Debian has the routines of CBLAS too */
  static const char *const names[] = {"libopenblas.so.0", "libopenblasp.so.0",
                                      "libblas.so.3",     "libflexiblas.so.3",
                                      "libcblas.so.3",    "libblis.so.4"};
  if (lr_blas.library != NULL) return LRGD_OK;
  return lr_blas_open(&lr_blas, sizeof names / sizeof names[0], names, error);
}
