// Call chains of a report's calls, as texts: the innermost frames of each.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/events/code_frames.hpp"
#include "exporters/events/strings.hpp"

namespace prof::events {

// Of several frames, innermost first, " < " between them.
struct Caller {
  std::string functions;
  std::string places;  // file:line where the line is known, else modules
};

class Callers {
 public:
  static constexpr std::int64_t kNone = -1;
  static constexpr std::int64_t kNoChain = -1;  // in place of an id

  // Of a table such as CUDA_CALLCHAINS; `depth` frames of each chain, -1: all. Where none of them
  // is Python's, the innermost that is comes behind them: native code of an interpreter says
  // little. `lines` as of CodeFrames.
  static base::Result<Callers> read(const report::ReportReader& reader, const char* table,
                                    std::int64_t depth, Strings& strings, const CodeLines* lines);

  // Number of the caller of a chain of calls of this function (in StringIds): the same for chains
  // that agree in all frames looked at. The function itself, with which nsys's chains begin, is no
  // caller. kNone where there is no such chain.
  std::int64_t of_chain(std::int64_t id, std::int64_t function);
  const Caller& text(std::int64_t caller) const { return texts_[static_cast<std::size_t>(caller)]; }

 private:
  struct At {
    std::uint32_t frame;
    std::int64_t depth;  // in the chain: those in between may not have been read
  };
  using Frames = std::vector<At>;

  Callers(Strings& strings, std::int64_t depth, const CodeLines* lines)
      : strings_(strings), code_(strings, FrameDetail::kLine, lines), depth_(depth) {}

  std::int64_t number(const Frames& frames, std::string_view function);
  const Function& function_of(const At& at) const { return code_.function_of(at.frame); }
  static void append(Caller& caller, std::string_view function, std::string_view place);
  void append(Caller& caller, const At& at);

  Strings& strings_;
  CodeFrames code_;
  std::int64_t depth_;
  std::unordered_map<std::int64_t, Frames> chains_;
  struct Known {
    std::int64_t function;
    std::int64_t caller;
  };
  std::unordered_map<std::int64_t, Known> known_;  // by chain
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<Caller> texts_;
};

// Whether a symbol of a library is what programs call by this name: __write, __libc_write or
// write@@GLIBC_2 for write.
bool is_symbol_of(std::string_view symbol, std::string_view function);

}  // namespace prof::events
