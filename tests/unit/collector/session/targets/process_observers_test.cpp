#include "collector/session/targets/process_observers.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "collector/session/chains/stack_copy_check.hpp"
#include "collector/spool/arena.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::session {
namespace {

constexpr std::uint32_t kObservedSerial = 16;

class ProcessObserversTest : public ::testing::Test {
 protected:
  ProcessObserversTest() {
    options_.features = 0;
    options_.cpu.samples = options_.cpu.switches = sampler::Scope::kNone;
    options_.python.samples = false;
  }

  void ask_for_call_chains() {
    options_.features = wire::kFeatureOsrt;
    options_.call_chains.osrt_depth = 24;
  }
  LiveProcess process(std::uint32_t serial, pid_t pid) const {
    LiveProcess process;
    process.serial = serial;
    process.slot = serial % wire::kProcessSlots;
    process.pid = pid;
    process.time = session_.clock.now();
    return process;
  }
  bool has_code_of_libc(std::uint32_t serial) {
    const unwind::ModuleMap* map = chains_.images.find(serial);
    const auto address = reinterpret_cast<std::uintptr_t>(&getpid);
    return map != nullptr && map->find(address, session_.clock.now()) != nullptr;
  }
  // The messages that the report would have.
  std::vector<std::string> messages() {
    recorder_.write_collected();
    const auto spool = spool::Spool::open(path_);
    std::vector<std::string> texts;
    for (const auto& note : spool->notes.all<spool::DiagnosticNote>()) texts.push_back(note.text);
    return texts;
  }

  test::TemporaryDirectory folder_;
  const std::string path_ = folder_.file("r.spool");
  SessionOptions options_;
  const SessionDirectory directory_ = SessionDirectory::create().value();
  const EventLoop loop_;
  SpoolRecorder recorder_{spool::SpoolWriter::create(path_).value()};
  CallChainContext chains_;
  spool::Arena arena_ = spool::Arena::create({8, 4}, {16, 8}).value();
  const SessionContext session_{
      options_, directory_, loop_, recorder_, chains_, spool::SessionClock::monotonic_raw(), true};
};

TEST_F(ProcessObserversTest, WithoutARequestNothingIsObserved) {
  ProcessObservers observers(session_, *arena_.header());
  observers.start();
  EXPECT_FALSE(observers.copies_stacks());
  EXPECT_EQ(observers.call_chains(), nullptr);
  observers.add(process(kObservedSerial, getpid()), 0);
  EXPECT_EQ(chains_.images.find(kObservedSerial), nullptr);
  observers.drain_python_samples();
  observers.end(kObservedSerial);
  observers.forget(kObservedSerial);
  observers.stop();
  EXPECT_TRUE(messages().empty());
}

TEST_F(ProcessObserversTest, CallChainsNeedCopiesOfStacks) {
  ask_for_call_chains();
  ProcessObservers observers(session_, *arena_.header());
  const std::string obstacle = stack_copy_obstacle();
  EXPECT_EQ(observers.copies_stacks(), obstacle.empty());
  EXPECT_EQ(observers.call_chains(), nullptr);  // before the start
  observers.start();
  EXPECT_EQ(observers.call_chains() != nullptr, obstacle.empty());
  EXPECT_EQ(messages().size(), obstacle.empty() ? 0U : 1U);  // the obstacle
  observers.stop();
  EXPECT_EQ(observers.call_chains(), nullptr);
}

// Timers in the program replace perf events whatever call chains the user asks for.
TEST_F(ProcessObserversTest, SamplesOfProcessesNeedCallChainsToo) {
  ProcessObservers observers(session_, *arena_.header());
  observers.start();
  observers.enable_samples();
  EXPECT_NE(observers.call_chains(), nullptr);
  EXPECT_FALSE(observers.copies_stacks());
}

TEST_F(ProcessObserversTest, KnowsTheCodeOfAProcessUntilItIsForgotten) {
  ProcessObservers observers(session_, *arena_.header());
  observers.start();
  observers.enable_samples();
  observers.add(process(kObservedSerial, getpid()), 0);
  EXPECT_NE(chains_.images.find(kObservedSerial), nullptr);
  observers.end(kObservedSerial);
  EXPECT_NE(chains_.images.find(kObservedSerial), nullptr);  // its last records are still to come
  observers.forget(kObservedSerial);
  EXPECT_EQ(chains_.images.find(kObservedSerial), nullptr);
}

TEST_F(ProcessObserversTest, AChildThatHasEndedHasTheCodeOfItsParent) {
  ProcessObservers observers(session_, *arena_.header());
  observers.start();
  observers.enable_samples();
  observers.add(process(kObservedSerial, getpid()), 0);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  observers.add(process(kObservedSerial + 1, child), kObservedSerial);
  observers.add(process(kObservedSerial + 2, child), 0);
  EXPECT_TRUE(has_code_of_libc(kObservedSerial + 1));
  EXPECT_FALSE(has_code_of_libc(kObservedSerial + 2));  // has no parent that prof knows
}

TEST_F(ProcessObserversTest, PythonSamplesThatWereChosenAreReportedOnce) {
  options_.python.samples = options_.python.samples_chosen = true;
  ProcessObservers observers(session_, *arena_.header());
  observers.start();
  observers.add(process(kObservedSerial, getpid()), 0);  // has no interpreter
  observers.drain_python_samples();
  observers.stop();
  observers.report_python_sampling();
  const auto texts = messages();
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_TRUE(texts[0].starts_with("Python samples: 0 taken")) << texts[0];
}

// Python samples are on by default, so a program without Python has no message about them.
TEST_F(ProcessObserversTest, PythonSamplesByDefaultAreReportedOnlyIfThereIsPython) {
  options_.python.samples = true;
  ProcessObservers observers(session_, *arena_.header());
  observers.start();
  observers.add(process(kObservedSerial, getpid()), 0);
  observers.drain_python_samples();
  observers.stop();
  EXPECT_TRUE(messages().empty());
}

}  // namespace
}  // namespace prof::session
