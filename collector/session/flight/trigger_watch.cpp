#include "collector/session/flight/trigger_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "collector/spool/decoder.hpp"

namespace prof::session {

using spool::PieceHeader;
using spool::record_at;
using wire::RecordType;

namespace {

constexpr std::size_t kMaxFunctionNames = 16384;
constexpr std::size_t kMaxQuantiles = 256;
constexpr std::uint64_t kFewestForQuantile = 200;
constexpr std::size_t kMaxCauses = 1000;  // causes between two drains
constexpr std::int32_t kNotReady = 600;   // result of queries, which is not a failure

// Returns the name without the version: cuLaunchKernel_v2, cudaMalloc_v3020.
std::string_view without_version(std::string_view name) {
  const std::size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 == name.size()) return name;
  const bool is_number = name.find_first_not_of("0123456789", at + 2) == std::string_view::npos;
  return is_number ? name.substr(0, at) : name;
}

double as_number(spool::CounterType type, std::uint64_t bits) {
  using spool::CounterType;
  if (type == CounterType::kFloat || type == CounterType::kDouble)
    return std::bit_cast<double>(bits);
  if (type == CounterType::kUint64) return static_cast<double>(bits);
  return static_cast<double>(static_cast<std::int64_t>(bits));
}

}  // namespace

TriggerWatch::TriggerWatch(std::vector<FlightTrigger> triggers, spool::SessionClock clock,
                           std::uint64_t gpu_delay)
    : triggers_(std::move(triggers)), clock_(clock) {
  using Kind = FlightTrigger::Kind;
  for (std::size_t i = 0; i < triggers_.size(); ++i) {
    const FlightTrigger& trigger = triggers_[i];
    const std::uint32_t bit = 1U << i;
    if (trigger.kind == Kind::kRange || trigger.kind == Kind::kRate) range_kinds_ |= bit;
    if (trigger.kind == Kind::kCuda || trigger.kind == Kind::kCudaError ||
        trigger.kind == Kind::kOsrt)
      function_kinds_ |= bit;
    if (trigger.kind == Kind::kRate) rates_.emplace_back(i, RateWatch(trigger));
    if (trigger.kind == Kind::kGpuIdle) idle_.emplace_back(i, IdleWatch(trigger.ns, gpu_delay));
  }
  follows_gpus_ = !idle_.empty();
}

void TriggerWatch::process_end(std::uint32_t serial) {
  pids_.erase(serial);
  pushed_.erase(pushed_.lower_bound({serial, 0}), pushed_.upper_bound({serial, ~0U}));
  started_.erase(serial);
}

void TriggerWatch::metric_source(const spool::MetricSourceNote& note) {
  for (std::size_t t = 0; t < triggers_.size(); ++t) {
    if (triggers_[t].kind != FlightTrigger::Kind::kMetric) continue;
    for (std::size_t i = 0; i < note.counters.size(); ++i) {
      const spool::Counter& counter = note.counters[i];
      const std::string full = note.name + "/" + counter.name;
      if (triggers_[t].matches(counter.name) || triggers_[t].matches(full))
        series_.push_back({t, note.id, i, counter.type, full});
    }
  }
}

void TriggerWatch::metric_samples(const spool::MetricPieceHeader& piece,
                                  std::span<const std::byte> bytes) {
  const std::size_t stride =
      sizeof(spool::MetricSample) + piece.values * sizeof(spool::MetricValue);
  for (Series& series : series_) {
    if (series.source != piece.source || series.value >= piece.values) continue;
    const FlightTrigger& trigger = triggers_[series.trigger];
    for (auto rest = bytes; rest.size() >= stride; rest = rest.subspan(stride)) {
      spool::MetricSample sample;
      std::memcpy(&sample, rest.data(), sizeof sample);
      if ((sample.missing >> series.value & 1) != 0) continue;
      std::uint64_t bits;
      std::memcpy(&bits, rest.data() + sizeof sample + series.value * sizeof bits, sizeof bits);
      const double value = as_number(series.type, bits);
      const bool is_wrong = trigger.is_below ? value < trigger.limit : value > trigger.limit;
      if (is_wrong && !series.has_fired)
        fire(trigger, fmt::format("The counter {} was {:.6g}", series.name, value));
      series.has_fired = is_wrong;
    }
  }
}

std::uint32_t TriggerWatch::triggers_for(std::string_view text, bool is_function) const {
  std::uint32_t found = 0;
  for_each(is_function ? function_kinds_ : range_kinds_,
           [&](std::size_t i, const FlightTrigger& trigger) {
             if (trigger.matches(text) || (is_function && trigger.matches(without_version(text))))
               found |= 1U << i;
           });
  return found;
}

void TriggerWatch::define(std::uint64_t hash, std::string_view text) {
  if (range_kinds_ != 0) ranges_.add(hash, text, triggers_for(text, false));
  if (function_kinds_ == 0 || function_names_.size() >= kMaxFunctionNames) return;
  if (const std::uint32_t found = triggers_for(text, true))
    function_names_[hash] = {found, std::string(without_version(text)), true};
}

void TriggerWatch::define_function(std::uint32_t function, std::uint64_t name) {
  if (function < wire::kMaxFunctions) functions_[function] = name;
}

void TriggerWatch::records(const PieceHeader& piece, std::span<const std::byte> bytes) {
  const std::size_t before = events_.size();
  while (const std::size_t size = spool::record_size(bytes)) {
    const auto record = bytes.first(size);
    bytes = bytes.subspan(size);
    const auto header = record_at<wire::RecordHeader>(record.data());
    switch (header.type) {
      case RecordType::kString:
        if (size >= sizeof(wire::StringRecord) && header.aux <= size - sizeof(wire::StringRecord))
          define(record_at<wire::StringRecord>(record.data()).hash,
                 {reinterpret_cast<const char*>(record.data()) + sizeof(wire::StringRecord),
                  header.aux});
        break;
      case RecordType::kFunction:
        if (size >= sizeof(wire::FunctionRecord))
          define_function(header.aux, record_at<wire::FunctionRecord>(record.data()).name);
        break;
      case RecordType::kCall:
        if (function_kinds_ != 0 && size >= sizeof(wire::CallRecord))
          call(piece, record_at<wire::CallRecord>(record.data()));
        break;
      case RecordType::kCudaCall:
        if (function_kinds_ != 0 && size >= sizeof(wire::CudaCallRecord))
          call(piece, record_at<wire::CudaCallRecord>(record.data()));
        break;
      case RecordType::kCudaRecordedCall:
        if (function_kinds_ != 0 && size >= sizeof(wire::CudaRecordedCallRecord))
          call(piece, record_at<wire::CudaRecordedCallRecord>(record.data()));
        break;
      case RecordType::kNvtxPush:
      case RecordType::kNvtxPushEx:
      case RecordType::kNvtxPop:
      case RecordType::kNvtxPopPayload:
      case RecordType::kNvtxStart:
      case RecordType::kNvtxEnd:
      case RecordType::kNvtxEndPayload:
      case RecordType::kThread:
        if (range_kinds_ != 0) add_range_event(record, header);
        break;
      case RecordType::kCudaKernel:
      case RecordType::kCudaMemcpy:
      case RecordType::kCudaMemset:
      case RecordType::kCudaGraphLaunch:
        if (follows_gpus_) add_work(header, record);
        break;
      default:
        break;
    }
  }
  if (events_.size() != before) drained_.push_back({piece, before, events_.size()});
}

void TriggerWatch::add_range_event(std::span<const std::byte> record,
                                   const wire::RecordHeader& header) {
  RangeEvent event{0, 0, 0, header.aux, header.type};
  const auto has = [&](std::size_t size) { return record.size() >= size; };
  switch (header.type) {
    case RecordType::kNvtxPush: {
      if (!has(sizeof(wire::NvtxPushRecord))) return;
      const auto push = record_at<wire::NvtxPushRecord>(record.data());
      event.time = push.time;
      event.text = (header.flags & wire::kNvtxHasText) != 0 ? push.text : 0;
      break;
    }
    case RecordType::kNvtxPushEx:
    case RecordType::kNvtxStart: {
      if (!has(sizeof(wire::NvtxEventRecord))) return;
      const auto begin = record_at<wire::NvtxEventRecord>(record.data());
      event.time = begin.time;
      event.text = (header.flags & wire::kNvtxHasText) != 0 ? begin.text : 0;
      event.id = begin.range_id;
      break;
    }
    case RecordType::kNvtxEnd:
    case RecordType::kNvtxEndPayload: {
      if (!has(sizeof(wire::NvtxEndRecord))) return;
      const auto end = record_at<wire::NvtxEndRecord>(record.data());
      event.time = end.time;
      event.id = end.range_id;
      break;
    }
    case RecordType::kThread:
      break;
    default:
      if (!has(sizeof(wire::NvtxPopRecord))) return;
      event.time = record_at<wire::NvtxPopRecord>(record.data()).time;
  }
  events_.push_back(event);
}

void TriggerWatch::add_work(const wire::RecordHeader& header, std::span<const std::byte> record) {
  const auto add = [&]<class Record>(const Record* /*type*/) {
    if (record.size() < sizeof(Record)) return;
    const auto work = record_at<Record>(record.data());
    for (auto& [i, watch] : idle_)
      if (triggers_[i].matches(std::to_string(work.device)))
        watch.add(work.device, work.start, work.end);
  };
  if (header.type == RecordType::kCudaKernel) add(static_cast<wire::CudaKernelRecord*>(nullptr));
  if (header.type == RecordType::kCudaMemcpy) add(static_cast<wire::CudaMemcpyRecord*>(nullptr));
  if (header.type == RecordType::kCudaMemset) add(static_cast<wire::CudaMemsetRecord*>(nullptr));
  if (header.type == RecordType::kCudaGraphLaunch)
    add(static_cast<wire::CudaGraphLaunchRecord*>(nullptr));
}

// Returns null if no trigger is about the function.
const WatchedNames::Name* TriggerWatch::name_of(std::uint32_t function) const {
  const auto hash = functions_.find(function);
  if (hash == functions_.end()) return nullptr;
  const auto name = function_names_.find(hash->second);
  return name == function_names_.end() ? nullptr : &name->second;
}

void TriggerWatch::call(const PieceHeader& piece, const wire::CallRecord& record) {
  if (record.header.aux >= wire::kCudaRuntimeFunctions) return;
  const WatchedNames::Name* name = name_of(record.header.aux);
  if (name == nullptr) return;
  const double ns = record.end > record.start ? clock_.to_ns(record.end - record.start) : 0;
  for_each(name->triggers, [&](std::size_t, const FlightTrigger& trigger) {
    if (trigger.kind == FlightTrigger::Kind::kOsrt)
      check_duration(trigger, piece, name->text, ns, record.end);
  });
}

void TriggerWatch::call(const PieceHeader& piece, const wire::CudaCallRecord& record) {
  const double ns = record.end > record.start ? clock_.to_ns(record.end - record.start) : 0;
  cuda_call(piece, record.function, ns, record.result, record.end);
}

// The record's times are not on the session's clock, so the end is not known.
void TriggerWatch::call(PieceHeader piece, const wire::CudaRecordedCallRecord& record) {
  if ((record.header.flags & wire::kCudaCallWithoutRow) != 0) return;
  piece.tid = record.tid;
  const double ns = record.end > record.start ? static_cast<double>(record.end - record.start) : 0;
  cuda_call(piece, record.function, ns, record.result, 0);
}

void TriggerWatch::cuda_call(const PieceHeader& piece, std::uint32_t function, double ns,
                             std::int32_t result, std::uint64_t end) {
  const WatchedNames::Name* name = name_of(function);
  if (name == nullptr) return;
  for_each(name->triggers, [&](std::size_t, const FlightTrigger& trigger) {
    if (trigger.kind == FlightTrigger::Kind::kCuda)
      check_duration(trigger, piece, name->text, ns, end);
    else if (trigger.kind == FlightTrigger::Kind::kCudaError && result != 0 && result != kNotReady)
      fire(trigger, fmt::format("{} returned error {}", name->text, result), end, &piece);
  });
}

void TriggerWatch::check_duration(const FlightTrigger& trigger, const PieceHeader& piece,
                                  const std::string& what, double ns, std::uint64_t end) {
  if (ns <= static_cast<double>(trigger.ns)) return;
  fire(trigger, fmt::format("{} took {}", what, duration_text(ns)), end, &piece);
}

// Follows ranges in the order in which each thread wrote them.
void TriggerWatch::follow_ranges() {
  std::ranges::sort(drained_, {}, [](const Drained& each) {
    return std::tuple(each.piece.serial, each.piece.tid, each.piece.claimed, each.piece.offset);
  });
  for (const Drained& each : drained_) {
    const Thread thread(each.piece.serial, each.piece.tid);
    auto& pushed = pushed_[thread];
    auto& started = started_[each.piece.serial];
    for (std::size_t i = each.begin; i < each.end; ++i)
      follow(each.piece, events_[i], pushed, started);
    if (pushed.empty()) pushed_.erase(thread);
    if (started.empty()) started_.erase(each.piece.serial);
  }
  drained_.clear();
  events_.clear();
}

void TriggerWatch::follow(const PieceHeader& piece, const RangeEvent& event,
                          spool::PushedRanges<Open>& pushed,
                          spool::StartedRanges<Open, Ended>& started) {
  switch (event.type) {
    case RecordType::kThread:
      pushed.clear();  // a later thread with the same id
      break;
    case RecordType::kNvtxPush:
    case RecordType::kNvtxPushEx:
      pushed.push(event.domain, {event.time, event.text});
      break;
    case RecordType::kNvtxPop:
    case RecordType::kNvtxPopPayload:
      if (const auto open = pushed.pop(event.domain))
        range(piece, open->text, open->time, event.time);
      break;
    case RecordType::kNvtxStart:
      if (const auto end = started.start(event.id, {event.time, event.text}))
        range(end->piece, event.text, event.time, end->time);
      break;
    default:
      if (const auto open = started.end(event.id, {event.time, piece}))
        range(piece, open->text, open->time, event.time);
  }
}

void TriggerWatch::range(const PieceHeader& piece, std::uint64_t text, std::uint64_t begin,
                         std::uint64_t end) {
  const WatchedNames::Name* name = ranges_.find(text);
  if (name == nullptr || end < begin) return;
  const std::string what = "The range \"" + name->text + "\"";
  for_each(name->triggers, [&](std::size_t i, const FlightTrigger& trigger) {
    if (trigger.kind == FlightTrigger::Kind::kRate) {
      for (auto& [number, rate] : rates_)
        if (number == i) rate.add(static_cast<std::uint64_t>(clock_.to_ns(end)));
      return;
    }
    const double ns = clock_.to_ns(end - begin);
    if (trigger.quantile == 0) return check_duration(trigger, piece, what, ns, end);
    // If there are too many texts, the new ones share one series.
    const bool is_new = quantiles_.size() >= kMaxQuantiles && !quantiles_.contains({i, text});
    Quantiles& known = quantiles_[{i, is_new ? 0 : text}];
    const auto usual = static_cast<double>(known.value(trigger.quantile));
    if (known.count() >= kFewestForQuantile && ns > trigger.factor * usual)
      fire(trigger,
           fmt::format("{} took {}, {:.3g} times its p{:g} of {}", what, duration_text(ns),
                       ns / std::max(usual, 1.0), trigger.quantile * 100, duration_text(usual)),
           end, &piece);
    known.add(static_cast<std::uint64_t>(ns));
  });
}

void TriggerWatch::fire(const FlightTrigger& trigger, std::string text, std::uint64_t time,
                        const PieceHeader* where) {
  if (causes_.size() >= kMaxCauses) return;
  Cause cause{.text = std::move(text), .trigger = trigger.words, .time = time};
  if (where != nullptr) {
    const auto pid = pids_.find(where->serial);
    cause.pid = pid == pids_.end() ? 0 : static_cast<std::uint32_t>(pid->second);
    cause.tid = where->tid;
    cause.text += fmt::format(" in thread {} of process {}", cause.tid, cause.pid);
  }
  cause.text += fmt::format(" (--trigger {}).", trigger.words);
  cause.severity = spool::Severity::kWarning;
  causes_.push_back(std::move(cause));
}

std::vector<spool::SnapshotCause> TriggerWatch::take(const spool::ClockTriple& now) {
  follow_ranges();
  const auto now_ns = static_cast<std::uint64_t>(clock_.to_ns(now.ticks));
  for (auto& [i, rate] : rates_)
    if (const auto fall = rate.check(now_ns))
      fire(
          triggers_[i],
          fmt::format("The range \"{}\" ended {:.4g} times a second over the last {:g} s, which is "
                      "below {:.4g}",
                      triggers_[i].name, fall->rate, fall->seconds,
                      triggers_[i].limit > 0 ? fall->usual : fall->usual * triggers_[i].factor),
          now.ticks);
  for (auto& [i, watch] : idle_)
    for (const IdleWatch::Idle& idle : watch.check(static_cast<std::uint64_t>(now.monotonic)))
      fire(triggers_[i],
           fmt::format("GPU {} was idle for {} or more", idle.device,
                       duration_text(static_cast<double>(idle.end - idle.begin))),
           now.ticks);
  return std::exchange(causes_, {});
}

}  // namespace prof::session
