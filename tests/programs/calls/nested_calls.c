/* A signal handler makes calls during a blocking call. They are nested in that call. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int g_null;

static void on_alarm(int signal) {
  (void)signal;
  if (write(g_null, "x", 1) != 1) _exit(3);
}

int main(void) {
  g_null = open("/dev/null", O_WRONLY);
  struct sigaction action = {0};
  action.sa_handler = on_alarm;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval often = {{0, 3000}, {0, 3000}};
  setitimer(ITIMER_REAL, &often, NULL);
  /* clock_nanosleep is not restarted, so sleep to an absolute time again and again */
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += 50000000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
  }
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  for (int i = 0; i < 10; ++i)
    if (write(g_null, "x", 1) != 1) return 3;
  puts("{\"outside\": 10}");
  return 0;
}
