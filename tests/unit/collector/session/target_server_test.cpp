#include "collector/session/target_server.hpp"

#include <fcntl.h>
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
#include "collector/ingest/clock_model.hpp"

namespace prof::session {
namespace {

using Numbers = std::vector<std::uint32_t>;

// A session as record() sets it up; its processes are this one.
class TargetServerTest : public ::testing::Test {
 protected:
  TargetServerTest()
      : directory_(*SessionDirectory::create()),
        spool_(::testing::TempDir() + "prof-target-server-" + std::to_string(getpid()) + ".spool"),
        recorder_(make_spool(spool_)),
        server_(options_, *ControlServer::create(directory_), make_arena(arena_), recorder_,
                stacks_, loop_, true, 1e9) {
    EXPECT_TRUE(server_.leave_standing_reply(directory_));
    arrivals_.reset(open(directory_.file(wire::kArrivalPipeName).c_str(), O_WRONLY | O_NONBLOCK));
  }
  ~TargetServerTest() override { unlink(spool_.c_str()); }

  static ingest::SpoolWriter make_spool(const std::string& path) {
    unlink(path.c_str());
    return *ingest::SpoolWriter::create(path);
  }
  static ingest::Arena make_arena(wire::ArenaHeader*& header) {
    auto made = *ingest::Arena::create({8, 4}, {16, 8});
    header = made.header();
    return made;
  }

  base::UniqueFd connect() const {
    base::UniqueFd peer(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, directory_.file(wire::kControlSocketName).c_str(),
                 sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(peer.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return peer;
  }

  // `parent`: 0: a program was started.
  static wire::Hello hello(std::uint32_t serial, std::uint32_t parent, std::uint64_t time) {
    wire::Hello hello{};
    hello.magic = wire::kHandshakeMagic;
    hello.version = wire::kWireVersion;
    hello.kind = parent == 0 ? wire::ProcessKind::kStart : wire::ProcessKind::kFork;
    hello.pid = getpid();
    hello.parent_serial = parent;
    hello.serial = serial;
    hello.slot = serial % wire::kProcessSlots;
    hello.time = time;
    return hello;
  }
  static void ask(const base::UniqueFd& peer, std::uint32_t parent, std::uint64_t time) {
    const wire::Hello words = hello(0, parent, time);
    EXPECT_EQ(send(peer.get(), &words, sizeof words, MSG_NOSIGNAL),
              static_cast<ssize_t>(sizeof words));
  }
  void put(const void* words, std::size_t bytes) const {
    EXPECT_EQ(write(arrivals_.get(), words, bytes), static_cast<ssize_t>(bytes));
  }
  void tell(const wire::Hello& hello) const {
    const wire::Arrival arrival{.hello = hello, .program = {}};
    put(&arrival, sizeof arrival);
  }
  void tell(std::uint32_t serial, std::uint32_t parent, std::uint64_t time) const {
    tell(hello(serial, parent, time));
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
  base::UniqueFd arrivals_;
};

TEST_F(TargetServerTest, KnowsAProcessOfWhichNobodyHasHeard) {
  EXPECT_FALSE(server_.serves(getpid()));
  tell(16, 0, 100);
  EXPECT_TRUE(server_.serves(getpid()));
}

TEST_F(TargetServerTest, KnowsAProcessThatIsGoneUntilThePollAfterNext) {
  const pid_t child = fork();
  if (child == 0) {
    tell(16, 0, 100);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(server_.serves(child));
  server_.poll();
  EXPECT_TRUE(server_.serves(child));  // what it sent us may not have been read yet
  server_.poll();
  EXPECT_FALSE(server_.serves(child));
}

// This process is older than what it says; then somebody else has got the pid.
TEST_F(TargetServerTest, TakesNobodyForAProcessThatHadItsPid) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const std::uint64_t now = ingest::read_clocks(true).ticks;
  wire::Hello earlier = hello(16, 0, now - 100'000'000'000);  // the session's clock: ns
  earlier.pid = child;
  tell(earlier);
  wire::Hello own = hello(17, 0, now);
  tell(own);
  server_.poll();
  EXPECT_EQ(recorded("serial"), (Numbers{16, 17}));
  server_.poll();
  EXPECT_FALSE(server_.serves(child));
  EXPECT_TRUE(server_.serves(getpid()));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(TargetServerTest, HearsAParentBeforeItsChild) {
  tell(17, 0, 100);
  tell(16, 17, 200);
  server_.poll();
  EXPECT_EQ(recorded("serial"), (Numbers{17, 16}));
  EXPECT_EQ(recorded("parent_serial"), (Numbers{0, 17}));
}

TEST_F(TargetServerTest, HearsAParentBeforeAChildThatAsks) {
  const base::UniqueFd child = connect();
  tell(17, 0, 100);
  ask(child, 17, 200);
  handle_events();
  EXPECT_EQ(recorded("parent_serial"), (Numbers{0, 17}));
}

TEST_F(TargetServerTest, HearsBeforeItClosesWhoHasSpoken) {
  const base::UniqueFd peer = connect();
  handle_events();  // lets it in; it is silent
  ask(peer, 0, 100);
  tell(18, 0, 200);
  server_.close();
  EXPECT_EQ(recorded("serial"), (Numbers{18, wire::kFirstCollectorSerial}));
}

TEST_F(TargetServerTest, AnyNumberMayTell) {
  constexpr std::uint32_t kTell = 2000;
  for (std::uint32_t i = 0; i < kTell; ++i) tell(16 + i, 0, 100 + i);
  server_.poll();
  EXPECT_EQ(recorded("serial").size(), kTell);
}

TEST_F(TargetServerTest, ASerialIsTakenOnce) {
  tell(16, 0, 100);
  tell(16, 0, 200);
  tell(0, 0, 250);
  tell(wire::kFirstSerial - 1, 0, 300);
  tell(wire::kFirstSerial + wire::kMostImages, 0, 400);
  tell(wire::kFirstCollectorSerial, 0, 500);
  server_.poll();
  EXPECT_EQ(recorded("serial"), Numbers{16});
}

TEST_F(TargetServerTest, UnderstandsWhoComesAfterNoise) {
  tell(16, 0, 100);
  put("noise", 5);
  tell(17, 0, 200);
  put("frof", 4);  // how the next one begins
  server_.poll();
  tell(18, 0, 300);
  server_.poll();
  EXPECT_EQ(recorded("serial"), (Numbers{16, 17, 18}));
}

}  // namespace
}  // namespace prof::session
