/* A temporary folder for one journal, `path`, and its removal. */
#ifndef JOURNAL_FOLDER_H
#define JOURNAL_FOLDER_H

#include "check.h"

#include <lrgd/run.h> /* it names parameters path */

#include <stdlib.h>
#include <unistd.h>

static char folder[64], path[80];

/* name: of the test program. */
static void make_folder(const char *name)
{
  snprintf(folder, sizeof folder, "/tmp/lrgd-%s-XXXXXX", name);
  check(mkdtemp(folder) != NULL, "a folder");
  snprintf(path, sizeof path, "%s/run.db", folder);
}

/* Removes the journal, what SQLite keeps beside it, and the folder. */
static void remove_folder(void)
{
  static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    char name[96];
    snprintf(name, sizeof name, "%s%s", path, ends[i]);
    (void)unlink(name);
  }
  (void)rmdir(folder);
}

#endif
