// Makes an ordinary recording of what a flight recorder has kept, so that reports are made of it as
// of any other.
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

// Why a report is written, and where that was.
struct SnapshotCause {
  std::string text;        // a sentence, for people
  std::string trigger;     // as the user wrote it, or "request", "signal", "end"
  std::uint64_t time = 0;  // reading of the session's clock; 0: none
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  Severity severity = Severity::kInfo;
};

struct SnapshotContent {
  SessionNote session;       // of the recording; its capture gets rows about the causes
  std::uint64_t window = 0;  // ns
  std::uint64_t end = 0;     // reading of the session's clock: what is after it is left out
  std::vector<SnapshotCause> causes;
  std::vector<std::string> remarks;  // warnings
};

// Writes it. The times of the report's rows begin with the last `window` before `end`, or later if
// less is kept.
base::Status write_snapshot(SpoolWriter& to, const FlightFiles& from, SnapshotContent content);

// The same of what another prof has kept: up to the last moment that is known.
base::Status write_kept(SpoolWriter& to, const FlightFiles& from, std::uint64_t window,
                        std::vector<SnapshotCause> causes);

}  // namespace prof::spool
