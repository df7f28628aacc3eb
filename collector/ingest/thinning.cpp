#include "collector/ingest/thinning.hpp"

#include <algorithm>

namespace prof::ingest {

namespace {

// The maximum number of events that a record can stand for; more is damage.
constexpr std::int64_t kMaxEvents = std::int64_t{1} << 40;

bool is_call(wire::RecordType type) { return type == wire::RecordType::kCall; }

}  // namespace

void Thinning::define(std::uint32_t serial, const wire::UnrecordedRecord& record) {
  is_on_ = true;
  const auto kind = static_cast<wire::Thinned>(record.header.flags);
  std::int64_t& rest = rests_[{serial, record.tid, kind, record.what, record.domain}];
  rest = std::min(rest + record.header.aux, kMaxEvents);
}

void Thinning::begin_thread(std::uint32_t serial, std::uint32_t tid) {
  serial_ = serial;
  tid_ = tid;
  next_ = {};
}

std::int64_t Thinning::take_weight(wire::RecordType type, std::uint64_t what,
                                   std::uint32_t domain) {
  std::int64_t weight = next_.take(type);
  if (rests_.empty()) return weight;
  const auto kind = is_call(type) ? wire::Thinned::kCalls : wire::Thinned::kRanges;
  if (is_call(type) && short_.contains({serial_, tid_, static_cast<std::uint32_t>(what)}))
    return weight;
  const auto rest = rests_.find({serial_, tid_, kind, what, domain});
  if (rest == rests_.end()) return weight;
  weight += rest->second;
  rests_.erase(rest);
  return weight;
}

void Thinning::add(std::uint32_t serial, const wire::ThinningRecord& record) {
  if (record.recorded > record.events || record.events > static_cast<std::uint64_t>(kMaxEvents) ||
      record.from > record.to)
    return;
  const std::int64_t start = clock_.to_ns(record.from);
  const bool is_range = record.header.flags == static_cast<std::uint8_t>(wire::Thinned::kRanges);
  writer_.add("PROF_THINNING",
              {start, clock_.to_ns(record.to), processes_.global_tid_of(serial, record.header.aux),
               static_cast<std::int64_t>(
                   writer_.string_id(is_range ? "NVTX ranges and marks" : "OS-runtime calls")),
               static_cast<std::int64_t>(record.events), static_cast<std::int64_t>(record.recorded),
               clock_.to_ns(record.from + record.cost) - start});
}

void Thinning::finish() {
  for (const auto& [key, rest] : rests_) {
    const auto& [serial, tid, kind, what, domain] = key;
    if (kind == wire::Thinned::kCalls)
      short_calls_.add_unrecorded(processes_.global_tid_of(serial, tid),
                                  static_cast<std::uint32_t>(what), rest);
  }
}

}  // namespace prof::ingest
