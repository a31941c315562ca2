/* LRGD_POLICY="name=value name=value" changes rows of the policy before a test
 * program begins: tools/mutate tries in this way whether its tests notice. */
#include "base/policy_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void override(void)
{
  const char *text = getenv("LRGD_POLICY");
  char copy[512], *rest = NULL;
  if (!text) return;
  (void)snprintf(copy, sizeof copy, "%s", text);
  for (char *w = strtok_r(copy, " ", &rest); w;
       w = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(w, '=');
    if (value) *value++ = '\0';
    if (value && lr_policy_set(w, strtod(value, NULL))) continue;
    (void)fprintf(stderr, "LRGD_POLICY has no row and value in '%s'\n", w);
    exit(2);
  }
}
