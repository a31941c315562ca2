/* A slot: moves bytes to and from one process and judges how it ended.  Batches
 * and numbers are handled elsewhere. */
#include "slot.h"
#include "system.h"
#include "workdir.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READ_SIZE = 65536, SHRINK_SIZE = 1 << 20 };

double lr_now_s(void)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void lr_slot_begin(lr_slot *slot, size_t question, uint64_t number)
{
  slot->state = LR_SLOT_BUSY;
  slot->question = question;
  slot->number = number;
  slot->io.line.size = slot->io.sent = 0;
  slot->io.output.size = slot->io.searched = 0;
  slot->io.shrink_at = SHRINK_SIZE;
  slot->io.out_total = slot->io.err_total = 0;
  slot->io.tail.total = 0;
  slot->started_s = lr_now_s();
  slot->deadline_s = INFINITY;
  slot->last_signal = slot->unanswered = slot->no_memory = slot->partial = 0;
  slot->last.doubt = slot->last.checking = 0;
  slot->why[0] = 0;
}

int lr_slot_is_unfinished(const lr_slot *slot)
{
  return !slot->program && slot->io.sent < slot->io.line.size;
}

int lr_slot_is_held(const lr_slot *slot)
{
  return lr_slot_is_unfinished(slot) && slot->child.in >= 0 &&
         slot->io.sent + 1 == slot->io.line.size;
}

int lr_slot_sends(const lr_slot *slot)
{
  return slot->io.sent < slot->io.line.size && !lr_slot_is_held(slot);
}

/* Sends the process the question's line up to byte `end`. */
static void send_up_to(lr_slot *slot, size_t end)
{
  while (slot->child.in >= 0 && slot->io.sent < end) {
    ssize_t n = write(slot->child.in, slot->io.line.data + slot->io.sent,
                      end - slot->io.sent);
    if (n >= 0) {
      slot->io.sent += (size_t)n;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return;
    lr_child_close_input(&slot->child);
  }
}

void lr_slot_send(lr_slot *slot)
{
  size_t held = !slot->program && slot->io.line.size > 0;
  send_up_to(slot, slot->io.line.size - held);
  if (slot->program && slot->io.sent == slot->io.line.size)
    lr_child_close_input(&slot->child);
}

void lr_slot_send_break(lr_slot *slot)
{
  send_up_to(slot, slot->io.line.size);
}

/* The last nonempty line; *ended: it has its line break. */
static size_t last_line(const lr_bytes *output, size_t *length, int *ended)
{
  size_t end = output->size;
  *ended = 0;
  for (;;) {
    size_t stop = end;
    while (stop > 0 && output->data[stop - 1] == '\n') stop--;
    if (stop == 0) break;
    size_t start = stop;
    while (start > 0 && output->data[start - 1] != '\n') start--;
    size_t blank = strspn(output->data + start, " \t\r");
    *length = stop - start;
    *ended = stop < output->size;
    if (start + blank < stop) return start;
    end = start;
  }
  *length = 0;
  return 0;
}

/* Only the last line of a program's output counts: earlier output is dropped
 * now and then, which bounds the memory. */
static void shrink(lr_slot *slot)
{
  if (!slot->program || slot->io.whole ||
      slot->io.output.size < slot->io.shrink_at)
    return;
  size_t length;
  int ended;
  slot->io.output.data[slot->io.output.size] = 0;
  size_t start = last_line(&slot->io.output, &length, &ended);
  slot->io.output.size -= start;
  memmove(slot->io.output.data, slot->io.output.data + start,
          slot->io.output.size);
  slot->io.shrink_at = 2 * slot->io.output.size + SHRINK_SIZE;
}

/* Reads once.  1: there may be more; 0: nothing is available now; -1: the pipe
 * is closed. */
static int read_some(int fd, char *to, size_t size, size_t *got)
{
  ssize_t n = read(fd, to, size);
  *got = n > 0 ? (size_t)n : 0;
  if (n > 0) return 1;
  if (n < 0 && errno == EINTR) return 1;
  return n < 0 && errno == EAGAIN ? 0 : -1;
}

static void over_limit(lr_slot *slot, const char *what)
{
  lr_slot_give_up(slot, SIGKILL, lr_now_s() + 10, "more than %llu bytes on %s",
                  (unsigned long long)slot->io.most, what);
}

static void receive_output(lr_slot *slot)
{
  int more = slot->child.out >= 0;
  while (more > 0) {
    size_t got;
    if (!lr_bytes_reserve(&slot->io.output, READ_SIZE + 1)) {
      slot->no_memory = slot->unanswered = 1;
      lr_slot_give_up(slot, SIGKILL, lr_now_s() + 10,
                      "no memory for its answer");
      return;
    }
    more =
        read_some(slot->child.out, slot->io.output.data + slot->io.output.size,
                  READ_SIZE, &got);
    slot->io.output.size += got;
    slot->io.out_total += got;
    if (slot->io.out_total > slot->io.most) {
      over_limit(slot, "stdout");
      slot->io.output.size = slot->io.searched = 0;
      return;
    }
    shrink(slot);
  }
  if (more < 0) {
    (void)close(slot->child.out);
    slot->child.out = -1;
  }
}

static void receive_errors(lr_slot *slot)
{
  char bytes[8192];
  int more = slot->child.err >= 0;
  while (more > 0) {
    size_t got;
    more = read_some(slot->child.err, bytes, sizeof bytes, &got);
    lr_tail_put(&slot->io.tail, bytes, got);
    slot->io.err_total += got;
    if (slot->io.err_total <= slot->io.most) continue;
    over_limit(slot, "stderr");
    return;
  }
  if (more < 0) {
    (void)close(slot->child.err);
    slot->child.err = -1;
  }
}

void lr_slot_receive(lr_slot *slot)
{
  receive_errors(slot);
  receive_output(slot);
}

long lr_slot_worker_line(lr_slot *slot)
{
  if (slot->io.output.size <= slot->io.searched) return -1;
  const char *end = memchr(slot->io.output.data + slot->io.searched, '\n',
                           slot->io.output.size - slot->io.searched);
  slot->io.searched = slot->io.output.size;
  return end ? end - slot->io.output.data : -1;
}

void lr_slot_give_up(lr_slot *slot, int signal, double until_s,
                     const char *format, ...)
{
  if (!slot->why[0] && format) {
    va_list args;
    va_start(args, format);
    (void)vsnprintf(slot->why, sizeof slot->why, format, args);
    va_end(args);
  }
  slot->state = LR_SLOT_ENDING;
  slot->deadline_s = until_s;
  slot->last_signal = signal;
  if (signal) lr_child_signal(&slot->child, signal);
}

int lr_slot_press(lr_slot *slot, double now_s, double grace_s)
{
  if (slot->last_signal == SIGKILL) return 0;
  int harder = slot->last_signal == SIGTERM ? SIGKILL : SIGTERM;
  slot->last_signal = harder;
  lr_child_signal(&slot->child, harder);
  /* a stopped process handles SIGTERM only after SIGCONT */
  if (harder == SIGTERM) lr_child_signal(&slot->child, SIGCONT);
  slot->deadline_s = now_s + (harder == SIGKILL ? 10 : grace_s);
  return 1;
}

static void set_why(lr_slot *slot, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void set_why(lr_slot *slot, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  (void)vsnprintf(slot->why, sizeof slot->why, format, args);
  va_end(args);
}

static void blame_signal(lr_slot *slot, int number)
{
  const char *name = lr_system_signal(number);
  set_why(slot, "killed by signal %d (SIG%s)%s", number, name ? name : "?",
          number == SIGKILL ? ", not sent by this program: out of memory?"
                            : "");
}

/* Writes to why that the line ended without a line break, and quotes it. */
static void blame_cut_line(lr_slot *slot, size_t start, size_t length)
{
  set_why(slot, "the answer has no line end: '");
  lr_show(slot->why, sizeof slot->why - 1, slot->io.output.data + start,
          length < 40 ? length : 40, 0);
  size_t n = strlen(slot->why);
  slot->why[n] = '\'';
  slot->why[n + 1] = 0;
}

int lr_slot_judge(lr_slot *slot, int status, const char **line, size_t *length)
{
  int ended = 0;
  size_t start = 0;
  if (!slot->why[0] && slot->last_signal)
    set_why(slot, "it closed its output without an answer");
  if (slot->why[0]) return 0;
  if (status != -1 && WIFSIGNALED(status)) {
    blame_signal(slot, WTERMSIG(status));
    return 0;
  }
  if (status == -1 || WEXITSTATUS(status)) {
    if (status == -1) set_why(slot, "its exit status was taken by another");
    if (status != -1) set_why(slot, "exit status %d", WEXITSTATUS(status));
    return 0;
  }
  *length = 0;
  if (slot->io.output.size > 0) slot->io.output.data[slot->io.output.size] = 0;
  if (slot->io.whole) { /* the collecting hook reads all of the output */
    *line = slot->io.output.size > 0 ? slot->io.output.data : "";
    *length = slot->io.output.size;
    return 1;
  }
  if (slot->io.output.size > 0) {
    start = last_line(&slot->io.output, length, &ended);
  }
  if (*length == 0)
    set_why(slot, "it ended without an answer");
  else if (!ended)
    blame_cut_line(slot, start, *length);
  else if (!slot->program)
    set_why(slot, "it ended while it was asked");
  *line = slot->io.output.data + start;
  return !slot->why[0];
}

void lr_slot_clear(lr_slot *slot)
{
  lr_child_forget(&slot->child);
  if (slot->directory) lr_workdir_remove(slot->directory);
  free(slot->directory);
  slot->directory = NULL;
  slot->state = LR_SLOT_FREE;
  slot->answers = 0;
  if (!slot->last.doubt) slot->last.answered.size = 0;
}

void lr_slot_free(lr_slot *slot)
{
  lr_bytes_free(&slot->io.line);
  lr_bytes_free(&slot->io.output);
  lr_bytes_free(&slot->last.before);
  lr_bytes_free(&slot->last.answered);
  free(slot->directory);
}
