#include "exporters/analysis/source/line_search.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "common/code/symbols/elf_image.hpp"
#include "common/report/schema.hpp"
#include "tests/unit/exporters/report_fixture.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::source {
namespace {

namespace fs = std::filesystem;

const std::string kPrograms = UNWIND_PROGRAMS;
constexpr const char* kInlined = "breakpoint";  // into "stop"

std::string build_id_of(const std::string& path) {
  const auto image = symbols::ElfImage::open(path);
  return image ? image->build_id() : "";
}

// One of these bytes is the breakpoint: an instruction of one byte in the inlined function.
std::vector<std::size_t> candidates(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::size_t> offsets;
  for (std::size_t at = 0; (at = bytes.find('\xcc', at)) != std::string::npos; ++at)
    offsets.push_back(at);
  return offsets;
}

class LineSearchTest : public test::ReportFixture {
 protected:
  LineSearchTest() { sql(std::string(report::table_sql(events::kCodePlaceTable))); }

  // Every candidate byte is a place twice: as a sampled address and as a return address after a
  // call.
  void add_file(const std::string& path, const std::string& build_id) {
    const std::string module = text(path);
    const std::string id = build_id.empty() ? "NULL" : text(build_id);
    for (const std::size_t at : candidates(path)) {
      add_place(module, at, 0, id);
      add_place(module, at + 1, 1, id);
    }
  }
  void add_place(const std::string& module, std::size_t offset, int is_return_address,
                 const std::string& build_id) {
    sql("INSERT INTO PROF_CODE_PLACES VALUES (" + module + "," + std::to_string(offset) + "," +
        std::to_string(is_return_address) + "," + std::to_string(offset) + "," + build_id + ")");
  }
  std::string text(const std::string& value) {
    const std::string id = std::to_string(++texts_);
    sql("INSERT INTO StringIds VALUES (" + id + "," + report::quoted_text(value) + ")");
    return id;
  }
  FoundLines found(const std::vector<std::string>& debug_folders = {}) {
    auto result = find_lines(reader(), nullptr, debug_folders);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return std::move(*result);
  }
  // The place in file `module`, as a sampled address and as a return address.
  static bool knows_the_breakpoint(const FoundLines& lines, const std::string& path,
                                   std::int64_t module) {
    return std::ranges::any_of(candidates(path), [&](std::size_t at) {
      const auto address = static_cast<std::int64_t>(at);
      const auto* sampled = lines.lines.find(module, address, true);
      const auto* returned = lines.lines.find(module, address + 1, false);
      return sampled != nullptr && sampled->size() == 2 && (*sampled)[0].function == kInlined &&
             (*sampled)[1].function == "stop" && (*sampled)[0].line > 0 && returned == sampled;
    });
  }

  int texts_ = 100;
  test::TemporaryDirectory directory_;
};

TEST_F(LineSearchTest, OfTheRecordedBuild) {
  const std::string program = kPrograms + "/stops_debug_frame";
  add_file(program, build_id_of(program));
  const FoundLines lines = found();
  EXPECT_EQ(lines.files, 1U);
  EXPECT_TRUE(lines.unknown.empty());
  EXPECT_TRUE(knows_the_breakpoint(lines, program, 101));
}

TEST_F(LineSearchTest, OfADebugFileByBuildId) {
  const std::string stripped = kPrograms + "/stops_mini";
  const std::string id = build_id_of(stripped);
  ASSERT_GT(id.size(), 2U);
  add_file(stripped, id);
  const FoundLines without = found();
  ASSERT_EQ(without.unknown.size(), 1U);
  EXPECT_EQ(without.unknown[0].path, stripped);
  EXPECT_EQ(without.unknown[0].reason, "no debug information");
  const std::string folder = directory_.file(".build-id/") + id.substr(0, 2);
  fs::create_directories(folder);
  fs::copy_file(kPrograms + "/stops_stripped.debug", folder + "/" + id.substr(2) + ".debug");
  EXPECT_TRUE(knows_the_breakpoint(found({directory_.file("")}), stripped, 101));
}

TEST_F(LineSearchTest, FilesThatAreNotWhatWasRecorded) {
  const std::string program = kPrograms + "/stops_debug_frame";
  const std::string gone = directory_.file("gone");
  fs::copy_file(program, gone);
  add_file(program, "0123456789abcdef");
  add_file(gone, build_id_of(program));
  add_place(text("/no/such/file"), 1, 0, "NULL");
  fs::remove(gone);
  const FoundLines lines = found();
  EXPECT_EQ(lines.files, 3U);
  std::map<std::string, std::string> reasons;
  for (const UnknownFile& each : lines.unknown) reasons[each.path] = each.reason;
  EXPECT_EQ(reasons, (std::map<std::string, std::string>{{program, "not the recorded build"},
                                                         {gone, "cannot be read"},
                                                         {"/no/such/file", "cannot be read"}}));
  EXPECT_FALSE(knows_the_breakpoint(lines, program, 101));
  EXPECT_EQ(lines.unknown.back().path, "/no/such/file");  // the file with the fewest places
}

TEST_F(LineSearchTest, FilesWithoutABuildIdCountUntilTheyChange) {
  const std::string program = directory_.file("program");
  ASSERT_EQ(std::system(("objcopy --remove-section .note.gnu.build-id " + kPrograms +
                         "/stops_debug_frame " + program)
                            .c_str()),
            0);
  ASSERT_EQ(build_id_of(program), "");
  add_file(program, "");
  sql("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
      "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (4000000000000000000)");
  EXPECT_TRUE(knows_the_breakpoint(found(), program, 101));
  sql("UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = 1000000000000000000");
  const FoundLines lines = found();
  ASSERT_EQ(lines.unknown.size(), 1U);
  EXPECT_EQ(lines.unknown[0].reason, "changed since the recording");
}

}  // namespace
}  // namespace prof::source
