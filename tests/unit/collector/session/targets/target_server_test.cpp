#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "collector/spool/clock_model.hpp"
#include "common/base/log.hpp"
#include "tests/served_session.hpp"

namespace prof::session {
namespace {

using Numbers = std::vector<std::uint32_t>;

// All processes of the session are this process.
class TargetServerTest : public ::testing::Test {
 protected:
  TargetServerTest()
      : session_(::testing::TempDir() + "prof-target-server-" + std::to_string(getpid()) +
                 ".spool"),
        server_(session_.server) {}

  // `parent`: 0 if a program was started.
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
    EXPECT_EQ(write(session_.arrivals.get(), words, bytes), static_cast<ssize_t>(bytes));
  }
  void tell(const wire::Hello& hello) const {
    const wire::Arrival arrival{.hello = hello, .program = {}};
    put(&arrival, sizeof arrival);
  }
  void tell(std::uint32_t serial, std::uint32_t parent, std::uint64_t time) const {
    tell(hello(serial, parent, time));
  }

  // A fork child that arrives in its slot. Returns the slot.
  std::uint32_t arrive(std::uint32_t serial, std::uint32_t parent, std::uint64_t time) const {
    const std::uint32_t slot = wire::claim_slot(session_.arena, serial);
    wire::SlotOwner& owner = session_.arena->slot_owners[slot];
    owner.parent_serial = parent;
    owner.pid = getpid();
    owner.arrived = time;
    return slot;
  }

  // A field of the process notes, in the order in which they were recorded.
  std::vector<std::uint32_t> recorded(std::uint32_t spool::ProcessNote::*field) {
    std::vector<std::uint32_t> found;
    const auto spool = spool::Spool::open(session_.spool);
    for (const auto& note : spool->notes.all<spool::ProcessNote>()) found.push_back(note.*field);
    return found;
  }

  ServedSession session_;
  TargetServer& server_;
};

TEST_F(TargetServerTest, ServesAProcessWhoseArrivalIsNotReadYet) {
  EXPECT_FALSE(server_.serves(getpid()));
  tell(16, 0, 100);
  EXPECT_TRUE(server_.serves(getpid()));
}

TEST_F(TargetServerTest, ServesAnEndedProcessUntilThePollAfterNext) {
  const pid_t child = fork();
  if (child == 0) {
    tell(16, 0, 100);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(server_.serves(child));
  server_.poll();
  EXPECT_TRUE(server_.serves(child));  // its signals may not have been read yet
  server_.poll();
  EXPECT_FALSE(server_.serves(child));
}

// A process that is younger than its announcement has got the pid of an ended one.
TEST_F(TargetServerTest, DetectsAReusedPid) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const std::uint64_t now = spool::read_clocks(true).ticks;
  wire::Hello earlier = hello(16, 0, now - 100'000'000'000);  // the session's clock: ns
  earlier.pid = child;
  tell(earlier);
  wire::Hello own = hello(17, 0, now);
  tell(own);
  server_.poll();
  EXPECT_EQ(recorded(&spool::ProcessNote::serial), (Numbers{16, 17}));
  server_.poll();
  EXPECT_FALSE(server_.serves(child));
  EXPECT_TRUE(server_.serves(getpid()));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(TargetServerTest, RegistersAParentBeforeItsChild) {
  tell(17, 0, 100);
  tell(16, 17, 200);
  server_.poll();
  EXPECT_EQ(recorded(&spool::ProcessNote::serial), (Numbers{17, 16}));
  EXPECT_EQ(recorded(&spool::ProcessNote::parent_serial), (Numbers{0, 17}));
}

TEST_F(TargetServerTest, RegistersForksInTheOrderOfTheirSerials) {
  arrive(wire::kSharedSlot + 16, 18, 400);  // its slot comes before those of the others
  tell(17, 0, 100);
  arrive(18, 17, 200);
  tell(19, 0, 300);
  server_.poll();
  EXPECT_EQ(recorded(&spool::ProcessNote::serial), (Numbers{17, 18, 19, wire::kSharedSlot + 16}));
  EXPECT_EQ(recorded(&spool::ProcessNote::parent_serial), (Numbers{0, 17, 0, 18}));
  server_.poll();
  EXPECT_EQ(recorded(&spool::ProcessNote::serial).size(), 4U);  // each is read once
}

TEST_F(TargetServerTest, ASlotThatIsFreeAgainHasNoArrival) {
  tell(16, 0, 50);
  const std::uint32_t slot = arrive(17, 16, 100);
  wire::release_slot(session_.arena, slot, 17);
  server_.poll();
  EXPECT_EQ(recorded(&spool::ProcessNote::serial), Numbers{16});
}

TEST_F(TargetServerTest, RejectsAForkWithoutAPid) {
  const std::uint32_t slot = arrive(17, 0, 100);
  session_.arena->slot_owners[slot].pid = -1;
  server_.poll();
  EXPECT_TRUE(recorded(&spool::ProcessNote::serial).empty());
}

TEST_F(TargetServerTest, RegistersAParentBeforeAChildThatWaits) {
  const base::UniqueFd child = session_.connect();
  tell(17, 0, 100);
  ask(child, 17, 200);
  session_.handle_events();
  EXPECT_EQ(recorded(&spool::ProcessNote::parent_serial), (Numbers{0, 17}));
}

TEST_F(TargetServerTest, AdmitsWaitingPeersBeforeItCloses) {
  const base::UniqueFd peer = session_.connect();
  session_.handle_events();  // accepts it; it has not said Hello yet
  ask(peer, 0, 100);
  tell(18, 0, 200);
  server_.close();
  EXPECT_EQ(recorded(&spool::ProcessNote::serial), (Numbers{18, wire::kFirstCollectorSerial}));
}

TEST_F(TargetServerTest, RegistersManyArrivals) {
  constexpr std::uint32_t kTell = 2000;
  for (std::uint32_t i = 0; i < kTell; ++i) tell(16 + i, 0, 100 + i);
  server_.poll();
  EXPECT_EQ(recorded(&spool::ProcessNote::serial).size(), kTell);
}

TEST_F(TargetServerTest, RejectsImplausibleAndUsedSerials) {
  tell(16, 0, 100);
  tell(16, 0, 200);
  tell(0, 0, 250);
  tell(wire::kFirstSerial - 1, 0, 300);
  tell(wire::kFirstSerial + wire::kMaxImages, 0, 400);
  tell(wire::kFirstCollectorSerial, 0, 500);
  server_.poll();
  EXPECT_EQ(recorded(&spool::ProcessNote::serial), Numbers{16});
}

TEST_F(TargetServerTest, WaitsUntilCuptiIsSwitched) {
  tell(16, 0, spool::read_clocks(true).ticks);
  server_.poll();
  auto& state = session_.arena->slots[16].cupti_state;
  const auto never = [] { ADD_FAILURE(); };
  server_.await_tracing(never);  // without CUDA
  server_.take_gpu_records(never);
  state.store(wire::CuptiState::kSwitching);
  int times = 0;
  server_.await_tracing([&] {
    if (++times == 2) state.store(wire::CuptiState::kOn);
  });
  EXPECT_EQ(times, 2);
  server_.take_gpu_records([&] {
    if (++times == 4) state.store(wire::CuptiState::kFlushed);
  });
  EXPECT_EQ(times, 4);
}

TEST_F(TargetServerTest, ReadsArrivalsAfterNoise) {
  tell(16, 0, 100);
  put("noise", 5);
  tell(17, 0, 200);
  put("frof", 4);  // how the next arrival begins
  server_.poll();
  tell(18, 0, 300);
  server_.poll();
  EXPECT_EQ(recorded(&spool::ProcessNote::serial), (Numbers{16, 17, 18}));
}

}  // namespace
}  // namespace prof::session
