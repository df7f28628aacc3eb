// What PyTorch's allocators hand out and take back (--pytorch=memory), in the order of time.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

// The allocator of a device in a process.
struct TorchAllocator {
  std::int64_t global_pid;
  std::int64_t device_type;                                 // c10::DeviceType
  std::int64_t device;                                      // -1: the only one
  auto operator<=>(const TorchAllocator&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Returns "cuda", "cpu" or another name that PyTorch gives to the type.
std::string torch_device_name(std::int64_t device_type);

enum class TorchOperation : std::uint8_t {
  kAllocation,
  kRelease,
  kFailure,  // there was no memory of that size
};

struct TorchMemoryEvent {
  std::int64_t time;        // ns
  std::int64_t global_tid;  // of the thread
  TorchAllocator allocator;
  TorchOperation operation;
  std::int64_t bytes;
  std::int64_t allocated;   // bytes that the program has then
  std::int64_t reserved;    // bytes that the allocator has then
  std::int64_t allocation;  // its number, from 0 on; -1: it is older than the recording, or failed
};

// Visits the events. A report without such events has none.
base::Status for_each_torch_event(const report::ReportReader& reader,
                                  const std::function<void(const TorchMemoryEvent&)>& visit);

}  // namespace prof::events
