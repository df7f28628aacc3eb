/* Reads and writes files, sockets and pipes in every way that --osrt-file-access follows. Prints
 * what it did: {file: [reads, bytes read, writes, bytes written, opens]}. Usage: known_files
 * FOLDER. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (!(condition)) {                                                           \
      fprintf(stderr, "%s:%d: %s (%d)\n", __FILE__, __LINE__, #condition, errno); \
      _exit(3);                                                                   \
    }                                                                             \
  } while (0)

enum { kMaxFiles = 32 };
static struct {
  char name[256];
  long reads, in, writes, out, opens;
} g_files[kMaxFiles];
static int g_count;
static char g_folder[PATH_MAX];

static int file(const char* name) {
  for (int i = 0; i < g_count; ++i)
    if (strcmp(g_files[i].name, name) == 0) return i;
  CHECK(g_count < kMaxFiles);
  strcpy(g_files[g_count].name, name);
  return g_count++;
}
static const char* in_folder(const char* name) {
  static char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s", g_folder, name);
  return path;
}
static void did(int f, long reads, long in, long writes, long out, long opens) {
  g_files[f].reads += reads;
  g_files[f].in += in;
  g_files[f].writes += writes;
  g_files[f].out += out;
  g_files[f].opens += opens;
}
/* The name of a file without a path: "pipe:[inode]". */
static int unnamed(const char* kind, int fd) {
  struct stat status;
  char name[64];
  CHECK(fstat(fd, &status) == 0);
  snprintf(name, sizeof name, "%s:[%lu]", kind, (unsigned long)status.st_ino);
  return file(name);
}

static void plain_files(void) {
  char buffer[256] = {0};
  const int a = file(in_folder("a"));
  int fd = open(in_folder("a"), O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(fd >= 0 && write(fd, buffer, 100) == 100 && pwrite(fd, buffer, 50, 100) == 50);
  struct iovec parts[2] = {{buffer, 10}, {buffer, 20}};
  CHECK(writev(fd, parts, 2) == 30);
  CHECK(pread(fd, buffer, 7, 0) == 7);
  did(a, 1, 7, 3, 180, 1);

  /* A copy of a descriptor keeps its file when the original number gets another file. */
  const int copy = dup(fd);
  CHECK(copy >= 0 && close(fd) == 0);
  const int b = file(in_folder("b"));
  CHECK(open(in_folder("b"), O_RDWR | O_CREAT | O_TRUNC, 0600) == fd);
  CHECK(write(fd, buffer, 11) == 11 && write(copy, buffer, 13) == 13);
  did(a, 0, 0, 1, 13, 1);
  did(b, 0, 0, 1, 11, 1);

  /* dup2 onto the descriptor; a failed read; fcntl; a descriptor opened by a raw system call. */
  CHECK(dup2(copy, fd) == fd && write(fd, buffer, 3) == 3 && close(copy) == 0);
  const int other = fcntl(fd, F_DUPFD_CLOEXEC, 100);
  CHECK(other >= 100 && pread(other, buffer, 5, 0) == 5 && close(other) == 0 && close(fd) == 0);
  did(a, 1, 5, 1, 3, 2);
  fd = (int)syscall(SYS_openat, AT_FDCWD, in_folder("b"), O_WRONLY);
  CHECK(fd >= 0 && read(fd, buffer, 1) == -1 && write(fd, buffer, 2) == 2 && close(fd) == 0);
  did(b, 1, 0, 1, 2, 0);

  /* A path relative to the working directory, and a path with dots. */
  CHECK(chdir(g_folder) == 0);
  fd = open("./a", O_RDONLY);
  const int folder = open(g_folder, O_RDONLY | O_DIRECTORY);
  const int at = openat(folder, "b", O_RDONLY);
  CHECK(read(fd, buffer, 9) == 9 && read(at, buffer, 4) == 4);
  CHECK(close(fd) == 0 && close(at) == 0 && close(folder) == 0 && chdir("/") == 0);
  did(a, 1, 9, 0, 0, 1);
  did(b, 1, 4, 0, 0, 1);
  did(file(g_folder), 0, 0, 0, 0, 1);
}

static void two_at_once(void) {
  const int a = file(in_folder("a")), c = file(in_folder("c"));
  const int in = open(in_folder("a"), O_RDONLY);
  const int out = open(in_folder("c"), O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(in >= 0 && out >= 0 && sendfile(out, in, NULL, 64) == 64);
  char* map = mmap(NULL, 64, PROT_READ, MAP_SHARED, out, 0); /* counts for nothing */
  CHECK(map != MAP_FAILED && map[0] == 0 && munmap(map, 64) == 0);
  CHECK(close(in) == 0 && close(out) == 0);
  did(a, 1, 64, 0, 0, 1);
  did(c, 0, 0, 1, 64, 1);
}

static void streams(void) {
  char buffer[64];
  const int d = file(in_folder("d")), e = file(in_folder("e"));
  FILE* stream = fopen(in_folder("d"), "w+");
  CHECK(stream != NULL && fwrite("0123456789", 5, 2, stream) == 2);
  CHECK(fprintf(stream, "%s\n", "line") == 5 && fputs("four\n", stream) >= 0);
  rewind(stream);
  CHECK(fread(buffer, 1, 10, stream) == 10 && fgets(buffer, sizeof buffer, stream) != NULL);
  did(d, 2, 15, 3, 20, 1);
  stream = freopen(in_folder("e"), "w", stream);
  CHECK(stream != NULL && fwrite("x", 1, 1, stream) == 1 && fclose(stream) == 0);
  did(e, 0, 0, 1, 1, 1);
  stream = fopen(in_folder("c"), "r");
  CHECK(stream != NULL);
  while (getc(stream) != EOF) {
  }
  CHECK(fclose(stream) == 0);
  did(file(in_folder("c")), 2, 64, 0, 0, 1); /* fills the buffer, and finds the end */
}

static void pipes_and_children(const char* self) {
  char buffer[64] = {0};
  int ends[2];
  CHECK(pipe(ends) == 0);
  const int p = unnamed("pipe", ends[0]);
  did(p, 0, 0, 0, 0, 2);
  pid_t child = fork();
  if (child == 0) _exit(close(ends[0]) == 0 && write(ends[1], buffer, 21) == 21 ? 0 : 1);
  CHECK(read(ends[0], buffer, sizeof buffer) == 21);
  did(p, 1, 21, 1, 21, 0);
  CHECK(waitpid(child, NULL, 0) == child);
  child = fork(); /* an exec that inherits the pipe under another number */
  if (child == 0) {
    dup2(ends[1], 40);
    execl(self, self, "--child", "40", NULL);
    _exit(1);
  }
  CHECK(waitpid(child, NULL, 0) == child && read(ends[0], buffer, sizeof buffer) == 17);
  did(p, 1, 17, 1, 17, 1);
  /* A vfork child changes only its own descriptors, not those of its parent. */
  child = vfork();
  if (child == 0) {
    close(ends[0]);
    _exit(0);
  }
  CHECK(waitpid(child, NULL, 0) == child && write(ends[1], buffer, 1) == 1);
  CHECK(read(ends[0], buffer, 1) == 1 && close(ends[0]) == 0 && close(ends[1]) == 0);
  did(p, 1, 1, 1, 1, 0);
}

static void local_sockets(void) {
  char buffer[64] = {0};
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const int first = unnamed("unix", ends[0]), second = unnamed("unix", ends[1]);
  CHECK(send(ends[0], buffer, 31, 0) == 31 && recv(ends[1], buffer, 64, 0) == 31);
  CHECK(close_range(ends[0], ends[0], 0) == 0 && close(ends[1]) == 0);
  did(first, 0, 0, 1, 31, 1);
  did(second, 1, 31, 0, 0, 1);

  const int counter = eventfd(0, 0);
  uint64_t one = 1;
  CHECK(counter >= 0 && write(counter, &one, 8) == 8 && read(counter, &one, 8) == 8);
  CHECK(close(counter) == 0);
  did(file("anon_inode:[eventfd]"), 1, 8, 1, 8, 1);
}

static void network(void) {
  char buffer[64] = {0}, name[64];
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(bind(listener, (struct sockaddr*)&address, sizeof address) == 0);
  CHECK(listen(listener, 1) == 0 &&
        getsockname(listener, (struct sockaddr*)&address, &length) == 0);
  snprintf(name, sizeof name, "tcp:127.0.0.1:%d (local)", ntohs(address.sin_port));
  did(file(name), 0, 0, 0, 0, 1);
  snprintf(name, sizeof name, "tcp:127.0.0.1:%d", ntohs(address.sin_port));
  const int client = file(name);
  const int out = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(connect(out, (struct sockaddr*)&address, sizeof address) == 0);
  CHECK(getsockname(out, (struct sockaddr*)&address, &length) == 0);
  const int in = accept(listener, NULL, NULL);
  snprintf(name, sizeof name, "tcp:127.0.0.1:%d", ntohs(address.sin_port));
  const int server = file(name);
  CHECK(in >= 0 && write(out, buffer, 41) == 41 && recv(in, buffer, 41, MSG_WAITALL) == 41);
  CHECK(close(in) == 0 && close(out) == 0 && close(listener) == 0);
  did(client, 0, 0, 1, 41, 1);
  did(server, 1, 41, 0, 0, 1);
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "--child") == 0)
    return write(atoi(argv[2]), "seventeen bytes..", 17) == 17 ? 0 : 1;
  CHECK(argc == 2 && realpath(argv[1], g_folder) != NULL);
  plain_files();
  two_at_once();
  streams();
  pipes_and_children(argv[0]);
  local_sockets();
  network();
  printf("{");
  for (int i = 0; i < g_count; ++i)
    printf("%s\"%s\": [%ld, %ld, %ld, %ld, %ld]", i == 0 ? "" : ", ", g_files[i].name,
           g_files[i].reads, g_files[i].in, g_files[i].writes, g_files[i].out, g_files[i].opens);
  printf("}\n");
  return 0;
}
