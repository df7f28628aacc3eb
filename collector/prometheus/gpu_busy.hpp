// How long a GPU has had something to do: the union of its kernels, copies and memsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::prometheus {

class GpuBusy {
 public:
  // Work of the GPU, ns. CUPTI reports work late and not in order.
  void add(std::uint64_t start, std::uint64_t end);
  // Counts the work before `time`. Of what is reported later for that time, the part after all that
  // was counted is added.
  void settle(std::uint64_t time);
  // ns, of what was settled.
  std::uint64_t busy() const { return busy_; }

 private:
  struct Work {
    std::uint64_t start;
    std::uint64_t end;
  };
  static constexpr std::size_t kMostWaiting = 65'536;

  std::vector<Work> waiting_;
  std::uint64_t covered_ = 0;  // the time up to which all is counted
  std::uint64_t busy_ = 0;
};

}  // namespace prof::prometheus
