#include "collector/session/interactive/report_writers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "tests/unit/temporary_directory.hpp"

namespace prof::session {
namespace {

class ReportWritersTest : public ::testing::Test {
 protected:
  ReportWritersTest() {
    sigemptyset(&signals_);
    std::fflush(nullptr);  // TSan's _exit() would write what GoogleTest holds in a writer's output
  }

  // A command that waits, and the test's end of its connection.
  struct Waiting {
    Client client;
    base::UniqueFd peer;
  };
  Waiting waiting() const {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    Waiting result;
    result.client.connection.reset(ends[0]);
    result.client.out = open_to_write("out");
    result.client.error = open_to_write("client_error");
    result.peer.reset(ends[1]);
    return result;
  }
  base::UniqueFd open_to_write(const std::string& name) const {
    return base::UniqueFd(
        open(directory_.file(name).c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  }
  std::string written(const std::string& name) const {
    return test::read_file(directory_.file(name));
  }

  FinishedCollection collection() const {
    const std::string spool = directory_.write("r.db.spool", "the recording");
    return {.file = base::UniqueFd(open(spool.c_str(), O_RDONLY | O_CLOEXEC)),
            .spool = spool,
            .output = directory_.file("r.db"),
            .words = {}};
  }

  // Waits until the only child has ended, without reaping it.
  static void await_end() {
    siginfo_t info{};
    EXPECT_EQ(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
  }
  static Message answer(const base::UniqueFd& peer) {
    const auto message = receive_message(peer.get());
    EXPECT_TRUE(message);
    return message ? message->content : Message();
  }
  static bool is_answered(const base::UniqueFd& peer) {
    char byte = 0;
    return recv(peer.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
  }
  static std::vector<Client> clients(Waiting& one) {
    std::vector<Client> all;
    all.push_back(std::move(one.client));
    return all;
  }

  sigset_t signals_;
  test::TemporaryDirectory directory_;
};

TEST_F(ReportWritersTest, CommandsGetTheStatusOfTheirReport) {
  ReportWriters writers(signals_, [](FinishedCollection&) { return 3; });
  EXPECT_TRUE(writers.empty());
  Waiting first = waiting();
  Waiting second = waiting();
  std::vector<Client> both = clients(first);
  both.push_back(std::move(second.client));
  writers.start(collection(), std::move(both), -1);
  EXPECT_FALSE(writers.empty());
  await_end();
  writers.reap();
  EXPECT_TRUE(writers.empty());
  EXPECT_EQ(answer(first.peer), (Message{{"status", 3}}));
  EXPECT_EQ(answer(second.peer), (Message{{"status", 3}}));
}

TEST_F(ReportWritersTest, CommandsWaitUntilTheReportIsWritten) {
  ReportWriters writers(signals_, [](FinishedCollection&) { return raise(SIGSTOP); });
  Waiting command = waiting();
  writers.start(collection(), clients(command), -1);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_ALL, 0, &info, WSTOPPED | WNOWAIT), 0);
  writers.reap();
  EXPECT_FALSE(writers.empty());
  EXPECT_FALSE(is_answered(command.peer));
  kill(info.si_pid, SIGCONT);
  await_end();
  writers.reap();
  EXPECT_EQ(answer(command.peer), (Message{{"status", 0}}));
}

TEST_F(ReportWritersTest, AKilledWriterLeavesTheRecordingAndSaysHowToUseIt) {
  ReportWriters writers(signals_, [](FinishedCollection&) { return raise(SIGKILL); });
  Waiting command = waiting();
  FinishedCollection finished = collection();
  const std::string spool = finished.spool;
  writers.start(std::move(finished), clients(command), -1);
  await_end();
  writers.reap();
  const Message said = answer(command.peer);
  EXPECT_EQ(said["status"], 1);
  EXPECT_NE(said["message"].get<std::string>().find("prof recover " + spool), std::string::npos)
      << said;
  EXPECT_EQ(test::read_file(spool), "the recording");
}

TEST_F(ReportWritersTest, AWriterHasTheRecordingAndNoDescriptorOfTheSession) {
  Waiting command = waiting();
  const int connection = command.client.connection.get();
  const int peer = command.peer.get();
  ReportWriters writers(signals_, [&](FinishedCollection& finished) {
    char text[64] = {};
    const ssize_t size = read(finished.file.get(), text, sizeof text);
    const bool has_recording = size > 0 && std::string(text) == "the recording";
    const auto is_gone = [&](int fd) {
      return fd == finished.file.get() || fcntl(fd, F_GETFD) == -1;
    };
    return (has_recording ? 0 : 1) + (is_gone(connection) ? 0 : 2) + (is_gone(peer) ? 0 : 4);
  });
  writers.start(collection(), clients(command), -1);
  await_end();
  writers.reap();
  EXPECT_EQ(answer(command.peer), (Message{{"status", 0}}));
}

TEST_F(ReportWritersTest, WritersBlockTheGivenSignals) {
  sigaddset(&signals_, SIGUSR2);
  ReportWriters writers(signals_, [](FinishedCollection&) {
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, nullptr, &blocked);
    return sigismember(&blocked, SIGUSR2) == 1 && sigismember(&blocked, SIGUSR1) == 0 ? 0 : 1;
  });
  Waiting command = waiting();
  writers.start(collection(), clients(command), -1);
  await_end();
  writers.reap();
  EXPECT_EQ(answer(command.peer), (Message{{"status", 0}}));
}

TEST_F(ReportWritersTest, OutputGoesToTheCommandThatWaits) {
  ReportWriters writers(signals_, [](FinishedCollection&) {
    return write(STDOUT_FILENO, "said", 4) + write(STDERR_FILENO, "warned", 6) == 10 ? 0 : 1;
  });
  Waiting command = waiting();
  const base::UniqueFd error = open_to_write("error");
  writers.start(collection(), clients(command), error.get());
  await_end();
  writers.reap();
  EXPECT_EQ(written("out"), "said");
  EXPECT_EQ(written("error"), "warned");
  writers.start(collection(), {}, error.get());  // nobody waits
  await_end();
  writers.reap();
  EXPECT_EQ(written("out"), "said");
  EXPECT_EQ(written("error"), "warnedsaidwarned");
}

}  // namespace
}  // namespace prof::session
