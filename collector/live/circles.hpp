// Finds processes that wait for one another in a circle, so that none of them ever goes on: a
// parent waits for the end of a child process that writes to a full pipe which the parent does not
// read.
#pragma once

#include <vector>

#include "collector/live/snapshot.hpp"

namespace prof::live {

// Sets is_in_circle of the thread of each such process that waits for another process. A circle is
// certain: no process outside of it can end it, except by a signal, and no thread has run while its
// members were looked at together.
void mark_circles(std::vector<ProcessState>& states);

}  // namespace prof::live
