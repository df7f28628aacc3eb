#include "common/code/symbols/symbolizer.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "common/code/demangle/demangle_function.hpp"
#include "common/code/symbols/symbol_table.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::symbols {
namespace {

const std::string kUnwindPrograms = UNWIND_PROGRAMS;

// The file offset of a function in `path`.
std::uint64_t offset_of(const std::string& path, const std::string& wanted) {
  const auto image = ElfImage::open(path);
  SymbolTable table;
  table.add(*image);
  table.sort();
  for (const Segment& each : image->segments())
    for (std::uint64_t at = 0; each.executable && at < each.size; ++at) {
      const Symbol* symbol = table.find(each.address + at);
      if (symbol != nullptr && symbol->name == wanted) return each.offset + at;
    }
  return 0;
}

TEST(Symbolizer, NamesFunctionsOfAFile) {
  const std::string path = kUnwindPrograms + "/stops_debug_frame";
  const std::uint64_t offset = offset_of(path, "through_jit");
  ASSERT_NE(offset, 0U);
  const FunctionName found = Symbolizer().in_file(path, offset + 5);
  EXPECT_EQ(found.name, "through_jit");
  EXPECT_EQ(found.module, path);
  EXPECT_EQ(found.offset, 5U);
  EXPECT_TRUE(found.is_resolved);
}

TEST(Symbolizer, FindsNamesInADebugFile) {
  const std::string path = kUnwindPrograms + "/stops_stripped";
  const std::uint64_t offset = offset_of(kUnwindPrograms + "/stops_debug_frame", "through_jit");
  EXPECT_EQ(Symbolizer().in_file(path, offset).name, "through_jit");
}

TEST(Symbolizer, FindsNamesInMiniDebugInfo) {
  const std::string path = kUnwindPrograms + "/stops_mini";
  const std::uint64_t offset = offset_of(kUnwindPrograms + "/stops_debug_frame", "through_jit");
  EXPECT_EQ(Symbolizer().in_file(path, offset).name, "through_jit");
}

TEST(Symbolizer, CallsIntoOtherFilesGoThroughNamedEntries) {
  const std::string path = kUnwindPrograms + "/whole";
  EXPECT_NE(offset_of(path, "qsort@plt"), 0U);
  EXPECT_EQ(Symbolizer().in_file(path, offset_of(path, "qsort@plt") + 6).name, "qsort@plt");
}

TEST(Symbolizer, FindsThePartOfPythonsLoopThatHasNoSymbol) {
  const std::string path = kUnwindPrograms + "/libsplit_loop.so";
  const std::uint64_t loop = offset_of(path, "_PyEval_EvalFrameDefault");
  const std::uint64_t part = offset_of(path, "_PyEval_EvalFrameDefault.cold");
  ASSERT_NE(loop, 0U);
  ASSERT_NE(part, 0U);
  constexpr std::uint64_t kPart = 300 + 30 + 30 + 1;
  EXPECT_EQ(Symbolizer().in_file(path, part + kPart - 1).name, "_PyEval_EvalFrameDefault.cold");
  EXPECT_FALSE(Symbolizer().in_file(path, part + kPart).is_resolved) << "the next function";
  EXPECT_EQ(Symbolizer().in_file(path, offset_of(path, "other") + 64).name, "other");
}

TEST(Symbolizer, WhatIsNotKnownIsModuleAndOffset) {
  Symbolizer symbolizer;
  const FunctionName gone = symbolizer.in_file("/no/such/libfile.so", 0x12ab);
  EXPECT_EQ(gone.name, "libfile.so+0x12ab");
  EXPECT_FALSE(gone.is_resolved);
  const std::string path = kUnwindPrograms + "/stops";
  EXPECT_EQ(symbolizer.in_file(path, 0).name, "stops+0x0");
  EXPECT_FALSE(symbolizer.in_file(path, offset_of(path, "main"), {"0123"}).is_resolved)
      << "a file with another build-id";
}

TEST(Symbolizer, ReadsPerfMaps) {
  const test::TemporaryDirectory directory;
  const std::string map =
      directory.write("perf-1.map",
                      "7f0000001000 20 LazyCompile:~f file.js:1\n0x7f0000002000 10 old name\n"
                      "nonsense\n7f0000002000 10 new name\n7f0000003000 0 \n");
  Symbolizer symbolizer;
  EXPECT_EQ(symbolizer.in_perf_map(map, 0x7f000000101f).name, "LazyCompile:~f file.js:1");
  EXPECT_EQ(symbolizer.in_perf_map(map, 0x7f0000002001).name, "new name");
  EXPECT_FALSE(symbolizer.in_perf_map(map, 0x7f0000001020).is_resolved);
}

// Everybody can make one in /tmp, and prof would wait for its writer.
TEST(Symbolizer, DoesNotWaitForAFifoInPlaceOfAPerfMap) {
  const test::TemporaryDirectory folder;
  const std::string fifo = folder.file("perf-1.map");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(Symbolizer().in_perf_map(fifo, 0x1000).is_resolved);
}

TEST(Symbolizer, ServesSeveralThreads) {
  const std::string path = kUnwindPrograms + "/stops";
  const std::uint64_t offset = offset_of(path, "main");
  Symbolizer symbolizer;
  std::vector<std::thread> threads;
  std::vector<FunctionName> found(4);
  for (FunctionName& each : found)
    threads.emplace_back([&] { each = symbolizer.in_file(path, offset); });
  for (auto& each : threads) each.join();
  for (const FunctionName& each : found) EXPECT_EQ(each.name, "main");
}

TEST(DemangleFunction, OfEachLanguage) {
  EXPECT_EQ(demangle::demangle_function("_ZN3foo3barIiEEvT_"), "void foo::bar<int>(int)");
  EXPECT_EQ(demangle::demangle_function("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"),
            "core::fmt::Formatter::pad");
  EXPECT_EQ(demangle::demangle_function("_RNvC7mycrate3foo"), "mycrate::foo");
  EXPECT_EQ(demangle::demangle_function("main"), "main");
  EXPECT_EQ(demangle::demangle_function("_Znonsense("), "_Znonsense(");
  EXPECT_EQ(demangle::demangle_function(""), "");
}

TEST(DemangleFunction, NoNameTakesAnExponentialTime) {
  std::string name = "_ZN1acv";  // libiberty needs 2^100 steps for it
  for (int i = 0; i < 100; ++i) name += "T_I";
  name += "i" + std::string(100, 'E') + "Ev";
  EXPECT_EQ(demangle::demangle_function(name), name);
}

// Each argument is a function type of two earlier ones.
TEST(DemangleFunction, AnEndlessTextIsNotWritten) {
  std::string name = "_Z1fP1a";
  for (const char digit : std::string("02468ACEGIKMOQSUWY"))
    name += std::string("PFvS") + digit + "_S" + digit + "_E";
  EXPECT_EQ(demangle::demangle_function(name), name);
}

}  // namespace
}  // namespace prof::symbols
