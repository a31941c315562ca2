/* Runs tasks in processes of this same program, a few at a time, and reads
 * what they report.  posix_spawn: see the design's facts about fork. */
#include "bench.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
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
  int from; /* reads its standard output */
  char line[LINE_ROOM];
  size_t used;
} slot;

/* ---- starting ---- */

enum { WORDS_MOST = 24, NUMBER_ROOM = 32 };

typedef struct words {
  char *list[WORDS_MOST + 1];
  char numbers[WORDS_MOST][NUMBER_ROOM];
  size_t count;
} words;

static void word(words *w, const char *text)
{
  w->list[w->count++] = (char *)(uintptr_t)text; /* execv does not write */
  w->list[w->count] = NULL;
}

static void number(words *w, const char *flag, double value)
{
  char *text = w->numbers[w->count];
  snprintf(text, NUMBER_ROOM, "%.17g", value);
  word(w, flag);
  word(w, text);
}

static void spell(words *w, const bench_plan *plan, const bench_task *task)
{
  const bench_case *c = task->from;
  word(w, "lrgd-bench");
  word(w, isnan(task->minimum) ? "--reference" : "--one");
  word(w, "--problem");
  word(w, c->line);
  number(w, "--rank", (double)c->rank);
  number(w, "--noise", c->noise);
  number(w, "--box", c->box);
  number(w, "--budget", (double)c->budget);
  number(w, "--seeds", (double)task->seed);
  if (isnan(task->minimum)) return;
  number(w, "--minimum", task->minimum);
  number(w, "--seconds", plan->seconds);
  word(w, "--solver");
  word(w, task->spec);
  if (plan->to_end) word(w, "--to-end");
}

static void start(slot *s, const bench_plan *plan, bench_task *task)
{
  posix_spawn_file_actions_t actions;
  words w = {.count = 0};
  int ends[2], code;
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
  task->record.gap = NAN;
}

/* ---- reading ---- */

void bench_read_line(bench_task *task, const char *line)
{
  bench_record *r = &task->record;
  size_t target;
  uint64_t count;
  if (sscanf(line, "hit %zu %" SCNu64, &target, &count) == 2 &&
      target < BENCH_TARGETS)
    r->hits[target] = count;
  else if (sscanf(line, "minimum %lf", &task->minimum) == 1)
    return;
  else if (sscanf(line, "claims %" SCNu64 " %lf %lf %" SCNu64, &r->rank,
                  &r->bound, &r->gradient, &r->small_gradient) == 4)
    return;
  else
    (void)sscanf(line, "end %23s %" SCNu64 " %lf %lf %lf %" SCNu64, r->outcome,
                 &r->spent, &r->gap, &r->seconds, &r->function_seconds,
                 &r->outside);
}

/* Why a process that did not report its end is gone. */
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

/* Takes what there is; false: it has ended, and the slot is free again. */
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
    bench_read_line(s->task, from);
  }
  s->used = strlen(from);
  memmove(s->line, from, s->used + 1);
  if (s->used == LINE_ROOM - 1) s->used = 0; /* not a line of ours */
  return true;
}

/* ---- all of them ---- */

static void show(const bench_plan *plan, const char *what, size_t done,
                 size_t count)
{
  if (plan->quiet || !isatty(STDERR_FILENO)) return;
  fprintf(stderr, "\r%s %zu of %zu%s", what, done, count,
          done == count ? "\r\033[K" : "");
}

void bench_run_tasks(const bench_plan *plan, bench_task *tasks, size_t count,
                     const char *what)
{
  static slot slots[JOBS_MOST];
  struct pollfd polls[JOBS_MOST];
  size_t jobs = plan->jobs < JOBS_MOST ? plan->jobs : JOBS_MOST;
  size_t next = 0, done = 0;
  while (done < count) {
    for (size_t j = 0; j < jobs; j++) {
      for (; next < count && tasks[next].skip; next++) done++;
      if (!slots[j].task && next < count)
        start(&slots[j], plan, &tasks[next++]);
      polls[j] = (struct pollfd){.fd = slots[j].task ? slots[j].from : -1,
                                 .events = POLLIN};
    }
    if (poll(polls, jobs, -1) < 0 && errno != EINTR)
      bench_die("poll: %s", strerror(errno));
    for (size_t j = 0; j < jobs; j++)
      if (slots[j].task && polls[j].revents && !listen(&slots[j])) done++;
    show(plan, what, done, count);
  }
}
