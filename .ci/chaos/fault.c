// usage: fault KIND NUMBER LOG COMMAND...
//
// Runs a command, and lets one system call of it, or of a process that it starts, go wrong: the NUMBERth of those that
// KIND may hit, beginning with 1 when the program has been loaded. NUMBER 0 lets all go well. LOG gets a line with each
// KIND and how many calls it may hit, and a line with what was hit; with NUMBER 0, a line for each call that KIND may
// hit. The exit status is that of the command; 128 + signal if a signal ended it; 125 if it cannot be traced. It ends
// when all that the command started has ended.
//
// KIND is the name of an error; SHORT, where a call reads or writes only half; or KILL, where the process is killed
// instead of making the call.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum Group { CREATES = 1, OPENS = 2, READS = 4, WRITES = 8, NAMES = 16, SYNCS = 32, MAPS = 64, STARTS = 128, LISTS = 256,
             DESCRIPTORS = 512, WAITS = 1024, STARTED = 2048 };

static const struct {
  long number;
  const char* name;
  int group;
} calls[] = {
    {SYS_open, "open", OPENS},         {SYS_openat, "openat", OPENS},       {SYS_read, "read", READS},
    {SYS_pread64, "pread64", READS},   {SYS_recvfrom, "recvfrom", READS},   {SYS_getdents64, "getdents64", LISTS},
    {SYS_write, "write", WRITES},      {SYS_pwrite64, "pwrite64", WRITES},  {SYS_writev, "writev", WRITES},
    {SYS_sendto, "sendto", WRITES},    {SYS_ftruncate, "ftruncate", SYNCS}, {SYS_rename, "rename", NAMES},
    {SYS_renameat, "renameat", NAMES}, {SYS_renameat2, "renameat2", NAMES}, {SYS_mkdir, "mkdir", NAMES},
    {SYS_mkdirat, "mkdirat", NAMES},   {SYS_unlink, "unlink", NAMES},       {SYS_unlinkat, "unlinkat", NAMES},
    {SYS_fsync, "fsync", SYNCS},       {SYS_fdatasync, "fdatasync", SYNCS}, {SYS_flock, "flock", SYNCS},
    {SYS_mmap, "mmap", MAPS},          {SYS_mremap, "mremap", MAPS},        {SYS_brk, "brk", MAPS},
    {SYS_fork, "fork", STARTS},        {SYS_vfork, "vfork", STARTS},        {SYS_clone, "clone", STARTS},
    {SYS_clone3, "clone3", STARTS},    {SYS_execve, "execve", STARTS},      {SYS_pipe2, "pipe2", DESCRIPTORS},
    {SYS_socketpair, "socketpair", DESCRIPTORS},
    {SYS_memfd_create, "memfd_create", DESCRIPTORS},
    {SYS_dup, "dup", DESCRIPTORS},     {SYS_wait4, "wait4", WAITS},         {SYS_poll, "poll", WAITS},
    {SYS_munmap, "munmap", STARTED},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static const struct {
  const char* name;
  int error, groups;
} kinds[] = {
    {"ENOSPC", ENOSPC, CREATES | WRITES | NAMES | SYNCS},
    {"EIO", EIO, OPENS | READS | WRITES | NAMES | SYNCS | LISTS},
    {"EINTR", EINTR, OPENS | READS | WRITES | WAITS},
    {"EACCES", EACCES, OPENS | NAMES},
    {"ENOMEM", ENOMEM, OPENS | MAPS | STARTS | DESCRIPTORS | LISTS},
    {"EAGAIN", EAGAIN, STARTS},
    {"EMFILE", EMFILE, OPENS | DESCRIPTORS},
    {"SHORT", 0, READS | WRITES},
    {"KILL", 0, OPENS | READS | WRITES | NAMES | SYNCS | STARTS | WAITS},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int kind = -1;
static long wanted, counted[KINDS];
static int loaded;
static pid_t first;
static char hit[PATH_MAX + 64] = "nothing";
static FILE* listed;
static pid_t changed_task;
static struct user_regs_struct before_change;

static int may_hit(int of, int call, const struct user_regs_struct* registers) {
  int groups = kinds[of].groups;
  if (calls[call].group & groups) return 1;
  // A disk that is full lets every file be opened that is there.
  unsigned long long flags = calls[call].number == SYS_open ? registers->rsi : registers->rdx;
  return calls[call].group == OPENS && (groups & CREATES) && (flags & O_CREAT);
}

static void read_text(pid_t task, unsigned long long address, char* text, size_t size) {
  struct iovec to = {text, size - 1}, from = {(void*)address, size - 1};
  // It may lie at the end of the last page that can be read.
  ssize_t got = -1;
  while (to.iov_len > 0 && (got = process_vm_readv(task, &to, 1, &from, 1, 0)) < 0) to.iov_len /= 2, from.iov_len /= 2;
  text[got < 0 ? 0 : got] = 0;
}

static void describe(pid_t task, int call, const struct user_regs_struct* registers) {
  char path[PATH_MAX] = "", link[64], who[64] = "";
  int descriptor = (int)registers->rdi, of_path = 0;
  switch (calls[call].number) {
    case SYS_openat: case SYS_mkdirat: case SYS_unlinkat: case SYS_renameat: case SYS_renameat2:
      read_text(task, registers->rsi, path, sizeof path);
      of_path = 1;
      break;
    case SYS_open: case SYS_mkdir: case SYS_unlink: case SYS_rename: case SYS_execve:
      read_text(task, registers->rdi, path, sizeof path);
      of_path = 1;
      break;
  }
  if (!of_path && (calls[call].group & (READS | WRITES | SYNCS | LISTS))) {
    snprintf(link, sizeof link, "/proc/%d/fd/%d", task, descriptor);
    ssize_t got = readlink(link, path, sizeof path - 1);
    path[got < 0 ? 0 : got] = 0;
  }
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/comm", task);
  int file = open(name, O_RDONLY);
  ssize_t got = file < 0 ? 0 : read(file, who, sizeof who - 1);
  if (file >= 0) close(file);
  who[got > 0 ? got - 1 : 0] = 0;
  snprintf(hit, sizeof hit, "%s %s, by %s%s", calls[call].name, path, task == first ? "" : "a child or thread of ", who);
}

static void resume(pid_t task, int request, int signal) { ptrace(request, task, NULL, (void*)(long)signal); }

/// What is done with a call. Returns how the task goes on.
static int at_call(pid_t task) {
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, task, NULL, &registers) != 0) return PTRACE_CONT;
  int call = 0;
  while (call < CALLS && calls[call].number != (long)registers.orig_rax) ++call;
  if (call == CALLS) return PTRACE_CONT;
  // The loader gives back what it knew of libraries, and then the program begins.
  if (calls[call].group == STARTED) {
    loaded = 1;
    return PTRACE_CONT;
  }
  if (!loaded) return PTRACE_CONT;
  for (int i = 0; i < KINDS; ++i) counted[i] += may_hit(i, call, &registers);
  if (!may_hit(kind, call, &registers)) return PTRACE_CONT;
  if (listed != NULL) {
    describe(task, call, &registers);
    fprintf(listed, "%s\n", hit);
  }
  if (counted[kind] != wanted) return PTRACE_CONT;
  describe(task, call, &registers);
  if (strcmp(kinds[kind].name, "KILL") == 0) {
    kill(task, SIGKILL);
    return PTRACE_CONT;
  }
  const int shorter = strcmp(kinds[kind].name, "SHORT") == 0;
  if (shorter && (registers.rdx < 2 || calls[call].number == SYS_writev)) return PTRACE_CONT;
  changed_task = task;
  before_change = registers;
  if (shorter) {
    registers.rdx /= 2;
  } else if (calls[call].number == SYS_brk) {
    // It has no error: it leaves the end of the memory where it is.
    registers.rdi = 0;
  } else {
    registers.orig_rax = -1ULL;
    registers.rax = (unsigned long long)-kinds[kind].error;
  }
  ptrace(PTRACE_SETREGS, task, NULL, &registers);
  return PTRACE_SYSCALL;
}

/// Programs rely on it that a call leaves its arguments in place.
static void restore(pid_t task) {
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, task, NULL, &registers) != 0) return;
  registers.rdx = before_change.rdx;
  registers.rdi = before_change.rdi;
  ptrace(PTRACE_SETREGS, task, NULL, &registers);
  changed_task = 0;
}

static void stop_at_calls(void) {
  struct sock_filter filter[CALLS + 6];
  int length = 0;
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < CALLS; ++i)
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number,
                                                    (unsigned char)(CALLS - i), 0);
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
  struct sock_fprog program = {(unsigned short)length, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(125);
}

/// Follows all tasks until none is left. Returns the wait status of the first.
static int follow(void) {
  int status = 0, of_first = 0;
  for (pid_t task; (task = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR;) {
    if (task <= 0) continue;
    if (!WIFSTOPPED(status)) {
      if (task == first) of_first = status;
      continue;
    }
    const int signal = WSTOPSIG(status), event = status >> 16;
    if (event == PTRACE_EVENT_SECCOMP) {
      resume(task, at_call(task), 0);
    } else if (signal == (SIGTRAP | 0x80)) {
      if (task == changed_task) restore(task);
      resume(task, PTRACE_CONT, 0);
    } else if (event != 0) {
      resume(task, PTRACE_CONT, 0);
    } else {
      resume(task, PTRACE_CONT, signal == SIGSTOP ? 0 : signal);
    }
  }
  return of_first;
}

int main(int argc, char** argv) {
  if (argc < 5) return fprintf(stderr, "usage: fault KIND NUMBER LOG COMMAND...\n"), 125;
  for (int i = 0; i < KINDS; ++i)
    if (strcmp(argv[1], kinds[i].name) == 0) kind = i;
  if (kind < 0) return fprintf(stderr, "fault: no kind %s\n", argv[1]), 125;
  wanted = atol(argv[2]);
  char* calls_hit = NULL;
  size_t length = 0;
  if (wanted == 0) listed = open_memstream(&calls_hit, &length);
  first = fork();
  if (first == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    stop_at_calls();
    execvp(argv[4], argv + 4);
    _exit(125);
  }
  int status = 0;
  waitpid(first, &status, 0);
  if (!WIFSTOPPED(status)) return 125;
  ptrace(PTRACE_SETOPTIONS, first, NULL,
         (void*)(PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                 PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL));
  resume(first, PTRACE_CONT, 0);
  status = follow();
  FILE* log = fopen(argv[3], "w");
  if (log == NULL) return 125;
  for (int i = 0; i < KINDS; ++i) fprintf(log, "%s %ld ", kinds[i].name, counted[i]);
  if (listed != NULL) {
    fclose(listed);
    fprintf(log, "\n%s", calls_hit);
  } else {
    fprintf(log, "\n%s\n", hit);
  }
  fclose(log);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
