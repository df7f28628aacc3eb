#include "exporters/analysis/operators/sources.hpp"

namespace prof::operators {

const char* name_of(Source source) {
  constexpr const char* kNames[kSources] = {"operator", "compiled", "library call",
                                            "module",   "range",    "name"};
  return kNames[static_cast<std::size_t>(source)];
}

Source source_of(const OperatorRanges& ranges, const OperatorRanges::Place& place,
                 const LibraryCall* library) {
  if (place.innermost != OperatorRanges::kNone) return Source::kOperator;
  if (library != nullptr) return Source::kLibrary;
  if (place.scope == OperatorRanges::kNone) return Source::kName;
  const Scope& scope = ranges.scopes()[static_cast<std::size_t>(place.scope)];
  return scope.kind == RangeKind::kModule ? Source::kModule : Source::kRange;
}

}  // namespace prof::operators
