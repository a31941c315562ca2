/* The index of a write-ahead log, in memory.  SQLite keeps it in a file beside
 * the log and creates that file where it is missing, as beside a copy: a reader
 * would leave it behind, and could not read where it may not write.
 *
 * For one connection, and only where no index file exists: every writer has
 * one.  It is installed in SQLite's method table for that file alone, and
 * nothing is registered for the process. */
#include "store_private.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct lr_own_index {
  sqlite3_io_methods
      methods; /* first, so that a file pointer leads to its index */
  void **parts;
  int count;
};

static lr_own_index *index_of(sqlite3_file *file)
{
  return (lr_own_index *)(uintptr_t)file->pMethods;
}

static int map(sqlite3_file *file, int part, int size, int extend,
               void volatile **to)
{
  lr_own_index *own = index_of(file);
  *to = NULL;
  if (part >= own->count && !extend) return SQLITE_OK;
  if (part >= own->count) {
    void **more = realloc(own->parts, ((size_t)part + 1) * sizeof *more);
    if (!more) return SQLITE_NOMEM;
    for (int i = own->count; i <= part; i++) more[i] = NULL;
    own->parts = more;
    own->count = part + 1;
  }
  if (!own->parts[part] && extend) own->parts[part] = calloc(1, (size_t)size);
  *to = own->parts[part];
  return *to || !extend ? SQLITE_OK : SQLITE_NOMEM;
}

/* Locks are not needed: no other process uses this index. */
static int lock(sqlite3_file *file, int offset, int n, int flags)
{
  (void)file;
  (void)offset;
  (void)n;
  (void)flags;
  return SQLITE_OK;
}

static void barrier(sqlite3_file *file)
{
  (void)file;
}

static int unmap(sqlite3_file *file, int remove)
{
  lr_own_index *own = index_of(file);
  (void)remove;
  for (int i = 0; i < own->count; i++) free(own->parts[i]);
  free(own->parts);
  own->parts = NULL;
  own->count = 0;
  return SQLITE_OK;
}

int lr_store_keep_index(lr_store *store)
{
  sqlite3_file *file = NULL;
  int code =
      sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code) return code;
  if (!file || !file->pMethods || file->pMethods->iVersion < 2)
    return SQLITE_OK; /* there is no index file to unlink */
  lr_own_index *own = calloc(1, sizeof *own);
  if (!own) return SQLITE_NOMEM;
  /* methods of a later version are not copied */
  memcpy(&own->methods, file->pMethods,
         file->pMethods->iVersion < 3 ? offsetof(sqlite3_io_methods, xFetch)
                                      : sizeof own->methods);
  if (own->methods.iVersion > 3) own->methods.iVersion = 3;
  own->methods.xShmMap = map;
  own->methods.xShmLock = lock;
  own->methods.xShmBarrier = barrier;
  own->methods.xShmUnmap = unmap;
  file->pMethods = &own->methods;
  store->index = own;
  return SQLITE_OK;
}
