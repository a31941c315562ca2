/* For those who write a function for `lrgd minimize --plugin FILE.so`.
 *
 * A plugin is a shared library that exports one symbol, lrgd_plugin.  It needs
 * only this header; it does not have to link to lrgd.
 *
 *   static double value(size_t p, const double *x, void *user) { ... }
 *
 *   lrgd_status lrgd_plugin(lrgd_problem *problem, const char *text,
 *                           lrgd_error *error)
 *   {
 *     if (problem->dimension == 0) problem->dimension = 100;
 *     problem->value = value;
 *     return LRGD_OK;
 *   }
 *
 *   cc -shared -fPIC -o mine.so mine.c
 *   lrgd minimize --plugin ./mine.so
 */
#ifndef LRGD_PLUGIN_H
#define LRGD_PLUGIN_H

#include <lrgd/lrgd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called once, before the run.  problem comes as lrgd_problem_init gives it,
 * with the dimension of --dim, or 0 where none was given: choose one then, or
 * refuse.  It has struct_size bytes; a plugin whose header is newer than the
 * command may set members beyond them, and is refused if it does.  Set at least
 * one callback; bounds and user are optional, and what they point to must live
 * as long as the process. text holds the --set arguments, one per line (""
 * without any), borrowed for the call.  On failure return another status and
 * leave a sentence in error->text. */
LRGD_API lrgd_status lrgd_plugin(lrgd_problem *problem, const char *text,
                                 lrgd_error *error);

typedef lrgd_status (*lrgd_plugin_fn)(lrgd_problem *problem, const char *text,
                                      lrgd_error *error);

#ifdef __cplusplus
}
#endif
#endif
