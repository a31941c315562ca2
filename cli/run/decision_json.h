/* Decisions as data: the members that a decision has, by name. */
#ifndef CLI_DECISION_JSON_H
#define CLI_DECISION_JSON_H

#include "cli/base/json_output.h"

#include <lrgd/lrgd.h>

/* Adds kind and the members of that kind to an object; *object is NULL where
 * memory is out. */
void decision_json(json_t **object, const lrgd_decision *decision);

#endif
