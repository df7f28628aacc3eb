// Work on many reports at once.
#pragma once

#include <cstddef>
#include <functional>

namespace prof::ranks {

// Calls `work` with each number below `count`, on `threads` threads; 0: one for each CPU. `work`
// must not throw.
void for_each_number(std::size_t count, unsigned threads,
                     const std::function<void(std::size_t)>& work);

}  // namespace prof::ranks
