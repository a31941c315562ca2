/* Child processes: start, signal, reap.  Their output is handled elsewhere. */
#include "child.h"

#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void close_fd(int *fd)
{
  if (*fd >= 0) (void)close(*fd);
  *fd = -1;
}

/* A pipe whose descriptors are above 2: a host may have closed 0, 1 or 2, and
 * the child's are made by dup2 in some order. */
static int open_pipe(int ends[2])
{
  int failed = lr_system_pipe(ends);
  if (failed) return failed;
  for (int i = 0; i < 2; i++) {
    if (ends[i] > 2) continue;
    int moved = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
    int failure = errno;
    if (moved >= 0) {
      (void)close(ends[i]);
      ends[i] = moved;
      continue;
    }
    close_fd(&ends[0]);
    close_fd(&ends[1]);
    return failure;
  }
  return 0;
}

static void unblock(int fd)
{
  int flags = fcntl(fd, F_GETFL);
  (void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* A copy of environ with our marks; one free() releases it. */
static char **make_environment(const lr_launch *launch)
{
  size_t count = 0;
  while (environ && environ[count]) count++;
  size_t marks = 128 + (launch->directory ? strlen(launch->directory) : 0) +
                 (launch->origin ? strlen(launch->origin) : 0);
  char **list = malloc((count + 5) * sizeof *list + marks);
  if (!list) return NULL;
  char *text = (char *)(list + count + 5);
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    const char *entry = environ[i];
    if (!strncmp(entry, "LRGD_RUN_ID=", 12)) continue;
    if (!strncmp(entry, "LRGD_EVALUATION=", 16)) continue;
    if (!strncmp(entry, "LRGD_ORIGIN=", 12)) continue;
    if (launch->directory && !strncmp(entry, "PWD=", 4)) continue;
    list[n++] = environ[i];
  }
  list[n++] = text;
  text += 1 + sprintf(text, "LRGD_RUN_ID=%s", launch->run_id);
  list[n++] = text;
  text += 1 + sprintf(text, "LRGD_EVALUATION=%llu",
                      (unsigned long long)launch->tag);
  if (launch->origin) {
    list[n++] = text;
    text += 1 + sprintf(text, "LRGD_ORIGIN=%s", launch->origin);
  }
  if (launch->directory) {
    list[n++] = text;
    (void)sprintf(text, "PWD=%s", launch->directory);
  }
  list[n] = NULL;
  return list;
}

static int prepare_attributes(posix_spawnattr_t *attributes, short flags)
{
  sigset_t none, plain;
  (void)sigemptyset(&none);
  (void)sigemptyset(&plain);
  /* signals that a host may ignore, and a simulator must not inherit as ignored
   */
  static const int signals[] = {SIGPIPE, SIGXFSZ, SIGINT,
                                SIGQUIT, SIGTERM, SIGCHLD};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    (void)sigaddset(&plain, signals[i]);
  int failure = posix_spawnattr_setpgroup(attributes, 0);
  if (!failure) failure = posix_spawnattr_setsigmask(attributes, &none);
  if (!failure) failure = posix_spawnattr_setsigdefault(attributes, &plain);
  if (failure) return failure;
  return posix_spawnattr_setflags(
      attributes, (short)(flags | POSIX_SPAWN_SETPGROUP |
                          POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
}

static int prepare_files(posix_spawn_file_actions_t *files, int in, int out,
                         int err, const char *directory, short *flags)
{
  int failure = posix_spawn_file_actions_adddup2(files, in, 0);
  if (!failure) failure = posix_spawn_file_actions_adddup2(files, out, 1);
  if (!failure) failure = posix_spawn_file_actions_adddup2(files, err, 2);
  if (!failure) failure = lr_system_close_others(files, flags);
  if (!failure && directory)
    failure = posix_spawn_file_actions_addchdir_np(files, directory);
  return failure;
}

static int spawn(pid_t *pid, const lr_launch *launch, int in, int out, int err)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  char **environment = make_environment(launch);
  if (!environment) return ENOMEM;
  int failure = posix_spawn_file_actions_init(&files);
  if (failure) goto free_environment;
  failure = posix_spawnattr_init(&attributes);
  if (failure) goto destroy_files;
  short flags = 0;
  failure = prepare_files(&files, in, out, err, launch->directory, &flags);
  if (!failure) failure = prepare_attributes(&attributes, flags);
  if (!failure)
    failure = posix_spawn(pid, launch->path, &files, &attributes, launch->words,
                          environment);
  (void)posix_spawnattr_destroy(&attributes);
destroy_files:
  (void)posix_spawn_file_actions_destroy(&files);
free_environment:
  free(environment);
  return failure;
}

int lr_child_start(lr_child *child, const lr_launch *launch)
{
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
  *child = LR_NO_CHILD;
  int failure = open_pipe(in);
  if (!failure) failure = open_pipe(out);
  if (!failure) failure = open_pipe(err);
  if (!failure) failure = spawn(&child->pid, launch, in[0], out[1], err[1]);
  close_fd(&in[0]);
  close_fd(&out[1]);
  close_fd(&err[1]);
  if (failure) {
    close_fd(&in[1]);
    close_fd(&out[0]);
    close_fd(&err[0]);
    child->pid = 0;
    return failure;
  }
  child->in = in[1];
  child->out = out[0];
  child->err = err[0];
  child->tag = launch->tag;
  child->pidfd = lr_system_watch(child->pid);
  unblock(child->in);
  unblock(child->out);
  unblock(child->err);
  return 0;
}

int lr_child_may_pass(int failure)
{
  return failure == EAGAIN || failure == ENOMEM || failure == EMFILE ||
         failure == ENFILE || failure == ETXTBSY || failure == EINTR;
}

void lr_child_close_input(lr_child *child)
{
  close_fd(&child->in);
}

void lr_child_signal(const lr_child *child, int signal)
{
  /* never kill(-0) or kill(-1): those are other people's processes */
  if (child->pid > 1) (void)kill(-child->pid, signal);
}

int lr_child_ended(lr_child *child, int *status)
{
  siginfo_t info = {0};
  *status = -1;
  if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT)) {
    if (errno != ECHILD) return 0;
    child->pid = 0;
    return 1;
  }
  if (info.si_pid == 0) return 0;
  /* the group's number cannot be reused while its leader is not reaped */
  lr_child_signal(child, SIGKILL);
  while (waitpid(child->pid, status, 0) < 0 && errno == EINTR) continue;
  child->pid = 0;
  return 1;
}

void lr_child_forget(lr_child *child)
{
  close_fd(&child->in);
  close_fd(&child->out);
  close_fd(&child->err);
  close_fd(&child->pidfd);
  child->pid = 0;
}

/* ---- finding the command ---- */

static int is_program(const char *path)
{
  struct stat info;
  if (stat(path, &info)) return 0;
  if (!S_ISREG(info.st_mode)) {
    errno = EACCES;
    return 0;
  }
  return access(path, X_OK) == 0;
}

static char *join(const char *directory, size_t length, const char *name)
{
  char *path = malloc(length + strlen(name) + 2);
  if (!path) return NULL;
  memcpy(path, directory, length);
  path[length] = '/';
  memcpy(path + length + 1, name, strlen(name) + 1);
  return path;
}

static char *absolute(const char *path)
{
  char here[PATH_MAX];
  if (path[0] == '/') return strdup(path);
  if (!getcwd(here, sizeof here)) return NULL;
  return join(here, strlen(here), path);
}

/* PATH as the child will see it. */
static const char *search_path(void)
{
  for (char **entry = environ; entry && *entry; entry++)
    if (!strncmp(*entry, "PATH=", 5)) return *entry + 5;
  return "/usr/local/bin:/usr/bin:/bin";
}

/* The first program of that name in PATH; errno says why there is none. */
static char *find_in_path(const char *name)
{
  int reason = ENOENT;
  for (const char *from = search_path(); from;) {
    size_t length = strcspn(from, ":");
    char *path = join(length ? from : ".", length ? length : 1, name);
    if (path && is_program(path)) return path;
    if (path && errno == EACCES) reason = EACCES;
    free(path);
    from = from[length] ? from + length + 1 : NULL;
  }
  errno = reason;
  return NULL;
}

char *lr_child_find(const char *name, lrgd_error *error)
{
  char *found = NULL;
  if (!strchr(name, '/'))
    found = find_in_path(name);
  else if (is_program(name))
    found = strdup(name);
  char *path = found ? absolute(found) : NULL;
  int reason = errno;
  free(found);
  if (path) return path;
  char shown[256] = "";
  lr_show(shown, sizeof shown, name, strlen(name), 0);
  (void)lr_run_fail(error, LRGD_ERR_SPAWN, "cannot start '%s': %s%s", shown,
                    reason == EACCES ? "it is not an executable file"
                                     : strerror(reason),
                    reason == ENOENT && !strchr(name, '/') ? " in PATH" : "");
  return NULL;
}
