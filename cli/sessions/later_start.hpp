// prof profile --start-later: a prof launch that keeps the options of the collection for prof
// start.
#pragma once

#include <string>
#include <vector>

namespace prof::cli {

// `words` are the options of prof profile, `notes` are lines about some of them. Returns the exit
// status of the program. Throws Failure.
int launch_to_start_later(const std::vector<std::string>& words, std::vector<std::string> notes,
                          const std::vector<std::string>& command);

}  // namespace prof::cli
