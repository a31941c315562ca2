/* What the library has: this file sees the headers as they are. */
#include "sizes.h"

const size_t library_sizes[SIZE_COUNT] = SIZES;
