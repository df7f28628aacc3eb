#include "exporters/ranks/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace prof::ranks {

void for_each_number(std::size_t count, unsigned threads,
                     const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const unsigned wanted = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(wanted, count); ++i) others.emplace_back(run);
  run();
}

}  // namespace prof::ranks
