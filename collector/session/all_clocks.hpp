// Reads all clocks of the machine, so that reports of several machines can be put on one timeline.
#pragma once

#include "collector/spool/notes.hpp"

namespace prof::session {

// Reads the clocks several times and keeps the reading that was interrupted least. Needs no right.
spool::ClockNote read_all_clocks();

}  // namespace prof::session
