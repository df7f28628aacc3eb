#include "collector/ptrace/interrupted_call.hpp"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "common/base/raw_time.hpp"

namespace prof::ptrace {
namespace {

using namespace std::chrono_literals;

constexpr long kLimitMs = 700;
constexpr timespec kLimit{0, kLimitMs * 1'000'000};

struct Result {
  long value = 0;
  int error = 0;
  std::uint64_t waited_ns = 0;
};

// A process that makes one call and says how it ended.
class Caller {
 public:
  explicit Caller(const std::function<long()>& call) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      Result result;
      const std::uint64_t begin = base::raw_time();
      result.value = call();
      result.error = errno;
      result.waited_ns = base::raw_time() - begin;
      _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
    }
    close(ends[1]);
    out_ = ends[0];
  }
  ~Caller() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(out_);
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  pid_t id() const { return pid_; }
  Result result() const {
    Result result;
    EXPECT_EQ(read(out_, &result, sizeof result), static_cast<ssize_t>(sizeof result));
    return result;
  }
  WaitingCall waits_in(long number) const {
    for (int i = 0; i < 5000; ++i) {
      const auto call = waiting_call(pid_);
      if (call && call->number == number) return *call;
      usleep(1000);
    }
    ADD_FAILURE() << "the process does not wait";
    return {};
  }

 private:
  pid_t pid_ = 0;
  int out_ = -1;
};

// Returns whether the stop would have made the call fail.
bool interrupt(
    pid_t pid, const std::function<void()>& while_stopped = [] {}) {
  bool has_failed = false;
  std::thread([&] {  // as the tracing thread that ends
    const Memory memory(pid);
    ResumedThreads resumed;
    auto thread = SeizedThread::seize(pid);
    ASSERT_TRUE(thread);
    const BeforeStop before = look_before_stop(pid);
    thread->interrupt();
    ASSERT_TRUE(thread->wait(5s));
    const auto registers = thread->registers();
    ASSERT_TRUE(registers);
    const auto call = failed_call(pid, memory, *registers, before);
    has_failed = call.has_value();
    while_stopped();
    go_on(std::move(*thread), pid, memory, call, resumed);
  })
      .join();
  return has_failed;
}

void expect_whole_wait(const std::function<long()>& call, long number, int error) {
  const Caller caller(call);
  caller.waits_in(number);
  usleep(100'000);
  EXPECT_TRUE(interrupt(caller.id()));
  caller.waits_in(number);
  EXPECT_TRUE(interrupt(caller.id()));
  const Result result = caller.result();
  EXPECT_EQ(result.value, error == 0 ? 0 : -1);
  if (error != 0) {
    EXPECT_EQ(result.error, error);
  }
  EXPECT_GE(result.waited_ns + 2'000'000, std::uint64_t{kLimitMs} * 1'000'000);
}

TEST(InterruptedCall, EpollGoesOnForTheRestOfItsTime) {
  const Caller caller([] {
    epoll_event event{};
    return static_cast<long>(epoll_pwait(epoll_create1(0), &event, 1, 100'000, nullptr));
  });
  EXPECT_EQ(caller.waits_in(SYS_epoll_pwait).arguments[3], 100'000U);
  usleep(50'000);
  EXPECT_TRUE(interrupt(caller.id()));
  const std::uint64_t rest = caller.waits_in(SYS_epoll_pwait).arguments[3];
  const bool is_known = wait_begin(caller.id()).has_value();
  if (is_known) {
    EXPECT_LT(rest, 100'000U);
  }
  EXPECT_GT(rest, 10'000U);
}

TEST(InterruptedCall, LimitsInRegisters) {
  expect_whole_wait(
      [] {
        epoll_event event{};
        return static_cast<long>(epoll_pwait(epoll_create1(0), &event, 1, kLimitMs, nullptr));
      },
      SYS_epoll_pwait, 0);
}

TEST(InterruptedCall, LimitsInMemory) {
  expect_whole_wait(
      [] {
        sembuf take{0, -1, 0};
        timespec limit = kLimit;
        const int set = semget(IPC_PRIVATE, 1, 0600);
        const long got = semtimedop(set, &take, 1, &limit);
        const int error = limit.tv_nsec == kLimit.tv_nsec ? errno : EINVAL;
        semctl(set, 0, IPC_RMID);
        errno = error;
        return got;
      },
      SYS_semtimedop, EAGAIN);
}

TEST(InterruptedCall, LimitsInConstants) {
  expect_whole_wait(
      [] {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, nullptr);
        return static_cast<long>(sigtimedwait(&set, nullptr, &kLimit));
      },
      SYS_rt_sigtimedwait, EAGAIN);
}

TEST(InterruptedCall, LimitsOfSockets) {
  expect_whole_wait(
      [] {
        int pair[2];
        char byte = 0;
        const timeval limit{0, kLimitMs * 1000};
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
        setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        return static_cast<long>(recv(pair[0], &byte, 1, 0));
      },
      SYS_recvfrom, EAGAIN);
}

// The signal has come while the thread was stopped: the program sees what it sees without prof.
TEST(InterruptedCall, SignalInterruptsTheCall) {
  const Caller caller([] {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, nullptr);
    epoll_event event{};
    return static_cast<long>(epoll_pwait(epoll_create1(0), &event, 1, -1, nullptr));
  });
  caller.waits_in(SYS_epoll_pwait);
  interrupt(caller.id(), [&] { kill(caller.id(), SIGUSR1); });
  const Result result = caller.result();
  EXPECT_EQ(result.value, -1);
  EXPECT_EQ(result.error, EINTR);
}

}  // namespace
}  // namespace prof::ptrace
