#include "collector/sampler/cpu_events.hpp"

#include <sys/mman.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "collector/sampler/record_fields.hpp"
#include "common/base/raw_time.hpp"

namespace prof::sampler {

using base::Status;
using spool::KernelRecord;
using spool::KernelRecordType;

namespace {

// The buffer holds 160 ms at 1 kHz with 24 KiB of stack, when a CPU's samples fill 25 MB per
// second. With fewer samples a smaller one is enough. The kernel zeroes all of it before the
// program starts.
std::size_t wanted_bytes(const CpuOptions& options) {
  constexpr std::size_t kFew = std::size_t{512} << 10;
  constexpr std::size_t kMany = std::size_t{4} << 20;
  if (options.samples == Scope::kNone) return kFew;  // only context switches: 40 bytes each
  if (options.period != 0) return kMany;
  const std::size_t in_a_second = std::size_t{options.frequency} * options.copied_stack_bytes();
  return std::clamp(std::bit_ceil(in_a_second / 8), kFew, kMany);
}

// How long ended processes and mappings are kept, because samples of them may still arrive.
constexpr std::uint64_t kKeptFor = 2'000'000'000;
constexpr std::uint64_t kCleaningInterval = 1'000'000'000;

// {pid, tid, start, length, offset in the file, device, inode, its generation, protection, flags,
// path}
struct MapFields {
  std::uint32_t pid, tid;
  std::uint64_t start, length, offset;
  std::uint32_t major, minor;
  std::uint64_t inode, generation;
  std::uint32_t protection, flags;
};
static_assert(sizeof(MapFields) == 64);

unwind::MapEvent map_event(const MapFields& fields, std::span<const std::byte> path,
                           std::uint64_t time) {
  unwind::MapEvent event;
  event.time = time;
  event.start = fields.start;
  event.length = fields.length;
  event.offset = fields.offset;
  event.executable = (fields.protection & PROT_EXEC) != 0;
  event.device = makedev(fields.major, fields.minor);
  event.inode = fields.inode;
  const auto* text = reinterpret_cast<const char*>(path.data());
  event.path.assign(text, strnlen(text, path.size()));
  return event;
}

bool is_refused(int error) { return error == EACCES || error == EPERM; }

// The data that an event records.
struct Request {
  Scope scope;
  bool samples;
  bool switches;
  SampleFields fields{};
  bool counts_cycles = false;
};

perf_event_attr attributes_of(const Request& request, const CpuOptions& options) {
  perf_event_attr attributes = event_enabled_on_exec();
  if (request.scope == Scope::kSystem) {
    attributes.enable_on_exec = 0;
    attributes.disabled = 0;
    attributes.inherit = 0;
  }
  attributes.task = 1;
  attributes.comm = 1;
  attributes.comm_exec = 1;
  attributes.context_switch = request.switches;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = request.samples ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_DUMMY;
  // The kernel is also excluded for context switches alone: an ordinary user may record them only
  // so.
  attributes.exclude_kernel = !request.fields.kernel_chain;
  if (!request.samples) return attributes;
  attributes.mmap = 1;
  attributes.mmap2 = 1;
  attributes.freq = 1;
  attributes.sample_freq = options.frequency;
  if (options.period != 0) {
    attributes.freq = 0;
    attributes.sample_period = options.period;
  }
  if (request.counts_cycles) {
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_REF_CPU_CYCLES;
  }
  sampler::request(attributes, request.fields);
  return attributes;
}

// Returns the first task to record; -1: the whole system.
pid_t subject(Scope scope, pid_t pid) { return scope == Scope::kSystem ? -1 : pid; }

void set_running(perf_event_attr& attributes, bool are_running) {
  if (attributes.inherit == 0) return;  // the event records the whole system
  attributes.enable_on_exec = !are_running;
  attributes.disabled = !are_running;
}

// Opens an event on prof itself, which is never enabled. Returns an errno, or 0.
int try_samples(Scope scope, bool with_kernel) {
  Request request{scope, true, true};
  request.fields.kernel_chain = with_kernel;
  perf_event_attr attributes = attributes_of(request, {});
  attributes.enable_on_exec = 0;
  attributes.disabled = 1;
  return open_event(attributes, subject(scope, 0), online_cpus().front()) ? 0 : errno;
}

// Removes from the request what the kernel or the machine does not provide.
void fit(Request& request, const CpuOptions& options, pid_t pid) {
  const int cpu = online_cpus().front();
  const auto opens = [&] { return bool(open_event(attributes_of(request, options), pid, cpu)); };
  if (request.counts_cycles && !opens() && !is_refused(errno)) request.counts_cycles = false;
  if (request.fields.kernel_chain && !opens() && is_refused(errno))
    request.fields.kernel_chain = false;
}

}  // namespace

std::string CpuEvents::obstacle(Scope scope) {
  const int error = try_samples(scope, false);
  return error == 0 ? std::string() : explain_open_error(error);
}

bool CpuEvents::sees_kernel(Scope scope) { return try_samples(scope, true) == 0; }

base::Result<CpuEvents> CpuEvents::open(Scope scope, bool samples, bool switches,
                                        const Tasks& tasks, const CpuOptions& options,
                                        unwind::AddressSpaces& spaces, CallChainTree& chains) {
  Request request{scope, samples, switches};
  if (samples) {
    const Backtrace backtrace = options.backtrace;
    request.fields.kernel_chain = backtrace != Backtrace::kNone;
    request.fields.user_chain = backtrace == Backtrace::kFramePointer;
    if (backtrace != Backtrace::kFramePointer)
      request.fields.stack_bytes = options.copied_stack_bytes();
    request.counts_cycles = options.period != 0;
  }
  if (scope != Scope::kSystem && tasks.threads.empty()) return base::fail("no program is running");
  const pid_t first = subject(scope, tasks.threads.empty() ? 0 : tasks.threads.front());
  fit(request, options, first);
  CpuEvents events(options, spaces, chains);
  events.fields_ = request.fields;
  events.counts_cycles_ = request.counts_cycles;
  events.attributes_ = attributes_of(request, options);
  set_running(events.attributes_, tasks.are_running);
  if (Status opened = events.open_all(first); !opened) return tl::make_unexpected(opened.error());
  if (scope != Scope::kSystem)
    if (Status added =
            events.add({{}, {tasks.threads.begin() + 1, tasks.threads.end()}, tasks.are_running});
        !added)
      return tl::make_unexpected(added.error());
  return events;
}

// A thread may have ended in the meantime, which is not a failure.
Status CpuEvents::add(const Tasks& tasks) {
  perf_event_attr attributes = attributes_;
  set_running(attributes, tasks.are_running);
  for (const pid_t thread : tasks.threads) {
    for (Cpu& cpu : cpus_) {
      base::UniqueFd event = open_event(attributes, thread, static_cast<int>(cpu.number));
      if (!event && errno == ESRCH) break;
      if (!event) return base::fail(explain_open_error(errno));
      if (!redirect_event(event, cpu.buffer.event))
        return base::fail_errno("cannot share a perf buffer", errno);
      cpu.others.push_back(std::move(event));
    }
  }
  return {};
}

Status CpuEvents::open_all(pid_t first) {
  const auto cpus = online_cpus();
  const std::size_t bytes = buffer_bytes(cpus.size(), wanted_bytes(options_));
  for (const int cpu : cpus) {
    auto buffer = BufferedEvent::open(attributes_, first, cpu, bytes);
    if (!buffer) return tl::make_unexpected(buffer.error());
    if (*buffer) cpus_.push_back({static_cast<std::uint32_t>(cpu), std::move(**buffer)});
  }
  return {};
}

std::vector<int> CpuEvents::descriptors() const {
  std::vector<int> descriptors;
  for (const Cpu& cpu : cpus_) descriptors.push_back(cpu.buffer.event.get());
  return descriptors;
}

// A sample may depend on a mapping that is recorded in another CPU's buffer. So changes are read
// first, from the buffers of all CPUs: then everything that happened before the present time is
// known. Later samples are left for the next drain.
void CpuEvents::drain(const Sink& sink, const std::function<void()>& before_unwinding) {
  const std::uint64_t until = base::raw_time();
  apply_changes();
  before_unwinding();
  for (Cpu& cpu : cpus_) {
    PerfRing& ring = cpu.buffer.ring;
    const std::uint64_t position =
        ring.read(ring.released(), cpu.scanned,
                  [&](const PerfRecord& record) { return convert(record, until); });
    ring.release(position);
    if (!records_.bytes().empty()) sink(cpu.number, records_.bytes());
    records_.clear();
  }
  if (until < last_cleaning_ + kCleaningInterval) return;
  last_cleaning_ = until;
  spaces_->forget_before(until - kKeptFor);
}

void CpuEvents::apply_changes() {
  for (Cpu& cpu : cpus_) {
    PerfRing& ring = cpu.buffer.ring;
    cpu.scanned = ring.read(cpu.scanned, ring.written(), [&](const PerfRecord& record) {
      if (record.type != PERF_RECORD_SAMPLE) add_change(record);
      return true;
    });
  }
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const Change& a, const Change& b) { return a.time < b.time; });
  for (const Change& change : changes_) change.apply();
  changes_.clear();
}

void CpuEvents::add_change(const PerfRecord& record) {
  std::span<const std::byte> body = record.body;
  RecordIds ids;
  TaskFields task;
  MapFields fields;
  if (record.type == PERF_RECORD_FORK && take(body, task)) {
    if (task.pid == task.ppid) return;
    changes_.push_back({task.time, [=, this] {
                          spaces_->fork(static_cast<pid_t>(task.ppid), static_cast<pid_t>(task.pid),
                                        task.time);
                        }});
  } else if (record.type == PERF_RECORD_EXIT && take(body, task)) {
    if (task.pid != task.tid) return;
    changes_.push_back(
        {task.time, [=, this] { spaces_->end(static_cast<pid_t>(task.pid), task.time); }});
  } else if (record.type == PERF_RECORD_COMM && (record.misc & PERF_RECORD_MISC_COMM_EXEC) != 0 &&
             take_ids(body, ids)) {
    changes_.push_back(
        {ids.time, [=, this] { spaces_->exec(static_cast<pid_t>(ids.pid), ids.time); }});
  } else if (record.type == PERF_RECORD_MMAP2 && take_ids(body, ids) && take(body, fields)) {
    changes_.push_back({ids.time, [this, fields, event = map_event(fields, body, ids.time)] {
                          spaces_->map(static_cast<pid_t>(fields.pid), event);
                        }});
  }
}

// Converts a record for the spool. Returns false, without converting, if it is a sample later than
// `now`.
bool CpuEvents::convert(const PerfRecord& record, std::uint64_t now) {
  std::span<const std::byte> body = record.body;
  RecordIds ids;
  const bool is_switch =
      record.type == PERF_RECORD_SWITCH || record.type == PERF_RECORD_SWITCH_CPU_WIDE;
  if (!keeps_samples_ && (is_switch || record.type == PERF_RECORD_SAMPLE)) return true;
  if (record.type == PERF_RECORD_SAMPLE) {
    if (!parse_sample(body, fields_, sample_)) return true;
    if (sample_.ids.time > now) return false;
    KernelRecord kept{sample_.ids.time,
                      sample_.ids.pid,
                      sample_.ids.tid,
                      call_chain_of(sample_),
                      KernelRecordType::kSample,
                      0,
                      0};
    records_.append(kept);
  } else if (is_switch) {
    if (!take_ids(body, ids)) return true;
    const bool out = (record.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
    const bool preempted = (record.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
    records_.append({ids.time, ids.pid, ids.tid, 0,
                     out ? KernelRecordType::kSwitchOut : KernelRecordType::kSwitchIn,
                     out && preempted ? spool::kPreempted : std::uint8_t{0}, 0});
  } else {
    records_.add_task(record);
  }
  return true;
}

std::uint32_t CpuEvents::call_chain_of(Sample& sample) {
  const auto pid = static_cast<pid_t>(sample.ids.pid);
  const std::uint64_t time = sample.ids.time;
  const unwind::ModuleMap& map = spaces_->find(pid);
  chain_.frames.clear();
  chain_.stop = unwind::Stop::kComplete;
  if (!interval_.is_due()) {
    chain_.frames.push_back({sample.address, unwind::UnwindMethod::kUnknown, true});
    sample.kernel_chain.clear();
  } else if (options_.backtrace == Backtrace::kFramePointer) {
    for (const std::uint64_t address : sample.user_chain)
      chain_.frames.push_back({address, unwind::UnwindMethod::kFramePointer, false});
    if (!chain_.frames.empty()) {
      chain_.frames.front().method = unwind::UnwindMethod::kUnknown;
      chain_.frames.front().is_exact = true;
    }
  } else if (sample.registers.known != 0) {
    unwind(sample, map);
  } else if (sample.kernel_chain.empty()) {  // a sample of a 32-bit program
    chain_.frames.push_back({sample.address, unwind::UnwindMethod::kUnknown, true});
    chain_.stop = unwind::Stop::kNoFrame;
  }
  return chains_->add({pid, sample.ids.tid}, map, time, sample.kernel_chain, chain_);
}

void CpuEvents::unwind(const Sample& sample, const unwind::ModuleMap& map) {
  const std::uint64_t base = sample.registers[unwind::kStackPointer];
  unwinder_.unwind(map, sample.ids.time, sample.registers, {base, sample.stack}, chain_);
  if (chain_.stop != unwind::Stop::kTruncated) return;
  const auto whole = outer_.complete(static_cast<pid_t>(sample.ids.pid),
                                     static_cast<pid_t>(sample.ids.tid), base, sample.stack);
  if (!whole.empty())
    unwinder_.unwind(map, sample.ids.time, sample.registers, {base, whole}, chain_);
}

std::uint64_t CpuEvents::lost() const {
  std::uint64_t lost = 0;
  for (const Cpu& cpu : cpus_) {
    lost += lost_records(cpu.buffer.event);
    for (const base::UniqueFd& event : cpu.others) lost += lost_records(event);
  }
  return lost;
}

std::uint64_t CpuEvents::corrupt_bytes() const {
  std::uint64_t bytes = 0;
  for (const Cpu& cpu : cpus_) bytes += cpu.buffer.ring.corrupt_bytes();
  return bytes;
}

}  // namespace prof::sampler
