#include "cli/options/python_annotations.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/messages/failure.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::cli {
namespace {

class PythonAnnotations : public testing::Test {
 protected:
  std::string of(const std::string& content, const std::string& pytorch = "none") {
    std::ofstream(file_) << content;
    return python_annotations(file_, pytorch, {});
  }

 private:
  test::TemporaryDirectory directory_;
  std::string file_ = directory_.file("functions.json");
};

TEST_F(PythonAnnotations, NothingWanted) { EXPECT_EQ(python_annotations("", "none", {}), ""); }

TEST_F(PythonAnnotations, ListsAndDefaults) {
  EXPECT_EQ(of(R"([{"module": "a.b", "functions": ["f", {"function": "C.m", "color": "red"}]}])"),
            R"({"functions":[["Python functions","a.b","f",0],)"
            R"(["Python functions","a.b","C.m",4294901760]],"garbage":0,"pytorch":[],"steps":0})");
  EXPECT_EQ(of(R"({"module": "a", "domain": "d", "color": "#0000ff", "_comment": 1,
                   "functions": ["f", {"function": "g", "domain": "e", "color": 255}]})",
               "functions-trace,autograd-nvtx"),
            R"({"functions":[["d","a","f",4278190335],["e","a","g",4278190335]],)"
            R"("garbage":0,"pytorch":["functions-trace","autograd-nvtx"],"steps":0})");
}

// The program reads it as a literal of Python's.
TEST_F(PythonAnnotations, OddTexts) {
  EXPECT_EQ(
      of("[{\"module\": \"m\\u00f6\\ud83d\\ude00\", \"functions\": [\"a\\\"\\\\\\n\\u001f\"]}]"),
      "{\"functions\":[[\"Python functions\",\"m\u00f6\U0001f600\",\"a\\\"\\\\\\n\\u001f\",0]],"
      "\"garbage\":0,\"pytorch\":[],\"steps\":0}");
}

TEST_F(PythonAnnotations, Colors) {
  for (const char* color : {"\"0xff112233\"", "\"#112233\"", "\"0x112233\"", "1122867"})
    EXPECT_NE(of(std::string(R"([{"module": "a", "functions": ["f"], "color": )") + color + "}]")
                  .find("4279312947"),
              std::string::npos)
        << color;
  for (const char* color :
       {"\"\"", "\"#\"", "\"#12345678 \"", "-1", "4294967296", "[]", "\"0x1ffffffff\""})
    EXPECT_THROW(
        of(std::string(R"([{"module": "a", "functions": ["f"], "color": )") + color + "}]"),
        Failure)
        << color;
}

TEST_F(PythonAnnotations, Pytorch) {
  EXPECT_EQ(python_annotations("", "autograd-shapes-nvtx", {}),
            R"({"functions":[],"garbage":0,"pytorch":["autograd-shapes-nvtx"],"steps":0})");
  EXPECT_EQ(python_annotations("", "none", {.steps = true}),
            R"({"functions":[],"garbage":0,"pytorch":[],"steps":1})");
  EXPECT_EQ(python_annotations("", "none", {.garbage = true}),
            R"({"functions":[],"garbage":1,"pytorch":[],"steps":0})");
  EXPECT_EQ(python_annotations("", "functions-trace-shapes", {}),
            R"({"functions":[],"garbage":0,"pytorch":["functions-trace-shapes"],"steps":0})");
  EXPECT_EQ(
      python_annotations("", "functions-trace,module-paths", {}),
      R"({"functions":[],"garbage":0,"pytorch":["functions-trace","module-paths"],"steps":0})");
  EXPECT_EQ(python_annotations("", "operators,functions-trace", {}),
            R"({"functions":[],"garbage":0,"pytorch":["operators","functions-trace"],"steps":0})");
  for (const char* wrong : {"", "nvtx", "none,none,functions-trace", "module-paths",
                            "operators,autograd-nvtx", "autograd-shapes-nvtx,operators",
                            "functions-trace,functions-trace-shapes", "autograd-nvtx,module-paths"})
    EXPECT_THROW(python_annotations("", wrong, {}), Failure) << wrong;
}

}  // namespace
}  // namespace prof::cli
