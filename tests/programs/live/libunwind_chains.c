// Prints the call chains of the threads of a process as libunwind sees them: a line of JSON for
// each thread, {"tid": …, "addresses": […]}, innermost first.
#include <dirent.h>
#include <libunwind-ptrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum { kMaxFrames = 1024 };

static int print_chain(unw_addr_space_t space, pid_t thread) {
  if (ptrace(PTRACE_SEIZE, thread, 0, 0) != 0 || ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0)
    return 0;
  waitpid(thread, NULL, __WALL);
  void* from = _UPT_create(thread);
  unw_cursor_t cursor;
  const char* separator = "";
  int frames = 0;
  printf("{\"tid\": %d, \"addresses\": [", thread);
  if (unw_init_remote(&cursor, space, from) == 0) {
    do {
      unw_word_t address = 0;
      unw_get_reg(&cursor, UNW_REG_IP, &address);
      if (address == 0) break;
      printf("%s%lu", separator, (unsigned long)address);
      separator = ", ";
    } while (++frames < kMaxFrames && unw_step(&cursor) > 0);
  }
  printf("]}\n");
  _UPT_destroy(from);
  ptrace(PTRACE_DETACH, thread, 0, 0);
  return frames;
}

int main(int count, char** words) {
  if (count != 2) return 2;
  char folder[64];
  snprintf(folder, sizeof folder, "/proc/%d/task", atoi(words[1]));
  DIR* threads = opendir(folder);
  if (threads == NULL) return 1;
  unw_addr_space_t space = unw_create_addr_space(&_UPT_accessors, 0);
  int frames = 0;
  for (struct dirent* each; (each = readdir(threads)) != NULL;)
    if (atoi(each->d_name) > 0) frames += print_chain(space, atoi(each->d_name));
  unw_destroy_addr_space(space);
  closedir(threads);
  return frames == 0;
}
