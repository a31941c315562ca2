/* Options of the type, read off the table of lrgd's, and its view. */
#include "tao_type.h"

#include <petsc/private/taoimpl.h>
#include <string.h>

PetscErrorCode tao_refused(Tao tao, const lrgd_error *error)
{
  SETERRQ(PetscObjectComm((PetscObject)tao), PETSC_ERR_ARG_WRONG, "%s",
          error->text);
}

PetscErrorCode tao_read_options(Tao tao, PetscOptionItems *PetscOptionsObject)
{
  TAO_LRGD *lr = tao->data;
  char flag[64], text[128], given[128];
  lrgd_error error;
  PetscBool set;
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject,
                        "lrgd: few directions, found by itself");
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    const lrgd_option *row = lrgd_option_at(i);
    PetscCall(PetscSNPrintf(flag, sizeof flag, "-tao_lrgd_%s", row->name));
    if (lrgd_options_get(&lr->options, row->name, text, sizeof text)) continue;
    PetscCall(PetscOptionsString(flag, row->help, "TaoLRGDRegister", text,
                                 given, sizeof given, &set));
    if (set && lrgd_options_set(&lr->options, row->name, given, &error))
      PetscCall(tao_refused(tao, &error));
  }
  PetscOptionsHeadEnd();
  PetscFunctionReturn(0);
}

PetscErrorCode tao_show(Tao tao, PetscViewer viewer)
{
  const TAO_LRGD *lr = tao->data;
  lrgd_options plain = lrgd_options_default();
  char text[128], usual[128];
  PetscBool ascii;
  PetscFunctionBegin;
  PetscCall(
      PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(0);
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    const char *name = lrgd_option_at(i)->name;
    if (lrgd_options_get(&lr->options, name, text, sizeof text) ||
        lrgd_options_get(&plain, name, usual, sizeof usual))
      continue;
    if (strcmp(name, "method") == 0 || strcmp(text, usual) != 0)
      PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %s\n", name, text));
  }
  if (!lr->ran) PetscFunctionReturn(0);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %s\n",
                                   lrgd_outcome_text(lr->result.outcome),
                                   lr->result.message));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  directions: %zu, evaluations: %" PRIu64 "\n", lr->result.rank,
      lrgd_counts_evaluations(&lr->result.counts)));
  if (lr->result.certificate.valid)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  |gradient| <= %g with confidence %g\n",
                                     lr->result.certificate.grad_norm_bound,
                                     lr->result.certificate.confidence));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "  sent by each rank: %" PRIu64
                                   " reductions, %" PRIu64 " bytes\n",
                                   lr->traffic.reductions, lr->traffic.bytes));
  PetscFunctionReturn(0);
}
