/* Creation and destruction of the pool, and its callbacks.  The evaluation loop
 * is in pool_ask.c; processes are behind child.h. */
#include "pool.h"
#include "system.h"
#include "workdir.h"

#include "base/sized.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void lrgd_pool_options_init(lrgd_pool_options *options, size_t size)
{
  lrgd_pool_options o = {.struct_size = sizeof o,
                         .jobs = 1,
                         .grace_s = 2,
                         .max_output = INT64_C(64) << 20,
                         .spawn_wait_s = 30,
                         .tick_s = 1};
  lr_sized_give(options, size, &o, sizeof o);
}

void lrgd_evaluator_init(lrgd_evaluator *evaluator, size_t size)
{
  lrgd_evaluator a = {.struct_size = sizeof a};
  lr_sized_give(evaluator, size, &a, sizeof a);
}

double lrgd_unanswered(void)
{
  const uint64_t bits = UINT64_C(0x7ff84c5247440001);
  double f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

int lr_is_unanswered(double f)
{
  uint64_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits == UINT64_C(0x7ff84c5247440001);
}

/* ---- creation and destruction ---- */

static lrgd_status check_options(const lrgd_pool_options *o, lrgd_error *error)
{
  if (!o->command)
    return lr_run_fail(error, LRGD_ERR_INVALID, "no command was given");
  if (o->oracle < LRGD_ORACLE_VALUE || o->oracle > LRGD_ORACLE_SLOPE)
    return lr_run_fail(error, LRGD_ERR_INVALID, "no such oracle");
  if (o->residuals < LRGD_RESIDUALS_FOUND || o->residuals > INT_MAX)
    return lr_run_fail(error, LRGD_ERR_INVALID, "residuals is %lld",
                       (long long)o->residuals);
  if (o->residuals_beside && (!o->residuals || o->oracle == LRGD_ORACLE_VALUE))
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "residuals_beside goes with residuals whose derivatives "
                       "are answered");
  if (o->mode < LRGD_POOL_MODE_WORKER || o->mode > LRGD_POOL_MODE_PROGRAM)
    return lr_run_fail(error, LRGD_ERR_INVALID, "no such mode of a pool");
  if (o->jobs < 1 || o->jobs > 1024)
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "jobs is %lld; it must be between 1 and 1024",
                       (long long)o->jobs);
  if (!(o->timeout_s >= 0) || !(o->grace_s >= 0) || !(o->drain_s >= 0) ||
      !(o->spawn_wait_s >= 0) || !(o->tick_s > 0))
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "a time of the pool is negative or not a number");
  if (o->before < 0)
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "before is %lld; it must not be negative",
                       (long long)o->before);
  if ((o->prepare || o->collect || o->release) &&
      o->mode != LRGD_POOL_MODE_PROGRAM)
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "a worker has no folder for each evaluation");
  if (o->collect && (o->oracle != LRGD_ORACLE_VALUE || o->residuals < 0))
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "collect answers values, or a known number of "
                       "residuals");
  if (o->place_count && (!o->places || o->oracle == LRGD_ORACLE_GRADIENT))
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "places go with values and slopes, and are not NULL");
  if (o->max_output < 1)
    return lr_run_fail(error, LRGD_ERR_INVALID, "max_output is %lld bytes",
                       (long long)o->max_output);
  if (o->run_id && !lr_run_id_valid(o->run_id))
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "run_id must be 32 hexadecimal digits");
  return LRGD_OK;
}

/* The absolute path of a word that names a file here; otherwise the word
 * itself. */
static size_t put_word(char *to, const char *word, const char *here)
{
  struct stat info;
  if (here && word[0] != '/' && stat(word, &info) == 0 && S_ISREG(info.st_mode))
    return 1 + (size_t)sprintf(to, "%s/%s", here, word);
  return 1 + (size_t)sprintf(to, "%s", word);
}

/* The words as the process gets them: a program runs in another directory, so
 * that files of this one get absolute paths. */
static char **make_argv(char **words, int program)
{
  char here[PATH_MAX];
  const char *root = program ? getcwd(here, sizeof here) : NULL;
  size_t count = 0, size = 0;
  for (; words[count]; count++) size += strlen(words[count]) + 1;
  if (root) size += count * (strlen(root) + 1);
  char **argv = malloc((count + 1) * sizeof *argv + size);
  if (!argv) return NULL;
  char *to = (char *)(argv + count + 1);
  for (size_t i = 0; i < count; i++) {
    argv[i] = to;
    to += put_word(to, words[i], i > 0 ? root : NULL);
  }
  argv[count] = NULL;
  return argv;
}

static lrgd_status find_command(lrgd_pool *pool, const char *command,
                                lrgd_error *error)
{
  lrgd_status status = lr_words_split(command, &pool->program.words, error);
  if (status) return status;
  pool->program.path = lr_child_find(pool->program.words[0], error);
  if (!pool->program.path) return LRGD_ERR_SPAWN;
  pool->program.argv = make_argv(pool->program.words,
                                 pool->options.mode == LRGD_POOL_MODE_PROGRAM);
  if (pool->program.argv) return LRGD_OK;
  return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
}

/* Copies the directory in which the command was given, and the places of the
 * inputs in its line. */
static lrgd_status copy_places(lrgd_pool *pool, lrgd_error *error)
{
  size_t n = pool->options.place_count;
  char here[PATH_MAX];
  if (getcwd(here, sizeof here)) {
    pool->program.origin = strdup(here);
    if (!pool->program.origin)
      return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  }
  if (!n) return LRGD_OK;
  pool->scratch.places = malloc(n * sizeof *pool->scratch.places);
  pool->scratch.placed = malloc(n * sizeof *pool->scratch.placed);
  if (!pool->scratch.places || !pool->scratch.placed)
    return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory for %zu places",
                       n);
  memcpy(pool->scratch.places, pool->options.places, n * sizeof(size_t));
  return LRGD_OK;
}

/* Makes the pipe that wakes the loop, also from a signal handler: writing never
 * blocks. */
static lrgd_status make_wake(lrgd_pool *pool, lrgd_error *error)
{
  int failure = lr_system_pipe(pool->wake);
  if (failure) {
    pool->wake[0] = pool->wake[1] = -1;
    return lr_run_fail(error, LRGD_ERR_SPAWN, "cannot make a pipe: %s",
                       strerror(failure));
  }
  for (int i = 0; i < 2; i++) {
    int flags = fcntl(pool->wake[i], F_GETFL);
    (void)fcntl(pool->wake[i], F_SETFL, flags | O_NONBLOCK);
  }
  return LRGD_OK;
}

static lrgd_status make_parts(lrgd_pool *pool, lrgd_error *error)
{
  pool->count = (size_t)pool->options.jobs;
  pool->slots = calloc(pool->count, sizeof *pool->slots);
  pool->scratch.pids = calloc(pool->count, sizeof *pool->scratch.pids);
  pool->scratch.fds = calloc(4 * pool->count + 1, sizeof *pool->scratch.fds);
  pool->failure = calloc(1, 512 + LR_SHOWN_SIZE(LR_TAIL_SIZE));
  if (!pool->slots || !pool->scratch.pids || !pool->scratch.fds ||
      !pool->failure)
    return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory for %zu jobs",
                       pool->count);
  for (size_t i = 0; i < pool->count; i++) {
    pool->slots[i].child = LR_NO_CHILD;
    pool->slots[i].program = pool->options.mode == LRGD_POOL_MODE_PROGRAM;
    pool->slots[i].io.most = (uint64_t)pool->options.max_output;
    pool->slots[i].io.whole = pool->options.collect != NULL;
  }
  return make_wake(pool, error);
}

/* Starts the first process of a worker, so that a command that cannot run is
 * reported at once; waits if resources are short for a moment, or the file is
 * still being written. */
static lrgd_status start_first(lrgd_pool *pool, lrgd_error *error)
{
  double give_up_s = lr_now_s() + pool->options.spawn_wait_s;
  struct timespec pause = {0, 1000000};
  for (;;) {
    int failure = lr_pool_start(pool, &pool->slots[0], 0);
    if (!failure) return LRGD_OK;
    if (!lr_child_may_pass(failure) || lr_now_s() > give_up_s ||
        atomic_load(&pool->level))
      return lr_run_fail(error, LRGD_ERR_SPAWN, "cannot start '%.300s': %s%s",
                         pool->program.path, strerror(failure),
                         failure == ENOEXEC ? " (a script needs a #! line)"
                                            : "");
    (void)nanosleep(&pause, NULL);
    if (pause.tv_nsec < 200000000) pause.tv_nsec *= 2;
  }
}

lrgd_status lrgd_pool_create(lrgd_pool **pool, const lrgd_pool_options *options,
                             lrgd_error *error)
{
  if (!pool || !options)
    return lr_run_fail(error, LRGD_ERR_INVALID, "pool or options is NULL");
  *pool = NULL;
  lrgd_pool_options o = lrgd_pool_options_default();
  if (!lr_sized_take(&o, sizeof o, options, "pool options", error))
    return LRGD_ERR_INVALID;
  lrgd_status status = check_options(&o, error);
  if (status) return status;
  lrgd_pool *made = calloc(1, sizeof *made);
  if (!made) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  made->options = o;
  made->options.command = made->options.work_root = made->options.run_id = NULL;
  made->residual_count = o.residuals > 0 ? (size_t)o.residuals : 0;
  made->early.last = &made->early.first;
  made->wake[0] = made->wake[1] = made->program.work_hold = -1;
  made->counts.struct_size = sizeof made->counts;
  (void)pthread_mutex_init(&made->one, NULL);
  if (o.run_id)
    memcpy(made->run_id, o.run_id, sizeof made->run_id);
  else
    lr_run_id_draw(made->run_id);
  status = find_command(made, o.command, error);
  if (!status) status = make_parts(made, error);
  if (!status) status = copy_places(made, error);
  if (!status && o.mode == LRGD_POOL_MODE_PROGRAM) {
    made->program.work_dir = lr_workdir_make(o.work_root, made->run_id,
                                             &made->program.work_hold, error);
    if (!made->program.work_dir) status = LRGD_ERR_STORAGE;
  }
  if (!status && o.mode == LRGD_POOL_MODE_WORKER)
    status = start_first(made, error);
  if (status) lrgd_pool_destroy(&made);
  *pool = made;
  return status;
}

void lrgd_pool_destroy(lrgd_pool **pool)
{
  if (!pool || !*pool) return;
  lrgd_pool *gone = *pool;
  if (gone->slots) lr_pool_end_all(gone);
  if (gone->retracting.gone) gone->retracting.gone(gone->retracting.user);
  for (size_t i = 0; gone->slots && i < gone->count; i++)
    lr_slot_free(&gone->slots[i]);
  if (gone->program.work_dir) lr_workdir_remove(gone->program.work_dir);
  if (gone->program.work_hold >= 0) (void)close(gone->program.work_hold);
  for (int i = 0; i < 2; i++)
    if (gone->wake[i] >= 0) (void)close(gone->wake[i]);
  (void)pthread_mutex_destroy(&gone->one);
  free(gone->program.work_dir);
  free(gone->program.origin);
  free(gone->scratch.places);
  free(gone->scratch.placed);
  free(gone->program.words);
  free(gone->program.argv);
  free(gone->program.path);
  free(gone->slots);
  free(gone->scratch.pids);
  free(gone->scratch.fds);
  free(gone->failure);
  free(gone->scratch.numbers);
  lr_pool_early_free(gone);
  lr_pool_flight_free(gone);
  free(gone);
  *pool = NULL;
}

/* ---- while it runs ---- */

void lrgd_pool_interrupt(lrgd_pool *pool, lrgd_interrupt level)
{
  if (!pool) return;
  int had = atomic_load(&pool->level);
  while (had < (int)level &&
         !atomic_compare_exchange_weak(&pool->level, &had, (int)level))
    continue;
  int kept = errno;
  /* a full pipe wakes the loop as well */
  if (write(pool->wake[1], "", 1) < 0) errno = kept;
  errno = kept;
}

void lrgd_pool_on_fatal(lrgd_pool *pool, lrgd_fatal_fn fn, void *user)
{
  if (!pool) return;
  pool->trouble.on_fatal = fn;
  pool->trouble.on_fatal_user = user;
}

void lr_pool_fail(lrgd_pool *pool, lrgd_status status, const char *format, ...)
{
  if (pool->trouble.fatal) return;
  pool->trouble.fatal = pool->trouble.fatal_error.status = status;
  va_list args;
  va_start(args, format);
  (void)vsnprintf(pool->trouble.fatal_error.text,
                  sizeof pool->trouble.fatal_error.text, format, args);
  va_end(args);
  if (pool->trouble.on_fatal)
    pool->trouble.on_fatal(status, pool->trouble.on_fatal_user);
}

lrgd_status lrgd_pool_status(const lrgd_pool *pool, lrgd_error *error)
{
  if (!pool) return lr_run_fail(error, LRGD_ERR_INVALID, "pool is NULL");
  if (error) *error = pool->trouble.fatal_error;
  return pool->trouble.fatal;
}

const char *lrgd_pool_last_failure(const lrgd_pool *pool)
{
  return pool ? pool->failure : NULL;
}

const char *lrgd_pool_last_cause(const lrgd_pool *pool)
{
  return pool ? pool->failure + pool->cause : NULL;
}

void lrgd_pool_count_sized(const lrgd_pool *pool, lrgd_pool_counts *counts,
                           size_t size)
{
  lrgd_pool_counts own = {.struct_size = sizeof own};
  double now = lr_now_s(), first = now, last = now;
  if (pool) own = pool->counts;
  for (size_t i = 0; pool && i < pool->count; i++) {
    if (pool->slots[i].state != LR_SLOT_BUSY) continue;
    double running_s = now - pool->slots[i].started_s;
    own.running++;
    own.longest_s = fmax(own.longest_s, running_s);
    own.busy_s += running_s;
  }
  if (pool && pool->times.first_s > 0) first = pool->times.first_s;
  if (pool && own.running == 0) last = fmax(first, pool->times.last_s);
  own.elapsed_s = last - fmin(first, now - own.longest_s);
  lr_sized_give(counts, size, &own, sizeof own);
}

const char *lrgd_pool_run_id(const lrgd_pool *pool)
{
  return pool ? pool->run_id : NULL;
}
