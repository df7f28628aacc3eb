#include "collector/prometheus/gpu_busy.hpp"

#include <algorithm>

namespace prof::prometheus {

void GpuBusy::add(std::uint64_t start, std::uint64_t end) {
  if (end <= start) return;
  waiting_.push_back({start, end});
  // Settles the older half of the work: it is certainly older than work that is still to be
  // reported.
  if (waiting_.size() < kMaxWaiting) return;
  const auto middle = waiting_.begin() + kMaxWaiting / 2;
  std::nth_element(waiting_.begin(), middle, waiting_.end(),
                   [](const Work& a, const Work& b) { return a.start < b.start; });
  settle(middle->start + 1);
}

// Work that is still going on at `time` counts up to `time`; its rest keeps waiting.
void GpuBusy::settle(std::uint64_t time) {
  std::sort(waiting_.begin(), waiting_.end(),
            [](const Work& a, const Work& b) { return a.start < b.start; });
  std::vector<Work> left;
  for (const Work& work : waiting_) {
    const std::uint64_t start = std::max(work.start, covered_);
    const std::uint64_t end = std::min(work.end, time);
    if (end > start) {
      busy_ += end - start;
      covered_ = end;
    }
    if (work.end > time) left.push_back({std::max(work.start, time), work.end});
  }
  waiting_ = std::move(left);
}

}  // namespace prof::prometheus
