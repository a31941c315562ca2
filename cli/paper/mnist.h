/* The paper's experiment on networks: run, output and plot. */
#ifndef CLI_MNIST_H
#define CLI_MNIST_H

#include "cli/base/flags.h"
#include "cli/base/json_output.h"
#include "mnist_hessian.h"

/* One network: with the settings given, or with one of them varied. */
typedef struct mnist_row {
  char name[48];
  size_t p, n;
  double tau;
  double accuracy, loss; /* accuracy and loss on the test images */
  double *energy;        /* n numbers: sigma_i^2 / |G|_F^2; owned */
  double train_s, spectrum_s;
} mnist_row;

typedef struct cli_mnist {
  char data[64];
  mnist_row *rows; /* the first with the settings given */
  size_t count;
  mnist_hessian
      *hessian; /* the Hessian of the first row; NULL: not requested */
  double seconds;
} cli_mnist;

LRGD_MUST_CHECK lrgd_status mnist_run(cli_mnist **mnist, const cli_flags *flags,
                                      lrgd_error *error);
void mnist_free(cli_mnist **mnist);

/* ---- mnist_show.c ---- */

void mnist_print(const cli_mnist *mnist);
json_t *mnist_json(const cli_mnist *mnist);
void mnist_csv(const cli_mnist *mnist);
/* The paper's Figure 2. */
LRGD_MUST_CHECK lrgd_status mnist_draw(const cli_mnist *mnist, const char *path,
                                       lrgd_error *error);

#endif
