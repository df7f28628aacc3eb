#include "collector/sampler/tracepoints/tracepoint_events.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "collector/sampler/perf_event.hpp"
#include "collector/sampler/record_fields.hpp"

namespace prof::sampler {

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
  std::vector<perf_event_attr> attributes;
  for (const Tracepoint& tracepoint : tracepoints) {
    // The first event also records forks, names and ends of threads.
    attributes.push_back(attributes_of(tracepoint, ids.empty()));
    ids.push_back(tracepoint.id);
  }
  TracepointEvents events(std::move(ids));
  const auto cpus = online_cpus();
  const std::size_t bytes = buffer_bytes(cpus.size(), kMaxTracepointBytes);
  for (const int cpu : cpus) {
    auto group = EventGroup::open(attributes, kWholeSystem, cpu, bytes);
    if (!group) return tl::make_unexpected(group.error());
    if (*group) events.cpus_.push_back(std::move(**group));
  }
  return events;
}

void TracepointEvents::drain(const Sink& sink) {
  for (EventGroup& cpu : cpus_) {
    cpu.first.ring.drain([this](const PerfRecord& record) { records_.add(record); });
    if (!records_.bytes().empty()) sink(cpu.cpu, records_.bytes());
    records_.clear();
  }
}

}  // namespace prof::sampler
