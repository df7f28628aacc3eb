// Frames of call chains: what a row of a table of call chains means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exporters/stats/events/numbering.hpp"
#include "exporters/stats/events/strings.hpp"

namespace prof::stats {

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
};

// How much tells frames apart.
enum class FrameDetail { kFunction, kLine, kAddress };

struct Frame {
  std::uint32_t function;
  std::int64_t line;     // 0: not known
  std::int64_t address;  // 0: not known
  bool operator==(const Frame&) const = default;
};

// Numbers the frames and functions of a report: rows that differ only in what the detail leaves out
// are one frame.
class CodeFrames {
 public:
  CodeFrames(Strings& strings, FrameDetail detail) : strings_(strings), detail_(detail) {}

  std::uint32_t of(ChainRow row) {
    if (detail_ == FrameDetail::kFunction) row.line = 0;
    if (detail_ != FrameDetail::kAddress) row.address = 0;
    const std::uint32_t number = rows_.of(row);
    if (number == frame_of_row_.size()) frame_of_row_.push_back(read(row));
    return frame_of_row_[number];
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
      return (place * 0xbf58476d1ce4e5b9u) ^ frame.function;
    }
  };

  std::uint32_t read(const ChainRow& row);
  Function describe(const ChainRow& row);
  std::uint32_t function_number(Function function);

  Strings& strings_;
  FrameDetail detail_;
  Numbering<ChainRow, HashRow> rows_;
  std::vector<std::uint32_t> frame_of_row_;
  Numbering<Frame, HashFrame> frames_;
  std::vector<Function> functions_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of functions
};

// A path without its folders.
std::string_view file_name(std::string_view path);

// "module:line", of Python frames "file:line"; without a line what is left.
std::string location(const Function& function, std::int64_t line);

}  // namespace prof::stats
