#include "collector/ingest/nvtx/deferred_events.hpp"

#include "collector/ingest/nvtx/payload_decoder.hpp"

namespace prof::ingest {

namespace {

namespace payloads = nvtx_payloads;
using EventKind = DeferredEvent::Kind;

constexpr std::uint64_t kSessionClock = 1;    // the timestamp type "provided by the tool"
constexpr std::uint64_t kCurrentThread = 22;  // NVTX_SCOPE_CURRENT_SW_THREAD

// Returns the kind that the schema states, or else the kind that follows from its times.
EventKind kind_of(std::uint64_t schema_flags, bool has_begin, bool has_end) {
  switch (schema_flags & payloads::kKindMask) {
    case payloads::kRangePushPop:
      return EventKind::kPushPop;
    case payloads::kRangeStartEnd:
      return EventKind::kStartEnd;
    case payloads::kMark:
      return EventKind::kMark;
    case payloads::kRangePush:
      return EventKind::kPush;
    case payloads::kRangePop:
      return EventKind::kPop;
    case payloads::kRangeStart:
      return EventKind::kStart;
    case payloads::kRangeStop:
      return EventKind::kEnd;
    default:
      return has_begin && has_end ? EventKind::kStartEnd : EventKind::kMark;
  }
}

bool is_whole_range(EventKind kind) {
  return kind == EventKind::kPushPop || kind == EventKind::kStartEnd;
}

}  // namespace

std::optional<std::int64_t> DeferredEvents::time_of(const Origin& origin,
                                                    const PayloadValue& value) const {
  std::uint64_t id = kSessionClock;
  const PayloadSchema* schema = schemas_.schema(origin.serial, origin.domain, value.schema);
  if (schema != nullptr && value.entry < schema->semantics.size()) {
    const auto found = schema->semantics[value.entry].find(kTimeSemantics);
    if (found != schema->semantics[value.entry].end()) id = found->second[0];
  }
  return times_.to_ns(origin.serial, origin.domain, id, static_cast<std::int64_t>(value.bits));
}

std::optional<std::uint32_t> DeferredEvents::thread_of(
    const Origin& origin, const std::vector<PayloadValue>& values) const {
  std::uint64_t scope = origin.record.scope;
  for (const PayloadValue& value : values) {
    if (value.type == payloads::kTid32 || value.type == payloads::kTid64)
      return static_cast<std::uint32_t>(value.bits);
    if (value.type == payloads::kScopeId) scope = value.bits;
    const PayloadSchema* schema = schemas_.schema(origin.serial, origin.domain, value.schema);
    if (scope != 0 || schema == nullptr || value.entry >= schema->semantics.size()) continue;
    const auto found = schema->semantics[value.entry].find(kScopeSemantics);
    if (found != schema->semantics[value.entry].end()) scope = found->second[0];
  }
  if (scope == kCurrentThread) return origin.tid;
  return std::nullopt;
}

std::optional<DeferredEvent> DeferredEvents::event_of(const Origin& origin,
                                                      std::uint64_t schema_flags,
                                                      std::vector<PayloadValue> values) {
  const PayloadValue* begin = nullptr;
  const PayloadValue* end = nullptr;
  const PayloadValue* time = nullptr;
  std::uint64_t range_id = 0;
  for (const PayloadValue& value : values) {
    const bool is_time = (value.flags & payloads::kTimestamp) != 0;
    const std::uint64_t role = value.flags & payloads::kRoleMask;
    if (value.type == payloads::kRangeId) range_id = value.bits;
    if (value.type == payloads::kScopeId) continue;
    if (role == payloads::kRangeBegin) begin = &value;
    if (role == payloads::kRangeEnd) end = &value;
    if (role == payloads::kMarkTime || (is_time && role == 0)) time = &value;
  }
  const EventKind kind = kind_of(schema_flags, begin != nullptr, end != nullptr);
  const PayloadValue* first = begin != nullptr ? begin : time != nullptr ? time : end;
  if (kind == EventKind::kPop || kind == EventKind::kEnd) first = end != nullptr ? end : first;
  // An event without a time counts as an event at the time of its submission.
  const auto from =
      first != nullptr ? time_of(origin, *first) : std::optional(clock_.to_ns(origin.record.time));
  const auto to = end != nullptr && is_whole_range(kind) ? time_of(origin, *end) : from;
  if (!from || !to) {
    ++stats_.without_time;
    return std::nullopt;
  }
  DeferredEvent event{kind, *from, std::max(*from, *to), thread_of(origin, values), range_id, {}};
  std::erase_if(values, [](const PayloadValue& value) {
    return (value.flags & (payloads::kTimestamp | payloads::kRoleMask)) != 0;
  });
  event.values = std::move(values);
  return event;
}

std::vector<DeferredEvent> DeferredEvents::events(std::uint32_t serial, std::uint32_t tid,
                                                  const wire::NvtxDeferredRecord& record,
                                                  const PayloadBlocks& blocks) {
  const Origin origin{serial, tid, record.header.aux, record};
  std::vector<DeferredEvent> events;
  if (blocks.empty()) return events;
  PayloadDecoder decoder(schemas_, strings_, serial, origin.domain);
  const auto flags_of = [&](std::uint64_t id) -> std::uint64_t {
    const PayloadSchema* schema = schemas_.schema(serial, origin.domain, id);
    return schema == nullptr ? 0 : schema->record.flags;
  };
  if ((record.header.flags & wire::kNvtxBatch) == 0) {
    std::uint64_t flags = 0;
    for (const PayloadBlock& block : blocks)
      if ((flags & payloads::kKindMask) == 0) flags = flags_of(block.schema);
    if (auto event = event_of(origin, flags, decoder.decode(blocks)))
      events.push_back(std::move(*event));
    return events;
  }
  const std::uint64_t size = blocks[0].bytes.size();
  for (std::uint64_t at = 0; at < size;) {
    std::uint64_t end = at;
    auto values = decoder.decode_element(blocks, record.schema, at, end);
    const PayloadSchema* schema = schemas_.schema(serial, origin.domain, record.schema);
    if (values.empty() || end <= at) break;
    // Events of a dynamic schema follow each other with the alignment of the schema's entries.
    at = schema != nullptr && schema->layout.size == 0
             ? payloads::align_up(end, schema->layout.own_align)
             : end;
    if (auto event = event_of(origin, flags_of(record.schema), std::move(values)))
      events.push_back(std::move(*event));
  }
  return events;
}

}  // namespace prof::ingest
