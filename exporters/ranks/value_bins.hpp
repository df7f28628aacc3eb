// The bins of a sketch: 70 for each doubling of the value, so that the middle of a bin is at most
// 0.5 % from each of its values. They are made with whole numbers only, and are the same on all
// machines and in all versions: sketches of different versions have the same bins.
#pragma once

#include <cstdint>

namespace prof::ranks {

// Returns the number of a value's bin. Bins ascend with their values: 0 has bin 0, and values below
// it have bins below 0.
std::int64_t bin_of(std::int64_t value);

// Returns the harmonic mean of the smallest and the largest value of a bin: the one with the
// smallest relative error.
double middle_of(std::int64_t bin);

}  // namespace prof::ranks
