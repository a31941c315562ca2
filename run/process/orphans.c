/* Descendants that left their process group: found by marks in their
 * environment. */
#include "child.h"

#include <lrgd/run.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Process-wide, as PR_SET_CHILD_SUBREAPER is. */
static atomic_int adopts;

lrgd_status lrgd_run_adopt_orphans(lrgd_error *error)
{
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    return lr_run_fail(error, LRGD_ERR_INVALID, "cannot adopt orphans: %s",
                       strerror(errno));
  atomic_store(&adopts, 1);
  return LRGD_OK;
}

int lr_child_adopts(void)
{
  return atomic_load(&adopts);
}

/* Reads a whole small file of /proc.  NULL: it cannot be read. */
static char *read_whole(const char *path, size_t *size)
{
  lr_bytes bytes = {0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return NULL;
  for (;;) {
    if (!lr_bytes_reserve(&bytes, 4097)) break;
    ssize_t n = read(fd, bytes.data + bytes.size, 4096);
    if (n <= 0) break;
    bytes.size += (size_t)n;
  }
  (void)close(fd);
  if (bytes.data) bytes.data[bytes.size] = 0;
  *size = bytes.size;
  return bytes.data;
}

/* Whether an entry of the environment begins with the first `length` characters
 * of the mark, which may include its final 0. */
static int has_mark(const char *environment, size_t size, const char *mark,
                    size_t length)
{
  for (size_t at = 0; at < size; at += strlen(environment + at) + 1)
    if (!strncmp(environment + at, mark, length)) return 1;
  return 0;
}

/* Whether the process has the mark (its first `length` characters) in its
 * environment and, unless NULL, the second mark. */
static int is_marked(pid_t pid, const char *mark, size_t length,
                     const char *second)
{
  char path[64];
  size_t size = 0;
  (void)snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
  char *environment = read_whole(path, &size);
  if (!environment) return 0;
  int marked =
      has_mark(environment, size, mark, length) &&
      (!second || has_mark(environment, size, second, strlen(second) + 1));
  free(environment);
  return marked;
}

static int is_one_of(pid_t pid, const pid_t *ours, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (ours[i] == pid) return 1;
  return 0;
}

typedef struct orphan_search {
  char run[64], evaluation[64];
  const pid_t *ours;
  size_t count;
  /* number of processes found dead in this pass: their children may have become
   * ours */
  size_t ended;
} orphan_search;

/* Reaps a dead child; kills a living one that has our marks. */
static void visit_child(orphan_search *search, pid_t pid)
{
  if (is_one_of(pid, search->ours, search->count)) return;
  bool marked =
      is_marked(pid, search->run, strlen(search->run) + 1, search->evaluation);
  if (waitpid(pid, NULL, WNOHANG) == pid) {
    search->ended++;
    return;
  }
  if (!marked) return;
  search->ended++;
  (void)kill(pid, SIGKILL);
  /* SIGKILL acts at once, except on a process blocked in the kernel */
  for (int i = 0; i < 50 && waitpid(pid, NULL, WNOHANG) == 0; i++)
    (void)nanosleep(&(struct timespec){0, 2000000}, NULL);
}

static void visit_children_of_thread(orphan_search *search, const char *thread)
{
  char path[300];
  size_t size = 0;
  (void)snprintf(path, sizeof path, "/proc/self/task/%.200s/children", thread);
  char *list = read_whole(path, &size);
  if (!list) return;
  for (char *at = list, *end = list;; at = end) {
    long pid = strtol(at, &end, 10);
    if (end == at) break;
    if (pid > 1) visit_child(search, (pid_t)pid);
  }
  free(list);
}

static void visit_all(orphan_search *search)
{
  DIR *threads = opendir("/proc/self/task");
  if (!threads) return;
  for (struct dirent *entry; (entry = readdir(threads));)
    if (entry->d_name[0] != '.')
      visit_children_of_thread(search, entry->d_name);
  (void)closedir(threads);
}

void lr_child_reap_orphans(const char *run_id, uint64_t tag, const pid_t *ours,
                           size_t count)
{
  if (!lr_child_adopts()) return;
  orphan_search search = {.ours = ours, .count = count};
  (void)snprintf(search.run, sizeof search.run, "LRGD_RUN_ID=%s", run_id);
  (void)snprintf(search.evaluation, sizeof search.evaluation,
                 "LRGD_EVALUATION=%llu", (unsigned long long)tag);
  /* a process that ends may leave us its children: search until none did, and
   * once more for one that was just ending */
  for (int pass = 0, quiet = 0; pass < 100 && quiet < 2; pass++) {
    search.ended = 0;
    visit_all(&search);
    quiet = search.ended == 0 ? quiet + 1 : 0;
  }
}

size_t lr_child_sweep(const char *run_id)
{
  char mark[64];
  size_t killed = 0;
  (void)snprintf(mark, sizeof mark, "LRGD_RUN_ID=%s", run_id);
  DIR *processes = opendir("/proc");
  if (!processes) return 0;
  for (struct dirent *entry; (entry = readdir(processes));) {
    long pid = strtol(entry->d_name, NULL, 10);
    struct stat info;
    if (pid <= 1 || pid == (long)getpid()) continue;
    if (fstatat(dirfd(processes), entry->d_name, &info, 0)) continue;
    if (info.st_uid == getuid() &&
        is_marked((pid_t)pid, mark, strlen(mark), NULL) &&
        kill((pid_t)pid, SIGKILL) == 0)
      killed++;
  }
  (void)closedir(processes);
  return killed;
}

size_t lrgd_run_sweep(const char *run_id)
{
  return run_id && lr_run_id_valid(run_id) ? lr_child_sweep(run_id) : 0;
}
