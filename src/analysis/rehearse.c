#include "analysis/study.h"
lrgd_status lr_study_rehearse(lrgd_study *s, lrgd_error *error)
{
  (void)s;
  (void)error;
  return LRGD_OK;
}
