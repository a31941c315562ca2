/* Shared by the commands that train networks. */
#ifndef CLI_NETWORK_H
#define CLI_NETWORK_H

#include "cli/base/flags.h"
#include "images.h"
#include "kind.h"

/* Checks that there are data and a BLAS; otherwise says how to get them. */
LRGD_MUST_CHECK lrgd_status network_check(const cli_flags *flags,
                                          lrgd_error *error);

/* Reads the data of --data DIR, --data tiny, or from where tools/mnist puts
 * them. */
LRGD_MUST_CHECK lrgd_status network_data(lr_dataset *set,
                                         const cli_flags *flags,
                                         lrgd_error *error);

/* Sets the layers pixels - hidden ... - classes; hidden as "784" or "64,32". */
LRGD_MUST_CHECK lrgd_status network_shape(lr_mlp *net, const lr_dataset *set,
                                          lr_reader *reader, lrgd_error *error);

/* Scores the network on all test images. */
LRGD_MUST_CHECK lrgd_status network_score(lr_score *score, const lr_mlp *net,
                                          const float *x,
                                          const lr_images *images,
                                          lrgd_error *error);

#endif
