// The columns of the statistic pyprof, with the words that PyProf's option -c has for them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

enum class PyprofColumn : std::uint8_t {
  kIndex,
  kSequence,
  kOtherSequence,
  kThread,
  kLayer,
  kTrace,
  kDirection,
  kSub,
  kModule,
  kOperator,
  kKernel,
  kParameters,
  kTime,
  kTensorCores,
  kDevice,
  kStream,
  kGrid,
  kBlock,
  kFlops,
  kBytes,
};

struct PyprofColumnSpec {
  std::string_view word;
  const char* header;
  tables::CellKind kind;
};
const PyprofColumnSpec& spec_of(PyprofColumn column);

// PyProf's own: idx, dir, sub, mod, op, kernel, params and sil.
std::vector<PyprofColumn> default_pyprof_columns();

// Parses "c=idx:trace:sil", also with commas.
base::Result<std::vector<PyprofColumn>> parse_pyprof_columns(std::string_view words);

}  // namespace prof::stats
