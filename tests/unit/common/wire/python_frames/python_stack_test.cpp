#include "common/wire/python_frames/python_stack.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace prof::python_frames {
namespace {

constexpr std::uint64_t kCodeType = 0x555500000000;
constexpr std::uint64_t kThread = 0x100000;

// Memory that a test fills word by word. Other addresses cannot be read.
class Image {
 public:
  template <class T>
  bool read(std::uint64_t address, T& value) const {
    unsigned char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      const auto found = bytes_.find(address + i);
      if (found == bytes_.end()) return false;
      bytes[i] = found->second;
    }
    std::memcpy(&value, bytes, sizeof value);
    return true;
  }
  template <class T>
  void put(std::uint64_t address, T value) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof value);
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_[address + i] = bytes[i];
  }

 private:
  std::map<std::uint64_t, unsigned char> bytes_;
};

// The layouts of all versions. For those that publish their offsets, the test invents them.
std::vector<PythonLayout> layouts() {
  std::vector<PythonLayout> all;
  for (unsigned minor = 9; minor <= 12; ++minor)
    all.push_back(python_layout(python_version(3, minor)));
  for (const unsigned minor : {13U, 14U}) {
    std::uint64_t words[kPythonOffsetWords];
    for (std::size_t i = 0; i < kPythonOffsetWords; ++i) words[i] = 64 + 8 * i;
    std::memcpy(words, kPythonCookie, 8);
    words[1] = std::uint64_t{python_version(3, minor)} << 16;
    words[minor == 13 ? 44 + 1 : 50 + 1] = 8;    // where an object's type is
    words[minor == 13 ? 34 + 9 : 39 + 9] = 400;  // where bytecode begins
    words[minor == 13 ? 33 : 36] = 70;           // frame's owner
    if (minor == 14) words[38] = words[49] = 0;  // no copies of bytecode by thread
    all.push_back(python_layout(words));
  }
  return all;
}

class Process {
 public:
  explicit Process(const PythonLayout& layout) : layout_(layout) {}

  // Frames from the outermost to the innermost.
  void push(std::uint64_t code, std::uint32_t instruction, std::uint8_t owner = 0,
            std::uint64_t type = kCodeType, bool is_entry = false) {
    const std::uint64_t frame = 0x200000 + 0x1000 * frames_++;
    memory.put(frame + layout_.frame_back, top_);
    const std::uint64_t tag = layout_.version >= python_version(3, 14) ? 1 : 0;
    memory.put(frame + layout_.frame_code, code | tag);
    memory.put(code + layout_.object_type, type);
    if (layout_.instr == PythonLayout::Instr::kPointer)
      memory.put(frame + layout_.frame_instr, code + layout_.code_bytecode + instruction);
    else
      memory.put(frame + layout_.frame_instr,
                 static_cast<std::int32_t>(
                     layout_.instr == PythonLayout::Instr::kIndex ? instruction / 2 : instruction));
    if (layout_.frame_owner != 0) memory.put(frame + layout_.frame_owner, owner);
    if (layout_.frame_entry != 0)
      memory.put(frame + layout_.frame_entry, static_cast<std::uint8_t>(is_entry));
    set_top(frame);
  }

  void set_top(std::uint64_t frame) {
    top_ = frame;
    std::uint64_t holder = kThread;
    std::uint32_t offset = layout_.frame_holder;
    if (layout_.holder_frame != kNoHolder) {
      memory.put(kThread + layout_.frame_holder, std::uint64_t{0x180000});
      holder = 0x180000;
      offset = layout_.holder_frame;
    }
    memory.put(holder + offset, frame);
  }

  PythonStackEnd walk(std::uint32_t most = kMaxPythonFrames) {
    found.clear();
    below_native.clear();
    return walk_python_stack(memory, layout_, kCodeType, kThread, most,
                             [this](const PythonFrame& frame) {
                               found.emplace_back(frame.code, frame.instruction);
                               below_native.push_back(frame.below_native);
                             });
  }

  Image memory;
  std::vector<bool> below_native;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> found;

 private:
  const PythonLayout& layout_;
  std::uint64_t top_ = 0;
  std::uint64_t frames_ = 0;
};

TEST(PythonStack, FramesInnermostFirstInEveryVersion) {
  const auto all = layouts();
  ASSERT_EQ(all.size(), 6);
  for (const PythonLayout& layout : all) {
    ASSERT_NE(layout.version, 0);
    Process process(layout);
    process.set_top(0);
    EXPECT_EQ(process.walk(), PythonStackEnd::kComplete);
    EXPECT_TRUE(process.found.empty());
    process.push(0x300000, 20);
    process.push(0x310000, 0);
    process.push(0x300000, 48);
    EXPECT_EQ(process.walk(), PythonStackEnd::kComplete);
    const decltype(process.found) expected = {{0x300000, 48}, {0x310000, 0}, {0x300000, 20}};
    EXPECT_EQ(process.found, expected) << (layout.version & 255);
  }
}

TEST(PythonStack, SkipsFramesOfTheInterpreter) {
  for (const PythonLayout& layout : layouts()) {
    if (layout.version < python_version(3, 12)) continue;
    Process process(layout);
    process.push(0x300000, 2);
    process.push(0x310000, 4, kPythonFirstShim);
    process.push(0x320000, 6, 1);
    process.push(0x330000, 8, 4);
    EXPECT_EQ(process.walk(), PythonStackEnd::kComplete);
    const decltype(process.found) expected = {{0x320000, 6}, {0x300000, 2}};
    EXPECT_EQ(process.found, expected);
  }
}

TEST(PythonStack, MarksFramesBelowNativeCode) {
  for (const PythonLayout& layout : layouts()) {
    Process process(layout);
    const bool has_shims = layout.version >= python_version(3, 12);
    process.push(0x300000, 2, 0, kCodeType, true);
    process.push(0x310000, 4);
    if (has_shims) process.push(0x320000, 6, kPythonFirstShim);
    process.push(0x330000, 8, 0, kCodeType, true);
    EXPECT_EQ(process.walk(), PythonStackEnd::kComplete);
    const bool always = layout.version < python_version(3, 11);
    EXPECT_EQ(process.below_native, (std::vector<bool>{false, true, always}));
  }
}

TEST(PythonStack, KeepsTheInnermostFrames) {
  const PythonLayout layout = python_layout(python_version(3, 11));
  Process process(layout);
  for (std::uint32_t i = 0; i < 5; ++i) process.push(0x300000 + 0x1000 * i, i * 2);
  EXPECT_EQ(process.walk(5), PythonStackEnd::kComplete);
  EXPECT_EQ(process.walk(3), PythonStackEnd::kMaxDepth);
  EXPECT_EQ(process.found.size(), 3);
  EXPECT_EQ(process.found.back().first, 0x302000);
}

TEST(PythonStack, StopsAtImpossibleFrames) {
  for (const PythonLayout& layout : layouts()) {
    for (const std::uint64_t bad : {std::uint64_t{8}, std::uint64_t{0x200001},
                                    std::uint64_t{1} << 47, std::uint64_t{0x7fff12345678}}) {
      Process process(layout);
      process.push(0x300000, 2);
      process.push(0x310000, 4);
      process.memory.put(0x201000 + layout.frame_back, bad);
      EXPECT_EQ(process.walk(), PythonStackEnd::kBroken);
      EXPECT_EQ(process.found.size(), 1);
      process.set_top(bad);
      EXPECT_EQ(process.walk(), PythonStackEnd::kBroken);
      EXPECT_TRUE(process.found.empty());
    }
  }
}

TEST(PythonStack, StopsInACircle) {
  for (const PythonLayout& layout : layouts()) {
    Process process(layout);
    process.push(0x300000, 2);
    process.memory.put(0x200000 + layout.frame_back, std::uint64_t{0x200000});
    EXPECT_EQ(process.walk(10), PythonStackEnd::kMaxDepth);
    if (layout.frame_owner == 0) continue;
    process.memory.put(0x200000 + layout.frame_owner, std::uint8_t{3});
    EXPECT_EQ(process.walk(10), PythonStackEnd::kBroken);
  }
}

TEST(PythonStack, InOldVersionsAFrameWithoutCodeObjectEndsTheCallChain) {
  for (const PythonLayout& layout : layouts()) {
    Process process(layout);
    process.push(0x300000, 2);
    process.push(0x310000, 4, 0, kCodeType + 64);
    const bool passes_over = layout.version >= python_version(3, 13);
    EXPECT_EQ(process.walk(), passes_over ? PythonStackEnd::kComplete : PythonStackEnd::kBroken);
    EXPECT_EQ(process.found.size(), passes_over ? 1 : 0);
  }
}

TEST(PythonStack, PositionsOutsideOfTheCodeAreUnknown) {
  const PythonLayout layout = python_layout(python_version(3, 12));
  Process process(layout);
  process.push(0x300000, static_cast<std::uint32_t>(-2));  // before the first instruction
  process.memory.put(0x200000 + layout.frame_instr,
                     std::uint64_t{0x300000} + layout.code_bytecode - 2);
  EXPECT_EQ(process.walk(), PythonStackEnd::kComplete);
  EXPECT_EQ(process.found[0].second, kUnknownInstruction);
}

TEST(PythonStack, FindsTheThreadsCopyOfTheBytecode) {
  PythonLayout layout = layouts().back();
  layout.frame_tlbc = 80;
  layout.code_tlbc = 200;
  Process process(layout);
  process.push(0x300000, 0);
  process.memory.put(0x200000 + layout.frame_tlbc, std::int32_t{1});
  process.memory.put(0x300000 + layout.code_tlbc, std::uint64_t{0x400000});
  process.memory.put(0x400000, std::uint64_t{2});
  process.memory.put(0x400008, std::uint64_t{0x300000} + layout.code_bytecode);
  process.memory.put(0x400010, std::uint64_t{0x500000});
  process.memory.put(0x200000 + layout.frame_instr, std::uint64_t{0x500000 + 36});
  EXPECT_EQ(process.walk(), PythonStackEnd::kComplete);
  EXPECT_EQ(process.found[0].second, 36);
}

TEST(PythonLayout, IsEmptyForUnknownVersions) {
  EXPECT_EQ(python_layout(python_version(3, 8)).version, 0);
  EXPECT_EQ(python_layout(python_version(3, 13)).version, 0);
  std::uint64_t words[kPythonOffsetWords] = {};
  EXPECT_EQ(python_layout(words).version, 0);
  std::memcpy(words, kPythonCookie, 8);
  words[1] = std::uint64_t{python_version(3, 15)} << 16;
  EXPECT_EQ(python_layout(words).version, 0);
  words[1] = std::uint64_t{python_version(3, 14)} << 16;
  EXPECT_EQ(python_layout(words).version, python_version(3, 14));
  words[4] = std::uint64_t{1} << 40;  // no offset
  EXPECT_EQ(python_layout(words).version, 0);
}

}  // namespace
}  // namespace prof::python_frames
