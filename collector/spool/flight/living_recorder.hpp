// Copies what a flight recorder holds while its programs go on.
#pragma once

#include <optional>
#include <string>

#include "collector/spool/notes.hpp"
#include "collector/spool/spool.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::spool {

// If the recording has only the name of a flight recorder's, returns where its events are. Returns
// nothing if the recording has the events itself.
std::optional<FlightNote> unfinished_flight(const Spool& recording);

// Writes an ordinary recording of what the recorder holds now to the file `path`, which must not
// exist. Fails if the recorder has ended.
base::Result<base::UniqueFd> copy_of_flight(const FlightNote& flight, const std::string& path);

}  // namespace prof::spool
