// Frames of call chains: what a row of a table of call chains means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exporters/events/code_lines.hpp"
#include "exporters/events/numbering.hpp"
#include "exporters/events/strings.hpp"

namespace prof::events {

// A row of SAMPLING_CALLCHAINS or a table like it.
struct ChainRow {
  std::int64_t symbol = 0;  // in StringIds
  std::int64_t module = 0;  // in StringIds
  std::int64_t line = 0;    // 0: not known
  std::int64_t address = 0;
  std::uint8_t flags = 0;
  bool operator==(const ChainRow&) const = default;

  static constexpr std::uint8_t kKernel = 1;      // kernelMode
  static constexpr std::uint8_t kUnresolved = 2;  // the symbol is no name
  static constexpr std::uint8_t kSpecial = 4;     // specialEntry: no frame
  static constexpr std::uint8_t kNoAddress = 8;   // as of Python frames
  static constexpr std::uint8_t kSampled = 16;    // the address is where it was interrupted
};

enum class CodeKind : std::uint8_t {
  kNative,
  kKernel,
  kPython,
  kUnresolved,  // code of a module without a name for it
  kMark         // no code: [Broken backtraces], [Max depth], [No call chain]
};

struct Function {
  std::string name;    // of unresolved code [MODULE], its file without the folder
  std::string module;  // file of the code; of Python the source file; of marks none
  CodeKind kind;
  std::string file = {};  // source file of native code; empty: not known, or no matter
};

// How much tells frames apart: each more than the one before.
enum class FrameDetail { kFunction, kLine, kInlineDepth, kAddress };

struct Frame {
  std::uint32_t function;
  std::int64_t line;     // 0: not known
  std::int64_t address;  // 0: not known
  // In how many functions it is inlined; by line, 1 for all numbers but 0.
  std::uint32_t inline_depth = 0;
  bool operator==(const Frame&) const = default;
};

// Numbers the frames and functions of a report: rows that differ only in what the detail leaves out
// are one frame.
class CodeFrames {
 public:
  // `lines`: what is known of the source of native code; null: that is not asked for.
  CodeFrames(Strings& strings, FrameDetail detail, const CodeLines* lines = nullptr)
      : strings_(strings), detail_(detail), lines_(lines) {}

  // Appends the frame of a row, after those of functions that are inlined there.
  void add(ChainRow row, std::vector<std::uint32_t>& frames) {
    if (detail_ == FrameDetail::kFunction) row.line = 0;
    if (detail_ != FrameDetail::kAddress && lines_ == nullptr) row.address = 0;
    if (lines_ == nullptr) row.flags &= static_cast<std::uint8_t>(~ChainRow::kSampled);
    const std::uint32_t number = rows_.of(row);
    if (number == ends_.size()) read(row);
    const std::uint32_t begin = number == 0 ? 0 : ends_[number - 1];
    frames.insert(frames.end(), of_rows_.begin() + begin, of_rows_.begin() + ends_[number]);
  }
  // The frame of a function that no row tells of.
  std::uint32_t of_function(const Function& function) {
    return frames_.of({function_number(function), 0, 0});
  }
  // The one in place of a chain that there is not.
  std::uint32_t of_no_chain() { return of_function({"[No call chain]", "", CodeKind::kMark}); }

  const Frame& frame(std::uint32_t number) const { return frames_.key(number); }
  std::size_t size() const { return frames_.size(); }
  const Function& function(std::uint32_t number) const { return functions_[number]; }
  std::size_t functions() const { return functions_.size(); }
  const Function& function_of(std::uint32_t frame) const {
    return functions_[frames_.key(frame).function];
  }

 private:
  struct HashRow {
    std::uint64_t operator()(const ChainRow& row) const {
      std::uint64_t hash = static_cast<std::uint64_t>(row.symbol);
      for (const std::int64_t each : {row.module, row.line, row.address, std::int64_t{row.flags}})
        hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u + static_cast<std::uint64_t>(each);
      return hash;
    }
  };

  struct HashFrame {
    std::uint64_t operator()(const Frame& frame) const {
      const auto place = static_cast<std::uint64_t>(frame.line ^ (frame.address << 7));
      return (place * 0xbf58476d1ce4e5b9u) ^ frame.function ^
             (std::uint64_t{frame.inline_depth} << 32);
    }
  };

  void read(const ChainRow& row);
  void append(Function function, std::int64_t line, std::int64_t address, std::size_t inline_depth);
  Function describe(const ChainRow& row);
  std::uint32_t function_number(Function function);

  Strings& strings_;
  FrameDetail detail_;
  const CodeLines* lines_;
  Numbering<ChainRow, HashRow> rows_;
  std::vector<std::uint32_t> of_rows_;  // frames, those of a row after those of the one before
  std::vector<std::uint32_t> ends_;     // in of_rows_, by row
  Numbering<Frame, HashFrame> frames_;
  std::vector<Function> functions_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of functions
};

// A path without its folders.
std::string_view file_name(std::string_view path);

// A library that a profiler puts between a program and what it calls.
bool is_of_a_profiler(std::string_view path);

// "file:line", "module:line" where the source file is not known; without a line what is left.
std::string location(const Function& function, std::int64_t line);

}  // namespace prof::events
