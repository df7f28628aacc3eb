#include "collector/ingest/cuda/pc_samples.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace prof::ingest {

namespace {

// The program sends slices of 100 ms. In long recordings several become one, so that the report
// grows more slowly.
constexpr std::int64_t kLong = 60'000'000'000;         // ns
constexpr std::uint64_t kSliceOfLong = 1'000'000'000;  // ns

constexpr std::uint32_t kLongestPeriod = 62;  // power of two that fits the column

// Numbers come from the program, so a sum may not fit. It is then wrong, but defined.
void add_to(std::int64_t& sum, std::uint64_t number) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + number);
}

}  // namespace

PcSamples::PcSamples(const spool::ClockModel& clock, const StringTable& strings,
                     const ProcessTable& processes, report::ReportWriter& writer)
    : clock_(clock),
      strings_(strings),
      processes_(processes),
      writer_(writer),
      shortest_(clock.end() > kLong ? kSliceOfLong : 0),
      pending_(writer.memory()),
      groups_(writer.memory()),
      string_ids_(writer.memory()) {}

// Samples without a slice are those of a program that was killed while it wrote them.
void PcSamples::begin_thread(std::uint32_t serial) {
  write_groups();
  pending_.clear();
  global_pid_ = processes_.global_pid_of(serial);
}

void PcSamples::sample(const wire::CudaPcSampleRecord& record, std::span<const std::byte> stalls) {
  for (; stalls.size() >= sizeof(wire::CudaPcStall);
       stalls = stalls.subspan(sizeof(wire::CudaPcStall))) {
    wire::CudaPcStall stall;
    std::memcpy(&stall, stalls.data(), sizeof stall);
    pending_.push_back({{record.cubin, record.function, record.offset, stall.reason},
                        {stall.samples, stall.not_issued}});
  }
}

void PcSamples::slice(const wire::CudaPcSliceRecord& record) {
  if (window_) {
    const std::int64_t middle = std::midpoint(clock_.to_ns(record.start), clock_.to_ns(record.end));
    if (middle < 0 || middle > *window_) return pending_.clear();
  }
  const std::int64_t period = std::int64_t{1} << std::min(record.period, kLongestPeriod);
  auto found = groups_.find(record.header.aux);
  if (found != groups_.end() && found->second.row.period != period) {
    write(found->second);
    groups_.erase(found);
    found = groups_.end();
  }
  if (found == groups_.end()) {
    found = groups_.try_emplace(record.header.aux, writer_.memory()).first;
    report::PcLossRow& row = found->second.row;
    row.start = clock_.to_ns(record.start);
    row.global_pid = global_pid_;
    row.device = record.device;
    row.context = record.header.aux;
    row.period = period;
  }
  add(found->second, record);
  const report::PcLossRow& row = found->second.row;
  if (row.end >= row.start &&
      static_cast<std::uint64_t>(row.end) - static_cast<std::uint64_t>(row.start) < shortest_)
    return;
  write(found->second);
  groups_.erase(found);
}

void PcSamples::add(Group& group, const wire::CudaPcSliceRecord& record) {
  std::uint64_t with_rows = 0;
  for (const Sample& sample : pending_) {
    Counts& counts = group.counts[sample.key];
    counts.samples += sample.counts.samples;
    counts.not_issued += sample.counts.not_issued;
    with_rows += static_cast<std::uint64_t>(sample.counts.samples);
  }
  pending_.clear();
  const std::uint64_t accounted = with_rows + record.dropped + record.non_user;
  const std::uint64_t unrecorded = record.total > accounted ? record.total - accounted : 0;
  group.row.end = clock_.to_ns(record.end);
  add_to(group.row.total, record.total);
  add_to(group.row.dropped, record.dropped);
  add_to(group.row.non_user, record.non_user);
  add_to(group.row.unrecorded, unrecorded);
  add_to(group.row.hardware_buffer_full, record.times_full);
  stats_.samples += record.total;
  stats_.dropped += record.dropped;
  stats_.unrecorded += unrecorded;
  stats_.times_full += record.times_full;
}

void PcSamples::write(const Group& group) {
  for (const auto& [key, counts] : group.counts) {
    report::PcSampleRow row{};
    row.start = group.row.start;
    row.end = group.row.end;
    row.global_pid = group.row.global_pid;
    row.device = group.row.device;
    row.context = group.row.context;
    row.cubin = static_cast<std::int64_t>(key.cubin);
    row.function = string_id(key.function);
    row.offset = static_cast<std::int64_t>(key.offset);
    row.stall = string_id(key.reason);
    row.samples = counts.samples;
    row.not_issued = counts.not_issued;
    writer_.add(row);
  }
  writer_.add(group.row);
}

void PcSamples::write_groups() {
  for (const auto& [context, group] : groups_) write(group);
  groups_.clear();
}

std::int32_t PcSamples::string_id(std::uint64_t hash) {
  const auto [found, is_new] = string_ids_.try_emplace(hash);
  if (is_new) found->second = writer_.string_id(strings_.text(hash));
  return found->second;
}

}  // namespace prof::ingest
