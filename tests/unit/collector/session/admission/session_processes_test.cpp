#include "collector/session/admission/session_processes.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace prof::session {
namespace {

// A shell with a session in its environment. It sleeps.
class Member {
 public:
  explicit Member(const std::string& session, std::string script = "exec sleep 60") {
    std::string variable = "PROF_SESSION=" + session;
    char name[] = "sh", option[] = "-c";
    char* arguments[] = {name, option, script.data(), nullptr};
    char* environment[] = {variable.data(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, "/bin/sh", nullptr, nullptr, arguments, environment), 0);
  }
  ~Member() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

// Another run of the tests may be looking at the same /proc.
std::string own(const std::string& session) { return session + std::to_string(getpid()); }

TEST(SessionProcesses, AreFoundByTheirEnvironment) {
  const SessionProcesses processes(own("/a/session"));
  EXPECT_TRUE(processes.find().empty());
  const Member member(own("/a/session"));
  const Member other("/another/session");
  EXPECT_EQ(processes.find(), std::vector<pid_t>{member.pid()});
}

TEST(SessionProcesses, OfLongSessionsAreSearchedAmongAllProcesses) {
  const Member member(own("/a/long/session"));
  const SessionProcesses processes(own("/a/long/session"));
  std::this_thread::sleep_for(std::chrono::milliseconds(260));
  EXPECT_EQ(processes.find(), std::vector<pid_t>{member.pid()});
}

// Each process forks the next one and ends. The first one waits until its environment can be seen:
// in an emulator, posix_spawn returns before the exec.
TEST(SessionProcesses, AreFoundWhileTheyForkAndEnd) {
  const std::string started = testing::TempDir() + own("chain_started");
  const std::string ended = testing::TempDir() + own("chain_ended");
  const SessionProcesses processes(own("/a/chain"));
  const Member first(own("/a/chain"), "next() { if [ $1 = 0 ]; then : > " + ended +
                                          "; else next $(($1 - 1)) & fi; }; while [ ! -e " +
                                          started + " ]; do :; done; next 500");
  while (processes.find().empty()) continue;
  std::ofstream(started).flush();
  while (!processes.find().empty()) continue;
  EXPECT_TRUE(std::filesystem::remove(ended)) << "some processes were not found";
  std::filesystem::remove(started);
}

}  // namespace
}  // namespace prof::session
