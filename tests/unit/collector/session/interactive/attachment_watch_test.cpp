#include "collector/session/interactive/attachment_watch.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace prof::session {
namespace {

// Two processes that stand for prof attach and its guard process.
class AttachmentWatchTest : public ::testing::Test {
 protected:
  ~AttachmentWatchTest() override {
    end(prof_);
    end(guard_);
  }

  static pid_t start() {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    pause();
    _exit(0);
  }
  static void end(pid_t& process) {
    if (process == 0) return;
    kill(process, SIGKILL);
    waitpid(std::exchange(process, 0), nullptr, 0);
  }
  // Lets the watch handle the end of a process, which has come. Returns what it says.
  bool handle_end(AttachmentWatch& watch) const {
    bool is_handled = false;
    loop_.wait(std::chrono::milliseconds(-1), [&](int fd) { is_handled = watch.handle(fd); });
    return is_handled;
  }

  EventLoop loop_;
  pid_t prof_ = start();
  pid_t guard_ = start();
};

TEST_F(AttachmentWatchTest, ProgramsAreOrphansWhenBothHaveEnded) {
  AttachmentWatch watch(loop_, {prof_, guard_});
  EXPECT_FALSE(watch.is_orphan());
  end(prof_);
  EXPECT_TRUE(handle_end(watch));
  EXPECT_FALSE(watch.is_orphan());
  end(guard_);
  EXPECT_TRUE(handle_end(watch));
  EXPECT_TRUE(watch.is_orphan());
}

TEST_F(AttachmentWatchTest, TheGuardMayEndFirst) {
  AttachmentWatch watch(loop_, {prof_, guard_});
  end(guard_);
  EXPECT_TRUE(handle_end(watch));
  EXPECT_FALSE(watch.is_orphan());
}

TEST_F(AttachmentWatchTest, ProcessesThatHadEndedBeforeAreNotAwaited) {
  const std::vector<pid_t> pids = {prof_, guard_};
  end(prof_);
  end(guard_);
  EXPECT_TRUE(AttachmentWatch(loop_, pids).is_orphan());
}

TEST_F(AttachmentWatchTest, OtherDescriptorsAreNotHandled) {
  AttachmentWatch watch(loop_, {prof_, guard_});
  EXPECT_FALSE(watch.handle(STDIN_FILENO));
  EXPECT_FALSE(watch.handle(-1));
  EXPECT_FALSE(watch.is_orphan());
}

TEST_F(AttachmentWatchTest, UndoesInAChildProcess) {
  AttachmentWatch watch(loop_, {prof_, guard_});
  EXPECT_FALSE(watch.has_begun_undoing());
  int go[2];
  int undone[2];
  ASSERT_EQ(pipe(go), 0);
  ASSERT_EQ(pipe(undone), 0);
  watch.undo([&] {
    char word = 0;
    EXPECT_EQ(read(go[0], &word, 1), 1);
    const pid_t own = getpid();
    EXPECT_EQ(write(undone[1], &own, sizeof own), static_cast<ssize_t>(sizeof own));
  });
  EXPECT_TRUE(watch.has_begun_undoing());
  watch.reap();  // the child still waits
  EXPECT_TRUE(watch.is_undoing());
  ASSERT_EQ(write(go[1], "!", 1), 1);
  pid_t child = 0;
  ASSERT_EQ(read(undone[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  EXPECT_NE(child, getpid());
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  watch.reap();
  EXPECT_FALSE(watch.is_undoing());
  EXPECT_TRUE(watch.has_begun_undoing());
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), -1);  // it was reaped
  for (const int fd : {go[0], go[1], undone[0], undone[1]}) close(fd);
}

}  // namespace
}  // namespace prof::session
