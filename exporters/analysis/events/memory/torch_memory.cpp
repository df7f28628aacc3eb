#include "exporters/analysis/events/memory/torch_memory.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <utility>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

namespace {

// Gives numbers to allocations, by the addresses that are in use.
class TorchAllocations {
 public:
  std::int64_t number(const TorchMemoryEvent& event, std::int64_t address) {
    if (event.operation == TorchOperation::kFailure) return -1;
    const std::pair key(event.allocator, address);
    if (event.operation == TorchOperation::kAllocation) {
      in_use_.insert_or_assign(key, count_);
      return count_++;
    }
    const auto node = in_use_.extract(key);
    return node.empty() ? -1 : node.mapped();
  }

 private:
  std::map<std::pair<TorchAllocator, std::int64_t>, std::int64_t> in_use_;
  std::int64_t count_ = 0;
};

TorchOperation operation_of(std::int64_t number) {
  if (number == 0) return TorchOperation::kAllocation;
  return number == 1 ? TorchOperation::kRelease : TorchOperation::kFailure;
}

}  // namespace

std::string torch_device_name(std::int64_t device_type) {
  // By c10::DeviceType, as PyTorch prints them.
  constexpr const char* kNames[] = {"cpu", "cuda", "mkldnn",       "opengl", "opencl", "ideep",
                                    "hip", "fpga", "maia",         "xla",    "vulkan", "metal",
                                    "xpu", "mps",  "meta",         "hpu",    "ve",     "lazy",
                                    "ipu", "mtia", "privateuseone"};
  if (device_type >= 0 && device_type < static_cast<std::int64_t>(std::size(kNames)))
    return kNames[device_type];
  return fmt::format("device type {}", device_type);
}

base::Status for_each_torch_event(const report::ReportReader& reader,
                                  const std::function<void(const TorchMemoryEvent&)>& visit) {
  if (!reader.has_table(kTorchMemoryTable)) return {};
  TorchAllocations allocations;
  return for_each_row(
      reader,
      fmt::format("SELECT start, globalTid, operation, address, bytes, allocated, reserved, "
                  "deviceType, COALESCE(deviceId, -1) FROM {} ORDER BY start, rowid",
                  kTorchMemoryTable),
      [&](const report::Statement& row) {
        TorchMemoryEvent event{
            .time = row.integer(0),
            .global_tid = row.integer(1),
            .allocator = {global_pid_of(row.integer(1)), row.integer(7), row.integer(8)},
            .operation = operation_of(row.integer(2)),
            .bytes = row.integer(4),
            .allocated = row.integer(5),
            .reserved = row.integer(6),
            .allocation = -1};
        event.allocation = allocations.number(event, row.integer(3));
        visit(event);
      });
}

}  // namespace prof::events
