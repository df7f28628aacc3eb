// The call chain of an event.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/call_chains/code_lines.hpp"

namespace prof::view {

struct ChainFrame {
  std::string function;
  std::string place;  // "file:line", or the file of the code
  const char* kind;   // "python"
};

// Innermost first. Empty if the event of this table has none. Reads the rows of one chain, which
// the table's key finds. `lines`: source lines of native code, or null.
base::Result<std::vector<ChainFrame>> chain_of(const report::ReportReader& reader,
                                               const std::string& table, std::int64_t rowid,
                                               const events::CodeLines* lines);

}  // namespace prof::view
