#include "injection/nvtx/events.hpp"

#include "common/wire/nvtx_records.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/nvtx/capture/trigger.hpp"
#include "injection/nvtx/levels.hpp"
#include "injection/nvtx/payloads.hpp"

namespace prof::nvtx {

namespace {

using wire::RecordType;

void set_text(wire::NvtxEventRecord& record, std::uint64_t hash, std::uint8_t flags = 0) {
  record.text = hash;
  record.header.flags |= wire::kNvtxHasText | flags;
}

void set_message(wire::NvtxEventRecord& record, const EventAttributes& attributes) {
  switch (attributes.message_type) {
    case kMessageAscii:
      if (attributes.message.ascii != nullptr)
        set_text(record, core::intern(attributes.message.ascii));
      break;
    case kMessageUnicode:
      if (attributes.message.unicode != nullptr)
        set_text(record, core::intern(attributes.message.unicode));
      break;
    case kMessageRegistered:
      // The handle is the hash, which register_string() returned.
      if (attributes.message.registered != nullptr)
        set_text(record, reinterpret_cast<std::uintptr_t>(attributes.message.registered),
                 wire::kNvtxRegistered);
      break;
    default:
      break;
  }
}

// The domain is recorded; otherwise there would be no record.
[[gnu::noinline, gnu::cold]] void set_payloads(wire::NvtxEventRecord& record,
                                               const PayloadData* payloads, std::size_t count) {
  const std::uint64_t token = copy_payloads({record.header.aux, true}, payloads, count);
  if (token == 0) return;
  record.payload_type = wire::kNvtxExtendedPayload;
  record.payload = token;
}

void set_payload(wire::NvtxEventRecord& record, const EventAttributes& attributes) {
  const auto type = static_cast<wire::NvtxPayload>(attributes.payload_type);
  if (type > wire::NvtxPayload::kFloat) [[unlikely]] {
    if (attributes.payload_type == kPayloadTypeExtended && attributes.reserved > 0)
      set_payloads(record, reinterpret_cast<const PayloadData*>(attributes.payload),
                   static_cast<std::size_t>(attributes.reserved));
    return;
  }
  record.payload_type = type;
  record.payload = attributes.payload;
}

wire::NvtxEventRecord event(RecordType type, Domain domain) {
  wire::NvtxEventRecord record{};
  record.header = core::header_of<wire::NvtxEventRecord>(type, domain.id);
  return record;
}

wire::NvtxEventRecord event(RecordType type, Domain domain, const EventAttributes* attributes) {
  wire::NvtxEventRecord record = event(type, domain);
  // A client of an older layout passes a smaller size. All fields used here are in every version.
  if (attributes == nullptr || attributes->size < sizeof(EventAttributes)) return record;
  set_message(record, *attributes);
  set_payload(record, *attributes);
  if (attributes->color_type == kColorArgb) {
    record.color = attributes->color;
    record.header.flags |= wire::kNvtxHasColor;
  }
  if (attributes->category != 0) {
    record.category = attributes->category;
    record.header.flags |= wire::kNvtxHasCategory;
  }
  return record;
}

template <class Text>
wire::NvtxEventRecord event(RecordType type, Domain domain, const Text* text) {
  wire::NvtxEventRecord record = event(type, domain);
  if (text != nullptr) set_text(record, core::intern(text));
  return record;
}

struct PayloadArray {
  const PayloadData* data;
  std::size_t count;
};

wire::NvtxEventRecord event(RecordType type, Domain domain, const PayloadArray& payloads) {
  wire::NvtxEventRecord record = event(type, domain);
  set_payloads(record, payloads.data, payloads.count);
  return record;
}

// Appends a record. Outside of a capture range events leave no record, but levels and ids are still
// counted. Returns false on a foreign thread, which has no levels.
template <class Record>
inline bool put(const Record& record) {
  if (!core::paused_here() && core::append_here(record)) [[likely]]
    return true;
  return core::call_quietly(core::has_libc_pointer);
}

template <class Source>
int push_event(Domain domain, Source source) {
  if (!domain.recorded) return kNoPushPopTracking;
  wire::NvtxEventRecord record = event(RecordType::kNvtxPushEx, domain, source);
  const bool trigger = is_pushed_trigger(domain, record.text) && enter_trigger();
  record.time = core::now();  // read last: interning the text is not part of the range
  const int level = put(record) ? enter_level(domain) : kNoPushPopTracking;
  if (trigger) pushed(domain, level);
  return level;
}

template <class Source>
void mark_event(Domain domain, Source source) {
  if (!domain.recorded) return;
  const std::uint64_t time = core::now();
  wire::NvtxEventRecord record = event(RecordType::kNvtxMark, domain, source);
  record.time = time;
  put(record);
}

template <class Source>
RangeId start_event(Domain domain, Source source) {
  if (!domain.recorded) return 0;
  wire::NvtxEventRecord record = event(RecordType::kNvtxStart, domain, source);
  record.range_id = new_range_id();
  if (is_trigger(domain, record.text) && enter_trigger()) started(record.range_id);
  record.time = core::now();
  put(record);
  return record.range_id;
}

}  // namespace

template <class Text>
int push(Domain domain, Text text) {
  if (!domain.recorded) return kNoPushPopTracking;
  const std::uint64_t hash = text != nullptr ? core::intern(text) : 0;
  const auto flags = static_cast<std::uint8_t>(text != nullptr ? wire::kNvtxHasText : 0);
  const bool trigger = is_pushed_trigger(domain, hash) && enter_trigger();
  const wire::NvtxPushRecord record{
      core::header_of<wire::NvtxPushRecord>(RecordType::kNvtxPush, domain.id, flags), core::now(),
      hash};
  const int level = put(record) ? enter_level(domain) : kNoPushPopTracking;
  if (trigger) [[unlikely]]
    pushed(domain, level);
  return level;
}
template int push(Domain, const char*);
template int push(Domain, const wchar_t*);

int push(Domain domain, const EventAttributes* attributes) {
  return push_event(domain, attributes);
}

int push(Domain domain, const PayloadData* payloads, std::size_t count) {
  return push_event(domain, PayloadArray{payloads, count});
}

int pop(Domain domain) {
  const std::uint64_t time = core::now();  // read first: writing the record is not part of it
  if (!domain.recorded) return kNoPushPopTracking;
  const wire::NvtxPopRecord record{
      core::header_of<wire::NvtxPopRecord>(RecordType::kNvtxPop, domain.id), time};
  const int level = put(record) ? leave_level(domain) : kNoPushPopTracking;
  popped(domain, level);
  return level;
}

int pop(Domain domain, const PayloadData* payloads, std::size_t count) {
  const std::uint64_t time = core::now();
  if (!domain.recorded) return kNoPushPopTracking;
  const std::uint64_t token = copy_payloads(domain, payloads, count);
  const wire::NvtxPopPayloadRecord record{
      core::header_of<wire::NvtxPopPayloadRecord>(RecordType::kNvtxPopPayload, domain.id), time,
      token};
  const int level = put(record) ? leave_level(domain) : kNoPushPopTracking;
  popped(domain, level);
  return level;
}

template <class Text>
void mark(Domain domain, Text text) {
  mark_event(domain, text);
}
template void mark(Domain, const char*);
template void mark(Domain, const wchar_t*);

void mark(Domain domain, const EventAttributes* attributes) { mark_event(domain, attributes); }

void mark(Domain domain, const PayloadData* payloads, std::size_t count) {
  mark_event(domain, PayloadArray{payloads, count});
}

template <class Text>
RangeId start(Domain domain, Text text) {
  return start_event(domain, text);
}
template RangeId start(Domain, const char*);
template RangeId start(Domain, const wchar_t*);

RangeId start(Domain domain, const EventAttributes* attributes) {
  return start_event(domain, attributes);
}

RangeId start(Domain domain, const PayloadData* payloads, std::size_t count) {
  return start_event(domain, PayloadArray{payloads, count});
}

void end(Domain domain, RangeId id) {
  const std::uint64_t time = core::now();
  if (!domain.recorded || id == 0) return;
  put(wire::NvtxEndRecord{core::header_of<wire::NvtxEndRecord>(RecordType::kNvtxEnd, domain.id),
                          time, id});
  ended(id);
}

void end(Domain domain, RangeId id, const PayloadData* payloads, std::size_t count) {
  const std::uint64_t time = core::now();
  if (!domain.recorded || id == 0) return;
  const std::uint64_t token = copy_payloads(domain, payloads, count);
  put(wire::NvtxEndPayloadRecord{
      core::header_of<wire::NvtxEndPayloadRecord>(RecordType::kNvtxEndPayload, domain.id), time, id,
      token});
  ended(id);
}

}  // namespace prof::nvtx
