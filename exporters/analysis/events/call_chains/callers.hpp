// Finds the callers of recorded calls: the innermost frames of the calls' chains, as texts.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::events {

// A caller as text: its frames from the innermost out, with " < " between them.
struct Caller {
  std::string functions;
  std::string places;  // for each frame file:line if the line is known, else the module
};

class Callers {
 public:
  static constexpr std::int64_t kNone = -1;
  static constexpr std::int64_t kNoChain = -1;  // stands for a missing chain id

  // Reads a table such as CUDA_CALLCHAINS and takes the innermost `depth` frames of each chain (-1:
  // all). If none of the frames is a Python frame, the innermost Python frame is added at the end,
  // because native code of the interpreter says little. `lines` has the same meaning as in
  // CodeFrames.
  static base::Result<Callers> read(const report::ReportReader& reader, const char* table,
                                    std::int64_t depth, Strings& strings, const CodeLines* lines);

  // Leaves frames in the system's headers out of all later callers, because a frame such as
  // std::mutex::lock() says little. If all frames are in headers, the innermost one stays.
  void leave_out_headers() { without_headers_ = true; }

  // Returns the number of a call's caller, or kNone if the chain `id` does not exist. Chains with
  // equal frames have the same number. `function` is the StringIds.id of the called function:
  // nsys's chains begin with it, but it is not a caller.
  std::int64_t caller_of(std::int64_t id, std::int64_t function);
  const Caller& text(std::int64_t caller) const { return texts_[static_cast<std::size_t>(caller)]; }

 private:
  struct At {
    std::uint32_t frame;
    std::int64_t depth;  // position in the chain; frames before it may not have been read
  };
  using Frames = std::vector<At>;

  Callers(Strings& strings, std::int64_t depth, const CodeLines* lines)
      : strings_(strings), code_(strings, FrameDetail::kLine, lines), depth_(depth) {}

  std::int64_t caller_number(const Frames& frames, std::string_view function);
  bool is_in_header(const At& at) const;
  const Function& function_of(const At& at) const { return code_.function_of(at.frame); }
  static void append(Caller& caller, std::string_view function, std::string_view place);
  void append(Caller& caller, const At& at);

  Strings& strings_;
  CodeFrames code_;
  std::int64_t depth_;
  bool without_headers_ = false;
  std::unordered_map<std::int64_t, Frames> chains_;
  struct Known {
    std::int64_t function;
    std::int64_t caller;
  };
  std::unordered_map<std::int64_t, Known> known_;  // by chain id
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<Caller> texts_;
};

// True if a library's symbol belongs to the function that programs call by this name: __write,
// __libc_write and write@@GLIBC_2 belong to write.
bool is_symbol_of(std::string_view symbol, std::string_view function);

}  // namespace prof::events
