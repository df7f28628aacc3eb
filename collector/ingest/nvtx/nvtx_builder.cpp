#include "collector/ingest/nvtx/nvtx_builder.hpp"

#include <bit>

#include "collector/ingest/nvtx/payload_decoder.hpp"

namespace prof::ingest {

using report::NvtxEventType;
using report::NvtxPayloadColumn;
using report::NvtxRow;

namespace {
constexpr int kMaxAncestors = 1000;
}

void NvtxBuilder::begin_thread(std::uint32_t serial, std::uint32_t tid) {
  serial_ = serial;
  global_tid_ = processes_.global_tid_of(serial, tid);
  pieces_.begin_thread();
}

NvtxRow NvtxBuilder::row(NvtxEventType type, std::uint64_t time, std::uint32_t domain) {
  NvtxRow row;
  row.start = clock_.to_ns(time);
  row.event_type = type;
  row.global_tid = global_tid_;
  row.domain_id = static_cast<std::int32_t>(domain);
  if (domain != 0) names().used_domains.insert(domain);
  return row;
}

void NvtxBuilder::set_weight(NvtxRow& row, wire::RecordType type, std::uint64_t text) {
  if (!thinning_.is_on()) return;
  const auto domain = static_cast<std::uint32_t>(row.domain_id);
  row.set<&NvtxRow::weight>(thinning_.take(type, text, domain));
}

void NvtxBuilder::set_text(NvtxRow& row, std::uint64_t hash, bool registered) {
  if (registered) {
    row.set<&NvtxRow::text_id>(writer_.string_id(strings_.text(hash)));
  } else {
    row.set<&NvtxRow::text>(strings_.text(hash));
  }
}

void NvtxBuilder::set_attributes(NvtxRow& row, const wire::NvtxEventRecord& record) {
  const std::uint8_t flags = record.header.flags;
  if ((flags & wire::kNvtxHasText) != 0)
    set_text(row, record.text, (flags & wire::kNvtxRegistered) != 0);
  if ((flags & wire::kNvtxHasColor) != 0) row.set<&NvtxRow::color>(record.color);
  if ((flags & wire::kNvtxHasCategory) != 0) {
    row.set<&NvtxRow::category>(record.category);
    names().used_categories.insert({record.header.aux, record.category});
  }
  set_payload(row, record);
}

void NvtxBuilder::set_payload(NvtxRow& row, const wire::NvtxEventRecord& record) {
  using Column = NvtxPayloadColumn;
  const std::uint64_t bits = record.payload;
  const auto low_bits = static_cast<std::uint32_t>(bits);
  switch (record.payload_type) {
    case wire::NvtxPayload::kUint64:
      return report::set_payload(row, Column::kUint64, static_cast<std::int64_t>(bits));
    case wire::NvtxPayload::kInt64:
      return report::set_payload(row, Column::kInt64, static_cast<std::int64_t>(bits));
    case wire::NvtxPayload::kDouble:
      return report::set_payload(row, Column::kDouble, std::bit_cast<double>(bits));
    case wire::NvtxPayload::kUint32:
      return report::set_payload(row, Column::kUint32, std::int64_t{low_bits});
    case wire::NvtxPayload::kInt32:
      return report::set_payload(row, Column::kInt32,
                                 std::int64_t{static_cast<std::int32_t>(low_bits)});
    case wire::NvtxPayload::kFloat:
      return report::set_payload(row, Column::kFloat, double{std::bit_cast<float>(low_bits)});
    case wire::NvtxPayload::kNone:
      return;
  }
}

std::string_view NvtxBuilder::keep(std::string_view bytes) {
  const auto found = kept_.find(bytes);
  return found != kept_.end() ? *found : *kept_.emplace(bytes).first;
}

// Sets attributes of an event that are values of a payload. The last value counts.
void NvtxBuilder::set_attribute(NvtxRow& row, const PayloadValue& value) {
  if ((value.flags & nvtx_payloads::kEventMessage) != 0 &&
      value.kind == PayloadValue::Kind::kText) {
    row.set<&NvtxRow::text>(keep(value.text));
    row.clear<&NvtxRow::text_id>();
  } else if (value.type == nvtx_payloads::kColorArgb) {
    row.set<&NvtxRow::color>(static_cast<std::uint32_t>(value.bits));
  } else if (value.type == nvtx_payloads::kCategory) {
    row.set<&NvtxRow::category>(static_cast<std::uint32_t>(value.bits));
    names().used_categories.insert(
        {static_cast<std::uint32_t>(row.domain_id), static_cast<std::uint32_t>(value.bits)});
  }
}

void NvtxBuilder::add_payloads(NvtxRow& row, const PayloadBlocks& blocks) {
  if (blocks.empty()) return;
  PayloadDecoder decoder(schemas_, strings_, serial_, static_cast<std::uint32_t>(row.domain_id));
  add_values(row, decoder.decode(blocks));
  std::string binary = binary_of(blocks);
  if (row.has<&NvtxRow::binary>()) binary.insert(0, row.binary.bytes);
  row.set<&NvtxRow::binary>(report::Blob{keep(binary)});
}

void NvtxBuilder::add_values(NvtxRow& row, std::vector<PayloadValue>&& values) {
  for (const PayloadValue& value : values) set_attribute(row, value);
  std::erase_if(values, [](const PayloadValue& value) {
    return (value.flags & (nvtx_payloads::kEventMessage | nvtx_payloads::kHidden)) != 0 ||
           value.type == nvtx_payloads::kColorArgb || value.type == nvtx_payloads::kCategory;
  });
  if (!values.empty()) {
    const std::string json = to_json(values);
    row.set<&NvtxRow::json>(keep(row.has<&NvtxRow::json>() ? merge_json(row.json, json) : json));
  }
}

// Half of a range waits for the other half, by thread or by range id.
void NvtxBuilder::deferred_half(NvtxRow& row, DeferredEvent&& event) {
  using Kind = DeferredEvent::Kind;
  const bool by_thread = event.kind == Kind::kPush || event.kind == Kind::kPop;
  auto& open = deferred_[{serial_, row.domain_id,
                          by_thread ? row.global_tid : static_cast<std::int64_t>(event.range_id)}];
  if (event.kind == Kind::kPush || event.kind == Kind::kStart) {
    add_values(row, std::move(event.values));
    open.push_back(row);
  } else if (open.empty()) {
    ++(by_thread ? stats_.unmatched_pops : stats_.unmatched_ends);
  } else {
    NvtxRow range = open.back();
    open.pop_back();
    range.set<&NvtxRow::end>(std::max(event.begin, range.start));
    add_values(range, std::move(event.values));
    write(range);
  }
}

void NvtxBuilder::deferred(DeferredEvent&& event, std::uint32_t domain) {
  using Kind = DeferredEvent::Kind;
  const Kind kind = event.kind;
  const bool is_whole = kind == Kind::kPushPop || kind == Kind::kStartEnd;
  const bool is_pushed = kind == Kind::kPushPop || kind == Kind::kPush;
  NvtxRow row;
  row.start = event.begin;
  // A range that belongs to no thread must not nest in the ranges of the thread that submits it.
  row.event_type = kind == Kind::kMark      ? NvtxEventType::kMark
                   : is_pushed && event.tid ? NvtxEventType::kPushPop
                                            : NvtxEventType::kStartEnd;
  row.global_tid = event.tid ? processes_.global_tid_of(serial_, *event.tid) : global_tid_;
  row.domain_id = static_cast<std::int32_t>(domain);
  if (domain != 0) names().used_domains.insert(domain);
  if (event.range_id != 0) row.set<&NvtxRow::range_id>(static_cast<std::int64_t>(event.range_id));
  if (!is_whole && kind != Kind::kMark) return deferred_half(row, std::move(event));
  if (is_whole) row.set<&NvtxRow::end>(event.end);
  add_values(row, std::move(event.values));
  write(row);
}

void NvtxBuilder::payload(const wire::NvtxPayloadRecord& record, std::span<const std::byte> bytes) {
  pieces_.add(record, bytes);
}

NvtxBuilder::Names& NvtxBuilder::names() {
  return names_.try_emplace(serial_, writer_.memory()).first->second;
}

NvtxBuilder::Started& NvtxBuilder::started() {
  return started_.try_emplace(serial_, spool::kAllRanges, writer_.memory()).first->second;
}

void NvtxBuilder::write(const NvtxRow& row) {
  ++stats_.events;
  writer_.add(row);
}

void NvtxBuilder::write_open(NvtxRow row) {
  ++stats_.open_ranges;
  row.set<&NvtxRow::end>(std::max(end_of_recording_, row.start));
  row.set<&NvtxRow::is_open>(true);
  write(row);
}

void NvtxBuilder::push(const wire::NvtxPushRecord& record) {
  const std::uint32_t domain = record.header.aux;
  NvtxRow range = row(NvtxEventType::kPushPop, record.time, domain);
  if ((record.header.flags & wire::kNvtxHasText) != 0) set_text(range, record.text, false);
  set_weight(range, record.header.type, record.text);
  pushed_.push(domain, range);
}

void NvtxBuilder::pop(const wire::NvtxPopRecord& record) {
  pop(record.header.aux, record.time, {});
}

void NvtxBuilder::pop(const wire::NvtxPopPayloadRecord& record) {
  pop(record.header.aux, record.time, pieces_.take(record.token));
}

void NvtxBuilder::pop(std::uint32_t domain, std::uint64_t time, const PayloadBlocks& blocks) {
  auto range = pushed_.pop(domain);
  if (!range) {
    ++stats_.unmatched_pops;
    return;
  }
  range->set<&NvtxRow::end>(clock_.to_ns(time));
  add_payloads(*range, blocks);
  write(*range);
}

void NvtxBuilder::event(const wire::NvtxEventRecord& record) {
  const auto type = record.header.type == wire::RecordType::kNvtxPushEx ? NvtxEventType::kPushPop
                    : record.header.type == wire::RecordType::kNvtxMark ? NvtxEventType::kMark
                                                                        : NvtxEventType::kStartEnd;
  NvtxRow event = row(type, record.time, record.header.aux);
  set_attributes(event, record);
  set_weight(event, record.header.type, record.text);
  if (record.payload_type == wire::kNvtxExtendedPayload)
    add_payloads(event, pieces_.take(record.payload));
  if (type == NvtxEventType::kMark) {
    write(event);
  } else if (type == NvtxEventType::kPushPop) {
    pushed_.push(record.header.aux, event);
  } else {
    event.set<&NvtxRow::range_id>(static_cast<std::int64_t>(record.range_id));
    if (const auto end = started().start(record.range_id, event)) write_range(event, *end);
  }
}

void NvtxBuilder::end(const wire::NvtxEndRecord& record) {
  end(record.range_id, {clock_.to_ns(record.time), global_tid_, {}});
}

void NvtxBuilder::end(const wire::NvtxEndPayloadRecord& record) {
  end(record.range_id, {clock_.to_ns(record.time), global_tid_, pieces_.take(record.token)});
}

void NvtxBuilder::end(std::uint64_t range_id, const RangeEnd& end) {
  if (auto start = started().end(range_id, end)) write_range(*start, end);
}

void NvtxBuilder::write_range(NvtxRow& row, const RangeEnd& end) {
  row.set<&NvtxRow::end>(end.time);
  if (end.global_tid != row.global_tid) row.set<&NvtxRow::end_global_tid>(end.global_tid);
  add_payloads(row, end.blocks);
  write(row);
}

void NvtxBuilder::domain(const wire::NvtxDomainRecord& record) {
  names().domains[record.header.aux] = record.name;
  NvtxRow created = row(NvtxEventType::kDomainCreate, record.time, record.header.aux);
  set_text(created, record.name, false);
  write(created);
}

void NvtxBuilder::domain_end(const wire::NvtxDomainEndRecord& record) {
  write(row(NvtxEventType::kDomainDestroy, record.time, record.header.aux));
}

void NvtxBuilder::category(const wire::NvtxCategoryRecord& record) {
  names().categories[{record.header.aux, record.category}] = record.name;
  NvtxRow named = row(NvtxEventType::kCategory, record.time, record.header.aux);
  named.set<&NvtxRow::category>(record.category);
  set_text(named, record.name, false);
  write(named);
}

void NvtxBuilder::thread_name(const wire::ThreadNameRecord& record) {
  if (record.header.flags != wire::kThreadNameFromNvtx) return;
  NvtxRow named = row(NvtxEventType::kThreadName, record.time, 0);
  named.global_tid = processes_.global_tid_of(serial_, record.header.aux);
  set_text(named, record.name, false);
  write(named);
}

void NvtxBuilder::end_thread() {
  pushed_.for_each([&](const NvtxRow& open) { write_open(open); });
  pushed_.clear();
}

template <class Map, class Key>
std::optional<std::uint64_t> NvtxBuilder::inherited(const ProcessImage& image, Map Names::*map,
                                                    const Key& key) const {
  const ProcessImage* ancestor = &image;
  // The number of steps is limited, because a damaged spool can contain cycles of parents, or very
  // long lines of them.
  for (int step = 0; step < kMaxAncestors; ++step) {
    ancestor = processes_.find(ancestor->parent_serial);
    if (ancestor == nullptr) break;
    const auto names = names_.find(ancestor->serial);
    if (names == names_.end()) continue;
    const auto& known = names->second.*map;
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  return std::nullopt;
}

void NvtxBuilder::write_inherited(const ProcessImage& image, const Names& names) {
  serial_ = image.serial;
  global_tid_ = processes_.global_tid_of(image.serial, static_cast<std::uint32_t>(image.own_pid));
  const std::int64_t start = image.time == 0 ? 0 : clock_.to_ns(image.time);
  NvtxRow named;
  named.start = start;
  named.global_tid = global_tid_;
  for (const std::uint32_t domain : names.used_domains) {
    if (names.domains.contains(domain)) continue;
    const auto name = inherited(image, &Names::domains, domain);
    if (!name) continue;
    NvtxRow created = named;
    created.event_type = NvtxEventType::kDomainCreate;
    created.domain_id = static_cast<std::int32_t>(domain);
    set_text(created, *name, false);
    write(created);
  }
  for (const CategoryKey& key : names.used_categories) {
    if (names.categories.contains(key)) continue;
    const auto name = inherited(image, &Names::categories, key);
    if (!name) continue;
    NvtxRow category = named;
    category.event_type = NvtxEventType::kCategory;
    category.domain_id = static_cast<std::int32_t>(key.first);
    category.set<&NvtxRow::category>(key.second);
    set_text(category, *name, false);
    write(category);
  }
}

void NvtxBuilder::finish() {
  for (const auto& [serial, ranges] : started_) {
    ranges.for_each([&](const NvtxRow& open) { write_open(open); });
    stats_.unmatched_ends += ranges.ends();
  }
  for (const auto& [key, rows] : deferred_)
    for (const NvtxRow& open : rows) write_open(open);
  started_.clear();
  deferred_.clear();
  for (const ProcessImage& image : processes_.images()) {
    if (image.parent_serial == 0) continue;
    const auto names = names_.find(image.serial);
    if (names != names_.end()) write_inherited(image, names->second);
  }
}

}  // namespace prof::ingest
