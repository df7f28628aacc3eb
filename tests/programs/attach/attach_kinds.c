// attach_kinds KIND: does one thing until its standard input ends, and prints what is not as it
// should be. Each call is made directly, so that an interruption is seen. Without prof, or with a
// prof that is not noticed, the output is "ready" and "ended".
#define _GNU_SOURCE
#include "attach_kinds.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void say_ready(void) {
  static const char kReady[] = "ready\n";
  if (write(STDOUT_FILENO, kReady, sizeof kReady - 1) < 0) _exit(1);
}

int has_ended(void) {
  struct pollfd input = {STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, 0) > 0;
}

void complain(const char* what, long value) {
  const int error = errno;
  char line[160];
  const int bytes = snprintf(line, sizeof line, "%s: %ld (%s)\n", what, value, strerror(error));
  if (write(STDOUT_FILENO, line, (size_t)bytes) < 0) _exit(1);
}

double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int at_the_end(void (*act)(void)) {
  const int child = fork();
  if (child != 0) return child;
  struct pollfd input = {STDIN_FILENO, POLLIN, 0};
  while (poll(&input, 1, -1) <= 0) complain("poll in the child", -1);
  usleep(50000);
  act();
  _exit(0);
}

static int run(const struct kind* kinds, const char* name) {
  for (; kinds->name != NULL; ++kinds) {
    if (strcmp(name, "list") == 0) {
      puts(kinds->name);
    } else if (strcmp(name, kinds->name) == 0) {
      kinds->run();
      static const char kEnded[] = "ended\n";
      return write(STDOUT_FILENO, kEnded, sizeof kEnded - 1) > 0;
    }
  }
  return strcmp(name, "list") == 0;
}

int main(int count, char** words) {
  if (count != 2) return 2;
  const int limited = run(kLimitedWaits, words[1]);
  const int endless = run(kEndlessWaits, words[1]);
  const int other = run(kOthers, words[1]);
  return limited || endless || other ? 0 : 2;
}
