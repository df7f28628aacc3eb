#include "every.h"

#include <arpa/inet.h>
#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <nss.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/un.h>

extern __typeof__(connect) __connect;
extern __typeof__(send) __send;
#if defined(__aarch64__) /* has no default version there */
__asm__(".symver __send, __send@GLIBC_2.17");
#endif
ssize_t __recv_chk(int, void*, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void*, size_t, size_t, int, struct sockaddr*, socklen_t*);

static void connect_sockets(void) {
  const struct sockaddr_un name = {AF_UNIX, "socket"};
  const struct sockaddr* address = (const struct sockaddr*)&name;
  const int server = CALL(socket, AF_UNIX, SOCK_STREAM, 0);
  CALL(bind, server, address, sizeof name);
  CALL(listen, server, 4);
  const int first = CALL(socket, AF_UNIX, SOCK_STREAM, 0);
  CALL(connect, first, address, sizeof name);
  CALL(close, CALL(accept, server, NULL, NULL));
  const int second = CALL(socket, AF_UNIX, SOCK_STREAM, 0);
  ALIAS(__connect, connect, second, address, sizeof name);
  CALL(close, CALL(accept4, server, NULL, NULL, SOCK_CLOEXEC));
  CALL(close, first);
  CALL(close, second);
  CALL(close, server);
}

static void transfer(void) {
  int ends[2];
  char buffer[8] = "message";
  struct iovec part = {buffer, sizeof buffer};
  struct mmsghdr message = {{.msg_iov = &part, .msg_iovlen = 1}, 0};
  CALL(socketpair, AF_UNIX, SOCK_DGRAM, 0, ends);
  CALL(send, ends[0], buffer, sizeof buffer, 0);
  ALIAS(__send, send, ends[0], buffer, sizeof buffer, 0);
  CALL(sendto, ends[0], buffer, sizeof buffer, 0, NULL, 0);
  CALL(sendmsg, ends[0], &message.msg_hdr, 0);
  CALL(sendmmsg, ends[0], &message, 1, 0);
  CALL(send, ends[0], buffer, sizeof buffer, 0);
  CALL(recv, ends[1], buffer, sizeof buffer, 0);
  CALL(recvfrom, ends[1], buffer, sizeof buffer, 0, NULL, NULL);
  CALL(recvmsg, ends[1], &message.msg_hdr, 0);
  CALL(recvmmsg, ends[1], &message, 1, 0, NULL);
  ALIAS(__recv_chk, recv, ends[1], buffer, sizeof buffer, sizeof buffer, 0);
  ALIAS(__recvfrom_chk, recvfrom, ends[1], buffer, sizeof buffer, sizeof buffer, 0, NULL, NULL);
  CALL(shutdown, ends[0], SHUT_RDWR);
  CALL(close, ends[0]);
  CALL(close, ends[1]);
}

static void look_up_hosts(void) {
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found = NULL;
  struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct hostent host, *result;
  char text[1024];
  int error;
  CALL(getaddrinfo, "127.0.0.1", NULL, &hints, &found);
  CALL(getnameinfo, (struct sockaddr*)&local, sizeof local, text, sizeof text, NULL, 0,
       NI_NUMERICHOST);
  CALL(gethostbyname, "127.0.0.1");
  CALL(gethostbyname2, "127.0.0.1", AF_INET);
  CALL(gethostbyaddr, &local.sin_addr, sizeof local.sin_addr, AF_INET);
  CALL(gethostbyname_r, "127.0.0.1", &host, text, sizeof text, &result, &error);
  CALL(gethostbyname2_r, "127.0.0.1", AF_INET, &host, text, sizeof text, &result, &error);
  CALL(gethostbyaddr_r, &local.sin_addr, sizeof local.sin_addr, AF_INET, &host, text, sizeof text,
       &result, &error);
  struct gaicb request = {.ar_name = "127.0.0.1", .ar_request = &hints};
  struct gaicb* list[] = {&request};
  const struct gaicb* const pending[] = {&request};
  CALL(getaddrinfo_a, GAI_WAIT, list, 1, NULL);
  CALL(gai_suspend, pending, 1, NULL);
}

static void look_up_users(void) {
  struct passwd user, *found_user;
  struct group group, *found_group;
  char text[4096];
  gid_t groups[64];
  int count_of_groups = 64;
  CALL(getpwnam, "root");
  CALL(getpwuid, 0);
  CALL(getpwnam_r, "root", &user, text, sizeof text, &found_user);
  CALL(getpwuid_r, 0, &user, text, sizeof text, &found_user);
  CALL(getgrnam, "root");
  CALL(getgrgid, 0);
  CALL(getgrnam_r, "root", &group, text, sizeof text, &found_group);
  CALL(getgrgid_r, 0, &group, text, sizeof text, &found_group);
  CALL(getgrouplist, "root", 0, groups, &count_of_groups);
  CALL(initgroups, "nonexistent-user-of-prof", getgid());
}

/* No libnss_systemd or similar module, because these call libc themselves. */
static void ask_libc_only(void) {
  const char* databases[] = {"hosts", "passwd", "group", "initgroups"};
  for (int i = 0; i < 4; ++i) __nss_configure_lookup(databases[i], "files");
}

void call_sockets(void) {
  ask_libc_only();
  connect_sockets();
  transfer();
  look_up_hosts();
  look_up_users();
}
