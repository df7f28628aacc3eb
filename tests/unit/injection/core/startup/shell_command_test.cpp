#include "injection/core/startup/shell_command.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>

#include "tests/unit/injection/core/session_fixture.hpp"

namespace prof::core {
namespace {

// The shells inherit the variables, so the library is one that the loader can preload.
constexpr char kFolderOfShells[] = "/tmp";
constexpr char kLibrary[] = "libm.so.6";

class Shell : public SessionFixture {
 protected:
  Shell() : before_(environ) {
    g_process.features |= wire::kFeatureRepairEnvironment;
    g_process.user = geteuid();
    g_process.sandboxed = false;
    std::strcpy(g_process.session, kFolderOfShells);
    std::strcpy(g_process.library, kLibrary);
    set({"PATH=/usr/bin:/bin"});
  }
  ~Shell() override { environ = before_; }

  void set(std::vector<std::string> variables) {
    variables_ = std::move(variables);
    pointers_.clear();
    for (std::string& each : variables_) pointers_.push_back(each.data());
    pointers_.push_back(nullptr);
    environ = pointers_.data();
  }

  // What the command prints, and its status.
  static std::string run(const char* command) {
    const ShellCommand shell(command);
    return run_as_it_is(shell.get());
  }
  static std::string run_as_it_is(const char* command) {
    FILE* stream = popen(command, "r");
    std::string text;
    for (int c; (c = fgetc(stream)) != EOF;) text += static_cast<char>(c);
    return text + std::to_string(pclose(stream) / 256);
  }

  std::vector<std::string> variables_;
  std::vector<char*> pointers_;
  char** before_;
};

TEST_F(Shell, ACommandWithAWholeEnvironmentIsNotChanged) {
  set({"PROF_SESSION=/tmp", "LD_PRELOAD=libm.so.6", "NVTX_INJECTION64_PATH=libm.so.6"});
  const char command[] = "true";
  EXPECT_EQ(ShellCommand(command).get(), command);
  EXPECT_EQ(ShellCommand(nullptr).get(), nullptr);
}

TEST_F(Shell, GetsOurVariablesWithoutAChangeOfTheEnvironment) {
  char** const before = environ;
  EXPECT_EQ(run("echo $PROF_SESSION $LD_PRELOAD $NVTX_INJECTION64_PATH"),
            "/tmp libm.so.6 libm.so.6\n0");
  EXPECT_EQ(environ, before);
  EXPECT_EQ(environ[1], nullptr);
}

TEST_F(Shell, TheCommandIsTheProgramsOwn) {
  EXPECT_EQ(run("echo 'it'\"'\"'s' \"$0\" $#; exit 7"), "it's sh 0\n7");
  for (const char* wrong : {"no-such-program 2>&1", "exec 2>&1; eval '('", "kill $$"})
    EXPECT_EQ(run(wrong), run_as_it_is(wrong));
  EXPECT_EQ(run(""), "0");
  EXPECT_EQ(run("#"), "0");
  EXPECT_EQ(run("cat <<X\nx'y\nX"), "x'y\n0");
}

TEST_F(Shell, OtherLibrariesStayInTheList) {
  set({"PATH=/usr/bin:/bin", "LD_PRELOAD=libdl.so.2"});
  EXPECT_EQ(run("echo $LD_PRELOAD"), "libm.so.6:libdl.so.2\n0");
}

TEST_F(Shell, ACommandThatCouldBecomeTooLargeIsNotChanged) {
  const std::string command = ": " + std::string(100'000, 'x');
  EXPECT_EQ(ShellCommand(command.c_str()).get(), command.c_str());
  set({"A=" + std::string(130'000, 'x')});
  EXPECT_EQ(ShellCommand("true").get(), std::string("true"));
}

TEST_F(Shell, OursAreRemovedAfterTheSession) {
  g_live.word = kOff;
  set({"PROF_SESSION=/tmp", "LD_PRELOAD=libm.so.6:libdl.so.2", "NVTX_INJECTION64_PATH=libm.so.6",
       "CUDA_INJECTION64_PATH=/their.so", "PATH=/usr/bin:/bin"});
  EXPECT_EQ(run("echo \"$PROF_SESSION\" $LD_PRELOAD ${NVTX_INJECTION64_PATH-none} "
                "$CUDA_INJECTION64_PATH"),
            " libdl.so.2 none /their.so\n0");
  EXPECT_EQ(environ[1], std::string("LD_PRELOAD=libdl.so.2"));
}

TEST_F(Shell, InASandboxTheSessionIsWithdrawn) {
  g_process.sandboxed = true;
  set({"PROF_SESSION=/tmp", "PATH=/usr/bin:/bin"});
  const char command[] = "true";
  EXPECT_EQ(ShellCommand(command).get(), command);
  g_process.sandboxed = false;
  EXPECT_EQ(environ[0], std::string("PROF_SESSION="));
}

}  // namespace
}  // namespace prof::core
