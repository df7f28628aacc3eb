/* Starts a program with pointers that cannot be read. Prints what each call reports. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static char* g_arguments[] = {"true", NULL};
static int g_file;

static void say(const char* what, const char* bad, int error) {
  dprintf(1, "%s %s: %d\n", what, bad, error);
}

/* In a child, because some of the calls succeed. */
#define TRY(what, call)         \
  do {                          \
    const pid_t child = fork(); \
    if (child == 0) {           \
      call;                     \
      _exit(errno);             \
    }                           \
    int status = -1;            \
    waitpid(child, &status, 0); \
    say(what, bad, status);     \
  } while (0)

static void vfork_and_exec(const char* path, char** arguments, char** environment) {
  int status = -1;
  if (vfork() == 0) {
    execve(path, arguments, environment);
    _exit(errno);
  }
  wait(&status);
  _exit(status >> 8);
}

static void spawn_and_wait(const char* path, char** arguments, char** environment) {
  pid_t child = -1;
  int status = 0;
  const int error = posix_spawn(&child, path, NULL, NULL, arguments, environment);
  if (error == 0) waitpid(child, &status, 0);
  _exit(error + (status >> 8));
}

static void try_all(const char* bad, const char* path, char** arguments, char** environment) {
  TRY("execve", execve(path, arguments, environment));
  TRY("execveat", execveat(AT_FDCWD, path, arguments, environment, 0));
  TRY("fexecve", fexecve(g_file, arguments, environment));
  TRY("execv", execv(path, arguments));
  TRY("vfork", vfork_and_exec(path, arguments, environment));
  TRY("posix_spawn", spawn_and_wait(path, arguments, environment));
}

int main(void) {
  char** const low = (char**)8;
  char* bad_text[] = {"A=1", (char*)8, NULL};
  char* kernels[] = {"A=1", (char*)0xffffffff80000000, NULL};
  const long page = sysconf(_SC_PAGESIZE);
  char* memory =
      mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + page, (size_t)page, PROT_NONE);
  char** without_end = (char**)(memory + page) - 1;
  *without_end = "A=1";
  char* text = memory;
  memset(text, 'x', 100);
  text[1] = '=';
  char* text_at_end[] = {memory + page - sizeof(char*) - 2, NULL};
  g_file = open("/bin/true", O_RDONLY | O_CLOEXEC);
  char** const good = environ;
  try_all("environment", "/bin/true", g_arguments, low);
  try_all("variable", "/bin/true", g_arguments, bad_text);
  try_all("kernel's", "/bin/true", g_arguments, kernels);
  try_all("no end", "/bin/true", g_arguments, without_end);
  try_all("text without end", "/bin/true", g_arguments, text_at_end);
  try_all("arguments", "/bin/true", low, good);
  try_all("argument", "/bin/true", bad_text, good);
  try_all("path", (const char*)8, g_arguments, good);
  try_all("null path", NULL, g_arguments, good);
  try_all("null environment", "/bin/true", g_arguments, NULL);
  try_all("null arguments", "/bin/true", NULL, good);
  try_all("nothing", "/bin/true", g_arguments, good);
  return 0;
}
