/* lrgd/run.h: minimise a program.  A pool of processes, a journal, ask/tell.
 *
 * A small library on top of lrgd.h.  Both parts wrap callbacks: a pool turns a
 * command into an lrgd_problem, a journal turns an lrgd_problem into one that
 * remembers its answers.  The solver knows of neither.
 *
 * How a command uses it:
 *
 *   lrgd_journal_options keep = lrgd_journal_options_default();
 *   keep.dimension = p;                     // and what makes the run this run
 *   keep.settings = settings, keep.setting_count = n;
 *   lrgd_journal_open(&journal, "run.db", &keep, &error);
 *   lrgd_run_sweep(lrgd_journal_run_id(journal)); // what a kill left running
 *   lrgd_pool_options how = lrgd_pool_options_default();
 *   how.command = "./sim --fast";           // split into words; no shell
 *   how.jobs = 2;
 *   how.run_id = lrgd_journal_run_id(journal);            // with a journal
 *   lrgd_pool_create(&pool, &how, &error);  // ERR_SPAWN: cannot be started
 *   lrgd_problem problem = lrgd_pool_problem(pool, p);    // set bounds here
 *   lrgd_journal_wrap(journal, &problem, pool, &problem, &error);  // if any
 *   options.progress = note;          // note: lrgd_journal_note, for status
 *   lrgd_solver_create(&solver, &problem, &options, &error);
 *   lrgd_pool_on_fatal(pool, stop, solver);       // stop: lrgd_solver_stop
 *   lrgd_journal_on_fatal(journal, stop, solver);
 *   lrgd_solver_solve(...);
 *   lrgd_pool_finish: have all workers kept to one answer for each question?
 *   lrgd_journal_status / lrgd_pool_status: not LRGD_OK means that the run was
 *     stopped for that reason, whatever result.outcome says; the status tells
 *     the exit code (SPAWN 2, STORAGE 6, REFUSED 7, LOCKED 8).
 *   lrgd_pool_last_failure: what to print with outcome "failed".
 *   lrgd_journal_finish, lrgd_journal_close, lrgd_pool_destroy, in this order.
 *
 * Signals: first Ctrl-C: lrgd_solver_stop and lrgd_pool_interrupt(pool,
 * LRGD_INTERRUPT_DRAIN); second: lrgd_pool_interrupt(pool,
 * LRGD_INTERRUPT_KILL).  Questions that were then never answered are no
 * evaluations: the problem of a pool or a journal tells the solver how many
 * there are (lrgd_problem.unanswered), and it does not count them.
 *
 * SIGCHLD must not be ignored in the process (the exit status of programs
 * would be lost): a command sets it to its default, as it may inherit
 * otherwise.
 *
 * A failed attempt is answered by NaN; asking again (`retries`) and giving up
 * (`max_failures`) are the core's options.  The pool never retries.
 *
 * Wall budget over several sessions: max_seconds - summary.seconds.
 */
#ifndef LRGD_RUN_H
#define LRGD_RUN_H

#include <lrgd/lrgd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a program returns for p numbers (for a slope, 2 p numbers: point and
 * direction).  The last three are for a batch, the first of them for an
 * ask_tell too: a pool has the option residuals instead. */
typedef enum lrgd_oracle {
  LRGD_ORACLE_VALUE,         /* f */
  LRGD_ORACLE_GRADIENT,      /* f g_1 ... g_p */
  LRGD_ORACLE_SLOPE,         /* f d */
  LRGD_ORACLE_RESIDUALS,     /* r_1 ... r_m */
  LRGD_ORACLE_JACOBIAN,      /* r_1 ... r_m, then J, m x p, row after row */
  LRGD_ORACLE_RESIDUAL_SLOPE /* r_1 ... r_m, then m derivatives of these */
} lrgd_oracle;

/* Called once, from the solver's thread, when a pool or a journal cannot go on;
 * from then on every evaluation returns NaN at once. */
typedef void (*lrgd_fatal_fn)(lrgd_status status, void *user);

/* A NaN that marks an evaluation of a batch as not made, returned by a callback
 * that gives up.  A journal does not record it, so that the evaluation is made
 * when the run is resumed.  The solver learns their number from
 * lrgd_problem.unanswered, and does not interpret this NaN. */
LRGD_API double lrgd_unanswered(void);

/* ---- a pool of processes ---- */

typedef struct lrgd_pool lrgd_pool;

typedef enum lrgd_pool_mode {
  LRGD_POOL_MODE_WORKER, /* started once, one line in, one line out, stays alive
                          */
  LRGD_POOL_MODE_PROGRAM /* one process and one fresh directory per evaluation;
                       the answer is the last non-empty line, exit status 0 */
} lrgd_pool_mode;

/* One evaluation ended.  Borrowed for the call, which comes from the solver's
 * thread and must not use the pool. */
typedef struct lrgd_pool_event {
  size_t struct_size; /* size in the library */
  uint64_t number;    /* 1, 2, 3 ... in order of launch, over the pool's life */
  size_t index;       /* index of the evaluation in its batch */
  double f;           /* NaN: failed */
  double seconds;
  const char *why; /* NULL, or why it failed: a line, then the last lines of
                      the program's stderr, control characters as \xNN */
} lrgd_pool_event;

typedef void (*lrgd_pool_event_fn)(const lrgd_pool_event *event, void *user);

typedef struct lrgd_pool_counts {
  size_t struct_size; /* set by the library */
  uint64_t asked;     /* evaluations launched */
  uint64_t answered;  /* evaluations that returned finite numbers */
  uint64_t failed;    /* evaluations that were launched and failed */
  uint64_t
      unanswered;   /* evaluations given up by an interrupt or a fatal error */
  uint64_t started; /* processes started */
  size_t running;   /* evaluations under way */
  double longest_s; /* how long the oldest of them has been running */
  double busy_s;    /* the durations of all evaluations, summed */
  double elapsed_s; /* from the start of the first evaluation to the end of the
                       last one, or until now: busy_s / elapsed_s workers were
                       busy on average */
} lrgd_pool_counts;

/* Called about every tick_s seconds while the pool waits, for a heartbeat. */
typedef void (*lrgd_pool_tick_fn)(const lrgd_pool_counts *counts, void *user);

/* What f is, for events and journals, where a program answers m numbers.
 * Called from the solver's thread. */
typedef double (*lrgd_cost_fn)(size_t m, const double *r, void *user);

/* The folder of one evaluation of a program (LRGD_POOL_MODE_PROGRAM), and what
 * the program is asked there.  Borrowed for the call, which comes from the
 * solver's thread and must not use the pool. */
typedef struct lrgd_pool_folder {
  size_t struct_size; /* size in the library */
  const char *path;   /* absolute */
  uint64_t number;    /* LRGD_EVALUATION of the program */
  size_t p;
  const double *x;    /* p numbers */
  const char *output; /* what the program wrote on standard output, a zero
                         behind it; NULL before it has ended */
  size_t output_size;
} lrgd_pool_folder;

/* prepare: before the program starts, in its empty folder.  collect: after exit
 * status 0, instead of the last line of the output: writes the `count` numbers
 * of the answer.  Both return 1, or 0 and write a sentence of less than `size`
 * letters to why: the evaluation has failed.  release: the evaluation is over,
 * f being NaN where it failed; the folder is removed after it, unless it was
 * renamed. */
typedef int (*lrgd_pool_prepare_fn)(const lrgd_pool_folder *folder, char *why,
                                    size_t size, void *user);
typedef int (*lrgd_pool_collect_fn)(const lrgd_pool_folder *folder,
                                    size_t count, double *numbers, char *why,
                                    size_t size, void *user);
typedef void (*lrgd_pool_release_fn)(const lrgd_pool_folder *folder, double f,
                                     void *user);

/* A value of lrgd_pool_options.residuals: as many as the first answer has. */
#define LRGD_RESIDUALS_FOUND (-1)

/* How programs are started and read.  Flat, as all options of the library: a
 * member is a flag of the command, and new ones are appended. */
typedef struct lrgd_pool_options {
  size_t struct_size;  /* lrgd_pool_options_init sets it */
  const char *command; /* copied; words split as a shell splits quotes */
  int64_t oracle;      /* lrgd_oracle */
  int64_t mode;        /* lrgd_pool_mode */
  int64_t jobs;        /* evaluations at once, 1 .. 1024 */
  double timeout_s;    /* per evaluation; 0: none */
  double grace_s;      /* between SIGTERM and SIGKILL */
  double
      drain_s; /* after LRGD_INTERRUPT_DRAIN, kill what still runs; 0: wait */
  int64_t
      max_output; /* limit in bytes per evaluation, stdout and stderr each */
  double spawn_wait_s; /* how long to wait where the system is out of processes,
                          file descriptors or memory */
  const char *work_root;    /* copied; programs' directories are made here, else
                               in $TMPDIR, else in /tmp, else in the current
                               directory */
  const char *run_id;       /* copied; 32 hex digits in LRGD_RUN_ID of every
                               child; NULL: drawn */
  lrgd_pool_event_fn event; /* NULL: none */
  void *event_user;
  lrgd_pool_tick_fn tick; /* NULL: none */
  void *tick_user;
  double tick_s;
  int64_t before; /* evaluations of earlier sessions: numbering continues from
                     there, for programs (LRGD_EVALUATION) and in failures */
  int64_t residuals; /* 0: a program answers f; m: it answers m residuals, and
                        with LRGD_ORACLE_GRADIENT their Jacobian behind them, m
                        (1 + p) numbers, with LRGD_ORACLE_SLOPE their
                        derivatives, 2 m; LRGD_RESIDUALS_FOUND: as many as
                        lrgd_pool_find_residuals finds */
  lrgd_cost_fn cost; /* f of an answer; NULL: half the sum of squares */
  void *cost_user;
  lrgd_pool_prepare_fn prepare; /* for programs; NULL: none */
  lrgd_pool_collect_fn collect;
  lrgd_pool_release_fn release;
  void *folder_user;
  size_t place_count;       /* numbers that a program gets; 0: all of x */
  const size_t *places;     /* number j is x[places[j]]; copied */
  int64_t residuals_beside; /* 1: a program that answers derivatives of
                               residuals answers p numbers by residuals alone
                               too; of a Jacobian a question is then p numbers
                               and the letter J */
} lrgd_pool_options;

LRGD_API void lrgd_pool_options_init(lrgd_pool_options *options, size_t size);
LRGD_INLINE lrgd_pool_options lrgd_pool_options_default(void)
{
  lrgd_pool_options options;
  lrgd_pool_options_init(&options, sizeof options);
  return options;
}

/* Copies options.  A worker's first process is started here, so that a command
 * that cannot run is LRGD_ERR_SPAWN at once; a program is looked up.
 * Words of a program's command that name files of the current directory are
 * made absolute, as it will run in a directory of its own. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_pool_create(
    lrgd_pool **pool, const lrgd_pool_options *options, lrgd_error *error);

/* How many residuals does the program answer?  Where that is not known, x is
 * asked until it is answered, `tries` times at most.  These answers are kept,
 * failures too, and are those to the first questions for x: nothing is paid
 * twice.  *count 0: x was not answered.  Before lrgd_pool_problem. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_pool_find_residuals(lrgd_pool *pool, size_t dimension, const double *x,
                         size_t tries, size_t *count, lrgd_error *error);
/* The number of those answers that nobody has asked for yet. */
LRGD_API uint64_t lrgd_pool_unused(const lrgd_pool *pool);

/* The callbacks, borrowed until the pool is destroyed: value and values, or
 * gradient, or slopes (k = 0 asks once along zero), or residuals, or
 * residual_jacobian, or residual_slopes.  One question
 * at a time: a second thread waits. */
LRGD_API void lrgd_pool_problem_sized(lrgd_pool *pool, size_t dimension,
                                      lrgd_problem *problem, size_t size);
LRGD_INLINE lrgd_problem lrgd_pool_problem(lrgd_pool *pool, size_t dimension)
{
  lrgd_problem problem;
  lrgd_pool_problem_sized(pool, dimension, &problem, sizeof problem);
  return problem;
}

typedef enum lrgd_interrupt {
  LRGD_INTERRUPT_DRAIN = 1,
  LRGD_INTERRUPT_KILL = 2
} lrgd_interrupt;

/* Interrupts the pool for good.  Safe from any thread and from signal
 * handlers. */
LRGD_API void lrgd_pool_interrupt(lrgd_pool *pool, lrgd_interrupt level);

LRGD_API void lrgd_pool_on_fatal(lrgd_pool *pool, lrgd_fatal_fn fn, void *user);

/* LRGD_OK, or why the pool had to stop. */
LRGD_API lrgd_status lrgd_pool_status(const lrgd_pool *pool, lrgd_error *error);

/* "" or the last failed evaluation: a line, then the last lines of stderr.
 * Borrowed until the next evaluation. */
LRGD_API const char *lrgd_pool_last_failure(const lrgd_pool *pool);
/* The last failure without the number of the evaluation: "exit status 3" and
 * lines. */
LRGD_API const char *lrgd_pool_last_cause(const lrgd_pool *pool);

LRGD_API void lrgd_pool_count_sized(const lrgd_pool *pool,
                                    lrgd_pool_counts *counts, size_t size);
LRGD_INLINE lrgd_pool_counts lrgd_pool_count(const lrgd_pool *pool)
{
  lrgd_pool_counts counts;
  lrgd_pool_count_sized(pool, &counts, sizeof counts);
  return counts;
}
LRGD_API const char *lrgd_pool_run_id(const lrgd_pool *pool);

/* Ends the processes as lrgd_pool_destroy does and reads their last output: a
 * worker that owes no answer must write none.  Where one does, its last
 * evaluation is repeated, and counted.  LRGD_OK, or why the answers cannot be
 * trusted, or the pool had to stop.  Call it before a result is used; a later
 * evaluation starts new processes. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_pool_finish(lrgd_pool *pool,
                                                      lrgd_error *error);

/* Closes the workers' input, waits, then TERM, grace, KILL.  Accepts NULL. */
LRGD_API void lrgd_pool_destroy(lrgd_pool **pool);

/* For a process that is a command of its own, not the host of a library: makes
 * it the parent of orphaned descendants, so that those which left their process
 * group are found, killed and reaped too.  After it the pools reap every dead
 * child of this process that is not one of their own.  On systems other than
 * Linux this does nothing, and processes that leave their group go on. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_run_adopt_orphans(lrgd_error *error);

/* Kills what an earlier, killed session left running: processes of this user
 * with LRGD_RUN_ID=run_id in their environment.  Returns how many; 0 where
 * /proc does not show them (all but Linux). */
LRGD_API size_t lrgd_run_sweep(const char *run_id);

/* ---- evaluators: answers that come from elsewhere ---- */

/* Evaluations of one kind.  Answers go to f and d: NaN for a failure,
 * lrgd_unanswered() where the evaluation was not made. */
typedef struct lrgd_batch {
  size_t struct_size; /* size in the library */
  lrgd_oracle kind;
  size_t p, m;
  const double *x; /* value: p x m; else one point */
  const double *u; /* slope: p x m */
  double *f;       /* value, slope: m; gradient: 1 (and m is 1) */
  double *d;       /* slope: m; gradient: p */
  /* residuals: x is p x m, f has the m half sums of squares, d the residuals,
   * residual_count for each point.  With derivatives: one point, d has for each
   * question the residuals, then their derivatives. */
  size_t residual_count;
} lrgd_batch;

/* Records answers as they arrive. flush: before new evaluations start, with the
 * number that have not been started yet, and at the end of a batch, with 0.
 * Returns how many may now start, until it is called again; -1: none. answered:
 * f and d of evaluation i are there (why: NULL, or why it failed), and may be
 * used once flush has been called.  Not for lrgd_unanswered(). repeat: before
 * an evaluation is started a second time while the first still runs; 0: it must
 * not be. */
typedef struct lrgd_recorder {
  size_t struct_size; /* size in the library */
  void (*answered)(void *user, size_t i, double seconds, const char *why);
  long (*flush)(void *user, size_t wanted);
  int (*repeat)(void *user);
  void *user;
} lrgd_recorder;

/* Evaluates a batch in any order: a pool, the ranks of a job.  Calls recorder
 * from the thread that called it; recorder NULL: nothing is recorded. */
typedef struct lrgd_evaluator {
  size_t struct_size; /* lrgd_evaluator_init sets it */
  void (*answer)(const lrgd_batch *batch, const lrgd_recorder *recorder,
                 void *user);
  void *user;
  size_t jobs; /* most evaluations under way at once */
} lrgd_evaluator;

LRGD_API void lrgd_evaluator_init(lrgd_evaluator *evaluator, size_t size);
LRGD_INLINE lrgd_evaluator lrgd_evaluator_default(void)
{
  lrgd_evaluator evaluator;
  lrgd_evaluator_init(&evaluator, sizeof evaluator);
  return evaluator;
}

/* ---- a journal ---- */

typedef struct lrgd_journal lrgd_journal;

/* A setting that identifies the run.  Text, or numbers (the start, bounds), not
 * both.  A journal with another value for a key, or other keys, is refused;
 * with may_change the latest value is stored and never compared.
 * LRGD_SETTING_FUNCTION, with it or without, is for what f itself depends on
 * (the text of a command): where such a value differs, the best stored point is
 * evaluated again before anything new, and the new value is stored once the
 * values agree.  LRGD_SETTING_DEFAULT: the value is what runs did before there
 * was such a key, and a journal without it is of the same run.  Frozen, as they
 * come in arrays. */
enum {
  LRGD_SETTING_MAY_CHANGE = 1,
  LRGD_SETTING_FUNCTION = 2,
  LRGD_SETTING_DEFAULT = 4
};
typedef struct lrgd_setting {
  const char *key;
  const char *text;
  const double *numbers;
  size_t count;
  int may_change; /* 0, or those above, added */
} lrgd_setting;

/* A key with a meaning for the journal: the coordinates, from 1, that the run
 * searches in logarithms.  Their points are then compressed too. */
#define LRGD_SETTING_LOG "log"

/* Keys that the journal writes itself: summary.repeats, where that is not 0,
 * and what was given to lrgd_journal_keep_noise and to
 * lrgd_journal_keep_multipliers. */
#define LRGD_SETTING_REPEATS "repeats"
#define LRGD_SETTING_NOISE "noise found"
#define LRGD_SETTING_MULTIPLIERS "multipliers found"

typedef struct lrgd_journal_options {
  size_t struct_size;           /* lrgd_journal_options_init sets it */
  size_t dimension;             /* p */
  const lrgd_setting *settings; /* copied */
  size_t setting_count;
  double tolerance;      /* relative difference of a replayed step; see
                            lrgd_journal_at */
  double storage_wait_s; /* how long to wait for a full disk */
  int64_t must_exist;    /* 1: do not create a new one (resume) */
  int64_t jobs;          /* evaluations in flight at once; the pool's jobs */
  int64_t may_differ; /* 1: open it even if settings differ (not the dimension):
                         see lrgd_journal_difference */
  const char
      *advice;  /* NULL, or the end of the message where settings differ */
  double noise; /* standard deviation of f, for lrgd_journal_confirm;
                   NaN (the default): as recorded */
} lrgd_journal_options;

LRGD_API void lrgd_journal_options_init(lrgd_journal_options *options,
                                        size_t size);
LRGD_INLINE lrgd_journal_options lrgd_journal_options_default(void)
{
  lrgd_journal_options options;
  lrgd_journal_options_init(&options, sizeof options);
  return options;
}

/* Opens or makes the journal of a run.
 * ERR_LOCKED: in use (says by whom).  ERR_REFUSED: foreign, damaged, newer, or
 * of another run (says what differs); the file is not altered.  ERR_STORAGE:
 * cannot be read or written. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_journal_open(lrgd_journal **journal, const char *path,
                  const lrgd_journal_options *options, lrgd_error *error);

/* The process that writes a journal now. */
typedef struct lrgd_holder {
  size_t struct_size; /* set by the library */
  int in_use;
  /* "process 12 on HOST since TIME"; "" where the journal is not in use */
  char who[300];
} lrgd_holder;

/* A query that takes no lock: no run is ever refused because of it.  A path
 * without a journal is not in use. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_journal_find_holder_sized(
    const char *path, lrgd_holder *holder, size_t size, lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status lrgd_journal_find_holder(
    const char *path, lrgd_holder *holder, lrgd_error *error)
{
  return lrgd_journal_find_holder_sized(path, holder, sizeof *holder, error);
}

/* Opens for reading, also while a run is writing: nothing is locked or changed.
 */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_journal_open_readonly(
    lrgd_journal **journal, const char *path, lrgd_error *error);

/* wrapped (may be inner itself) answers from the journal as long as it has the
 * evaluation, and then evaluates inner and records every answer before it is
 * used. inner's callbacks are borrowed until close. pool: where inner comes
 * from one, so that each answer is recorded as it arrives; otherwise NULL, and
 * then a batch is recorded when it returns.  A journal opened for reading
 * evaluates nothing: where it ends, evaluations are given up (NaN,
 * summary.unanswered) and on_fatal is called with LRGD_OK. Of inner only the
 * set of callbacks matters then. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_journal_wrap_sized(
    lrgd_journal *journal, const lrgd_problem *inner, lrgd_pool *pool,
    lrgd_problem *wrapped, size_t size, lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status
lrgd_journal_wrap(lrgd_journal *journal, const lrgd_problem *inner,
                  lrgd_pool *pool, lrgd_problem *wrapped, lrgd_error *error)
{
  return lrgd_journal_wrap_sized(journal, inner, pool, wrapped, sizeof *wrapped,
                                 error);
}

/* lrgd_pool_find_residuals where there is a journal, before it is wrapped: what
 * it holds already tells the number, and a question that must be put is
 * announced in it first. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_journal_find_residuals(
    lrgd_journal *journal, lrgd_pool *pool, const double *x, size_t tries,
    size_t *count, lrgd_error *error);

/* The same where somebody else than a pool answers one by one: inner says what
 * can be asked, and evaluator is asked.  Copies evaluator. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_journal_wrap_evaluator_sized(
    lrgd_journal *journal, const lrgd_problem *inner,
    const lrgd_evaluator *evaluator, lrgd_problem *wrapped, size_t size,
    lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status lrgd_journal_wrap_evaluator(
    lrgd_journal *journal, const lrgd_problem *inner,
    const lrgd_evaluator *evaluator, lrgd_problem *wrapped, lrgd_error *error)
{
  return lrgd_journal_wrap_evaluator_sized(journal, inner, evaluator, wrapped,
                                           sizeof *wrapped, error);
}

/* ---- paths: one file, several runs on one function ---- */

/* A run is replayed as long as it requests the stored evaluations.  A request
 * that equals the stored one up to rounding is answered by it: where the step
 * or difference that led to it, from the nearest earlier point of the path, is
 * the stored step to options.tolerance of its length. (Stored and requested
 * points then differ by a displacement that changes by no more than that from
 * one point to the next.  It is kept: new evaluations are made at the same
 * displacement, so that differences are between points of one and the same
 * path.)
 *
 * Where a run departs by more, or has other settings, a new path begins in the
 * same file.  The evaluations of earlier paths stay: they are counted, can be
 * read, and are not replayed. */

/* Where a replay departed. */
typedef struct lrgd_departure {
  /* number of the evaluation; 0: the replay has not departed */
  uint64_t sequence;
  char how[200]; /* "coordinate 2 is 0.25 there, 0.5 here" */
} lrgd_departure;

LRGD_API lrgd_departure lrgd_journal_departure(const lrgd_journal *journal);

/* With options.may_differ: how settings differ ("seed is 1 there, 2 here"), ""
 * where they do not.  Nothing can be evaluated before a new path has begun. */
LRGD_API const char *lrgd_journal_difference(const lrgd_journal *journal);

/* Begins a new path, with its own settings and a reason; copies.  Clears the
 * error of a replay that departed.  The setting LRGD_SETTING_LOG cannot change:
 * stored points are encoded by it.  In one transaction: after a failure the
 * file is unchanged. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_journal_begin_path(lrgd_journal *journal, const lrgd_setting *settings,
                        size_t count, const char *why, lrgd_error *error);

/* The same where f of residuals is another now (other weights): f of every
 * stored answer becomes what cost makes of its numbers, which stay as they
 * are.  cost NULL: f stays too. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_journal_begin_path_valued(
    lrgd_journal *journal, const lrgd_setting *settings, size_t count,
    const char *why, lrgd_cost_fn cost, void *cost_user, lrgd_error *error);

/* Where a setting with LRGD_SETTING_FUNCTION has changed: asks the best
 * stored point again, once, and compares.  Noise s allows 10 s, as the
 * best of many is some 4 s low; without noise they must agree to 1e-9 of f, and
 * to 1e-12 of the descent from the first answer, which is what the storage of
 * points may be off.  ERR_REFUSED says both numbers.  The evaluation is counted
 * in summary.checks.  After wrap; what is not confirmed when the first new
 * question comes is confirmed then. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_journal_confirm(lrgd_journal *journal,
                                                          lrgd_error *error);
LRGD_API int lrgd_journal_needs_confirming(const lrgd_journal *journal);

/* Stores the noise that a run found, for the comparison of the next session. */
LRGD_API void lrgd_journal_keep_noise(lrgd_journal *journal, double noise);

/* Stores the multipliers of a run with limits (lrgd_solver_multipliers), for
 * those who read its journal.  Copies; count 0: there are none. */
LRGD_API void lrgd_journal_keep_multipliers(lrgd_journal *journal, size_t count,
                                            const double *multipliers);

/* Converts x, a point of the solver, to the point where f was evaluated: they
 * differ by the displacement of a replay that departed by rounding. */
LRGD_API void lrgd_journal_at(const lrgd_journal *journal, double *x);

LRGD_API void lrgd_journal_on_fatal(lrgd_journal *journal, lrgd_fatal_fn fn,
                                    void *user);

/* LRGD_OK, or why the journal stopped the run: ERR_STORAGE, or ERR_REFUSED
 * where the replayed run requests other points than were stored. */
LRGD_API lrgd_status lrgd_journal_status(const lrgd_journal *journal,
                                         lrgd_error *error);

/* Records the progress of the solver, for status: call it from the solver's
 * progress callback.  Written with the next commit. */
LRGD_API void lrgd_journal_note(lrgd_journal *journal,
                                const lrgd_progress *progress);

/* Records how the run ended ("converged"), for status. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_journal_finish(lrgd_journal *journal,
                                                         const char *outcome,
                                                         lrgd_error *error);

/* Accepts NULL, clears *journal. */
LRGD_API void lrgd_journal_close(lrgd_journal **journal);

/* The state of a journal.  Flat, as all results: a member is a key of the JSON
 * output of `lrgd status`. */
typedef struct lrgd_journal_summary {
  size_t struct_size; /* set by the library */
  size_t dimension;
  uint64_t rows; /* evaluations recorded, failures among them */
  uint64_t failures;
  uint64_t replayed;   /* answered from the journal in this session */
  uint64_t unanswered; /* evaluations given up in this session */
  uint64_t in_flight;  /* launched, as far as known, and without an answer */
  uint64_t repeats;  /* in all sessions: evaluations started a second time while
                        the first was running; not among rows */
  uint64_t sessions; /* processes that wrote it, one after the other */
  double seconds;    /* wall time of all sessions so far, this one not counted
                        while it is being written */
  double best_f;     /* NaN: none */
  uint64_t best_sequence;
  uint64_t bytes;   /* bytes of the file, without its log */
  char outcome[32]; /* outcome of the last session; "": it has not finished */
  char phase[192];  /* the last phase recorded; "": none */
  uint64_t rank, iteration; /* as last recorded; 0: never */
  char started[32]; /* when the first session began, UTC; a label only */
  char run_id[33];
  uint64_t checks;     /* stored points evaluated again (lrgd_journal_confirm):
                          evaluations, but not among rows */
  uint64_t paths;      /* 1, 2, ... */
  uint64_t path_first; /* sequence number of the present path's first row:
                          rows before it are of earlier paths */
  uint64_t path_rows;  /* evaluations of the present path */
  uint64_t path_failures; /* failures of the present path */
  char path_why[256]; /* why it differs from the path before; "": the first */
  uint64_t decisions; /* number of decisions recorded on the present path */
  lrgd_decision decision; /* the last of these; kind NONE: there is none */
  double last_seconds;    /* wall time of the last session, as last written */
} lrgd_journal_summary;

LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_journal_summarize_sized(
    lrgd_journal *journal, lrgd_journal_summary *summary, size_t size,
    lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status lrgd_journal_summarize(
    lrgd_journal *journal, lrgd_journal_summary *summary, lrgd_error *error)
{
  return lrgd_journal_summarize_sized(journal, summary, sizeof *summary, error);
}
LRGD_API const char *lrgd_journal_run_id(const lrgd_journal *journal);

/* Settings as stored, in the order given first; borrowed until close. */
LRGD_API size_t lrgd_journal_setting_count(const lrgd_journal *journal);
LRGD_API const lrgd_setting *
lrgd_journal_setting_at(const lrgd_journal *journal, size_t index);
LRGD_API const lrgd_setting *lrgd_journal_setting(const lrgd_journal *journal,
                                                  const char *key);

typedef struct lrgd_journal_row {
  size_t struct_size; /* size in the library */
  uint64_t sequence;
  uint64_t session; /* the one that made it: 1, 2, ... */
  lrgd_kind kind;
  double f;        /* NaN: failed */
  double slope;    /* LRGD_KIND_SLOPES */
  double seconds;  /* duration of the evaluation */
  const char *why; /* NULL, or why it failed; borrowed for the call */
  uint64_t path;
} lrgd_journal_row;

/* Calls fn for each decision of the present path that is recorded, in order,
 * until it returns non-zero.  phase is borrowed for the call; decisions are in
 * the units in which they were noted, and its text is without names. */
typedef int (*lrgd_phase_fn)(const lrgd_phase *phase, void *user);
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_journal_decisions(
    lrgd_journal *journal, lrgd_phase_fn fn, void *user, lrgd_error *error);

/* Calls fn for the rows first, first + 1, ... until it returns non-zero. */
typedef int (*lrgd_journal_row_fn)(const lrgd_journal_row *row, void *user);
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_journal_rows(lrgd_journal *journal,
                                                       uint64_t first,
                                                       lrgd_journal_row_fn fn,
                                                       void *user,
                                                       lrgd_error *error);

/* The point of a row, p numbers: exact, or where it was stored as a
 * combination of others, to some 1e-13 of its largest coordinate (of a
 * logarithm, for coordinates of LRGD_SETTING_LOG). */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_journal_point(lrgd_journal *journal,
                                                        uint64_t sequence,
                                                        double *x,
                                                        lrgd_error *error);

/* An evaluation as plain numbers, borrowed for the call. */
typedef struct lrgd_stored {
  uint64_t sequence, path;
  lrgd_kind kind;
  int is_complex; /* f was evaluated at x + i u; d is the imaginary part of f */
  size_t p;
  const double *x; /* p numbers, as lrgd_journal_point has them */
  const double *u; /* p numbers: the direction of a slope; else NULL */
  double f;        /* NaN: failed */
  const double *d; /* slope: 1 number; gradient: p; else, or failed: NULL */
  /* what the program answered, where that were residuals; f is then half the
   * sum of their squares, or what lrgd_pool_options.cost made of them.  Of kind
   * gradients their Jacobian stands behind them, row after row, of kind slopes
   * their derivatives along u. */
  size_t residual_count; /* 0: f alone, or failed */
  const double *residuals;
} lrgd_stored;

/* Calls fn for the evaluations first to last, of all paths, in order, until it
 * returns non-zero.  Reads one at a time: it needs memory for a few points,
 * however many rows there are.  Also from a journal that is only read. */
typedef int (*lrgd_stored_fn)(const lrgd_stored *stored, void *user);
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_journal_each(lrgd_journal *journal, uint64_t first, uint64_t last,
                  lrgd_stored_fn fn, void *user, lrgd_error *error);

/* ---- knowledge: what journals hold, for another run to learn from ---- */

/* Evaluations of one function, from any number of journals, in memory. */
typedef struct lrgd_knowledge lrgd_knowledge;

LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_knowledge_create(
    lrgd_knowledge **knowledge, size_t dimension, lrgd_error *error);
LRGD_API void lrgd_knowledge_destroy(lrgd_knowledge **knowledge);

/* Adds the evaluations first (from 1) to last (UINT64_MAX: all) of a journal
 * that is open, be it to be read only; failed ones without any number are left
 * out.  ERR_REFUSED:
 * it has another dimension.  Copies. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_knowledge_add(lrgd_knowledge *knowledge, lrgd_journal *journal,
                   uint64_t first, uint64_t last, lrgd_error *error);

/* The evaluations, for lrgd_solver_learn; borrowed until knowledge is added to
 * or destroyed. */
LRGD_API size_t lrgd_knowledge_count(const lrgd_knowledge *knowledge);
LRGD_API const lrgd_evaluation *
lrgd_knowledge_evaluations(const lrgd_knowledge *knowledge);
/* The residuals that evaluation i (from 0) answered, as they were stored, for
 * lrgd_solver_learn_residuals; NULL: it answered f.  Where some are NaN, f of
 * the evaluation is too. */
LRGD_API const double *lrgd_knowledge_residuals(const lrgd_knowledge *knowledge,
                                                size_t i, size_t *count);

/* ---- ask and tell: for those who own the loop ---- */

typedef struct lrgd_ask_tell lrgd_ask_tell;

typedef struct lrgd_question {
  size_t struct_size; /* set by the library */
  lrgd_oracle kind;
  size_t count; /* points to evaluate, or directions of a slope; 0: done */
  size_t p;
  const double *x; /* p x count points; one point for gradient and slopes */
  const double *U; /* p x count directions, for slopes */
} lrgd_question;

/* Runs a solver on a thread of its own, from the first lrgd_ask on.  bounds:
 * lower and upper of p numbers or NULL, and residual_count where kind is
 * LRGD_ORACLE_RESIDUALS: then f of lrgd_tell has so many numbers, which are
 * outputs where limits are given.  Copies everything. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_ask_tell_create(
    lrgd_ask_tell **ask_tell, const lrgd_problem *bounds, lrgd_oracle kind,
    const lrgd_options *options, const double *x0, lrgd_error *error);

/* Known evaluations for the run: as lrgd_solver_learn.  Before the first
 * lrgd_ask; ERR_BUSY after it. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_ask_tell_learn(
    lrgd_ask_tell *ask_tell, size_t n, const lrgd_evaluation *evaluations,
    int verify, lrgd_error *error);

/* The sample points of Algorithm 1: as lrgd_solver_set_samples.  Before the
 * first lrgd_ask; ERR_BUSY after it. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_ask_tell_set_samples(
    lrgd_ask_tell *ask_tell, size_t n, const double *X, lrgd_error *error);

/* Waits for the next request; count 0: the run has ended.  Called again before
 * lrgd_tell, it returns the same request.  Borrowed until told. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_ask_sized(lrgd_ask_tell *ask_tell,
                                                    lrgd_question *question,
                                                    size_t size,
                                                    lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status lrgd_ask(lrgd_ask_tell *ask_tell,
                                                 lrgd_question *question,
                                                 lrgd_error *error)
{
  return lrgd_ask_sized(ask_tell, question, sizeof *question, error);
}

/* Gives the answers to the last request.  value: f has `count` numbers;
 * gradient: f[0], and d has p numbers; slopes: f[0], and d has `count` numbers.
 * NaN: the point cannot be evaluated.  Copies. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_tell(lrgd_ask_tell *ask_tell,
                                               const double *f, const double *d,
                                               lrgd_error *error);

/* After the end: what lrgd_solver_solve returned.  x and result may be NULL. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_ask_tell_result_sized(
    lrgd_ask_tell *ask_tell, double *x, lrgd_result *result, size_t result_size,
    lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status lrgd_ask_tell_result(
    lrgd_ask_tell *ask_tell, double *x, lrgd_result *result, lrgd_error *error)
{
  return lrgd_ask_tell_result_sized(ask_tell, x, result, sizeof *result, error);
}

/* After the end: the solver, for its phases and basis; borrowed until destroy.
 * NULL before. */
LRGD_API const lrgd_solver *lrgd_ask_tell_solver(lrgd_ask_tell *ask_tell);

/* Ends the run if it still goes on.  Accepts NULL. */
LRGD_API void lrgd_ask_tell_destroy(lrgd_ask_tell **ask_tell);

#ifdef __cplusplus
}
#endif
#endif
