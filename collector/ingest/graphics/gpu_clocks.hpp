// The clocks of GPUs that graphics programs use: moments at which a GPU's clock and the session's
// were read together.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <utility>

#include "collector/spool/clock_model.hpp"
#include "common/wire/vulkan_records.hpp"

namespace prof::ingest {

class GpuClocks {
 public:
  // The clock outlives the object.
  GpuClocks(const spool::ClockModel& clock, std::pmr::memory_resource* memory)
      : clock_(clock), clocks_(memory) {}

  void define(std::uint32_t serial, const wire::VulkanClockRecord& record);

  // True if there is a moment for the device of the process.
  bool has(std::uint32_t serial, std::uint32_t device) const {
    return clocks_.contains({serial, device});
  }
  // Returns the time of a reading of the GPU's clock, ns. Between two moments the clocks are taken
  // to run evenly; outside of them the GPU's clock has the rate that its driver says.
  std::int64_t to_ns(std::uint32_t serial, std::uint32_t device, std::uint64_t ticks) const;

 private:
  struct Moment {
    std::uint64_t time;    // reading of the session's clock
    std::uint64_t period;  // length of a tick, millionths of 1 ns
  };
  using Moments = std::pmr::map<std::uint64_t, Moment>;  // by reading of the GPU's clock

  const spool::ClockModel& clock_;
  std::pmr::map<std::pair<std::uint32_t, std::uint32_t>, Moments> clocks_;
};

}  // namespace prof::ingest
