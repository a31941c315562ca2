/* Writing to the journal's file, and the meaning of SQLite's errors. */
#include "process/held_signal.h"
#include "store_private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- complaints ---- */

static lrgd_status status_of(int code)
{
  switch (code & 0xff) {
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT:
  case SQLITE_FORMAT: return LRGD_ERR_REFUSED;
  case SQLITE_BUSY:
  case SQLITE_LOCKED: return LRGD_ERR_LOCKED;
  case SQLITE_NOMEM: return LRGD_ERR_NOMEM;
  default: return LRGD_ERR_STORAGE;
  }
}

lrgd_status lr_store_fail(lr_store *store, int code, const char *what,
                          lrgd_error *error)
{
  int system = store->db ? sqlite3_system_errno(store->db) : 0;
  int wrote = (code & 0xff) == SQLITE_IOERR && code != SQLITE_IOERR_FSYNC &&
              code != SQLITE_IOERR_DIR_FSYNC;
  /* a limit on file sizes acts like a full disk */
  store->full =
      (code & 0xff) == SQLITE_FULL ||
      (wrote && (system == EFBIG || system == ENOSPC || system == EDQUOT));
  const char *reason = sqlite3_errstr(code);
  if ((code & 0xff) == SQLITE_NOTADB) reason = "it is not a journal of lrgd";
  return lr_run_fail(error, status_of(code), "cannot %s %.200s: %s%s%s", what,
                     store->path, reason, system ? ": " : "",
                     system ? strerror(system) : "");
}

int lr_store_lacks_memory(const lr_store *store)
{
  return store->db && (sqlite3_errcode(store->db) & 0xff) == SQLITE_NOMEM;
}

int lr_store_is_full(const lr_store *store)
{
  return store->full;
}

lrgd_status lr_store_run(lr_store *store, const char *sql, lrgd_error *error)
{
  int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
  return code ? lr_store_fail(store, code, "write", error) : LRGD_OK;
}

sqlite3_stmt *lr_store_statement(lr_store *store, lr_statement which,
                                 lrgd_error *error)
{
  static const char *const texts[LR_STATEMENTS] = {
      "INSERT INTO vectors(id, stream, kind, base, sum, data) "
      "VALUES(?, ?, ?, ?, ?, ?)",
      LR_INSERT_ROW,
      "INSERT OR REPLACE INTO sittings(id, started, seconds, in_flight, "
      "outcome, sum) VALUES(?, ?, ?, ?, ?, ?)",
      "DELETE FROM sittings WHERE id = ?1 AND NOT EXISTS "
      "(SELECT 1 FROM evaluations WHERE sitting = ?1)",
      "INSERT OR REPLACE INTO settings(ordinal, key, may_change, text, "
      "numbers, sum) VALUES(coalesce("
      "(SELECT ordinal FROM settings WHERE key = ?1), "
      "(SELECT coalesce(max(ordinal), 0) + 1 FROM settings)), "
      "?1, ?2, ?3, ?4, ?5)",
      "INSERT OR REPLACE INTO notes(id, phase, rank, iteration, sum) "
      "VALUES(1, ?, ?, ?, ?)",
      "INSERT INTO paths(id, after, started, why, sum) VALUES(?, ?, ?, ?, ?)",
      "INSERT INTO checks(of, f, seconds, sum) VALUES(?, ?, ?, ?)",
      "INSERT OR REPLACE INTO decisions(id, kind, cause, norm, evaluations, "
      "iteration, rank, side, input, count, f, value, level, bound, sum) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      "DELETE FROM decisions WHERE id > 0",
      "UPDATE evaluations SET f = NULL, answer = zeroblob(0), why = ?1, "
      "sum = ?2 WHERE sequence = ?3",
      "UPDATE evaluations SET f = ?1, answer = ?2, sum = ?3 "
      "WHERE sequence = ?4",
      NULL, /* LR_GET_ROW: by the columns of the file's format */
      "SELECT id, stream, kind, base, sum, data FROM vectors WHERE id = ?",
  };
  sqlite3_stmt **statement = &store->statements[which];
  if (*statement) {
    (void)sqlite3_reset(*statement);
    return *statement;
  }
  char rows[LR_ROWS_SQL];
  const char *text =
      which == LR_GET_ROW
          ? lr_store_rows_query(store, "WHERE sequence = ?", rows)
          : texts[which];
  int code = sqlite3_prepare_v3(store->db, text, -1, SQLITE_PREPARE_PERSISTENT,
                                statement, NULL);
  if (code) (void)lr_store_fail(store, code, "use", error);
  return code ? NULL : *statement;
}

/* ---- checksums: over everything a row says ---- */

uint64_t lr_store_sum_text(uint64_t sum, const char *text)
{
  return text ? lr_sum_bytes(sum, text, strlen(text)) : lr_sum_u64(sum, 7);
}

uint64_t lr_store_sum_double(uint64_t sum, double value)
{
  char bytes[8];
  lr_put_doubles(bytes, &value, 1);
  return lr_sum_bytes(sum, bytes, sizeof bytes);
}

uint64_t lr_store_sum_vector(int stream, const lr_coded *coded)
{
  uint64_t sum = lr_sum_u64(2, coded->id);
  sum = lr_sum_u64(sum, (uint64_t)stream);
  sum = lr_sum_u64(sum, (uint64_t)coded->kind);
  sum = lr_sum_u64(sum, coded->base);
  return lr_sum_bytes(sum, coded->data, coded->size);
}

uint64_t lr_store_sum_setting(const lrgd_setting *setting, const char *blob,
                              size_t size)
{
  uint64_t sum = lr_store_sum_text(3, setting->key);
  sum = lr_sum_u64(sum,
                   (uint64_t)(setting->may_change & LRGD_SETTING_MAY_CHANGE));
  sum = lr_store_sum_text(sum, setting->text);
  return blob ? lr_sum_bytes(sum, blob, size) : lr_sum_u64(sum, 7);
}

uint64_t lr_store_sum_session(const lr_journal_session *session)
{
  uint64_t sum = lr_sum_u64(4, session->id);
  sum = lr_store_sum_text(sum, session->started);
  sum = lr_store_sum_double(sum, session->seconds);
  sum = lr_sum_u64(sum, session->in_flight);
  return lr_store_sum_text(sum, session->outcome);
}

uint64_t lr_store_sum_note(const lr_note *note)
{
  uint64_t sum = lr_sum_u64(lr_store_sum_text(6, note->phase), note->rank);
  return lr_sum_u64(sum, note->iteration);
}

uint64_t lr_store_sum_path(const lr_path *path)
{
  uint64_t sum = lr_sum_u64(lr_sum_u64(8, path->id), path->after);
  return lr_store_sum_text(lr_store_sum_text(sum, path->started), path->why);
}

uint64_t lr_store_sum_check(const lr_check *check)
{
  /* NaNs differ in bits that a column does not keep */
  uint64_t sum = lr_sum_u64(9, check->of);
  sum =
      isnan(check->f) ? lr_sum_u64(sum, 7) : lr_store_sum_double(sum, check->f);
  return lr_store_sum_double(sum, check->seconds);
}

uint64_t lr_store_sum_facts(const lr_run_facts *facts)
{
  return lr_sum_u64(lr_store_sum_text(5, facts->run_id), facts->dimension);
}

/* ---- transactions ---- */

/* A limit on file sizes must be an error: SIGXFSZ is held back. */
static lrgd_status run_held(lr_store *store, const char *sql, lrgd_error *error)
{
  store->full = 0;
  lr_held_signal h = lr_hold_signal(SIGXFSZ);
  lrgd_status status = lr_store_run(store, sql, error);
  lr_release_signal(&h);
  return status;
}

lrgd_status lr_store_begin(lr_store *store, int *full, lrgd_error *error)
{
  *full = 0;
  /* an open read would prevent the removal of the log */
  (void)sqlite3_reset(store->statements[LR_GET_ROW]);
  (void)sqlite3_reset(store->statements[LR_GET_VECTOR]);
  if (!sqlite3_get_autocommit(store->db)) return LRGD_OK;
  lrgd_status status = run_held(store, "BEGIN IMMEDIATE", error);
  *full = store->full;
  return status;
}

lrgd_status lr_store_commit(lr_store *store, int *full, lrgd_error *error)
{
  if (!lr_store_is_current(store))
    return lr_run_fail(error, LRGD_ERR_STORAGE,
                       "%.300s was moved or replaced while it was in use",
                       store->path);
  lrgd_status status = run_held(store, "COMMIT", error);
  *full = store->full;
  return status;
}

void lr_store_abandon(lr_store *store)
{
  if (!sqlite3_get_autocommit(store->db))
    (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

int lr_store_is_current(const lr_store *store)
{
  struct stat now;
  return stat(store->path, &now) == 0 && now.st_dev == store->file.st_dev &&
         now.st_ino == store->file.st_ino;
}

uint64_t lr_store_bytes(const lr_store *store)
{
  struct stat now;
  return stat(store->path, &now) == 0 ? (uint64_t)now.st_size : 0;
}

/* ---- writing rows ---- */

lrgd_status lr_store_finish(lr_store *store, sqlite3_stmt *put, int code,
                            lrgd_error *error)
{
  store->full = 0;
  /* a large row may spill to the disk before the commit */
  lr_held_signal h = lr_hold_signal(SIGXFSZ);
  if (!code) code = sqlite3_step(put);
  lr_release_signal(&h);
  lrgd_status status = code == SQLITE_DONE
                           ? LRGD_OK
                           : lr_store_fail(store, code, "write", error);
  (void)sqlite3_reset(put);
  (void)sqlite3_clear_bindings(put);
  return status;
}

static int bind_numbers(sqlite3_stmt *put, int first, const uint64_t *values,
                        int count)
{
  int code = SQLITE_OK;
  for (int i = 0; i < count && !code; i++)
    code = sqlite3_bind_int64(put, first + i, (int64_t)values[i]);
  return code;
}

int lr_store_bind_text(sqlite3_stmt *put, int at, const char *text)
{
  if (!text) return sqlite3_bind_null(put, at);
  return sqlite3_bind_text(put, at, text, -1, SQLITE_STATIC);
}

int lr_store_bind_blob(sqlite3_stmt *put, int at, const char *data, size_t size)
{
  if (size == 0) return sqlite3_bind_zeroblob(put, at, 0);
  return sqlite3_bind_blob64(put, at, data, size, SQLITE_STATIC);
}

lrgd_status lr_store_put_vector(lr_store *store, int stream,
                                const lr_coded *coded, lrgd_error *error)
{
  sqlite3_stmt *put = lr_store_statement(store, LR_PUT_VECTOR, error);
  if (!put) return LRGD_ERR_STORAGE;
  const uint64_t values[] = {coded->id, (uint64_t)stream, (uint64_t)coded->kind,
                             coded->base, lr_store_sum_vector(stream, coded)};
  int code = bind_numbers(put, 1, values, 5);
  if (!code) code = lr_store_bind_blob(put, 6, coded->data, coded->size);
  return lr_store_finish(store, put, code, error);
}

lrgd_status lr_store_put_session(lr_store *store,
                                 const lr_journal_session *session,
                                 lrgd_error *error)
{
  sqlite3_stmt *put = lr_store_statement(store, LR_PUT_SESSION, error);
  if (!put) return LRGD_ERR_STORAGE;
  int code = sqlite3_bind_int64(put, 1, (int64_t)session->id);
  if (!code) code = lr_store_bind_text(put, 2, session->started);
  if (!code) code = sqlite3_bind_double(put, 3, session->seconds);
  if (!code) code = sqlite3_bind_int64(put, 4, (int64_t)session->in_flight);
  if (!code) code = lr_store_bind_text(put, 5, session->outcome);
  if (!code)
    code = sqlite3_bind_int64(put, 6, (int64_t)lr_store_sum_session(session));
  return lr_store_finish(store, put, code, error);
}

lrgd_status lr_store_drop_session(lr_store *store, uint64_t id,
                                  lrgd_error *error)
{
  int full;
  lrgd_status status = lr_store_begin(store, &full, error);
  if (status) return status;
  sqlite3_stmt *drop = lr_store_statement(store, LR_DROP_SESSION, error);
  status =
      drop ? lr_store_finish(store, drop,
                             sqlite3_bind_int64(drop, 1, (int64_t)id), error)
           : LRGD_ERR_STORAGE;
  if (!status) status = lr_store_commit(store, &full, error);
  if (status) lr_store_abandon(store);
  return status;
}

lrgd_status lr_store_put_note(lr_store *store, const lr_note *note,
                              lrgd_error *error)
{
  sqlite3_stmt *put = lr_store_statement(store, LR_PUT_NOTE, error);
  if (!put) return LRGD_ERR_STORAGE;
  const uint64_t values[] = {note->rank, note->iteration,
                             lr_store_sum_note(note)};
  int code = lr_store_bind_text(put, 1, note->phase);
  if (!code) code = bind_numbers(put, 2, values, 3);
  return lr_store_finish(store, put, code, error);
}

lrgd_status lr_store_put_path(lr_store *store, const lr_path *path,
                              lrgd_error *error)
{
  sqlite3_stmt *put = lr_store_statement(store, LR_PUT_PATH, error);
  if (!put) return LRGD_ERR_STORAGE;
  const uint64_t values[] = {path->id, path->after};
  int code = bind_numbers(put, 1, values, 2);
  if (!code) code = lr_store_bind_text(put, 3, path->started);
  if (!code) code = lr_store_bind_text(put, 4, path->why);
  if (!code)
    code = sqlite3_bind_int64(put, 5, (int64_t)lr_store_sum_path(path));
  return lr_store_finish(store, put, code, error);
}

lrgd_status lr_store_put_check(lr_store *store, const lr_check *check,
                               lrgd_error *error)
{
  sqlite3_stmt *put = lr_store_statement(store, LR_PUT_CHECK, error);
  if (!put) return LRGD_ERR_STORAGE;
  int code = sqlite3_bind_int64(put, 1, (int64_t)check->of);
  if (!code) code = sqlite3_bind_double(put, 2, check->f); /* NaN: NULL */
  if (!code) code = sqlite3_bind_double(put, 3, check->seconds);
  if (!code)
    code = sqlite3_bind_int64(put, 4, (int64_t)lr_store_sum_check(check));
  return lr_store_finish(store, put, code, error);
}

lrgd_status lr_store_clear_settings(lr_store *store, lrgd_error *error)
{
  store->full = 0;
  return run_held(store, "DELETE FROM settings", error);
}

lrgd_status lr_store_put_setting(lr_store *store, const lrgd_setting *setting,
                                 lrgd_error *error)
{
  sqlite3_stmt *put = lr_store_statement(store, LR_PUT_SETTING, error);
  if (!put) return LRGD_ERR_STORAGE;
  lr_bytes blob = {0};
  size_t size = setting->numbers ? 8 * setting->count : 0;
  if (setting->numbers && !lr_bytes_reserve(&blob, size + 1))
    return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  if (blob.data) lr_put_doubles(blob.data, setting->numbers, setting->count);
  int code = lr_store_bind_text(put, 1, setting->key);
  if (!code)
    code =
        sqlite3_bind_int(put, 2, setting->may_change & LRGD_SETTING_MAY_CHANGE);
  if (!code) code = lr_store_bind_text(put, 3, setting->text);
  if (!code && blob.data) code = lr_store_bind_blob(put, 4, blob.data, size);
  if (!code)
    code = sqlite3_bind_int64(
        put, 5, (int64_t)lr_store_sum_setting(setting, blob.data, size));
  lrgd_status status = lr_store_finish(store, put, code, error);
  lr_bytes_free(&blob);
  return status;
}
