#include "tests/unit/collector/ptrace/stopped_process.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>

namespace prof::ptrace {
namespace {

using namespace std::chrono_literals;

struct Shared {
  std::atomic<std::uint64_t> counts[64];
  std::atomic<int> ready;
  std::atomic<int> signals;
  std::atomic<bool> end;
};

Shared* g_shared;

void* count(void* number) {
  auto& mine = g_shared->counts[reinterpret_cast<std::uintptr_t>(number)];
  g_shared->ready.fetch_add(1);
  while (!g_shared->end) {
    mine.fetch_add(1);
    if (mine % 1024 == 0) usleep(100);
  }
  return nullptr;
}

void* end_at_once(void*) { return nullptr; }

// A process with `threads` threads that count; the main one makes short-lived threads meanwhile.
class Program {
 public:
  explicit Program(int threads) {
    g_shared = static_cast<Shared*>(
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    id_ = fork();
    if (id_ == 0) run(threads);
    while (g_shared->ready < threads) usleep(1000);
  }
  ~Program() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
    munmap(g_shared, sizeof(Shared));
  }
  pid_t id() const { return id_; }
  // Exit status of the program after it was asked to end.
  int end() {
    g_shared->end = true;
    int status = 0;
    waitpid(id_, &status, 0);
    return status;
  }
  char state() const {
    std::ifstream file("/proc/" + std::to_string(id_) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    return text.at(text.rfind(')') + 2);
  }

 private:
  [[noreturn]] static void run(int threads) {
    signal(SIGUSR1, [](int) { g_shared->signals.fetch_add(1); });
    pthread_t started[64];
    for (std::intptr_t i = 0; i < threads; ++i)
      pthread_create(&started[i], nullptr, count, reinterpret_cast<void*>(i));
    while (!g_shared->end) {
      pthread_t one;
      if (pthread_create(&one, nullptr, end_at_once, nullptr) == 0) pthread_join(one, nullptr);
    }
    for (int i = 0; i < threads; ++i) pthread_join(started[i], nullptr);
    _exit(7);
  }

  pid_t id_;
};

std::uint64_t sum() {
  std::uint64_t sum = 0;
  for (const auto& count : g_shared->counts) sum += count;
  return sum;
}

void wait_for_progress() {
  const std::uint64_t before = sum();
  while (sum() == before) usleep(1000);
}

TEST(StoppedProcess, StopsAllThreadsAndLetsThemGoOn) {
  Program program(16);
  for (int round = 0; round < 20; ++round) {
    auto all = StoppedProcess::stop(program.id(), 10s);
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_TRUE(all->running().empty());
    EXPECT_GE(all->stopped().size(), 17u);
    const std::uint64_t before = sum();
    usleep(2000);
    EXPECT_EQ(before, sum());
    all->let_go();
    wait_for_progress();
  }
  EXPECT_EQ(7, WEXITSTATUS(program.end()));
}

TEST(StoppedProcess, ReadsAndWritesMemoryAndRegisters) {
  Program program(2);
  auto all = StoppedProcess::stop(program.id(), 10s);
  ASSERT_TRUE(all);
  int ready = 0;
  ASSERT_TRUE(all->memory().read(reinterpret_cast<std::uint64_t>(&g_shared->ready), ready));
  EXPECT_EQ(2, ready);
  // A page of code, which the process cannot write.
  const auto code = reinterpret_cast<std::uint64_t>(&end_at_once);
  std::uint64_t word = 0;
  ASSERT_TRUE(all->memory().read(code, word));
  ASSERT_TRUE(all->memory().write(code, word));
  EXPECT_FALSE(all->memory().write(8, word));
  EXPECT_FALSE(all->memory().read(8, word));
  for (auto& thread : all->stopped()) {
    auto registers = thread.registers();
    ASSERT_TRUE(registers);
    EXPECT_NE(0u, registers->stack());
    EXPECT_TRUE(thread.set_registers(*registers));
    auto vectors = thread.vector_registers();
    ASSERT_TRUE(vectors);
    EXPECT_TRUE(thread.set_vector_registers(*vectors));
    auto mask = thread.signal_mask();
    ASSERT_TRUE(mask);
    EXPECT_TRUE(thread.set_signal_mask(*mask));
    EXPECT_GT(thread.stopped_ns(), 0u);
  }
  all->let_go();
  EXPECT_EQ(7, WEXITSTATUS(program.end()));
}

TEST(StoppedProcess, DeliversSignalsThatArriveMeanwhile) {
  Program program(4);
  for (int i = 1; i <= 50; ++i) {
    kill(program.id(), SIGUSR1);
    auto all = StoppedProcess::stop(program.id(), 10s);
    ASSERT_TRUE(all);
    all->let_go();
    while (g_shared->signals < i) usleep(100);
  }
  EXPECT_EQ(50, g_shared->signals);
  EXPECT_EQ(7, WEXITSTATUS(program.end()));
}

TEST(StoppedProcess, LeavesAProcessStoppedThatJobControlStopped) {
  Program program(3);
  kill(program.id(), SIGSTOP);
  while (program.state() != 'T') usleep(100);
  for (int round = 0; round < 3; ++round) {
    auto all = StoppedProcess::stop(program.id(), 10s);
    ASSERT_TRUE(all);
    EXPECT_GE(all->stopped().size(), 4u);
    all->let_go();
    while (program.state() != 'T') usleep(100);
  }
  const std::uint64_t before = sum();
  usleep(2000);
  EXPECT_EQ(before, sum());
  kill(program.id(), SIGCONT);
  wait_for_progress();
  EXPECT_EQ(7, WEXITSTATUS(program.end()));
}

TEST(StoppedProcess, ThreadsGoOnIfTheTracerIsKilled) {
  Program program(4);
  int ready[2];
  ASSERT_EQ(0, pipe(ready));
  const pid_t tracer = fork();
  if (tracer == 0) {
    const auto all = StoppedProcess::stop(program.id(), 10s);
    if (write(ready[1], all ? "+" : "-", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char answer = 0;
  ASSERT_EQ(1, read(ready[0], &answer, 1));
  EXPECT_EQ('+', answer);
  EXPECT_EQ('t', program.state());
  kill(tracer, SIGKILL);
  waitpid(tracer, nullptr, 0);
  wait_for_progress();
  EXPECT_EQ(7, WEXITSTATUS(program.end()));
}

TEST(StoppedProcess, SaysThatAProcessHasEnded) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const auto all = StoppedProcess::stop(child, 1s);
  ASSERT_FALSE(all);
  EXPECT_NE(std::string::npos, all.error().message.find("has ended"));
}

TEST(StoppedProcess, SurvivesTheEndOfTheProcess) {
  Program program(4);
  auto all = StoppedProcess::stop(program.id(), 10s);
  ASSERT_TRUE(all);
  kill(program.id(), SIGKILL);
  // As soon as it dies, a thread has no registers to read.
  for (auto& thread : all->stopped())
    while (thread.registers()) usleep(100);
  all->let_go();
}

}  // namespace
}  // namespace prof::ptrace
