// Reads the call chain of an event.
#pragma once

#include <cstdint>
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

// Returns the frames of a chain of CUDA_CALLCHAINS.
base::Result<std::vector<ChainFrame>> chain_of_call(const report::ReportReader& reader,
                                                    std::int64_t chain,
                                                    const events::CodeLines* lines);

// Returns the frames, innermost first. Empty if the event of this table has no chain. Only the rows
// of one chain are read, by the table's key. `lines` has the source lines of native code, or is
// null.
base::Result<std::vector<ChainFrame>> chain_of(const report::ReportReader& reader,
                                               const std::string& table, std::int64_t rowid,
                                               const events::CodeLines* lines);

}  // namespace prof::view
