// What is known best about a GPU operation or an allocation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exporters/analysis/operators/library_calls.hpp"
#include "exporters/analysis/operators/operator_ranges.hpp"

namespace prof::operators {

enum class Source : std::uint8_t {
  kOperator,
  kCompiled,  // the name of a kernel that a compiler made of operators
  kLibrary,   // a call of cuBLAS, cuDNN, …
  kModule,
  kRange,  // another NVTX range
  kName,   // the name of the kernel, or the kind of the copy
};
inline constexpr std::size_t kSources = 6;
const char* name_of(Source source);  // "operator", …

// True if the source names the operators that something is of.
inline bool names_operators(Source source) {
  return source == Source::kOperator || source == Source::kCompiled;
}

struct Origin {
  Source source = Source::kName;
  std::int64_t library = LibraryCalls::kNone;  // of kLibrary: the name of the call (StringIds.id)
};

// Returns where a call comes from that a thread makes at that time. `place` is that of the moment.
Origin origin_of(const OperatorRanges& ranges, const OperatorRanges::Place& place,
                 const LibraryCalls& libraries, std::int64_t global_tid, std::int64_t time);

}  // namespace prof::operators
