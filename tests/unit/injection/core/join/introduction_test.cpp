#include "injection/core/join/introduction.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>

#include "common/base/unique_fd.hpp"
#include "injection/core/join/session.hpp"
#include "tests/unit/injection/core/session_fixture.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::core {
namespace {

// This process acts as a fork child whose parent joined with a request.
class Introduction : public SessionFixture {
 protected:
  Introduction() {
    g_process.features = wire::kFeatureForks;
    std::strncpy(g_process.session, directory_.file(".").c_str(), sizeof g_process.session - 1);
    g_live.word = kWiped;
    g_live.self = {};
  }
  ~Introduction() override {
    if (collector_.joinable()) collector_.join();
    g_process.features = 0;
    g_process.session[0] = '\0';
  }

  // Starts a collector that answers the next request.
  void answer(const wire::Reply& reply) {
    base::UniqueFd listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, directory_.file(wire::kControlSocketName).c_str(),
                 sizeof address.sun_path - 1);
    ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(listen(listener.get(), 1), 0);
    collector_ = std::thread([this, reply, listener = std::move(listener)] {
      const base::UniqueFd peer(accept(listener.get(), nullptr, nullptr));
      recv(peer.get(), &hello_, sizeof hello_, 0);
      send(peer.get(), &reply, sizeof reply, MSG_NOSIGNAL);
    });
  }
  static wire::Reply reply(wire::ReplyStatus status) {
    wire::Reply reply{};
    reply.magic = wire::kHandshakeMagic;
    reply.version = wire::kWireVersion;
    reply.status = status;
    return reply;
  }
  std::uint64_t failed() { return arena_.header()->failed_handshakes; }

  test::TemporaryDirectory directory_;
  wire::Hello hello_{};
  std::thread collector_;
};

TEST_F(Introduction, AForkChildNamesItsParent) {
  const std::uint32_t parent = g_process.forker.serial;
  wire::Reply welcome = reply(wire::ReplyStatus::kTrace);
  welcome.serial = parent + 1;
  welcome.features = wire::kFeatureForks;
  answer(welcome);
  EXPECT_EQ(join_after_fork(), parent + 1);
  collector_.join();  // it wrote hello_
  EXPECT_EQ(hello_.kind, wire::ProcessKind::kFork);
  EXPECT_EQ(hello_.parent_serial, parent);
  EXPECT_EQ(failed(), 0U);
}

TEST_F(Introduction, ARefusedForkChildIsNotCountedAsFailed) {
  answer(reply(wire::ReplyStatus::kRefused));
  EXPECT_EQ(join_after_fork(), kOff);
  EXPECT_EQ(failed(), 0U);
}

TEST_F(Introduction, AForkChildWithoutAnAnswerIsCounted) {
  EXPECT_EQ(join_after_fork(), kOff);
  EXPECT_EQ(failed(), 1U);
}

}  // namespace
}  // namespace prof::core
