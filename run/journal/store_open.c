/* Opening a journal: nothing in a file is trusted before it is checked, and a
 * file that is refused is not changed. */
#include "process/system.h"
#include "store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The whole schema, in the order of creation; that of the evaluations follows
 * from the list of columns (store.h).  A file with anything else in it
 * (a trigger, a view, another column) is refused.  "sittings" are the sessions:
 * journals of format 1 have that word. */
static const char *const tables[][2] = {
    {"run",
     "CREATE TABLE run(id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, "
     "dimension INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT"   },
    {"settings",
     "CREATE TABLE settings(ordinal INTEGER PRIMARY KEY, key TEXT NOT NULL, "
     "may_change INTEGER NOT NULL, text TEXT, numbers BLOB, "
     "sum INTEGER NOT NULL) STRICT"                               },
    {"sittings",
     "CREATE TABLE sittings(id INTEGER PRIMARY KEY, started TEXT NOT NULL, "
     "seconds REAL NOT NULL, in_flight INTEGER NOT NULL, "
     "outcome TEXT NOT NULL, sum INTEGER NOT NULL) STRICT"        },
    {"vectors",
     "CREATE TABLE vectors(id INTEGER PRIMARY KEY, stream INTEGER NOT NULL, "
     "kind INTEGER NOT NULL, base INTEGER NOT NULL, sum INTEGER NOT NULL, "
     "data BLOB NOT NULL) STRICT"                                 },
    {"evaluations", NULL                                          },
    {"notes",
     "CREATE TABLE notes(id INTEGER PRIMARY KEY, phase TEXT NOT NULL, "
     "rank INTEGER NOT NULL, iteration INTEGER NOT NULL, "
     "sum INTEGER NOT NULL) STRICT"                               },
    {"checks",
     "CREATE TABLE checks(id INTEGER PRIMARY KEY, of INTEGER NOT NULL, "
     "f REAL, seconds REAL NOT NULL, sum INTEGER NOT NULL) STRICT"},
    {"paths",
     "CREATE TABLE paths(id INTEGER PRIMARY KEY, after INTEGER NOT NULL, "
     "started TEXT NOT NULL, why TEXT NOT NULL, "
     "sum INTEGER NOT NULL) STRICT"                               },
    {"decisions",
     "CREATE TABLE decisions(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, "
     "cause TEXT NOT NULL, norm TEXT NOT NULL, evaluations INTEGER NOT NULL, "
     "iteration INTEGER NOT NULL, rank INTEGER NOT NULL, "
     "side INTEGER NOT NULL, input INTEGER NOT NULL, count INTEGER NOT NULL, "
     "f REAL, value REAL, level REAL, bound REAL, "
     "sum INTEGER NOT NULL) STRICT"                               },
};
enum { TABLES = sizeof tables / sizeof *tables };
enum { NOTES = 5, CHECKS = 6, PATHS = 7, DECISIONS = 8 };

/* The number of tables of a format: the first had no notes, the second neither
 * checks nor paths, the third no decisions. */
static size_t table_count(int version)
{
  static const size_t counts[] = {NOTES, CHECKS, DECISIONS};
  return version <= 3 ? counts[version - 1] : TABLES;
}

/* ---- connections ---- */

/* Disables what a malicious file could use, before it is read. */
static int harden(sqlite3 *db)
{
  static const struct {
    int what, value;
  } switches[] = {
      {SQLITE_DBCONFIG_DEFENSIVE,      1},
      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
      {SQLITE_DBCONFIG_ENABLE_VIEW,    0},
      {SQLITE_DBCONFIG_DQS_DDL,        0},
      {SQLITE_DBCONFIG_DQS_DML,        0}
  };
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
    int is = -1;
    int code = sqlite3_db_config(db, switches[i].what, switches[i].value, &is);
    if (code || is != switches[i].value) return code ? code : SQLITE_ERROR;
  }
  (void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  (void)sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 10000);
  (void)sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  return sqlite3_exec(db, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;",
                      NULL, NULL, NULL);
}

static lrgd_status connect_as(lr_store *store, const char *name, int flags,
                              lrgd_error *error)
{
  int code =
      sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
  if (!code && store->no_index) code = lr_store_keep_index(store);
  if (!code) code = sqlite3_extended_result_codes(store->db, 1);
  if (!code) code = sqlite3_busy_timeout(store->db, 10000);
  if (!code) code = harden(store->db);
  return code ? lr_store_fail(store, code, "open", error) : LRGD_OK;
}

static lrgd_status connect_to(lr_store *store, int flags, lrgd_error *error)
{
  return connect_as(store, store->path, flags, error);
}

static lr_store *make_store(const char *path)
{
  lr_store *store = calloc(1, sizeof *store);
  if (!store) return NULL;
  store->path = strdup(path);
  if (store->path) return store;
  free(store);
  return NULL;
}

void lr_store_close(lr_store **store)
{
  lr_store *gone = *store;
  if (!gone) return;
  for (size_t i = 0; i < LR_STATEMENTS; i++)
    (void)sqlite3_finalize(gone->statements[i]);
  (void)sqlite3_close(gone->db);
  free(gone->index);
  free(gone->path);
  free(gone);
  *store = NULL;
}

/* ---- whether the file is a journal ---- */

/* The first column of the first row, as an integer or as text. */
static lrgd_status ask_integer(lr_store *store, const char *sql, int64_t *value,
                               lrgd_error *error)
{
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
  if (!code) code = sqlite3_step(statement);
  if (code == SQLITE_ROW) *value = sqlite3_column_int64(statement, 0);
  (void)sqlite3_finalize(statement);
  return code == SQLITE_ROW ? LRGD_OK
                            : lr_store_fail(store, code, "read", error);
}

static int ask_text_is(lr_store *store, const char *sql, const char *expected)
{
  sqlite3_stmt *statement = NULL;
  int same = 0;
  if (!sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) &&
      sqlite3_step(statement) == SQLITE_ROW) {
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    same = text && !strcmp(text, expected);
  }
  (void)sqlite3_finalize(statement);
  return same;
}

static lrgd_status refuse(const lr_store *store, const char *why,
                          lrgd_error *error)
{
  if (lr_store_lacks_memory(store))
    return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  return lr_run_fail(error, LRGD_ERR_REFUSED, "%.200s: %s", store->path, why);
}

/* The statement that creates table i in a format. */
static const char *schema(size_t i, int version, char sql[LR_ROWS_SQL])
{
  return tables[i][1] ? tables[i][1] : lr_store_rows_schema(version, sql);
}

static int is_our_table(const lr_store *store, sqlite3_stmt *row, size_t i)
{
  const char *type = (const char *)sqlite3_column_text(row, 0);
  const char *name = (const char *)sqlite3_column_text(row, 1);
  const char *sql = (const char *)sqlite3_column_text(row, 2);
  char ours[LR_ROWS_SQL];
  return i < table_count(store->version) && type && name && sql &&
         !strcmp(type, "table") && !strcmp(name, tables[i][0]) &&
         !strcmp(sql, schema(i, store->version, ours));
}

static lrgd_status check_schema(lr_store *store, lrgd_error *error)
{
  sqlite3_stmt *row = NULL;
  int code = sqlite3_prepare_v2(
      store->db, "SELECT type, name, sql FROM sqlite_schema ORDER BY rowid", -1,
      &row, NULL);
  size_t i = 0;
  while (!code && (code = sqlite3_step(row)) == SQLITE_ROW) {
    if (!is_our_table(store, row, i)) break;
    code = 0;
    i++;
  }
  (void)sqlite3_finalize(row);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return lr_store_fail(store, code, "read", error);
  if (code == SQLITE_ROW || i != table_count(store->version))
    return refuse(store, "its tables are not those of a journal", error);
  return LRGD_OK;
}

/* nothing: there is no table and no application id, as nothing has been written
 * yet. */
static lrgd_status check_identity(lr_store *store, int *nothing,
                                  lrgd_error *error)
{
  int64_t application = 0, version = 0, entries = 0;
  *nothing = 0;
  lrgd_status status =
      ask_integer(store, "PRAGMA application_id", &application, error);
  if (!status)
    status = ask_integer(store, "PRAGMA user_version", &version, error);
  if (!status)
    status = ask_integer(store, "SELECT count(*) FROM sqlite_schema", &entries,
                         error);
  if (status) return status;
  *nothing = application == 0 && version == 0 && entries == 0;
  if (*nothing) return LRGD_OK;
  if (application != LR_STORE_APPLICATION)
    return refuse(store, "it is a database, but not a journal of lrgd", error);
  if (version < 1 || version > LR_STORE_VERSION)
    return lr_run_fail(
        error, LRGD_ERR_REFUSED,
        "%.200s: its format is %lld, this program knows 1 to %d: it "
        "was made by %s version",
        store->path, (long long)version, LR_STORE_VERSION,
        version > LR_STORE_VERSION ? "a newer" : "another");
  store->version = (int)version;
  if (!ask_text_is(store, "PRAGMA quick_check(1)", "ok"))
    return refuse(store, "it is damaged (quick_check)", error);
  return check_schema(store, error);
}

/* ---- opening to read ---- */

/* Looks at the file.  1: it has data; 0: it does not exist, or is empty. */
static int look(lr_store *store, lrgd_status *status, lrgd_error *error)
{
  *status = LRGD_OK;
  if (stat(store->path, &store->file)) {
    if (errno != ENOENT)
      *status = lr_run_fail(error, LRGD_ERR_STORAGE, "cannot open %.300s: %s",
                            store->path, strerror(errno));
    return 0;
  }
  if (!S_ISREG(store->file.st_mode)) {
    *status = refuse(store, "it is not a file", error);
    return 0;
  }
  if (store->file.st_nlink > 1) {
    *status = lr_run_fail(
        error, LRGD_ERR_REFUSED,
        "%.200s has %llu names (hard links): its lock and its log belong to "
        "one of them; remove the others (find DIR -samefile FILE lists them) "
        "or use a symbolic link",
        store->path, (unsigned long long)store->file.st_nlink);
    return 0;
  }
  return store->file.st_size > 0;
}

/* The application id in the file's header, 0 in a file just created; read from
 * the file itself while SQLite has it closed.  -1: there is no file. */
static int64_t read_mark(const char *path)
{
  unsigned char header[100] = {0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t n = pread(fd, header, sizeof header, 0);
  (void)close(fd);
  if (n != (ssize_t)sizeof header) return -1;
  return (int64_t)header[68] << 24 | (int64_t)header[69] << 16 |
         (int64_t)header[70] << 8 | header[71];
}

/* Without a log in shared memory (and while a journal is being created) a kill
 * leaves a transaction to roll back, which SQLite does when it may write. */
static lrgd_status recover_cut_off(lr_store *store, int recover, int *nothing,
                                   lrgd_error *error)
{
  (void)sqlite3_close(store->db);
  store->db = NULL;
  free(store->index);
  store->index = NULL;
  int64_t mark = read_mark(store->path);
  if (mark != LR_STORE_APPLICATION && mark != 0)
    return refuse(store, "it is not a journal of lrgd", error);
  *nothing = mark == 0; /* interrupted while it was being created */
  if (!recover && *nothing) return LRGD_OK;
  if (!recover)
    return lr_run_fail(error, LRGD_ERR_STORAGE,
                       "%.200s: a kill cut a write short; nothing is lost, and "
                       "the next session puts it right",
                       store->path);
  lrgd_status status = connect_to(store, SQLITE_OPEN_READWRITE, error);
  return status ? status : check_identity(store, nothing, error);
}

/* Whether a file with that suffix lies beside it.  Does not allocate: a failed
 * allocation would make the journal look as if in use. */
static int has_beside(const lr_store *store, const char *ending)
{
  char name[PATH_MAX + 16]; /* a longer path cannot be opened */
  struct stat other;
  (void)snprintf(name, sizeof name, "%s%s", store->path, ending);
  return stat(name, &other) == 0;
}

/* Whether there is neither a log nor a rollback journal beside the file: then
 * no process writes, since every writer has a log. */
static int is_alone(const lr_store *store)
{
  return !has_beside(store, "-wal") && !has_beside(store, "-journal");
}

/* Opens a journal that was closed regularly, declaring to SQLite that no
 * process writes. Otherwise SQLite would create a log and an index, which a
 * reader cannot remove, and could not read where it may not write. */
static lrgd_status read_in_place(lr_store *store, int *nothing,
                                 lrgd_error *error)
{
  lr_bytes name = {0};
  if (!lr_bytes_reserve(&name, 3 * strlen(store->path) + 32))
    return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  char *to = name.data + sprintf(name.data, "file:");
  for (const char *from = store->path; *from; from++)
    to += sprintf(to, "%%%02x", (unsigned)(unsigned char)*from);
  (void)sprintf(to, "?immutable=1");
  lrgd_status status = connect_as(
      store, name.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
  lr_bytes_free(&name);
  return status ? status : check_identity(store, nothing, error);
}

static lrgd_status read_beside_log(lr_store *store, int recover, int *nothing,
                                   lrgd_error *error)
{
  store->no_index = has_beside(store, "-wal") && !has_beside(store, "-shm");
  lrgd_status status = connect_to(store, SQLITE_OPEN_READONLY, error);
  store->no_index = 0;
  if (!status) status = check_identity(store, nothing, error);
  if (status && store->db &&
      sqlite3_extended_errcode(store->db) == SQLITE_READONLY_ROLLBACK)
    status = recover_cut_off(store, recover, nothing, error);
  return status;
}

lrgd_status lr_store_open_read(lr_store **store, const char *path, int recover,
                               lrgd_error *error)
{
  lrgd_status status;
  int nothing = 1;
  *store = NULL;
  lr_store *made = make_store(path);
  if (!made) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  if (look(made, &status, error))
    status = is_alone(made) ? read_in_place(made, &nothing, error)
                            : read_beside_log(made, recover, &nothing, error);
  if (status || nothing) lr_store_close(&made);
  *store = made;
  return status;
}

lrgd_status lr_store_say_missing(const char *path, lrgd_error *error)
{
  struct stat file;
  if (stat(path, &file))
    return lr_run_fail(error, LRGD_ERR_STORAGE, "there is no journal %.300s",
                       path);
  return lr_run_fail(error, LRGD_ERR_STORAGE,
                     "nothing is recorded in %.200s yet: its run has only just "
                     "begun, or was killed before it could; nothing is lost, "
                     "begin it again",
                     path);
}

/* ---- opening to write ---- */

/* Settings are read back: SQLite may silently keep others. */
static lrgd_status make_durable(lr_store *store, lrgd_error *error)
{
  /* shared memory, which WAL needs, does not work across machines */
  int wal = !lr_system_is_remote(store->path) &&
            ask_text_is(store, "PRAGMA journal_mode=WAL", "wal");
  if (wal) {
    lrgd_status status = lr_store_run(store, "PRAGMA synchronous=FULL", error);
    if (status) return status;
    if (ask_text_is(store, "PRAGMA synchronous", "2")) return LRGD_OK;
  } else if (ask_text_is(store, "PRAGMA journal_mode=TRUNCATE", "truncate")) {
    lrgd_status status = lr_store_run(store, "PRAGMA synchronous=EXTRA", error);
    if (status) return status;
    if (ask_text_is(store, "PRAGMA synchronous", "3")) return LRGD_OK;
  }
  return lr_store_fail(store, sqlite3_extended_errcode(store->db), "write",
                       error);
}

static lrgd_status put_facts(lr_store *store, const lr_run_facts *facts,
                             lrgd_error *error)
{
  sqlite3_stmt *put = NULL;
  int code = sqlite3_prepare_v2(store->db, "INSERT INTO run VALUES(1, ?, ?, ?)",
                                -1, &put, NULL);
  if (!code) code = sqlite3_bind_text(put, 1, facts->run_id, -1, SQLITE_STATIC);
  if (!code) code = sqlite3_bind_int64(put, 2, (int64_t)facts->dimension);
  if (!code)
    code = sqlite3_bind_int64(put, 3, (int64_t)lr_store_sum_facts(facts));
  if (!code) code = sqlite3_step(put);
  (void)sqlite3_finalize(put);
  return code == SQLITE_DONE ? LRGD_OK
                             : lr_store_fail(store, code, "write", error);
}

/* Creates the tables of the present format from the first-th on, and the
 * columns that the evaluations of an older one lack, in the transaction that
 * the journal commits with its session: a kill leaves the file unchanged. */
static lrgd_status make_tables(lr_store *store, size_t first, lrgd_error *error)
{
  char marks[100], sql[LR_ROWS_SQL];
  int before = store->version;
  (void)snprintf(marks, sizeof marks,
                 "PRAGMA application_id=%d; PRAGMA user_version=%d;",
                 LR_STORE_APPLICATION, LR_STORE_VERSION);
  lrgd_status status = lr_store_run(store, marks, error);
  if (!status && first > 0) status = lr_store_add_columns(store, before, error);
  for (size_t i = first; !status && i < TABLES; i++)
    status = lr_store_run(store, schema(i, LR_STORE_VERSION, sql), error);
  store->version = LR_STORE_VERSION;
  if (!status && first <= NOTES)
    status = lr_store_put_note(store, &(lr_note){0}, error);
  lr_path one = {.id = 1};
  if (!status && first <= PATHS) status = lr_store_put_path(store, &one, error);
  if (status || first > DECISIONS) return status;
  /* the last page has data, so that a truncated file is noticed */
  return lr_store_put_decision(store, 0, &(lrgd_phase){0}, error);
}

lrgd_status lr_store_open_write(lr_store **store, const char *path,
                                const lr_run_facts *facts, lrgd_error *error)
{
  int nothing = 0;
  *store = NULL;
  lr_store *made = make_store(path);
  if (!made) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  made->writes = 1;
  lrgd_status status =
      connect_to(made, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
  if (!status && sqlite3_db_readonly(made->db, "main"))
    status = lr_run_fail(error, LRGD_ERR_STORAGE, "%.300s is read-only", path);
  if (!status) status = make_durable(made, error);
  if (!status) status = check_identity(made, &nothing, error);
  if (!status) status = lr_store_run(made, "BEGIN IMMEDIATE", error);
  size_t have = status || nothing ? 0 : table_count(made->version);
  if (!status && (nothing || made->version < LR_STORE_VERSION))
    status = make_tables(made, have, error);
  if (!status && nothing) status = put_facts(made, facts, error);
  if (!status && stat(path, &made->file))
    status = lr_run_fail(error, LRGD_ERR_STORAGE, "cannot open %.300s: %s",
                         path, strerror(errno));
  if (status) lr_store_close(&made);
  *store = made;
  return status;
}
