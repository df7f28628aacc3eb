#include "collector/sampler/tracepoints/system_calls.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include "collector/sampler/machine/machine.hpp"
#include "collector/sampler/perf_event.hpp"
#include "collector/sampler/record_fields.hpp"

namespace prof::sampler {

using spool::KernelRecord;
using spool::KernelRecordType;

namespace {

// A system call takes 168 bytes in the kernel's buffer, so 8 MiB hold 50,000 of them.
constexpr std::size_t kMaxCallBytes = std::size_t{8} << 20;

perf_event_attr enter_event(const SystemCallTracepoints& points) {
  perf_event_attr attributes = event_enabled_on_exec();
  attributes.type = PERF_TYPE_TRACEPOINT;
  attributes.config = points.enter_id;
  attributes.sample_period = 1;
  attributes.sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER;
  attributes.sample_regs_user = kOneRegister;  // the record then says whether the code is 32-bit
  attributes.task = 1;
  attributes.comm = 1;
  attributes.comm_exec = 1;
  return attributes;
}

perf_event_attr exit_event(const SystemCallTracepoints& points) {
  perf_event_attr attributes = event_enabled_on_exec();
  attributes.type = PERF_TYPE_TRACEPOINT;
  attributes.config = points.exit_id;
  attributes.sample_period = 1;
  attributes.sample_type |= PERF_SAMPLE_RAW;
  return attributes;
}

}  // namespace

base::Result<SystemCallTracepoints> SystemCallTracepoints::find(
    const std::vector<std::string>& roots) {
  const auto enter = find_tracepoint("raw_syscalls/sys_enter", roots);
  if (!enter) return tl::make_unexpected(enter.error());
  const auto exit = find_tracepoint("raw_syscalls/sys_exit", roots);
  if (!exit) return tl::make_unexpected(exit.error());
  const auto number = enter->offset_of("id");
  if (!number) return tl::make_unexpected(number.error());
  // The number follows the fields that all tracepoints have, so its offset is the same in both.
  return SystemCallTracepoints{enter->id, exit->id, *number};
}

void RecordShortener::add(const PerfRecord& record) {
  if (record.type == PERF_RECORD_SAMPLE)
    add_sample(record.body);
  else
    records_.add_task(record);
}

// The record is {pid, tid, time, u32 length, the tracepoint's record}, and for an enter also {u64
// abi, register}.
void RecordShortener::add_sample(std::span<const std::byte> body) {
  RecordIds ids;
  std::uint32_t length = 0;
  std::uint16_t tracepoint = 0;
  std::uint32_t number = 0;  // the lower half of a long; the kernel uses an int
  if (!take(body, ids) || !take(body, length) || length > body.size()) return;
  const auto raw = body.first(length);
  if (raw.size() < sizeof tracepoint || raw.size() < points_.number_offset + sizeof number) return;
  std::memcpy(&tracepoint, raw.data(), sizeof tracepoint);
  std::memcpy(&number, raw.data() + points_.number_offset, sizeof number);
  KernelRecord record{ids.time, ids.pid, ids.tid, number, KernelRecordType::kExit, 0, 0};
  if (tracepoint == points_.enter_id) {
    record.type = KernelRecordType::kEnter;
    auto registers = body.subspan(length);
    std::uint64_t abi = PERF_SAMPLE_REGS_ABI_NONE;
    if (take(registers, abi) && abi == PERF_SAMPLE_REGS_ABI_32) record.flags = spool::kCallOf32Bit;
  } else if (tracepoint != points_.exit_id) {
    return;
  }
  records_.append(record);
}

std::string SystemCalls::obstacle() {
  const auto points = SystemCallTracepoints::find();
  if (!points) return points.error().message;
  // An event on prof itself, which is never enabled.
  perf_event_attr attributes = enter_event(*points);
  attributes.enable_on_exec = 0;
  const auto cpus = online_cpus();
  return open_event(attributes, 0, cpus.front()) ? std::string() : explain_open_error(errno);
}

base::Result<SystemCalls> SystemCalls::open(pid_t pid) {
  const auto points = SystemCallTracepoints::find();
  if (!points) return tl::make_unexpected(points.error());
  // The first event also records forks, names and ends of threads.
  const std::array events = {enter_event(*points), exit_event(*points)};
  SystemCalls calls(*points);
  const auto cpus = online_cpus();
  for (const int cpu : cpus) {
    auto group = EventGroup::open(events, pid, cpu, buffer_bytes(cpus.size(), kMaxCallBytes));
    if (!group) return tl::make_unexpected(group.error());
    if (*group) calls.cpus_.push_back(std::move(**group));
  }
  return calls;
}

void SystemCalls::drain(const Sink& sink) {
  for (EventGroup& cpu : cpus_) {
    cpu.first.ring.drain([this](const PerfRecord& record) { shortener_.add(record); });
    if (!shortener_.records().empty()) sink(cpu.cpu, shortener_.records());
    shortener_.clear();
  }
}

}  // namespace prof::sampler
