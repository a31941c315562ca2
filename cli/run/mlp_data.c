/* Finds the data, creates a network for them, and scores it. */
#include "mlp_data.h"

#include "blas.h"
#include "cli/base/own_file.h"

#include <string.h>

/* The default folder of the data: where tools/mnist puts them beside this
 * program, or as installed. */
static bool default_folder(char folder[PATH_MAX])
{
  return own_file(folder, "mnist/") || own_data(folder, "mnist", LRGD_DATADIR);
}

lrgd_status network_check(const cli_flags *flags, lrgd_error *error)
{
  char folder[PATH_MAX];
  if (flags_has(flags, FLAG_DATA) || default_folder(folder))
    return lr_blas_need(error);
  return fail(error, LRGD_ERR_INVALID,
              "there is no MNIST here: tools/mnist obtains it, --data DIR says "
              "where it is, --data tiny does without");
}

lrgd_status network_data(lr_dataset *set, const cli_flags *flags,
                         lrgd_error *error)
{
  lrgd_status status = network_check(flags, error);
  if (status != LRGD_OK) return status;
  char own[PATH_MAX];
  const char *folder = flags_text(flags, FLAG_DATA);
  if (folder == NULL) folder = default_folder(own) ? own : "mnist";
  if (strcmp(folder, "tiny") == 0)
    return lr_dataset_draw(set, 12, 10, 4000, 1000, 1, error);
  return lr_dataset_read(set, folder, error);
}

lrgd_status network_shape(lr_mlp *net, const lr_dataset *set, lr_reader *reader,
                          lrgd_error *error)
{
  double hidden[LR_MLP_LAYERS];
  size_t widths[LR_MLP_LAYERS + 2] = {set->train.pixels};
  size_t count = lr_reader_list(reader, "hidden", COUNT_OF(hidden), hidden);
  size_t tanh = lr_reader_choice(reader, "activation", "relu|tanh");
  if (reader->status != LRGD_OK) return reader->status;
  if (count > LR_MLP_LAYERS - 1)
    return fail(error, LRGD_ERR_INVALID,
                "hidden has %zu layers; there can be %d", count,
                LR_MLP_LAYERS - 1);
  for (size_t i = 0; i < count; i++) {
    if (!(hidden[i] >= 1 && hidden[i] <= 100000) ||
        hidden[i] != (double)(size_t)hidden[i])
      return fail(error, LRGD_ERR_INVALID,
                  "hidden: %g is no number of units from 1 to 100000",
                  hidden[i]);
    widths[i + 1] = (size_t)hidden[i];
  }
  widths[count + 1] = set->classes;
  return lr_mlp_make(net, count + 2, widths, tanh ? LR_TANH : LR_RELU, error);
}

lrgd_status network_score(lr_score *score, const lr_mlp *net, const float *x,
                          const lr_images *images, lrgd_error *error)
{
  enum { SLICE = 1000 };
  lr_mlp_work *work = NULL;
  lr_gather place = {NULL, NULL};
  lrgd_status status = lr_mlp_work_create(&work, net, SLICE, 0, error);
  if (status == LRGD_OK)
    status = lr_gather_create(&place, SLICE, images->pixels, error);
  if (status == LRGD_OK)
    *score = lr_score_of(net, work, &place, SLICE, x, images);
  lr_mlp_work_destroy(&work);
  lr_gather_destroy(&place);
  return status;
}
