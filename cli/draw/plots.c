/* The files of --plot: checked before a run, written after it. */
#include "plots.h"

#include "cli/base/output_path.h"

lrgd_status plots_check(const cli_flags *flags, lrgd_error *error)
{
  size_t cursor = 0;
  const char *path;
  lrgd_status status = LRGD_OK;
  while (status == LRGD_OK &&
         (path = flags_next(flags, FLAG_PLOT, &cursor)) != NULL) {
    status = draw_check_name(path, error);
    if (status == LRGD_OK)
      status = place_check(flags, FLAG_PLOT, path, PLACE_OPENED, error);
  }
  return status;
}

lrgd_status plots_save(const draw_figure *figure, const cli_flags *flags,
                       lrgd_error *error)
{
  size_t cursor = 0;
  const char *path;
  lrgd_status status = LRGD_OK;
  while (status == LRGD_OK &&
         (path = flags_next(flags, FLAG_PLOT, &cursor)) != NULL) {
    status = draw_save(figure, path, error);
    if (status == LRGD_OK && !flags_has(flags, FLAG_QUIET))
      say("drew %s", path);
  }
  return status;
}
