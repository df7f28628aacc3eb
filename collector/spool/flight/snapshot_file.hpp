// Makes an ordinary recording of what a flight recorder has kept, from which reports are made as
// from any other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/spool/flight/flight_folder.hpp"
#include "collector/spool/notes.hpp"
#include "collector/spool/spool.hpp"
#include "common/base/result.hpp"

namespace prof::spool {

// The reason for a report, and its moment.
struct SnapshotCause {
  std::string text;        // a sentence for the user
  std::string trigger;     // as the user wrote it, or "request", "signal", "end"
  std::uint64_t time = 0;  // reading of the session's clock; 0: none
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  Severity severity = Severity::kInfo;
};

struct SnapshotContent {
  SessionNote session;       // note of the recording; its capture gets rows about the causes
  std::uint64_t window = 0;  // ns; the length of the report
  std::uint64_t end = 0;     // reading of the session's clock; later records are left out
  std::vector<SnapshotCause> causes;
  std::vector<std::string> remarks;  // texts of warnings
};

// Writes the recording. The rows of its report begin `window` before `end`, or later if less is
// kept.
base::Status write_snapshot(SpoolWriter& to, const FlightFiles& from, SnapshotContent content);

// Writes the recording of what another prof has kept, up to the last known moment.
base::Status write_kept(SpoolWriter& to, const FlightFiles& from, std::uint64_t window,
                        std::vector<SnapshotCause> causes);

}  // namespace prof::spool
