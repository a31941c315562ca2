/* The name of a run: 128 random bits. */
#include "child.h"
#include "system.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void lr_run_id_draw(char *run_id)
{
  unsigned char random[16];
  if (!lr_system_random(random, sizeof random)) {
    /* a fallback without random bits: enough to tell two runs apart */
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t parts[2] = {(uint64_t)now.tv_nsec ^ ((uint64_t)now.tv_sec << 30),
                         (uint64_t)getpid()};
    memcpy(random, parts, sizeof random);
  }
  for (size_t i = 0; i < sizeof random; i++)
    (void)sprintf(run_id + 2 * i, "%02x", (unsigned)random[i]);
}

int lr_run_id_valid(const char *run_id)
{
  return strlen(run_id) == 32 && strspn(run_id, "0123456789abcdef") == 32;
}
