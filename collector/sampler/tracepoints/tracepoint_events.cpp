#include "collector/sampler/tracepoints/tracepoint_events.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "collector/sampler/perf_event.hpp"
#include "collector/sampler/record_fields.hpp"

namespace prof::sampler {

using base::Status;
using spool::KernelRecordType;

namespace {

// A record takes about 100 bytes in the kernel's buffer, so 4 MiB hold 40,000 of them.
constexpr std::size_t kMaxTracepointBytes = std::size_t{4} << 20;
constexpr pid_t kWholeSystem = -1;

perf_event_attr attributes_of(const Tracepoint& tracepoint, bool with_tasks) {
  perf_event_attr attributes = event_enabled_on_exec();
  attributes.enable_on_exec = 0;
  attributes.disabled = 0;
  attributes.inherit = 0;
  attributes.type = PERF_TYPE_TRACEPOINT;
  attributes.config = tracepoint.id;
  attributes.sample_period = 1;
  attributes.sample_type |= PERF_SAMPLE_RAW;
  attributes.task = with_tasks;
  attributes.comm = with_tasks;
  attributes.comm_exec = with_tasks;
  return attributes;
}

}  // namespace

std::vector<std::string> enabled_tracepoints(const std::vector<std::string>& roots) {
  std::vector<std::string> names;
  for (const std::string& root : roots) {
    std::ifstream file(root + "/set_event");  // lines such as "sched:sched_switch"
    for (std::string name; file >> name;) {
      const std::size_t colon = name.find(':');
      if (colon == std::string::npos) continue;
      name[colon] = '/';
      names.push_back(std::move(name));
    }
    if (!names.empty()) break;  // other folders show the same events
  }
  return names;
}

void TracepointRecords::add(const PerfRecord& record) {
  if (record.type == PERF_RECORD_SAMPLE)
    add_sample(record.body);
  else
    records_.add_task(record);
}

// The record is {pid, tid, time, u32 length, the tracepoint's record}.
void TracepointRecords::add_sample(std::span<const std::byte> body) {
  RecordIds ids;
  std::uint32_t length = 0;
  std::uint16_t id = 0;
  if (!take(body, ids) || !take(body, length) || length > body.size() || length > UINT16_MAX)
    return;
  const auto fields = body.first(length);
  if (fields.size() < sizeof id) return;
  std::memcpy(&id, fields.data(), sizeof id);
  const auto found = std::ranges::find(ids_, id);
  if (found == ids_.end()) return;
  records_.append({ids.time, ids.pid, ids.tid, static_cast<std::uint32_t>(found - ids_.begin()),
                   KernelRecordType::kTracepoint, 0, static_cast<std::uint16_t>(length)},
                  fields);
}

base::Result<TracepointEvents> TracepointEvents::open(const std::vector<Tracepoint>& tracepoints) {
  std::vector<std::uint32_t> ids;
  for (const Tracepoint& tracepoint : tracepoints) ids.push_back(tracepoint.id);
  TracepointEvents events(std::move(ids));
  const auto cpus = online_cpus();
  for (const int cpu : cpus)
    if (Status added =
            events.add_cpu(tracepoints, cpu, buffer_bytes(cpus.size(), kMaxTracepointBytes));
        !added)
      return tl::make_unexpected(added.error());
  return events;
}

Status TracepointEvents::add_cpu(const std::vector<Tracepoint>& tracepoints, int cpu,
                                 std::size_t bytes) {
  auto first =
      BufferedEvent::open(attributes_of(tracepoints.front(), true), kWholeSystem, cpu, bytes);
  if (!first) return tl::make_unexpected(first.error());
  if (!*first) return {};
  Cpu& added = cpus_.emplace_back(Cpu{static_cast<std::uint32_t>(cpu), std::move(**first), {}});
  for (std::size_t i = 1; i < tracepoints.size(); ++i) {
    base::UniqueFd event = open_event(attributes_of(tracepoints[i], false), kWholeSystem, cpu);
    if (!event) return base::fail(explain_open_error(errno));
    if (!redirect_event(event, added.first.event))
      return base::fail_errno("cannot share a perf buffer", errno);
    added.others.push_back(std::move(event));
  }
  return {};
}

std::vector<int> TracepointEvents::descriptors() const {
  std::vector<int> descriptors;
  for (const Cpu& cpu : cpus_) descriptors.push_back(cpu.first.event.get());
  return descriptors;
}

void TracepointEvents::drain(const Sink& sink) {
  for (Cpu& cpu : cpus_) {
    cpu.first.ring.drain([this](const PerfRecord& record) { records_.add(record); });
    if (!records_.bytes().empty()) sink(cpu.number, records_.bytes());
    records_.clear();
  }
}

std::uint64_t TracepointEvents::lost() const {
  std::uint64_t lost = 0;
  for (const Cpu& cpu : cpus_) {
    lost += lost_records(cpu.first.event);
    for (const base::UniqueFd& event : cpu.others) lost += lost_records(event);
  }
  return lost;
}

std::uint64_t TracepointEvents::corrupt_bytes() const {
  std::uint64_t bytes = 0;
  for (const Cpu& cpu : cpus_) bytes += cpu.first.ring.corrupt_bytes();
  return bytes;
}

}  // namespace prof::sampler
