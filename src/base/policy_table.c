/* The policy by name; stands for policy.c. */
#include "base/policy_table.h"

#include <string.h>

typedef struct entry {
  lr_policy_row row;
  size_t offset;
} entry;

/* clang-format off */
#define ENTRY(room, name, value, unit, reason, test) \
  {{room, #name, value, unit, reason, test}, offsetof(lr_policy, name)},
#define STEP(...) ENTRY("step", __VA_ARGS__)
#define MODEL(...) ENTRY("model", __VA_ARGS__)
#define DFO(...) ENTRY("dfo", __VA_ARGS__)
#define SURROGATE(...) ENTRY("surrogate", __VA_ARGS__)
#define HIDDEN(...) ENTRY("hidden", __VA_ARGS__)
#define AUTO(...) ENTRY("auto", __VA_ARGS__)
#define EMBEDDING(...) ENTRY("embedding", __VA_ARGS__)
#define QUASI_NEWTON(...) ENTRY("quasi-newton", __VA_ARGS__)
#define POLYTOPE(...) ENTRY("polytope", __VA_ARGS__)
#define PAPER(...) ENTRY("paper", __VA_ARGS__)
#define CERTIFICATE(...) ENTRY("certificate", __VA_ARGS__)
#define DIFFERENCE(...) ENTRY("difference", __VA_ARGS__)
#define ANSWERS(...) ENTRY("answers", __VA_ARGS__)
#define VARIABLES(...) ENTRY("variables", __VA_ARGS__)
#define NOISE(...) ENTRY("noise", __VA_ARGS__)
#define LEARN(...) ENTRY("learn", __VA_ARGS__)
#define DIAGNOSIS(...) ENTRY("diagnosis", __VA_ARGS__)
#define CONSTRAINED(...) ENTRY("constrained", __VA_ARGS__)
#define LEAST_SQUARES(...) ENTRY("least-squares", __VA_ARGS__)
#define WIDE(...) ENTRY("wide", __VA_ARGS__)

static const entry table[] = {
  LR_POLICY_STEP(STEP)
  LR_POLICY_MODEL(MODEL)
  LR_POLICY_DFO(DFO)
  LR_POLICY_SURROGATE(SURROGATE)
  LR_POLICY_HIDDEN(HIDDEN)
  LR_POLICY_AUTO(AUTO)
  LR_POLICY_EMBEDDING(EMBEDDING)
  LR_POLICY_QUASI_NEWTON(QUASI_NEWTON)
  LR_POLICY_POLYTOPE(POLYTOPE)
  LR_POLICY_PAPER(PAPER)
  LR_POLICY_CERTIFICATE(CERTIFICATE)
  LR_POLICY_DIFFERENCE(DIFFERENCE)
  LR_POLICY_ANSWERS(ANSWERS)
  LR_POLICY_VARIABLES(VARIABLES)
  LR_POLICY_NOISE(NOISE)
  LR_POLICY_LEARN(LEARN)
  LR_POLICY_DIAGNOSIS(DIAGNOSIS)
  LR_POLICY_CONSTRAINED(CONSTRAINED)
  LR_POLICY_LEAST_SQUARES(LEAST_SQUARES)
  LR_POLICY_WIDE(WIDE)
};
/* clang-format on */

enum { ROWS = sizeof table / sizeof table[0] };

_Static_assert(sizeof(lr_policy) == ROWS * sizeof(double),
               "every row of the policy is in the table");

static lr_policy values = {
#define LR_POLICY_DEFAULT(name, value, unit, reason, test) .name = (value),
    LR_POLICY(LR_POLICY_DEFAULT)};

const lr_policy *lr_policy_current(void)
{
  return &values;
}

const lr_policy_row *lr_policy_row_at(size_t i)
{
  return i < ROWS ? &table[i].row : NULL;
}

bool lr_policy_set(const char *name, double value)
{
  for (size_t i = 0; i < ROWS; i++) {
    if (strcmp(name, table[i].row.name) != 0) continue;
    memcpy((char *)&values + table[i].offset, &value, sizeof value);
    return true;
  }
  return false;
}
