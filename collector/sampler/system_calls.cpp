#include "collector/sampler/system_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>

#include "collector/sampler/perf_event.hpp"

namespace prof::sampler {

using base::fail;
using base::Status;
using base::UniqueFd;
using ingest::KernelRecord;
using ingest::KernelRecordType;

namespace {

// A system call leaves 168 bytes in the kernel's buffer: 8 MiB last for 50,000 of them.
constexpr std::size_t kMostBytes = std::size_t{8} << 20;
constexpr std::size_t kLeastBytes = std::size_t{1} << 20;
constexpr std::size_t kBytesOfAllCpus = std::size_t{256} << 20;

// Below that, a burst of a millisecond does not fit in.
constexpr std::size_t kSmallestBuffer = 64 * 1024;

// From asm/perf_regs.h, which not every system has: the code segment. Any register would do, as
// with it comes whether the code is 32-bit.
constexpr std::uint64_t kCodeSegmentRegister = 1U << 10;

std::size_t bytes_for(std::size_t cpus) {
  return std::clamp(std::bit_floor(kBytesOfAllCpus / std::max<std::size_t>(cpus, 1)), kLeastBytes,
                    kMostBytes);
}

perf_event_attr enter_event(const SystemCallTracepoints& points) {
  perf_event_attr attributes = event_from_exec_on();
  attributes.type = PERF_TYPE_TRACEPOINT;
  attributes.config = points.enter_id;
  attributes.sample_period = 1;
  attributes.sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER;
  attributes.sample_regs_user = kCodeSegmentRegister;
  attributes.task = 1;
  attributes.comm = 1;
  attributes.comm_exec = 1;
  return attributes;
}

perf_event_attr exit_event(const SystemCallTracepoints& points) {
  perf_event_attr attributes = event_from_exec_on();
  attributes.type = PERF_TYPE_TRACEPOINT;
  attributes.config = points.exit_id;
  attributes.sample_period = 1;
  attributes.sample_type |= PERF_SAMPLE_RAW;
  return attributes;
}

// Takes a value off the front of a record; false if it is too short.
template <class T>
bool take(std::span<const std::byte>& bytes, T& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return true;
}

// The RecordIds at the end of a record.
bool ids_of(std::span<const std::byte> body, RecordIds& ids) {
  if (body.size() < sizeof ids) return false;
  std::memcpy(&ids, body.data() + body.size() - sizeof ids, sizeof ids);
  return true;
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
  // Behind the fields that all tracepoints have in common, so at the same place in both.
  return SystemCallTracepoints{enter->id, exit->id, *number};
}

void RecordShortener::append(const KernelRecord& record) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&record);
  records_.insert(records_.end(), bytes, bytes + sizeof record);
}

void RecordShortener::add(const PerfRecord& record) {
  switch (record.type) {
    case PERF_RECORD_SAMPLE:
      return add_sample(record.body);
    case PERF_RECORD_FORK:
      return add_task(KernelRecordType::kFork, record.body);
    case PERF_RECORD_EXIT:
      return add_task(KernelRecordType::kThreadEnd, record.body);
    case PERF_RECORD_COMM:
      return add_name(record);
    case PERF_RECORD_LOST:
      return add_loss(record.body);
    default:
      return;
  }
}

// {pid, tid, time, u32 length, the tracepoint's record}; with an enter also {u64 abi, register}.
void RecordShortener::add_sample(std::span<const std::byte> body) {
  RecordIds ids;
  std::uint32_t length = 0;
  std::uint16_t tracepoint = 0;
  std::uint32_t number = 0;  // the lower half of a long: the kernel's own is an int
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
    if (take(registers, abi) && abi == PERF_SAMPLE_REGS_ABI_32) record.flags = ingest::kCallOf32Bit;
  } else if (tracepoint != points_.exit_id) {
    return;
  }
  append(record);
}

// {pid, ppid, tid, ptid, time}
void RecordShortener::add_task(KernelRecordType type, std::span<const std::byte> body) {
  struct {
    std::uint32_t pid, ppid, tid, ptid;
    std::uint64_t time;
  } task;
  if (!take(body, task)) return;
  const std::uint32_t maker = type == KernelRecordType::kFork ? task.ptid : 0;
  append({task.time, task.pid, task.tid, maker, type, 0, 0});
}

// {pid, tid, name padded to 8 bytes, RecordIds}
void RecordShortener::add_name(const PerfRecord& perf) {
  std::span<const std::byte> body = perf.body;
  RecordIds ids;
  KernelRecord record{};
  if (!ids_of(body, ids) || !take(body, record.pid) || !take(body, record.tid) ||
      body.size() < sizeof ids)
    return;
  body = body.first(body.size() - sizeof ids);
  record.time = ids.time;
  record.type = KernelRecordType::kName;
  if ((perf.misc & PERF_RECORD_MISC_COMM_EXEC) != 0) record.flags = ingest::kNameFromExec;
  ingest::KernelThreadName name{};
  std::memcpy(name.text, body.data(), std::min(body.size(), sizeof name.text));
  append(record);
  const auto* bytes = reinterpret_cast<const std::byte*>(&name);
  records_.insert(records_.end(), bytes, bytes + sizeof name);
}

// {id, number, RecordIds}
void RecordShortener::add_loss(std::span<const std::byte> body) {
  RecordIds ids;
  std::uint64_t event = 0;
  std::uint64_t number = 0;
  if (!ids_of(body, ids) || !take(body, event) || !take(body, number) || body.size() < sizeof ids)
    return;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const auto lost = static_cast<std::uint32_t>(std::min(number, kMost));
  append({ids.time, ids.pid, ids.tid, lost, KernelRecordType::kLost, 0, 0});
}

std::string SystemCalls::obstacle() {
  const auto points = SystemCallTracepoints::find();
  if (!points) return points.error().message;
  // On ourselves, and never switched on.
  perf_event_attr attributes = enter_event(*points);
  attributes.enable_on_exec = 0;
  const auto cpus = online_cpus();
  return open_event(attributes, 0, cpus.front()) ? std::string() : refusal(errno);
}

base::Result<SystemCalls> SystemCalls::open(pid_t pid) {
  const auto points = SystemCallTracepoints::find();
  if (!points) return tl::make_unexpected(points.error());
  SystemCalls calls(*points);
  const auto cpus = online_cpus();
  for (const int cpu : cpus)
    if (Status added = calls.add_cpu(*points, pid, cpu, bytes_for(cpus.size())); !added)
      return tl::make_unexpected(added.error());
  return calls;
}

// With the largest buffer that the kernel gives.
Status SystemCalls::add_cpu(const SystemCallTracepoints& points, pid_t pid, int cpu,
                            std::size_t bytes) {
  Status added = add_cpu_with(points, pid, cpu, bytes);
  while (!added && bytes > kSmallestBuffer) {
    bytes /= 2;
    added = add_cpu_with(points, pid, cpu, bytes);
  }
  return added;
}

Status SystemCalls::add_cpu_with(const SystemCallTracepoints& points, pid_t pid, int cpu,
                                 std::size_t bytes) {
  perf_event_attr attributes = enter_event(points);
  attributes.watermark = 1;
  attributes.wakeup_watermark = static_cast<std::uint32_t>(bytes / 4);
  UniqueFd enter = open_event(attributes, pid, cpu);
  if (!enter && errno == ENODEV) return {};  // the CPU has been switched off
  if (!enter) return fail(refusal(errno));
  UniqueFd exit = open_event(exit_event(points), pid, cpu);
  if (!exit) return fail(refusal(errno));
  auto ring = PerfRing::map(enter, bytes);
  if (!ring)
    return fail("the kernel gives no buffer (" + ring.error().message +
                "); raise ulimit -l or sysctl kernel.perf_event_mlock_kb");
  if (!redirect_event(exit, enter)) return fail(refusal(errno));
  cpus_.push_back(
      {static_cast<std::uint32_t>(cpu), std::move(enter), std::move(exit), std::move(*ring)});
  return {};
}

std::vector<int> SystemCalls::descriptors() const {
  std::vector<int> descriptors;
  for (const Cpu& cpu : cpus_) descriptors.push_back(cpu.enter.get());
  return descriptors;
}

void SystemCalls::drain(const Sink& sink) {
  for (Cpu& cpu : cpus_) {
    cpu.ring.drain([this](const PerfRecord& record) { shortener_.add(record); });
    if (!shortener_.records().empty()) sink(cpu.number, shortener_.records());
    shortener_.clear();
  }
}

std::uint64_t SystemCalls::lost() const {
  std::uint64_t lost = 0;
  for (const Cpu& cpu : cpus_) lost += lost_records(cpu.enter) + lost_records(cpu.exit);
  return lost;
}

std::uint64_t SystemCalls::corrupt_bytes() const {
  std::uint64_t bytes = 0;
  for (const Cpu& cpu : cpus_) bytes += cpu.ring.corrupt_bytes();
  return bytes;
}

}  // namespace prof::sampler
