// Findings about copies.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/analyze/memory_calls.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::analyze {

namespace {

using insight::Operation;
using insight::WorkKind;

constexpr std::int64_t kHostToDevice = 1;
constexpr std::int64_t kDeviceToHost = 2;

bool is_over_the_bus(const Operation& each) {
  return each.kind == WorkKind::kCopy && (each.name == kHostToDevice || each.name == kDeviceToHost);
}

bool is_pageable(const Operation& each) {
  return is_over_the_bus(each) && (each.name == kHostToDevice ? each.source : each.destination) ==
                                      static_cast<std::uint8_t>(kPageable);
}

struct Copies {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::int64_t time = 0;
  std::optional<Operation> longest;

  void add(const Operation& each) {
    ++count;
    bytes += each.bytes;
    time += each.duration();
    if (!longest || each.duration() > longest->duration()) longest = each;
  }
  double gigabytes_per_second() const {
    return time == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(time);
  }
};

// Returns " by cudaMemcpyAsync", or an empty text if the launching call is unknown.
std::string call_of(const Facts& facts, const Operation& copy) {
  const auto call = facts.calls.launching(facts.work.global_pid(copy), copy.correlation);
  return !call ? "" : " by " + base::mark_name("call", facts.calls.name(*call));
}

}  // namespace

std::optional<Finding> pageable_copies(const Facts& facts) {
  Copies copies;
  for (const Operation& each : facts.work.operations())
    if (is_pageable(each)) copies.add(each);
  // The driver stages small copies during the call, so pinned memory would not make them faster.
  constexpr std::int64_t kSmall = 64 << 10;
  if (copies.count == 0 || copies.bytes / copies.count < kSmall) return std::nullopt;
  return Finding{"pageable_copies",
                 "Copies use pageable host memory, which is slow and blocks the calling thread",
                 copies.time,
                 fmt::format("{}, {} in total, at {:.1f} GB/s; the longest takes {} at {:.6f} s{}",
                             count_text(copies.count, "copy"), bytes_text(copies.bytes),
                             copies.gigabytes_per_second(), time_text(copies.longest->duration()),
                             static_cast<double>(copies.longest->start) / 1e9,
                             call_of(facts, *copies.longest)),
                 "Pin the host memory: cudaMallocHost or cudaHostRegister, pin_memory=True with "
                 "non_blocking=True",
                 where_of(facts, *copies.longest)};
}

std::optional<Finding> small_copies(const Facts& facts) {
  constexpr std::int64_t kSmall = 64 << 10;
  constexpr std::int64_t kBackToBack =
      20'000;  // ns, from the end of a copy to the start of the next
  constexpr std::int64_t kMinInARow = 4;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::optional<Operation>>
      last;  // previous operation, by stream
  struct CopyRow {
    std::int64_t length = 0;
    std::int64_t start = 0;  // ns
  };
  std::map<std::pair<std::uint32_t, std::int32_t>, CopyRow> rows;
  Copies copies;
  std::int64_t between = 0;
  std::int64_t longest_row = 0;
  Where where;  // of the longest row of small copies
  for (const Operation& each : facts.work.operations()) {
    const auto stream = std::pair(each.device, each.stream);
    const auto before = std::exchange(last[stream], each);
    const bool is_small = is_over_the_bus(each) && each.bytes <= kSmall;
    const bool follows = is_small && before.has_value() && before->kind == WorkKind::kCopy &&
                         before->name == each.name && before->bytes <= kSmall &&
                         each.start - before->end <= kBackToBack;
    CopyRow& row = rows[stream];
    row.length = !is_small ? 0 : follows ? row.length + 1 : 1;
    if (row.length == 1) row.start = each.start;
    if (row.length > longest_row) {
      longest_row = row.length;
      where = where_of(facts, each);
      where.time.start = row.start;
    }
    if (row.length < kMinInARow) continue;
    copies.add(each);
    between += std::max<std::int64_t>(0, each.start - before->end);
  }
  if (copies.count == 0) return std::nullopt;
  return Finding{
      "small_copies",
      "Many small copies run one after another, and each one pays the cost of a call",
      copies.time + between,
      fmt::format("{} copies of {} bytes on average, up to {} in a row{}", copies.count,
                  copies.bytes / copies.count, longest_row, call_of(facts, *copies.longest)),
      "Collect the data in one buffer and copy it once, or use cudaMemcpyBatchAsync",
      where};
}

std::optional<Finding> serial_copies(const Facts& facts) {
  std::int64_t exposed = 0;
  std::int64_t hidden = 0;
  std::int64_t compute = 0;
  for (const insight::Breakdown& each : facts.breakdowns) {
    exposed += each.exposed_copies;
    hidden += each.hidden_copies;
    compute += each.compute;
  }
  Copies copies;
  std::int64_t pageable = 0;
  for (const Operation& each : facts.work.operations()) {
    if (is_over_the_bus(each)) copies.add(each);
    if (is_pageable(each)) pageable += each.duration();
  }
  // Pageable copies cannot overlap with computation; the rule pageable_copies reports them.
  if (copies.count == 0 || 2 * pageable > copies.time || 4 * hidden > exposed) return std::nullopt;
  return Finding{
      "serial_copies",
      "Copies are not overlapped with computation",
      std::min({exposed, copies.time, compute}),
      fmt::format("{}, {} in total, in {}, {:.1f} % of that time overlapped with a kernel",
                  count_text(copies.count, "copy"), bytes_text(copies.bytes),
                  time_text(copies.time), tables::percent(hidden, hidden + exposed)),
      "Copy the next batch on a separate stream while this one is computed: "
      "cudaMemcpyAsync with pinned memory, or a prefetcher with torch.cuda.Stream",
      where_of(facts, *copies.longest)};
}

}  // namespace prof::analyze
