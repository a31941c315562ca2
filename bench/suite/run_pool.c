/* Runs tasks in processes of this same program, a few at a time, and reads what
 * they report. They are started by posix_spawn, since a fork would copy the
 * calling thread alone, and a BLAS may have others. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { JOBS_MOST = 256, LINE_ROOM = 512 };

typedef struct slot {
  bench_task *task; /* NULL: free */
  pid_t pid;
  int from; /* descriptor of its standard output */
  char line[LINE_ROOM];
  size_t used;
} slot;

/* ---- starting ---- */

/* arguments of a run: two dozen, and a flag with its value for each of up to 64
 * rows of the policy */
enum { WORDS_MOST = 24 + 2 * 64, WORD_ROOM = 512 };

typedef struct words {
  char texts[WORDS_MOST][WORD_ROOM];
  char *list[WORDS_MOST + 1];
  size_t count;
} words;

BENCH_PRINTF(2)
static void word(words *w, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(w->texts[w->count], WORD_ROOM, format, list);
  va_end(list);
  w->list[w->count] = w->texts[w->count];
  w->list[++w->count] = NULL;
}

static void number(words *w, const char *flag, double value)
{
  word(w, "%s", flag);
  word(w, "%.17g", value);
}

static void spell(words *w, const bench_plan *plan, const bench_task *task)
{
  const bench_case *c = task->from;
  word(w, "lrgd-bench");
  word(w, "%s", isnan(task->minimum) ? "--reference" : "--one");
  word(w, "--problem");
  word(w, "%s", c->line);
  number(w, "--rank", (double)c->rank);
  number(w, "--noise", c->noise);
  number(w, "--box", c->box);
  number(w, "--budget", (double)c->budget);
  number(w, "--seeds", (double)task->seed);
  word(w, "--class");
  word(w, "%s", bench_class_name(c->class));
  if (isnan(task->minimum)) return;
  number(w, "--minimum", task->minimum);
  number(w, "--seconds", plan->seconds);
  word(w, "--solver");
  word(w, "%s", task->spec);
  if (plan->to_end) word(w, "--to-end");
  for (size_t i = 0; i < plan->policy_count; i++) {
    if (w->count + 2 > WORDS_MOST) bench_die("too many rows of the policy");
    word(w, "--policy");
    word(w, "%s", plan->policy[i]);
  }
}

static void start(slot *s, const bench_plan *plan, bench_task *task)
{
  posix_spawn_file_actions_t actions;
  static words w; /* too large for the stack */
  int ends[2], code;
  w.count = 0;
  spell(&w, plan, task);
  if (pipe(ends) != 0) bench_die("no pipe: %s", strerror(errno));
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  code =
      posix_spawn(&s->pid, "/proc/self/exe", &actions, NULL, w.list, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) bench_die("cannot start a run: %s", strerror(code));
  close(ends[1]);
  s->task = task;
  s->from = ends[0];
  s->used = 0;
  task->record = (bench_record){.outcome = "", .bound = NAN, .gradient = NAN};
  task->record.gap = task->record.start = NAN;
  for (size_t i = 0; i < BENCH_MARKS; i++) task->record.marks[i] = NAN;
}

/* ---- reading ---- */

/* Reads up to `room` numbers separated by blanks; missing ones stay NaN. */
static void read_numbers(const char *text, size_t room, double *numbers)
{
  for (size_t i = 0; i < room; i++) numbers[i] = NAN;
  for (size_t i = 0; i < room; i++) {
    char *end;
    numbers[i] = strtod(text, &end);
    if (end == text) numbers[i] = NAN;
    text = end;
  }
}

static uint64_t whole(double number)
{
  return number >= 0 && number < 1e18 ? (uint64_t)number : 0;
}

static void read_end(bench_record *r, const char *text)
{
  size_t length = strcspn(text, " ");
  double n[6];
  if (length >= sizeof r->outcome) return;
  memcpy(r->outcome, text, length);
  r->outcome[length] = '\0';
  read_numbers(text + length, 6, n);
  r->spent = whole(n[0]);
  r->gap = n[1];
  r->seconds = n[2];
  r->function_seconds = n[3];
  r->outside = whole(n[4]);
  r->dimension = whole(n[5]);
}

static void read_claims(bench_record *r, const char *text)
{
  double n[4];
  read_numbers(text, 4, n);
  r->rank = whole(n[0]);
  r->bound = n[1];
  r->gradient = n[2];
  r->small_gradient = whole(n[3]);
}

static void read_hit(bench_record *r, const char *text)
{
  double n[2];
  read_numbers(text, 2, n);
  if (n[0] >= 0 && n[0] < BENCH_TARGETS) r->hits[whole(n[0])] = whole(n[1]);
}

static void read_mark(bench_record *r, const char *text)
{
  double n[2];
  read_numbers(text, 2, n);
  if (n[0] >= 0 && n[0] < BENCH_MARKS) r->marks[whole(n[0])] = n[1];
}

/* Reads a line that a child process reports; written by counter.c, peer_child.c
 * and ours.c. */
static void read_line(bench_task *task, const char *line)
{
  const char *rest = strchr(line, ' ');
  if (!rest++) return;
  if (strncmp(line, "hit ", 4) == 0) read_hit(&task->record, rest);
  if (strncmp(line, "mark ", 5) == 0) read_mark(&task->record, rest);
  if (strncmp(line, "start ", 6) == 0)
    read_numbers(rest, 1, &task->record.start);
  if (strncmp(line, "end ", 4) == 0) read_end(&task->record, rest);
  if (strncmp(line, "claims ", 7) == 0) read_claims(&task->record, rest);
  if (strncmp(line, "minimum ", 8) == 0) read_numbers(rest, 1, &task->minimum);
}

/* Records why a process ended without reporting its end. */
static void note_end(slot *s, int status)
{
  bench_record *r = &s->task->record;
  if (r->outcome[0] != '\0') return;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    snprintf(r->outcome, sizeof r->outcome, "time");
  else if (WIFSIGNALED(status))
    snprintf(r->outcome, sizeof r->outcome, "signal-%d", WTERMSIG(status));
  else
    snprintf(r->outcome, sizeof r->outcome, "exit-%d", WEXITSTATUS(status));
}

/* Reads the available output; false: the process has ended, and the slot is
 * free again. */
static bool listen(slot *s)
{
  ssize_t got = read(s->from, s->line + s->used, LINE_ROOM - 1 - s->used);
  char *from = s->line, *end;
  int status = 0;
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) {
    close(s->from);
    while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR) continue;
    note_end(s, status);
    s->task = NULL;
    return false;
  }
  s->used += (size_t)got;
  s->line[s->used] = '\0';
  for (; (end = strchr(from, '\n')); from = end + 1) {
    *end = '\0';
    read_line(s->task, from);
  }
  s->used = strlen(from);
  memmove(s->line, from, s->used + 1);
  /* a longer line is not one that we write */
  if (s->used == LINE_ROOM - 1) s->used = 0;
  return true;
}

/* ---- running all tasks ---- */

static void show(const bench_plan *plan, const char *what, size_t done,
                 size_t count)
{
  if (plan->quiet || !isatty(STDERR_FILENO)) return;
  fprintf(stderr, "\r%s %zu of %zu%s", what, done, count,
          done == count ? "\r\033[K" : "");
}

/* Starts the next tasks in free slots; returns how many tasks were skipped. */
static size_t fill(const bench_plan *plan, slot *slots, size_t jobs,
                   bench_task **next, const bench_task *end)
{
  size_t skipped = 0;
  for (size_t j = 0; j < jobs; j++) {
    for (; *next < end && ((*next)->skip || (*next)->known); ++*next) skipped++;
    if (!slots[j].task && *next < end) start(&slots[j], plan, (*next)++);
  }
  return skipped;
}

/* Waits for output; returns the number of runs that have ended. */
static size_t wait_for_some(slot *slots, size_t jobs)
{
  struct pollfd polls[JOBS_MOST];
  size_t ended = 0;
  for (size_t j = 0; j < jobs; j++)
    polls[j] = (struct pollfd){.fd = slots[j].task ? slots[j].from : -1,
                               .events = POLLIN};
  if (poll(polls, jobs, -1) < 0) {
    if (errno != EINTR) bench_die("poll: %s", strerror(errno));
    return 0;
  }
  for (size_t j = 0; j < jobs; j++)
    if (slots[j].task && polls[j].revents && !listen(&slots[j])) ended++;
  return ended;
}

void bench_run_tasks(const bench_plan *plan, bench_task *tasks, size_t count,
                     const char *what)
{
  static slot slots[JOBS_MOST];
  size_t jobs = plan->jobs < JOBS_MOST ? plan->jobs : JOBS_MOST, done = 0;
  bench_task *next = tasks;
  while (done < count) {
    done += fill(plan, slots, jobs, &next, tasks + count);
    if (done < count) done += wait_for_some(slots, jobs);
    show(plan, what, done, count);
  }
}
