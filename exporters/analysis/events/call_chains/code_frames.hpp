// Turns rows of call chains into frames and functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exporters/analysis/events/call_chains/call_chain_rows.hpp"
#include "exporters/analysis/events/call_chains/code_lines.hpp"
#include "exporters/analysis/events/call_chains/numbering.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::events {

enum class CodeKind : std::uint8_t {
  kNative,
  kKernel,
  kPython,
  kUnresolved,  // code of a module, without a function name
  kMark         // not code: [Broken backtraces], [Max depth], [No call chain]
};

struct Function {
  std::string name;    // "[FILE]" with the module's file name for unresolved code
  std::string module;  // file of the code; for Python the source file; empty for marks
  CodeKind kind;
  // Source file of native code. Empty: unknown or not needed. Functions in JavaScript always have
  // it, because their module is only a word for all code of JIT compilers.
  std::string file = {};
};

// Which properties distinguish frames. Each level includes the previous ones.
enum class FrameDetail { kFunction, kLine, kInlineDepth, kAddress };

struct Frame {
  std::uint32_t function;
  std::int64_t line;     // 0: unknown
  std::int64_t address;  // 0: unknown
  // The number of functions that the frame is inlined into. With kLine it is 0 or 1.
  std::uint32_t inline_depth = 0;
  bool operator==(const Frame&) const = default;
};

// True if the file is a library that a profiler loads into the program.
bool is_profiler_library(std::string_view path);

// Numbers the frames and functions of a report. Rows that differ only in properties below the
// chosen detail are one frame.
class CodeFrames {
 public:
  // `lines` has the source lines of native code. Null: source lines are not wanted.
  CodeFrames(Strings& strings, FrameDetail detail, const CodeLines* lines = nullptr)
      : strings_(strings), detail_(detail), lines_(lines) {}

  // Appends the frames of a row: first those of functions inlined at the row's address, then the
  // frame itself. A profiler's wrapper of the function before it in `frames` is left out: the
  // program called that function. Where the profiler itself was at work, its frames stay.
  void add(CallChainRow row, std::vector<std::uint32_t>& frames) {
    if (detail_ == FrameDetail::kFunction) row.line = 0;
    if (detail_ != FrameDetail::kAddress && lines_ == nullptr) row.address = 0;
    if (lines_ == nullptr) row.flags &= static_cast<std::uint8_t>(~CallChainRow::kSampled);
    const std::uint32_t number = rows_.of(row);
    if (number == ends_.size()) read(row);
    if (is_wrapper_[number] && !frames.empty() &&
        !is_profiler_library(function_of(frames.back()).module))
      return;
    const std::uint32_t begin = number == 0 ? 0 : ends_[number - 1];
    frames.insert(frames.end(), of_rows_.begin() + begin, of_rows_.begin() + ends_[number]);
  }
  // Returns a frame for a function that no row contains.
  std::uint32_t frame_of_function(const Function& function) {
    return frames_.of({function_number(function), 0, 0});
  }
  // Returns the placeholder frame for a missing chain.
  std::uint32_t missing_chain_frame() {
    return frame_of_function({"[No call chain]", "", CodeKind::kMark});
  }

  const Frame& frame(std::uint32_t number) const { return frames_.key(number); }
  std::size_t size() const { return frames_.size(); }
  const Function& function(std::uint32_t number) const { return functions_[number]; }
  std::size_t functions() const { return functions_.size(); }
  const Function& function_of(std::uint32_t frame) const {
    return functions_[frames_.key(frame).function];
  }

 private:
  struct HashRow {
    std::uint64_t operator()(const CallChainRow& row) const {
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

  void read(CallChainRow row);
  void append(Function function, std::int64_t line, std::int64_t address, std::size_t inline_depth);
  Function describe(CallChainRow& row);
  std::uint32_t function_number(Function function);

  Strings& strings_;
  FrameDetail detail_;
  const CodeLines* lines_;
  Numbering<CallChainRow, HashRow> rows_;
  std::vector<std::uint32_t> of_rows_;  // the frames of all rows, one row after another
  std::vector<std::uint32_t> ends_;     // by row: the end of its frames in of_rows_
  std::vector<bool> is_wrapper_;        // by row
  Numbering<Frame, HashFrame> frames_;
  std::vector<Function> functions_;
  std::unordered_map<std::string, std::uint32_t>
      numbers_;  // by contents: the number of the function
};

// Returns the last part of a path, without its folders.
std::string_view file_name(std::string_view path);

// Returns "file:line", or "module:line" if the source file is unknown. ":line" is missing if the
// line is unknown.
std::string location(const Function& function, std::int64_t line);

}  // namespace prof::events
