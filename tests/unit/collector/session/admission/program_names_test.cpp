#include "collector/session/admission/program_names.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace prof::session {
namespace {

namespace fs = std::filesystem;

TEST(ProgramNames, OfAProcessIsItsExecutable) {
  EXPECT_NE(process_name(getpid()).find("unit_collector"), std::string::npos);
}

class ProgramNamesTest : public ::testing::Test {
 protected:
  ProgramNamesTest() : folder_(fs::temp_directory_path() / ("names-" + std::to_string(getpid()))) {
    fs::create_directory(folder_);
  }
  ~ProgramNamesTest() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name) << content;
    return folder_ / name;
  }

  fs::path folder_;
  ProgramNames names_;
};

TEST_F(ProgramNamesTest, FollowsLinks) {
  const std::string program = file("program",
                                   "\x7f"
                                   "ELF");
  fs::create_symlink(program, folder_ / "link");
  EXPECT_EQ(names_.executable_of(folder_ / "link"), fs::canonical(program).string());
}

TEST_F(ProgramNamesTest, FollowsScriptsToTheirInterpreter) {
  const std::string program = file("program",
                                   "\x7f"
                                   "ELF");
  const std::string inner = file("inner", "#! \t" + program + " -x\n");
  const std::string outer = file("outer", "#!" + inner);
  EXPECT_EQ(names_.executable_of(outer), fs::canonical(program).string());
}

TEST_F(ProgramNamesTest, GivesBackWhatItCannotFollow) {
  EXPECT_EQ(names_.executable_of("/no/such/program"), "/no/such/program");
  EXPECT_EQ(names_.executable_of(""), "");
  EXPECT_EQ(names_.executable_of(file("script", "#!/no/such/interpreter\n")),
            "/no/such/interpreter");
  const std::string loop = file("loop", "#!" + (folder_ / "loop").string());
  EXPECT_EQ(names_.executable_of(loop), fs::canonical(loop).string());
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(names_.executable_of(folder_ / "pipe"), (folder_ / "pipe").string());
}

}  // namespace
}  // namespace prof::session
