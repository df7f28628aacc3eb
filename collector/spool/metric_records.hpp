// Samples of counters in the spool: of GPUs, network interfaces, disks, the machine. A
// MetricSourceNote describes the counters of each group. docs/wire-format.md describes the layout.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace prof::spool {

// The type of a counter's values in the report, with NVTX's numbers for payload entries.
enum class CounterType : std::uint8_t {
  kInt32 = 15,
  kUint32 = 16,
  kInt64 = 17,
  kUint64 = 18,
  kFloat = 19,
  kDouble = 20,
};

struct Counter {
  std::string name{};
  CounterType type = CounterType::kInt64;
  std::string unit{};  // "W", "bytes/s", "%"; empty: a plain number
};

// A value in the spool: signed and unsigned integers of 64 bits, and doubles.
struct MetricValue {
  std::uint64_t bits = 0;

  MetricValue() = default;
  template <class Number>
  MetricValue(Number value) {  // NOLINT(google-explicit-constructor): lists of values are short
    static_assert(std::is_arithmetic_v<Number>);
    if constexpr (std::is_floating_point_v<Number>)
      bits = std::bit_cast<std::uint64_t>(static_cast<double>(value));
    else
      bits = static_cast<std::uint64_t>(value);
  }
};

// The maximum number of values in a sample, because each needs a bit.
inline constexpr std::size_t kMaxCounters = 64;

// Header before the values of a sample, which are MetricValues in the order of the counters.
struct MetricSample {
  std::uint64_t time;     // CLOCK_MONOTONIC_RAW, ns
  std::uint64_t missing;  // bit i: counter i has no value
};
static_assert(sizeof(MetricSample) == 16 && sizeof(MetricValue) == 8);

// Header before the samples of one group, which are ordered by time.
struct MetricPieceHeader {
  std::uint32_t source;  // MetricSourceNote::id
  std::uint32_t values;  // number of values in each sample
};
static_assert(sizeof(MetricPieceHeader) == 8);

// Samples that were taken together, inside the mapped spool.
struct MetricPiece {
  MetricPieceHeader header;
  std::span<const std::byte> bytes;
};

}  // namespace prof::spool
