/* Lets a program say when prof records it: C and C++, nothing to link with.

     prof_control_start();        the session begins to record
     prof_control_mark("peak");   a mark in the report
     prof_control_stop();         the recording ends, and its report is written

   They work in programs of a session (prof launch), and of prof profile with --start-on=control or
   --stop-on=control. Without prof they read one environment variable and return. Each returns 1 if
   prof did it, 0 if there is no session, and -1 if prof refused or did not answer in 10 s. errno
   stays as it was. They may be called on any thread, but not in signal handlers. */
#ifndef PROF_CONTROL_H
#define PROF_CONTROL_H

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline int prof_control_connect_(const char* session) {
  struct timeval patience;
  struct sockaddr_un address;
  int length;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  length = snprintf(address.sun_path, sizeof address.sun_path, "%s/commands", session);
  patience.tv_sec = 10;
  patience.tv_usec = 0;
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (length > 0 && (size_t)length < sizeof address.sun_path &&
      connect(fd, (const struct sockaddr*)&address, sizeof address) == 0)
    return fd;
  close(fd);
  return -1;
}

/* Sends a command with the first line of a text. */
static inline int prof_control_send(const char* command, const char* text) {
  const char* session = getenv("PROF_SESSION");
  char line[4096], answer[4] = {0, 0, 0, 0};
  size_t length, got = 0;
  ssize_t bytes;
  int fd, result = -1;
  const int error = errno;
  if (session == NULL) return 0;
  fd = prof_control_connect_(session);
  if (fd < 0) { /* the session is over */
    errno = error;
    return 0;
  }
  snprintf(line, sizeof line - 1, "%s %.*s", command, (int)strcspn(text, "\r\n"), text);
  length = strlen(line);
  line[length++] = '\n';
  if (send(fd, line, length, MSG_NOSIGNAL) == (ssize_t)length) {
    while (got < 2 && (bytes = recv(fd, answer + got, 2 - got, 0)) > 0) got += (size_t)bytes;
    if (strcmp(answer, "ok") == 0) result = 1;
  }
  close(fd);
  errno = error;
  return result;
}

static inline int prof_control_start(void) { return prof_control_send("start", ""); }
static inline int prof_control_stop(void) { return prof_control_send("stop", ""); }
static inline int prof_control_mark(const char* text) { return prof_control_send("mark", text); }

#ifdef __cplusplus
}
#endif

#endif
