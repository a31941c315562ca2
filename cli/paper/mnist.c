/* lrgd reproduce mnist: the experiment of the paper's appendix on networks, and
 * the variations of its closing remark.  Training and spectrum are in the
 * network's files, the plot in mnist_show.c. */
#include "mnist.h"

#include "cli/base/cli_text.h"
#include "cli/run/mlp_data.h"
#include "cli/run/problem_source.h"
#include "cli/terminal/bar.h"
#include "network_spectrum.h"
#include "train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const lr_parameter parameters[] = {
    {"hidden",      "784",  "units of the hidden layers: 784 or 64,32"         },
    {"activation",  "relu", "relu or tanh"                                     },
    {"optimiser",   "adam", "adam or sgd (momentum 0.9)"                       },
    {"rate",        "auto", "of the optimiser; auto: 0.001 or 0.1"             },
    {"train_batch", "200",  "images of a training step"                        },
    {"tau",         "0.2",  "standard deviation of the perturbations of theta*"},
    {"n",           "100",  "perturbed points"                                 },
    {"batch",       "200",  "test images that define the risk"                 },
    {"seed",        "1",    "of start, shuffles and perturbations"             },
};

static const lr_problem_kind kind = {"mnist", "", parameters,
                                     COUNT_OF(parameters), NULL};

/* The settings of one experiment. */
typedef struct setup {
  lr_mlp net;
  lr_training training;
  lr_spectrum_request request;
  size_t batch;
} setup;

/* ---- flags ---- */

static lrgd_status read_epochs(const cli_flags *flags, size_t *epochs,
                               lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_EPOCHS);
  int64_t number;
  if (text == NULL) return LRGD_OK;
  if (!text_integer(text, 0, 100000, &number))
    return fail(error, LRGD_ERR_INVALID,
                "--epochs: \"%.40s\" is not a whole number from 0 to 100000",
                text);
  *epochs = (size_t)number;
  return LRGD_OK;
}

static lrgd_status read_setup(setup *s, const lr_dataset *set,
                              const cli_flags *flags,
                              const cli_settings *settings, lrgd_error *error)
{
  lr_reader reader = {.kind = &kind,
                      .settings = settings->entries,
                      .count = settings->count,
                      .error = error};
  *s = (setup){.training = lr_training_default()};
  if (lr_reader_check_names(&reader) != LRGD_OK) return reader.status;
  lrgd_status status = network_shape(&s->net, set, &reader, error);
  if (status == LRGD_OK)
    status = read_epochs(flags, &s->training.epochs, error);
  if (status != LRGD_OK) return status;
  bool sgd = lr_reader_choice(&reader, "optimiser", "adam|sgd") == 1;
  s->training.optimiser = sgd ? LR_SGD : LR_ADAM;
  s->training.rate = sgd ? 0.1 : 1e-3;
  s->training.momentum = 0.9;
  if (strcmp(lr_reader_text(&reader, "rate", NULL), "auto") != 0)
    s->training.rate = lr_reader_positive(&reader, "rate");
  s->training.batch =
      lr_reader_size(&reader, "train_batch", 1, set->train.count);
  s->request.tau = lr_reader_real(&reader, "tau", 0);
  s->request.n = lr_reader_size(&reader, "n", 1, 2000);
  s->batch = lr_reader_size(&reader, "batch", 1, set->test.count);
  s->training.seed = s->request.seed = lr_reader_seed(&reader);
  return reader.status;
}

/* ---- one experiment ---- */

/* Follows the progress of a training. */
typedef struct follower {
  cli_bar bar;
  mnist_hessian *hessian; /* NULL: the Hessian is not measured */
  lrgd_error *error;
  lrgd_status status;
} follower;

static bool on_step(size_t step, size_t steps, double loss, void *user)
{
  follower *f = user;
  char note[32];
  snprintf(note, sizeof note, "loss %.3g", loss);
  bar_update(&f->bar, (double)step, (double)steps, note);
  if (f->hessian != NULL && hessian_due(f->hessian, step, steps))
    f->status = hessian_look(f->hessian, step, f->error);
  return f->status == LRGD_OK;
}

static bool on_gradient(size_t done, size_t n, void *user)
{
  bar_update(user, (double)done, (double)n, "gradients");
  return true;
}

static lrgd_status train(setup *s, const lr_dataset *set, bool quiet, float *x,
                         mnist_hessian *hessian, mnist_row *row,
                         lrgd_error *error)
{
  double begin = clock_s();
  follower f = {
      .bar = bar_begin(quiet, "training"), .hessian = hessian, .error = error};
  lr_score score;
  s->training.progress = on_step;
  s->training.user = &f;
  lr_mlp_start(&s->net, s->training.seed, x);
  lrgd_status status = lr_train(&s->net, &set->train, &s->training, x, error);
  bar_end(&f.bar);
  if (status == LRGD_OK) status = f.status;
  if (status == LRGD_OK)
    status = network_score(&score, &s->net, x, &set->test, error);
  if (status != LRGD_OK) return status;
  row->accuracy = score.accuracy;
  row->loss = score.loss;
  row->train_s = clock_s() - begin;
  return LRGD_OK;
}

static lrgd_status look(setup *s, const lr_dataset *set, bool quiet,
                        const float *x, mnist_row *row, lrgd_error *error)
{
  double begin = clock_s();
  cli_bar bar = bar_begin(quiet, "gradients");
  lr_gather place = {NULL, NULL};
  row->n = s->request.n;
  row->energy = malloc(row->n * sizeof *row->energy);
  if (row->energy == NULL) return fail_memory(error);
  lrgd_status status =
      lr_gather_create(&place, s->batch, set->test.pixels, error);
  if (status == LRGD_OK) {
    s->request.progress = on_gradient;
    s->request.user = &bar;
    lr_batch batch = lr_gather_slice(&place, &set->test, 0, s->batch);
    status = lr_gradient_spectrum(&s->net, x, &batch, &s->request, row->energy,
                                  error);
  }
  bar_end(&bar);
  lr_gather_destroy(&place);
  row->spectrum_s = clock_s() - begin;
  return status;
}

/* ---- variations ---- */

/* How a row differs from the first row's settings; NULL: it is the first row.
 * If `trains`, a network is trained again for it; else the one before is
 * evaluated again. */
typedef struct variation {
  const char *name, *text;
  bool trains;
} variation;

static const variation variations[] = {
    {NULL,         NULL,   true },
    {"tau",        "0.1",  false},
    {"tau",        "0.3",  false},
    {"n",          "200",  false},
    {"batch",      "1000", false},
    {"hidden",     "392",  true },
    {"activation", "tanh", true },
    {"optimiser",  "sgd",  true },
};

static lrgd_status run_row(cli_mnist *m, const lr_dataset *set,
                           const cli_flags *flags, cli_settings *settings,
                           const variation *change, float **x,
                           lrgd_error *error)
{
  mnist_row *row = &m->rows[m->count++];
  setup s;
  size_t given = settings->count;
  if (change->name != NULL) {
    settings->entries[settings->count++] =
        (lr_setting){change->name, change->text};
    snprintf(row->name, sizeof row->name, "%s=%s", change->name, change->text);
  } else {
    snprintf(row->name, sizeof row->name, "as asked");
  }
  lrgd_status status = read_setup(&s, set, flags, settings, error);
  settings->count = given; /* the name of a variation is not owned */
  if (status != LRGD_OK) return status;
  bool quiet = flags_has(flags, FLAG_QUIET);
  row->p = s.net.p;
  row->tau = s.request.tau;
  if (change->trains) {
    free(*x);
    *x = malloc(s.net.p * sizeof **x);
    if (*x == NULL) return fail_memory(error);
    if (m->count == 1 && flags_has(flags, FLAG_HESSIAN))
      status = hessian_begin(&m->hessian, &s.net, set, *x, error);
    if (status == LRGD_OK)
      status = train(&s, set, quiet, *x, m->count == 1 ? m->hessian : NULL, row,
                     error);
  } else {
    row->accuracy = m->rows[0].accuracy;
    row->loss = m->rows[0].loss;
  }
  return status == LRGD_OK ? look(&s, set, quiet, *x, row, error) : status;
}

static lrgd_status run_rows(cli_mnist *m, const lr_dataset *set,
                            const cli_flags *flags, lrgd_error *error)
{
  cli_settings settings;
  float *x = NULL;
  size_t count = flags_has(flags, FLAG_VARIATIONS) ? COUNT_OF(variations) : 1;
  lrgd_status status = settings_read(&settings, flags, error);
  lr_setting *room =
      status == LRGD_OK
          ? realloc(settings.entries, (settings.count + 1) * sizeof *room)
          : NULL;
  if (room != NULL) settings.entries = room;
  if (status == LRGD_OK && room == NULL) status = fail_memory(error);
  for (size_t i = 0; status == LRGD_OK && i < count; i++)
    status = run_row(m, set, flags, &settings, &variations[i], &x, error);
  free(x);
  settings_free(&settings);
  return status;
}

lrgd_status mnist_run(cli_mnist **mnist, const cli_flags *flags,
                      lrgd_error *error)
{
  double begin = clock_s();
  lr_dataset set;
  cli_mnist *m = calloc(1, sizeof *m);
  if (m == NULL) return fail_memory(error);
  m->rows = calloc(COUNT_OF(variations), sizeof *m->rows);
  lrgd_status status =
      m->rows != NULL ? network_data(&set, flags, error) : fail_memory(error);
  if (status == LRGD_OK) {
    snprintf(m->data, sizeof m->data, "%s", set.name);
    status = run_rows(m, &set, flags, error);
    lr_dataset_free(&set);
  }
  m->seconds = clock_s() - begin;
  if (status != LRGD_OK) mnist_free(&m);
  *mnist = m;
  return status;
}

void mnist_free(cli_mnist **mnist)
{
  if (*mnist == NULL) return;
  for (size_t i = 0; i < (*mnist)->count; i++) free((*mnist)->rows[i].energy);
  hessian_free(&(*mnist)->hessian);
  free((*mnist)->rows);
  free(*mnist);
  *mnist = NULL;
}
