#include "collector/ingest/calls/file_names.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

namespace prof::ingest {
namespace {

template <class Address>
std::string_view bytes(const Address& address) {
  return {reinterpret_cast<const char*>(&address), sizeof address};
}

std::string local(std::string_view path) {
  const sa_family_t family = AF_UNIX;
  return std::string(bytes(family)) + std::string(path);
}

TEST(FileNames, Paths) {
  EXPECT_EQ(file_path("/a/b"), "/a/b");
  EXPECT_EQ(file_path("/a/./b/../c//d"), "/a/c/d");
  EXPECT_EQ(file_path("relative/../x"), "relative/../x");
  EXPECT_EQ(file_path("anon_inode:[eventfd]"), "anon_inode:[eventfd]");
  EXPECT_EQ(file_path("/memfd:name (deleted)"), "memfd:name");
  EXPECT_EQ(file_path("/tmp/x (deleted)"), "/tmp/x (deleted)");
  EXPECT_EQ(file_path(""), "");
}

TEST(FileNames, Pipes) {
  EXPECT_EQ(pipe_name(7), "pipe:[7]");
  EXPECT_EQ(pipe_name(0), "pipe");
}

TEST(FileNames, InternetSockets) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(80);
  inet_pton(AF_INET, "10.1.2.3", &four.sin_addr);
  EXPECT_EQ(socket_name({AF_INET, SOCK_STREAM, bytes(four)}), "tcp:10.1.2.3:80");
  EXPECT_EQ(socket_name({AF_INET, SOCK_DGRAM, bytes(four), true}), "udp:10.1.2.3:80 (local)");
  EXPECT_EQ(socket_name({AF_INET, SOCK_RAW, bytes(four)}), "ip:10.1.2.3:80");
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(443);
  inet_pton(AF_INET6, "::1", &six.sin6_addr);
  // The record of an accepted socket has no domain, but its address does.
  EXPECT_EQ(socket_name({AF_UNSPEC, SOCK_STREAM, bytes(six)}), "tcp:[::1]:443");
  EXPECT_EQ(socket_name({AF_INET, SOCK_STREAM, ""}), "tcp");
}

TEST(FileNames, LocalSockets) {
  EXPECT_EQ(socket_name({AF_UNIX, SOCK_STREAM, local("/run/x")}), "unix:/run/x");
  EXPECT_EQ(socket_name({AF_UNIX, SOCK_STREAM, local(std::string_view("/run/x\0junk", 11))}),
            "unix:/run/x");
  EXPECT_EQ(socket_name({AF_UNIX, SOCK_STREAM, local(std::string_view("\0abstract", 9))}),
            "unix:@abstract");
  EXPECT_EQ(socket_name({AF_UNIX, SOCK_STREAM, local(""), false, 9}), "unix:[9]");
  EXPECT_EQ(socket_name({AF_NETLINK, SOCK_RAW, ""}), "netlink");
}

TEST(FileNames, ShortAddresses) {
  const sa_family_t family = AF_INET;
  EXPECT_EQ(socket_name({AF_INET, SOCK_STREAM, bytes(family)}), "tcp:0.0.0.0:0");
  EXPECT_EQ(socket_name({AF_INET, SOCK_STREAM, "x"}), "tcp:0.0.0.0:0");
}

}  // namespace
}  // namespace prof::ingest
