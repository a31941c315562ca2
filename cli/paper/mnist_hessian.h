/* The Hessian of a network during training. */
#ifndef CLI_MNIST_HESSIAN_H
#define CLI_MNIST_HESSIAN_H

#include "cli/base/cli.h"
#include "cli/base/json_output.h"
#include "images.h"

enum { MNIST_LOOKS = 14, MNIST_EIGENVALUES = 20 };

typedef struct mnist_hessian mnist_hessian;

/* Copies net; borrows the images and x until the last measurement. */
LRGD_MUST_CHECK lrgd_status hessian_begin(mnist_hessian **hessian,
                                          const lr_mlp *net,
                                          const lr_dataset *set, const float *x,
                                          lrgd_error *error);
/* Whether a measurement is due after this step. */
bool hessian_due(const mnist_hessian *hessian, size_t step, size_t steps);
LRGD_MUST_CHECK lrgd_status hessian_look(mnist_hessian *hessian, size_t step,
                                         lrgd_error *error);
void hessian_free(mnist_hessian **hessian);

void hessian_print(const mnist_hessian *hessian);
json_t *hessian_json(const mnist_hessian *hessian);
LRGD_MUST_CHECK lrgd_status hessian_draw(const mnist_hessian *hessian,
                                         const char *path, lrgd_error *error);

#endif
