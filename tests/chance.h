/* Numbers that look like chance, the same every time. */
#ifndef LRGD_CHANCE_H
#define LRGD_CHANCE_H

/* In [0, 1). */
static inline double chance_share(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (1 << 24);
}

/* In [-1, 1). */
static inline double chance(unsigned *state)
{
  return 2 * chance_share(state) - 1;
}

#endif
