#include "exporters/analysis/operators/sources.hpp"

namespace prof::operators {

const char* name_of(Source source) {
  constexpr const char* kNames[kSources] = {"operator", "compiled", "library call",
                                            "module",   "range",    "name"};
  return kNames[static_cast<std::size_t>(source)];
}

Origin origin_of(const OperatorRanges& ranges, const OperatorRanges::Place& place,
                 const LibraryCalls& libraries, std::int64_t global_tid, std::int64_t time) {
  if (place.innermost != OperatorRanges::kNone) return {Source::kOperator};
  const std::int64_t library = libraries.around(global_tid, time);
  if (library != LibraryCalls::kNone) return {Source::kLibrary, library};
  if (place.scope == OperatorRanges::kNone) return {};
  const Scope& scope = ranges.scopes()[static_cast<std::size_t>(place.scope)];
  return {scope.kind == RangeKind::kModule ? Source::kModule : Source::kRange};
}

}  // namespace prof::operators
