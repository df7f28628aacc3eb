// Stays in a signal handler, where it works until its input ends, and then ends with status 7. The
// handler has interrupted what the argument says: "select", "mask" (the change of the signal mask),
// or "raise" (a function of libc that is not safe to be interrupted for prof). With "old", the
// handler has returned before.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>

static int g_is_old;

static void work(void) {
  char line[16];
  printf("ready\n");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) != NULL) {
    for (int i = 0; i < 10; ++i) usleep(1000);
    printf("done\n");
    fflush(stdout);
  }
  _exit(7);
}

static void handle(int number) {
  (void)number;
  if (!g_is_old) work();
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  signal(SIGUSR1, handle);
  signal(SIGALRM, handle);
  if (strcmp(what, "select") == 0) {
    const struct itimerval soon = {{0, 0}, {0, 50000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    select(0, NULL, NULL, NULL, NULL);
  } else if (strcmp(what, "mask") == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    raise(SIGUSR1);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
  } else {
    g_is_old = strcmp(what, "old") == 0;
    raise(SIGUSR1);
  }
  work();
}
