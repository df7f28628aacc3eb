#include "collector/prometheus/live_metrics.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "collector/spool/decoder.hpp"
#include "common/base/utf8.hpp"
#include "common/code/demangle/demangle.hpp"
#include "common/wire/hash.hpp"

namespace prof::prometheus {

namespace {

constexpr double kBounds[] = {1e-5, 2.5e-5, 5e-5,   1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3,
                              5e-3, 1e-2,   2.5e-2, 5e-2, 0.1,    0.25, 0.5,  1,
                              2.5,  5,      10,     25,   50,     100};
// Names in the order of the enum Event.
constexpr const char* kEventNames[] = {"call",   "short_call", "nvtx", "cuda_call",    "kernel",
                                       "memcpy", "memset",     "sync", "python_sample"};
const std::string kOther = "(other)";
const std::string kUnknown = "(unknown)";
constexpr std::size_t kMaxGpuNames = 4096;
// The maximum length of a name in a label. A page has each name up to 25 times.
constexpr std::size_t kMaxLabelBytes = 256;
// CUPTI delivers what it has recorded twice a second.
constexpr std::uint64_t kGpuDelay = 2'000'000'000;

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// In a long name a number replaces the end, so that it stays different from other names.
std::string label(std::string text) {
  if (text.size() <= kMaxLabelBytes) return text;
  const std::string end =
      fmt::format("…#{:08x}", wire::hash_text(text.data(), text.size()) & 0xffffffff);
  std::size_t length = kMaxLabelBytes - end.size();
  while (base::continues_character(text[length])) --length;  // this is the middle of a character
  return text.substr(0, length) + end;
}

}  // namespace

LiveMetrics::LiveMetrics(const spool::SessionClock& clock, std::string version)
    : clock_(clock),
      version_(std::move(version)),
      range_times_([this](const RangeName& name, std::uint64_t ticks, std::uint32_t weight) {
        take_range(name, ticks, weight);
      }) {
  static_assert(std::size(kBounds) == kBuckets && std::size(kEventNames) == kEvents);
}

void LiveMetrics::process_joined(const spool::ProcessNote& note) {
  const std::lock_guard lock(mutex_);
  if (!live_processes_.insert(note.serial).second) return;
  ++all_processes_;
  range_times_.process_joined(note.serial, note.parent_serial);
}

void LiveMetrics::process_ended(const spool::ProcessEndNote& note) {
  const std::lock_guard lock(mutex_);
  live_processes_.erase(note.serial);
  range_times_.process_ended(note.serial);
  weights_.erase(weights_.lower_bound({note.serial, 0}), weights_.upper_bound({note.serial, ~0U}));
  gpu_names_.erase(gpu_names_.lower_bound({note.serial, 0}),
                   gpu_names_.upper_bound({note.serial, ~0U}));
}

void LiveMetrics::dropped(const spool::Drops& drops) {
  const std::lock_guard lock(mutex_);
  for (const auto& [cause, count] : drops) drops_[cause] += count;
}

void LiveMetrics::set_open_drops(const spool::Drops& drops) {
  const std::lock_guard lock(mutex_);
  open_drops_ = drops;
}

// Updates the metrics from each record.
class LiveMetrics::Visitor {
 public:
  explicit Visitor(LiveMetrics& to) : to_(to) {}

  void operator()(const wire::StringRecord& record, std::string_view text) {
    if (to_.text_bytes_ + text.size() > kMaxTextBytes) return;
    if (to_.texts_.emplace(record.hash, text).second) to_.text_bytes_ += text.size() + 64;
  }
  void operator()(const wire::FunctionRecord& record) {
    if (record.header.aux < wire::kMaxFunctions)
      to_.function_names_[record.header.aux] = record.name;
  }
  void operator()(const wire::WeightRecord& record) { to_.weight_.set(record); }
  void operator()(const wire::UnrecordedRecord& record) {
    if (static_cast<wire::Thinned>(record.header.flags) == wire::Thinned::kCalls)
      work(to_.calls_[static_cast<std::uint32_t>(record.what)], record.header.aux, 0);
  }
  void operator()(const wire::CallRecord& record) {
    call(Event::kCall, record.header.aux, record.start, record.end,
         to_.weight_.take(wire::RecordType::kCall));
  }
  void operator()(const wire::MatrixProductRecord& record) {
    call(Event::kCall, record.header.aux, record.start, record.end);
  }
  void operator()(const wire::FileCallRecord& record) {
    if ((record.flags & wire::kFileOnly) == 0)
      call(Event::kCall, record.header.aux, record.start, record.end);
  }
  void operator()(const wire::ShortCallsRecord& record) {
    to_.count(Event::kShortCall, record.calls);
    work(to_.calls_[record.header.aux], record.calls, to_.seconds(record.time));
  }
  void operator()(const wire::CudaCallRecord& record) {
    call(Event::kCudaCall, record.function, record.start, record.end);
  }

  void operator()(const wire::CudaRecordedCallRecord& record) {
    if ((record.header.flags & wire::kCudaCallWithoutRow) != 0) return;
    to_.count(Event::kCudaCall);
    work(to_.calls_[record.function], 1, seconds_of(record));
  }

  void operator()(const wire::NvtxDomainRecord& record) {
    to_.range_times_.domain(record.header.aux, record.name);
  }
  void operator()(const wire::NvtxPushRecord& record) {
    const bool has_text = (record.header.flags & wire::kNvtxHasText) != 0;
    to_.range_times_.push(record.header.aux, has_text ? record.text : 0, record.time,
                          to_.weight_.take(wire::RecordType::kNvtxPush));
  }
  void operator()(const wire::NvtxPopRecord& record) {
    to_.range_times_.pop(record.header.aux, record.time);
  }
  void operator()(const wire::NvtxPopPayloadRecord& record) {
    to_.range_times_.pop(record.header.aux, record.time);
  }
  void operator()(const wire::NvtxEventRecord& record) {
    const bool has_text = (record.header.flags & wire::kNvtxHasText) != 0;
    const std::uint64_t text = has_text ? record.text : 0;
    const std::uint32_t weight = to_.weight_.take(record.header.type);
    if (record.header.type == wire::RecordType::kNvtxPushEx)
      to_.range_times_.push(record.header.aux, text, record.time, weight);
    else if (record.header.type == wire::RecordType::kNvtxStart)
      to_.range_times_.start(record.header.aux, text, record.range_id, record.time, weight);
    else
      to_.count(Event::kNvtx);  // this record is a mark
  }
  void operator()(const wire::NvtxEndRecord& record) {
    to_.range_times_.end(record.range_id, record.time);
  }
  void operator()(const wire::NvtxEndPayloadRecord& record) {
    to_.range_times_.end(record.range_id, record.time);
  }

  void operator()(const wire::CudaDeviceRecord& record) {
    if (to_.gpu_names_.size() < kMaxGpuNames)
      to_.gpu_names_[{to_.serial_, record.header.aux}] = fmt::format(
          "{:04x}:{:02x}:{:02x}.0", record.pci_domain, record.pci_bus, record.pci_device);
  }
  void operator()(const wire::CudaKernelRecord& record) {
    gpu(Event::kKernel, record);
    work(to_.kernels_[record.name], 1, seconds_of(record));
  }
  void operator()(const wire::CudaMemcpyRecord& record) {
    gpu(Event::kCopy, record);
    to_.copied_bytes_ += record.bytes;
  }
  void operator()(const wire::CudaMemsetRecord& record) { gpu(Event::kMemset, record); }
  void operator()(const wire::CudaSyncRecord& record) {
    to_.count(Event::kSync);
    if (record.end > record.start) to_.sync_seconds_ += to_.seconds(record.end - record.start);
  }
  void operator()(const wire::PythonSampleRecord&) { to_.count(Event::kPython); }

 private:
  static void work(Work& sum, std::uint64_t count, double seconds) {
    sum.count += count;
    sum.seconds += seconds;
  }
  // Adds GPU work, whose times are in ns.
  template <class Record>
  static double seconds_of(const Record& record) {
    return record.end > record.start ? static_cast<double>(record.end - record.start) * 1e-9 : 0;
  }
  void call(Event event, std::uint32_t function, std::uint64_t start, std::uint64_t end,
            std::uint32_t weight = 1) {
    to_.count(event);
    work(to_.calls_[function], weight, end > start ? weight * to_.seconds(end - start) : 0);
  }
  template <class Record>
  void gpu(Event event, const Record& record) {
    to_.count(event);
    to_.gpus_[to_.gpu_name(record.device)].add(record.start, record.end);
  }

  LiveMetrics& to_;
};

void LiveMetrics::take(const spool::PieceHeader& piece, std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  recorded_bytes_ += bytes.size();
  serial_ = piece.serial;
  if (!range_times_.thread(piece.serial, piece.tid)) return;
  const std::pair thread(piece.serial, piece.tid);
  const auto left = weights_.find(thread);
  weight_ = left == weights_.end() ? spool::NextWeight{} : left->second;
  spool::decode(bytes, Visitor(*this));
  if (!weight_.is_unset())
    weights_[thread] = weight_;
  else if (left != weights_.end())
    weights_.erase(left);
}

void LiveMetrics::take_range(const RangeName& name, std::uint64_t ticks, std::uint32_t weight) {
  count(Event::kNvtx);
  Histogram& histogram = ranges_[name];
  const double duration = seconds(ticks);
  const auto* bound = std::lower_bound(std::begin(kBounds), std::end(kBounds), duration);
  histogram.counts[static_cast<std::size_t>(bound - std::begin(kBounds))] += weight;
  histogram.sum += weight * duration;
}

// Processes may number the same GPU differently.
std::string LiveMetrics::gpu_name(std::uint32_t device) const {
  const auto found = gpu_names_.find({serial_, device});
  return found == gpu_names_.end() ? "unknown" : found->second;
}

std::string LiveMetrics::text_of(std::uint64_t hash) const {
  if (hash == 0) return {};
  const auto found = texts_.find(hash);
  return found == texts_.end() ? kUnknown : found->second;
}

std::string LiveMetrics::text(std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  MetricsText out;
  write_session(out);
  write_events(out);
  write_ranges(out);
  write_calls(out);
  write_gpus(out, now);
  return out.text();
}

void LiveMetrics::write_session(MetricsText& out) const {
  out.metric("prof_build_info", "gauge", "The version of prof.");
  out.sample({{"version", version_}}, std::uint64_t{1});
  out.metric("prof_processes", "gauge", "Processes that are being recorded.");
  out.sample({}, std::uint64_t{live_processes_.size()});
  out.metric("prof_processes_total", "counter", "Program images that have been recorded.");
  out.sample({}, all_processes_);
  out.metric("prof_recorded_bytes_total", "counter", "Bytes of records taken from programs.");
  out.sample({}, recorded_bytes_);
  // All Prometheus exporters have metrics with these names.
  out.metric("process_cpu_seconds_total", "counter", "Processor time of prof's collector.");
  out.sample({}, cpu_seconds());
  out.metric("process_resident_memory_bytes", "gauge", "Memory of prof's collector.");
  out.sample({}, resident_bytes());
}

void LiveMetrics::write_events(MetricsText& out) const {
  out.metric("prof_events_total", "counter", "Events recorded; of ranges those that have ended.");
  for (std::size_t i = 0; i < kEvents; ++i) out.sample({{"kind", kEventNames[i]}}, events_[i]);
  out.metric("prof_dropped_events_total", "counter", "Events that could not be recorded.");
  for (const auto& texts : spool::kDropCauses) {
    const auto count = [&](const spool::Drops& drops) {
      const auto found = drops.find(texts.cause);
      return found == drops.end() ? 0 : found->second;
    };
    const std::uint64_t all = count(drops_) + count(open_drops_);
    out.sample({{"cause", texts.name.empty() ? "unknown" : std::string(texts.name)}}, all);
  }
}

// Unknown texts all have the same label, and functions may have equal names. Prometheus rejects two
// samples with the same labels, so these are merged.
void LiveMetrics::write_ranges(MetricsText& out) const {
  std::map<std::pair<std::string, std::string>, Histogram> by_name;
  ranges_.for_each([&](const RangeName* name, const Histogram& histogram) {
    Histogram& sum = name == nullptr
                         ? by_name[{kOther, kOther}]
                         : by_name[{label(text_of(name->domain)), label(text_of(name->text))}];
    for (std::size_t i = 0; i <= kBuckets; ++i) sum.counts[i] += histogram.counts[i];
    sum.sum += histogram.sum;
  });
  out.metric("prof_range_duration_seconds", "histogram", "NVTX ranges that have ended.");
  for (const auto& [name, histogram] : by_name) {
    Labels labels{{"domain", name.first}, {"range", name.second}, {"le", ""}};
    std::uint64_t count = 0;
    for (std::size_t i = 0; i <= kBuckets; ++i) {
      count += histogram.counts[i];
      labels.back().second = i < kBuckets ? fmt::format("{}", kBounds[i]) : "+Inf";
      out.sample(labels, count, "_bucket");
    }
    labels.pop_back();
    out.sample(labels, histogram.sum, "_sum");
    out.sample(labels, count, "_count");
  }
}

template <class Key, class NameOf>
std::map<std::string, LiveMetrics::Work> LiveMetrics::by_name(const Series<Key, Work>& series,
                                                              NameOf name_of) {
  std::map<std::string, Work> result;
  series.for_each([&](const Key* key, const Work& work) {
    Work& sum = result[key == nullptr ? kOther : label(name_of(*key))];
    sum.count += work.count;
    sum.seconds += work.seconds;
  });
  return result;
}

void LiveMetrics::write_calls(MetricsText& out) const {
  const auto calls = by_name(calls_, [this](std::uint32_t function) {
    const auto found = function_names_.find(function);
    return found == function_names_.end() ? kUnknown : text_of(found->second);
  });
  out.metric("prof_calls_total", "counter", "Calls of the OS runtime, CUDA and traced libraries.");
  for (const auto& [name, work] : calls) out.sample({{"function", name}}, work.count);
  out.metric("prof_call_seconds_total", "counter", "Time in these calls.");
  for (const auto& [name, work] : calls) out.sample({{"function", name}}, work.seconds);
  out.metric("prof_cuda_synchronization_seconds_total", "counter",
             "Time in which threads waited for GPUs.");
  out.sample({}, sync_seconds_);
}

void LiveMetrics::write_gpus(MetricsText& out, std::uint64_t now) {
  const auto kernels = by_name(kernels_, [this](std::uint64_t hash) {
    return demangle::demangle_kernel(text_of(hash)).demangled;
  });
  out.metric("prof_gpu_kernels_total", "counter", "Kernels that have run.");
  for (const auto& [name, work] : kernels) out.sample({{"kernel", name}}, work.count);
  out.metric("prof_gpu_kernel_seconds_total", "counter", "Their time on GPUs.");
  for (const auto& [name, work] : kernels) out.sample({{"kernel", name}}, work.seconds);
  out.metric("prof_gpu_copied_bytes_total", "counter", "Bytes of copies from, to and on GPUs.");
  out.sample({}, copied_bytes_);
  out.metric("prof_gpu_busy_seconds_total", "counter",
             "Time with a kernel, copy or memset, up to two seconds ago.");
  for (auto& [name, gpu] : gpus_) {
    gpu.settle(now > kGpuDelay ? now - kGpuDelay : 0);
    out.sample({{"gpu", name}}, static_cast<double>(gpu.busy()) * 1e-9);
  }
}

}  // namespace prof::prometheus
