// Counters of one device: a GPU, a network interface, a disk, a CPU. A reader does not know who
// reads it how often, and what happens to the values.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collector/spool/metric_records.hpp"

namespace prof::metrics {

// The value of a counter that could not be read this time.
inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// What the value of a counter means.
enum class Reading : std::uint8_t {
  kLevel,  // the value at the moment of the reading
  kTotal,  // a sum that only rises; reports mostly have its rate
  kTime,   // seconds that have passed in a state; reports have the share of the time, in percent
};

struct CounterKind {
  std::string name;
  std::string unit;  // of a level or a total: "MHz", "bytes"; of a time: "%"
  Reading reading = Reading::kLevel;
  spool::CounterType type = spool::CounterType::kUint64;
};

struct CounterGroup {
  std::string domain;  // "NVML", "Network"
  std::string device;  // "GPU 0", "eth0"
  std::vector<CounterKind> counters = {};
  bool only_changes = false;  // values that are the same as before need not be kept
};

enum class ReadOutcome : std::uint8_t {
  kRead,
  kGone,  // the device is gone and does not come back
};

class CounterReader {
 public:
  virtual ~CounterReader() = default;
  const CounterGroup& group() const { return group_; }
  // Reads all counters of the group, in their order. `values` has the group's size. A counter that
  // could not be read this time is kNoValue.
  virtual ReadOutcome read(std::span<double> values) = 0;
  // Returns one sentence for the user after kGone; empty if another reader of the device reports
  // it.
  virtual std::string loss() const { return group_.device + " is gone: its counters end here."; }

 protected:
  CounterGroup group_;
};

using CounterReaders = std::vector<std::unique_ptr<CounterReader>>;

}  // namespace prof::metrics
