// A curve of one line of characters.
#pragma once

#include <deque>
#include <string>

namespace prof::cli {

// The last `width` values, newest at the right, from 0 to `most`, or to the largest value if that
// is 0. Values that are unknown are blanks.
std::string sparkline(const std::deque<double>& values, std::size_t width, double most,
                      bool unicode);

}  // namespace prof::cli
