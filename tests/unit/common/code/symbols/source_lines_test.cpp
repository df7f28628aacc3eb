#include "common/code/symbols/source_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "common/code/symbols/elf_image.hpp"

namespace prof::symbols {
namespace {

const std::string kSourcePrograms = UNWIND_PROGRAMS;

// The line number of a text in the program's source.
int line_of(const std::string& text) {
  std::ifstream source(std::string(UNWIND_SOURCES) + "/stops.c");
  std::string line;
  for (int number = 1; std::getline(source, line); ++number)
    if (line.find(text) != std::string::npos) return number;
  return 0;
}

// Tries the file offset of every byte that could be the breakpoint. True if one of them is in the
// inlined function.
bool knows_the_breakpoint(const std::string& program) {
  const auto lines = SourceLines::open(kSourcePrograms + "/" + program);
  EXPECT_TRUE(lines) << (lines ? "" : lines.error().message);
  if (!lines) return false;
  std::ifstream file(kSourcePrograms + "/" + program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t at = 0; (at = bytes.find('\xcc', at)) != std::string::npos; ++at) {
    const auto frames = lines->at(at);
    if (frames.size() != 2 || frames[0].function != "breakpoint") continue;
    EXPECT_TRUE(frames[0].is_inlined);
    EXPECT_TRUE(frames[0].file.ends_with("programs/stops.c")) << frames[0].file;
    EXPECT_EQ(frames[0].line, line_of("int3\""));
    EXPECT_FALSE(frames[1].is_inlined);
    EXPECT_EQ(frames[1].function, "stop");
    EXPECT_EQ(frames[1].file, frames[0].file);
    EXPECT_EQ(frames[1].line, line_of("  breakpoint();"));
    return true;
  }
  return false;
}

TEST(SourceLines, OfAnInlinedFunctionInItsCaller) {
  EXPECT_TRUE(knows_the_breakpoint("stops_debug_frame"));
}

TEST(SourceLines, AreFoundInADebugFile) { EXPECT_TRUE(knows_the_breakpoint("stops_debug_file")); }

TEST(SourceLines, OfNothingAreEmpty) {
  const auto lines = SourceLines::open(kSourcePrograms + "/stops_debug_frame");
  ASSERT_TRUE(lines);
  EXPECT_TRUE(lines->at(0).empty());
  EXPECT_TRUE(lines->at(~std::uint64_t{0}).empty());
}

TEST(SourceLines, ErrorsNameTheFile) {
  const auto stripped = SourceLines::open(kSourcePrograms + "/libplugin.so");
  ASSERT_FALSE(stripped);
  EXPECT_NE(stripped.error().message.find("libplugin.so: no debug information"), std::string::npos);
  EXPECT_FALSE(SourceLines::open("/no/such/file"));
}

}  // namespace
}  // namespace prof::symbols
