// The time in which a GPU was busy: the union of its kernels, copies and memsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::prometheus {

class GpuBusy {
 public:
  // Adds work of the GPU, ns. CUPTI reports work late and not in order.
  void add(std::uint64_t start, std::uint64_t end);
  // Counts the work before `time`. Work before `time` that is reported later counts only as far as
  // it lies after all counted work.
  void settle(std::uint64_t time);
  // Returns the busy time of all settled work, ns.
  std::uint64_t busy() const { return busy_; }

 private:
  struct Work {
    std::uint64_t start;
    std::uint64_t end;
  };
  static constexpr std::size_t kMaxWaiting = 65'536;

  std::vector<Work> waiting_;
  std::uint64_t covered_ = 0;  // the time up to which all work is counted
  std::uint64_t busy_ = 0;
};

}  // namespace prof::prometheus
