#include "collector/session/admission/control_server.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

namespace prof::session {
namespace {

class ControlServerTest : public ::testing::Test {
 protected:
  ControlServerTest()
      : directory_(*SessionDirectory::create()), server_(*ControlServer::create(directory_)) {}

  base::UniqueFd connect_to_server() const {
    base::UniqueFd client(socket(AF_UNIX, SOCK_SEQPACKET, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, directory_.file("control").c_str());
    EXPECT_EQ(connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return client;
  }

  SessionDirectory directory_;
  ControlServer server_;
};

TEST_F(ControlServerTest, KnowsThePidOfAPeer) {
  const auto client = connect_to_server();
  wire::Hello hello{};
  hello.magic = wire::kHandshakeMagic;
  hello.pid = 1;  // false
  ASSERT_EQ(send(client.get(), &hello, sizeof hello, 0), static_cast<ssize_t>(sizeof hello));
  Introduction introduction;
  introduction.connection = server_.accept();
  ASSERT_EQ(server_.receive(introduction), Peer::kIntroduced);
  EXPECT_EQ(introduction.pid, getpid());

  wire::Reply reply{};
  reply.serial = 77;
  ControlServer::reply(introduction, reply, server_.pipe());
  char control[CMSG_SPACE(sizeof(int))];
  iovec data{&reply, sizeof reply};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ASSERT_EQ(recvmsg(client.get(), &message, 0), static_cast<ssize_t>(sizeof reply));
  EXPECT_EQ(reply.serial, 77U);
  ASSERT_NE(CMSG_FIRSTHDR(&message), nullptr);
  int fd;
  std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  EXPECT_EQ(close(fd), 0);
}

TEST_F(ControlServerTest, DistinguishesPeers) {
  const auto peer = [&](const base::UniqueFd&) {
    Introduction introduction;
    introduction.connection = server_.accept();
    return server_.receive(introduction);
  };
  EXPECT_FALSE(server_.accept());
  EXPECT_EQ(peer(connect_to_server()), Peer::kSilent);
  connect_to_server();  // closed before a Hello
  EXPECT_EQ(peer({}), Peer::kDisconnected);
  const auto says = [&](const void* words, std::size_t bytes) {
    const auto client = connect_to_server();
    EXPECT_EQ(send(client.get(), words, bytes, 0), static_cast<ssize_t>(bytes));
    return peer(client);
  };
  EXPECT_EQ(says("GET / HTTP/1.0", 14), Peer::kStranger);
  wire::Hello hello[2]{};
  hello->magic = wire::kHandshakeMagic;
  hello->version = wire::kWireVersion;
  EXPECT_EQ(says(hello, sizeof *hello), Peer::kIntroduced);
  EXPECT_EQ(says(hello, sizeof *hello / 2), Peer::kStranger);
  EXPECT_EQ(says(hello, sizeof hello), Peer::kStranger);
  hello->version = wire::kWireVersion + 1;  // its Hello may be longer
  EXPECT_EQ(says(hello, sizeof hello), Peer::kIntroduced);
}

TEST_F(ControlServerTest, AnythingInThePipeAsksForADrain) {
  EXPECT_FALSE(server_.take_announcements().any);
  const base::UniqueFd pipe(open(directory_.file("events").c_str(), O_RDWR | O_NONBLOCK));
  ASSERT_EQ(write(pipe.get(), "garbage", 7), 7);
  EXPECT_TRUE(server_.take_announcements().any);
  const wire::Announcement announcement{wire::kHandshakeMagic, wire::kWireVersion,
                                        wire::AnnouncementKind::kBufferFilling, 16, 3};
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(write(pipe.get(), &announcement, sizeof announcement), 16);
  EXPECT_TRUE(server_.take_announcements().any);
  EXPECT_FALSE(server_.take_announcements().any);
}

TEST_F(ControlServerTest, UnmappedProcessesAreCounted) {
  const base::UniqueFd pipe(open(directory_.file("events").c_str(), O_RDWR | O_NONBLOCK));
  wire::Announcement announcement{wire::kHandshakeMagic, wire::kWireVersion,
                                  wire::AnnouncementKind::kNoRoom, 16, 0};
  for (int i = 0; i < 3; ++i) ASSERT_EQ(write(pipe.get(), &announcement, sizeof announcement), 16);
  announcement.magic = 0;
  ASSERT_EQ(write(pipe.get(), &announcement, sizeof announcement), 16);
  EXPECT_EQ(server_.take_announcements().no_room, 3U);
}

}  // namespace
}  // namespace prof::session
