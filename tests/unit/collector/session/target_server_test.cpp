#include "collector/session/target_server.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "collector/base/log.hpp"

namespace prof::session {
namespace {

// A session as record() sets it up; its processes are this one.
class TargetServerTest : public ::testing::Test {
 protected:
  TargetServerTest()
      : directory_(*SessionDirectory::create()),
        spool_(::testing::TempDir() + "prof-target-server-" + std::to_string(getpid()) + ".spool"),
        recorder_(make_spool(spool_)),
        server_(options_, *ControlServer::create(directory_), make_arena(arena_), recorder_,
                stacks_, loop_, true, 1e9) {
    server_.leave_standing_reply(directory_);
  }
  ~TargetServerTest() override { unlink(spool_.c_str()); }

  void SetUp() override {
    if (access(directory_.file(wire::kStandingReplyName).c_str(), F_OK) != 0)
      GTEST_SKIP() << "processes wait for an answer on this kernel";
  }

  static ingest::SpoolWriter make_spool(const std::string& path) {
    unlink(path.c_str());
    return *ingest::SpoolWriter::create(path);
  }
  static ingest::Arena make_arena(wire::ArenaHeader*& header) {
    auto made = *ingest::Arena::create({8, 4}, {16, 8});
    header = made.header();
    return made;
  }

  base::UniqueFd connect_to(const char* name) const {
    base::UniqueFd peer(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, directory_.file(name).c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(connect(peer.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return peer;
  }
  base::UniqueFd arrive() const { return connect_to(wire::kArrivalSocketName); }

  // `serial`: 0 asks. `parent`: 0: a program was started.
  static void say_hello(const base::UniqueFd& peer, std::uint32_t serial, std::uint32_t parent,
                        std::uint64_t time) {
    wire::Hello hello{};
    hello.magic = wire::kHandshakeMagic;
    hello.version = wire::kWireVersion;
    hello.kind = parent == 0 ? wire::ProcessKind::kStart : wire::ProcessKind::kFork;
    hello.pid = getpid();
    hello.parent_serial = parent;
    hello.serial = serial;
    hello.slot = serial;
    hello.time = time;
    EXPECT_EQ(send(peer.get(), &hello, sizeof hello, MSG_NOSIGNAL),
              static_cast<ssize_t>(sizeof hello));
  }

  // Of the processes, in the order they were recorded.
  std::vector<std::uint32_t> recorded(const char* key) {
    std::vector<std::uint32_t> found;
    const auto spool = ingest::Spool::open(spool_);
    for (const auto& note : spool->notes)
      if (note.value("type", "") == "process") found.push_back(note.value(key, ~0U));
    return found;
  }

  void handle_events() {
    loop_.wait(std::chrono::milliseconds(0), [this](int fd) { server_.handle(fd); });
  }

  SessionOptions options_;
  SessionDirectory directory_;
  std::string spool_;
  EventLoop loop_;
  wire::ArenaHeader* arena_ = nullptr;
  Recorder recorder_;
  CallStacks stacks_;
  TargetServer server_;
};

using Numbers = std::vector<std::uint32_t>;

TEST_F(TargetServerTest, KnowsAProcessWhoseHelloNobodyHasRead) {
  EXPECT_FALSE(server_.serves(getpid()));
  say_hello(arrive(), 16, 0, 100);
  EXPECT_TRUE(server_.serves(getpid()));
}

TEST_F(TargetServerTest, KnowsAProcessThatIsGoneUntilThePollAfterNext) {
  const pid_t child = fork();
  if (child == 0) {
    say_hello(arrive(), 16, 0, 100);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(server_.serves(child));
  server_.poll();
  EXPECT_TRUE(server_.serves(child));  // what it sent us may not have been read yet
  server_.poll();
  EXPECT_FALSE(server_.serves(child));
}

TEST_F(TargetServerTest, HearsAParentBeforeItsChild) {
  const base::UniqueFd parent = arrive();
  server_.poll();  // lets it in; it is silent
  say_hello(parent, 17, 0, 100);
  say_hello(arrive(), 16, 17, 200);
  server_.poll();
  EXPECT_EQ(recorded("serial"), (Numbers{17, 16}));
  EXPECT_EQ(recorded("parent_serial"), (Numbers{0, 17}));
}

TEST_F(TargetServerTest, HearsAParentBeforeAChildThatAsks) {
  const base::UniqueFd parent = arrive();
  server_.poll();
  const base::UniqueFd child = connect_to(wire::kControlSocketName);
  say_hello(parent, 17, 0, 100);
  say_hello(child, 0, 17, 200);
  handle_events();
  EXPECT_EQ(recorded("parent_serial"), (Numbers{0, 17}));
}

TEST_F(TargetServerTest, HearsBeforeItClosesWhoHasSpoken) {
  const base::UniqueFd peer = arrive();
  server_.poll();
  say_hello(peer, 17, 0, 100);
  EXPECT_TRUE(server_.serves(getpid()));
  const base::UniqueFd other = arrive();
  server_.poll();
  say_hello(other, 18, 0, 200);
  server_.close();
  EXPECT_EQ(recorded("serial"), (Numbers{17, 18}));
}

// None is served inside of another's turn: that would be a matter of how large our stack is.
TEST_F(TargetServerTest, AnyNumberMayAskWhereNobodyHasTo) {
  constexpr std::size_t kAsk = 4000;
  for (std::size_t i = 0; i < kAsk; ++i) say_hello(arrive(), 0, 0, 100 + i);
  server_.poll();
  EXPECT_EQ(recorded("serial").size(), kAsk);
}

TEST_F(TargetServerTest, ASerialIsTakenOnce) {
  say_hello(arrive(), 16, 0, 100);
  say_hello(arrive(), 16, 0, 200);
  say_hello(arrive(), wire::kFirstSerial - 1, 0, 300);
  say_hello(arrive(), wire::kFirstSerial + wire::kMostImages, 0, 400);
  say_hello(arrive(), wire::kFirstCollectorSerial, 0, 500);
  server_.poll();
  EXPECT_EQ(recorded("serial"), Numbers{16});
}

}  // namespace
}  // namespace prof::session
