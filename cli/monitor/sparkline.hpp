// Draws a curve as one line of characters.
#pragma once

#include <deque>
#include <string>

namespace prof::cli {

// Draws the last `width` values, the newest at the right. The scale is 0 to `most`, or to the
// largest value if `most` is 0. Unknown values are blanks.
std::string sparkline(const std::deque<double>& values, std::size_t width, double most,
                      bool unicode);

}  // namespace prof::cli
