/* Known answers of the OS-runtime trace. Usage: osrt_every SCRATCH-DIRECTORY. The last line of its
 * output is about its main thread: {"tid": .., "counts": {name: calls}, "symbols": [called
 * symbols]}. Functions that the machine does not support are called too. */
#include "every.h"

#include <sys/syscall.h>
#include <time.h>

enum { kMaximum = 1024 };
static struct {
  const char* symbol;
  const char* name;
  int calls;
} g_counted[kMaximum];

void count(const char* symbol, const char* name) {
  int i = 0;
  while (g_counted[i].symbol &&
         (strcmp(g_counted[i].symbol, symbol) != 0 || strcmp(g_counted[i].name, name) != 0))
    ++i;
  if (i == kMaximum - 1) abort();
  g_counted[i].symbol = symbol;
  g_counted[i].name = name;
  ++g_counted[i].calls;
}

void give_time(void) { nanosleep(&(struct timespec){0, 50000000}, NULL); }

static void* run(void* argument) {
  struct helper* helper = argument;
  helper->act(helper);
  return NULL;
}

void start(struct helper* helper, void (*act)(struct helper*), void* object) {
  helper->act = act;
  helper->object = object;
  helper->has_begun = helper->is_wanted = 0;
  CALL(pthread_create, &helper->thread, NULL, run, helper);
}

void finish(struct helper* helper) { CALL(pthread_join, helper->thread, NULL); }

static int calls_as(const char* name) {
  int calls = 0;
  for (int i = 0; g_counted[i].symbol; ++i)
    if (strcmp(g_counted[i].name, name) == 0) calls += g_counted[i].calls;
  return calls;
}

static int is_first_of_its_name(int index) {
  for (int i = 0; i < index; ++i)
    if (strcmp(g_counted[i].name, g_counted[index].name) == 0) return 0;
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2 || chdir(argv[1]) != 0) return 2;
  count("chdir", "chdir");
  call_files();
  call_paths();
  call_waits();
  call_threads();
  call_processes();
  call_sockets();
  call_ipc();
  call_memory();
  call_stdio();

  static char text[1 << 16];
  count("write", "write");
  int at = sprintf(text, "\n{\"tid\": %d, \"counts\": {", gettid());
  for (int i = 0; g_counted[i].symbol; ++i)
    if (is_first_of_its_name(i))
      at += sprintf(text + at, "%s\"%s\": %d", i ? ", " : "", g_counted[i].name,
                    calls_as(g_counted[i].name));
  at += sprintf(text + at, "}, \"symbols\": [");
  for (int i = 0; g_counted[i].symbol; ++i)
    at += sprintf(text + at, "%s\"%s\"", i ? ", " : "", g_counted[i].symbol);
  at += sprintf(text + at, "]}\n");
  return write(STDOUT_FILENO, text, at) == at ? 0 : 3;
}
