#include "collector/session/launch/target_program.hpp"

#include <gtest/gtest.h>

#include "tests/unit/temporary_directory.hpp"

namespace prof::session {
namespace {

class TargetProgramTest : public ::testing::Test {
 protected:
  std::string script(const std::string& name, const std::string& content) {
    const std::string path = directory_.write(name, content);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  static std::string error_of(const std::string& name) {
    const auto program = inspect_program(name, "/usr/bin:/bin");
    return program ? "" : program.error().message;
  }
  test::TemporaryDirectory directory_;
};

TEST_F(TargetProgramTest, IsFoundInThePath) {
  const auto program = inspect_program("true", "/no/such:/usr/bin:/bin");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->path, "/usr/bin/true");
  EXPECT_TRUE(program->warnings.empty());
  EXPECT_TRUE(program->preload_first.empty());
}

TEST_F(TargetProgramTest, ErrorsSayWhatIsWrong) {
  EXPECT_NE(error_of("no-such-program").find("no such program in PATH"), std::string::npos);
  EXPECT_NE(error_of("/no/such").find("No such file"), std::string::npos);
  EXPECT_NE(error_of("/etc/passwd").find("not executable"), std::string::npos);
  EXPECT_NE(error_of("/etc").find("directory"), std::string::npos);
}

TEST_F(TargetProgramTest, ScriptsAreFollowedToTheirInterpreter) {
  EXPECT_TRUE(inspect_program(script("a", "#!/bin/sh\n"), "/usr/bin"));
  EXPECT_TRUE(inspect_program(script("b", "#! /usr/bin/env sh\n"), "/usr/bin"));
  EXPECT_NE(error_of(script("c", "#!/no/interpreter -x\n")).find("/no/interpreter"),
            std::string::npos);
  EXPECT_TRUE(
      inspect_program(script("d", "#!" + directory_.file("d") + "\n"), "/usr/bin"));  // a loop
  EXPECT_TRUE(inspect_program(script("e", "no interpreter line"), "/usr/bin"));
}

TEST_F(TargetProgramTest, DamagedElfFilesAreSurvived) {
  const std::string whole = test::read_file("/usr/bin/true");
  for (std::size_t length = 0; length < 4096; length += 61)
    inspect_program(script("elf", whole.substr(0, length)), "/usr/bin");
  std::string noise = whole;
  for (std::size_t i = 16; i < 1024; ++i) noise[i] = static_cast<char>(i * 37);
  inspect_program(script("elf", noise), "/usr/bin");
}

}  // namespace
}  // namespace prof::session
