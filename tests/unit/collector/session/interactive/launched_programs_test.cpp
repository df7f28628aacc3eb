#include "collector/session/interactive/launched_programs.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace prof::session {
namespace {

class LaunchedProgramsTest : public ::testing::Test {
 protected:
  LaunchedProgramsTest() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    launcher_.connection.reset(ends[0]);
    other_end_.reset(ends[1]);
    launcher_.error.reset(dup(STDERR_FILENO));
    program_ = fork();
    if (program_ == 0) {
      pause();
      _exit(0);
    }
  }
  ~LaunchedProgramsTest() override { end_program(); }

  void end_program() {
    if (program_ == 0) return;
    kill(program_, SIGKILL);
    EXPECT_EQ(waitpid(std::exchange(program_, 0), nullptr, 0) > 0, true);
  }
  // Handles the program's end, which has come.
  void handle_end() {
    bool is_handled = false;
    loop_.wait(std::chrono::milliseconds(-1),
               [&](int fd) { is_handled = programs_.handle(fd, clients_); });
    EXPECT_TRUE(is_handled);
  }

  EventLoop loop_;
  LaunchedPrograms programs_{loop_};
  std::map<int, Client> clients_;
  Client launcher_;
  base::UniqueFd other_end_;
  pid_t program_ = 0;
};

TEST_F(LaunchedProgramsTest, MessagesGoToAProgramsLauncherWhileItRuns) {
  EXPECT_EQ(programs_.error(), -1);
  ASSERT_TRUE(programs_.add(program_, launcher_));
  EXPECT_EQ(programs_.launches(), 1U);
  EXPECT_EQ(programs_.pids(), std::vector<pid_t>{program_});
  EXPECT_GE(programs_.error(), 0);
  end_program();
  handle_end();
  EXPECT_TRUE(programs_.have_ended());
  EXPECT_TRUE(programs_.pids().empty());
  EXPECT_EQ(programs_.error(), -1);
  EXPECT_EQ(programs_.launches(), 1U);
}

// Its status would be missing in the report.
TEST_F(LaunchedProgramsTest, AProgramHasNotEndedBeforeItsLauncherSaysHow) {
  ASSERT_TRUE(programs_.add(program_, launcher_));
  const pid_t pid = program_;
  const int connection = launcher_.connection.get();
  clients_[connection] = std::move(launcher_);
  end_program();
  handle_end();
  EXPECT_FALSE(programs_.have_ended());
  programs_.end(pid, 7, std::move(clients_[connection]));
  EXPECT_TRUE(programs_.have_ended());
  EXPECT_EQ(programs_.exit_status(), 7);
  EXPECT_EQ(programs_.take_waiting().size(), 1U);
  EXPECT_TRUE(programs_.waiting().empty());
}

TEST_F(LaunchedProgramsTest, AProgramHasEndedIfItsLauncherIsGoneToo) {
  ASSERT_TRUE(programs_.add(program_, launcher_));
  const int connection = launcher_.connection.get();
  clients_[connection] = std::move(launcher_);
  end_program();
  handle_end();
  programs_.lose_launcher(connection);
  EXPECT_TRUE(programs_.have_ended());
  EXPECT_EQ(programs_.exit_status(), -1);
}

TEST_F(LaunchedProgramsTest, AProgramThatHasEndedIsNotAdded) {
  const pid_t pid = program_;
  end_program();
  EXPECT_FALSE(programs_.add(pid, launcher_));
  EXPECT_EQ(programs_.launches(), 0U);
}

TEST_F(LaunchedProgramsTest, LaunchersAreLetGoOnce) {
  ASSERT_TRUE(programs_.add(program_, launcher_));
  EXPECT_EQ(programs_.let_go(), std::vector<int>{launcher_.connection.get()});
  EXPECT_EQ(programs_.let_go(), std::vector<int>{-1});
}

}  // namespace
}  // namespace prof::session
