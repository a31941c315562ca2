/* The name that a mistyped one was probably meant to be. */
#ifndef LR_NEAR_NAME_H
#define LR_NEAR_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Whether two names are the same but for leading dashes, and '-' for '_'. */
bool lr_same_name(const char *name, const char *given);

/* The number of letters to be added, removed or replaced to make one name of
 * the other; SIZE_MAX for names of 64 letters or more. */
size_t lr_name_distance(const char *a, const char *b);

#endif
