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

// Returns where a call comes from that a thread makes. `place` and `library` are those of the
// moment.
Source source_of(const OperatorRanges& ranges, const OperatorRanges::Place& place,
                 const LibraryCall* library);

}  // namespace prof::operators
