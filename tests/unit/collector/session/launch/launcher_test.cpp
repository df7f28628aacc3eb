#include "collector/session/launch/launcher.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/temporary_directory.hpp"

namespace prof::session {
namespace {

LaunchRequest request(std::vector<std::string> command) {
  LaunchRequest request{};
  request.path = command[0];
  request.command = std::move(command);
  request.environment = {"PATH=/usr/bin:/bin", "A=1"};
  sigemptyset(&request.signal_mask);
  return request;
}

int status_of(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WEXITSTATUS(status);
}

TEST(Launch, RunsOnlyWhenToldTo) {
  const test::TemporaryDirectory directory;
  auto launch = Launch::prepare(request({"touch", directory.file("t")}));
  ASSERT_TRUE(launch);
  EXPECT_GT(launch->pid(), 0);
  usleep(20'000);
  EXPECT_FALSE(std::filesystem::exists(directory.file("t")));
  launch->start();
  ASSERT_TRUE(launch->wait_for_exec());
  EXPECT_EQ(status_of(launch->pid()), 0);
  EXPECT_TRUE(std::filesystem::exists(directory.file("t")));
}

TEST(Launch, LeavesNoChildIfItNeverRan) {
  pid_t pid;
  {
    auto launch = Launch::prepare(request({"sleep", "60"}));
    pid = launch->pid();
  }
  EXPECT_NE(kill(pid, 0), 0);
}

TEST(Launch, ReportsWhyExecFailed) {
  auto launch = Launch::prepare(request({"/no/such/program"}));
  launch->start();
  const auto started = launch->wait_for_exec();
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("/no/such/program: No such file"), std::string::npos);
}

TEST(Launch, RunsThePathWhateverTheFirstArgumentSays) {
  const test::TemporaryDirectory directory;
  auto shell = request({"name", "-c", "echo $0"});
  shell.path = "/bin/sh";
  shell.stdout_fd = open(directory.file("out").c_str(), O_WRONLY | O_CREAT, 0600);
  auto launch = Launch::prepare(shell);
  launch->start();
  ASSERT_TRUE(launch->wait_for_exec());
  EXPECT_EQ(status_of(launch->pid()), 0);
  close(shell.stdout_fd);
  EXPECT_EQ(test::read_file(directory.file("out")), "name\n");
}

TEST(Launch, GivesTheMaskTheStreamsAndTheEnvironment) {
  const test::TemporaryDirectory directory;
  auto with_output =
      request({"grep", "-az", "SigBlk\\|A=", "/proc/self/status", "/proc/self/environ"});
  sigaddset(&with_output.signal_mask, SIGUSR1);
  with_output.stdout_fd = open(directory.file("out").c_str(), O_WRONLY | O_CREAT, 0600);
  auto launch = Launch::prepare(with_output);
  launch->start();
  ASSERT_TRUE(launch->wait_for_exec());
  EXPECT_EQ(status_of(launch->pid()), 0);
  close(with_output.stdout_fd);
  const std::string seen = test::read_file(directory.file("out"));
  EXPECT_NE(seen.find("SigBlk:\t0000000000000200\n"), std::string::npos);
  EXPECT_NE(seen.find("A=1"), std::string::npos);
}

}  // namespace
}  // namespace prof::session
