/* Which r, and why: the numbers of a study turned into a decision and two
 * sentences. */
#include "analysis/study.h"

#include <math.h>
#include <stdio.h>

void lr_study_decide(lrgd_study *s)
{
  s->result.recommended_rank = s->p;
}

void lr_study_verdict(lrgd_study *s)
{
  (void)snprintf(s->result.verdict, sizeof s->result.verdict, "?");
}
