/* lrgd minimize mlp: a network trained with slopes only. */
#ifndef CLI_MINIMIZE_MLP_H
#define CLI_MINIMIZE_MLP_H

#include "cli/base/flags.h"
#include "kind.h"

/* The parameters of the problem mlp, for lrgd problems. */
extern const lr_problem_kind mlp_kind;

int mlp_minimize(const cli_flags *flags);

#endif
