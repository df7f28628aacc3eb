#include "collector/ingest/nvtx_builder.hpp"

#include <bit>

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
      return row.set_payload(Column::kUint64, static_cast<std::int64_t>(bits));
    case wire::NvtxPayload::kInt64:
      return row.set_payload(Column::kInt64, static_cast<std::int64_t>(bits));
    case wire::NvtxPayload::kDouble:
      return row.set_payload(Column::kDouble, std::bit_cast<double>(bits));
    case wire::NvtxPayload::kUint32:
      return row.set_payload(Column::kUint32, std::int64_t{low_bits});
    case wire::NvtxPayload::kInt32:
      return row.set_payload(Column::kInt32, std::int64_t{static_cast<std::int32_t>(low_bits)});
    case wire::NvtxPayload::kFloat:
      return row.set_payload(Column::kFloat, double{std::bit_cast<float>(low_bits)});
    case wire::NvtxPayload::kNone:
      return;
  }
}

NvtxBuilder::Names& NvtxBuilder::names() {
  return names_.try_emplace(serial_, writer_.memory()).first->second;
}

void NvtxBuilder::write(const NvtxRow& row) {
  ++stats_.events;
  writer_.add(row);
}

void NvtxBuilder::write_open(NvtxRow row) {
  ++stats_.open_ranges;
  row.set<&NvtxRow::end>(std::max(end_of_recording_, row.start));
  write(row);
}

void NvtxBuilder::push(const wire::NvtxPushRecord& record) {
  const std::uint32_t domain = record.header.aux;
  NvtxRow range = row(NvtxEventType::kPushPop, record.time, domain);
  if ((record.header.flags & wire::kNvtxHasText) != 0) set_text(range, record.text, false);
  stacks_[domain].push_back(range);
}

void NvtxBuilder::pop(const wire::NvtxPopRecord& record) {
  auto& stack = stacks_[record.header.aux];
  if (stack.empty()) {
    ++stats_.unmatched_pops;
    return;
  }
  NvtxRow range = stack.back();
  stack.pop_back();
  range.set<&NvtxRow::end>(clock_.to_ns(record.time));
  write(range);
}

void NvtxBuilder::event(const wire::NvtxEventRecord& record) {
  const auto type = record.header.type == wire::RecordType::kNvtxPushEx ? NvtxEventType::kPushPop
                    : record.header.type == wire::RecordType::kNvtxMark ? NvtxEventType::kMark
                                                                        : NvtxEventType::kStartEnd;
  NvtxRow event = row(type, record.time, record.header.aux);
  set_attributes(event, record);
  if (type == NvtxEventType::kMark) {
    write(event);
  } else if (type == NvtxEventType::kPushPop) {
    stacks_[record.header.aux].push_back(event);
  } else {
    event.set<&NvtxRow::range_id>(static_cast<std::int64_t>(record.range_id));
    const RangeKey key{serial_, record.range_id};
    const auto end = ended_.find(key);
    if (end == ended_.end()) {
      started_.emplace(key, event);
    } else {
      write_range(event, end->second);
      ended_.erase(end);
    }
  }
}

void NvtxBuilder::end(const wire::NvtxEndRecord& record) {
  const RangeKey key{serial_, record.range_id};
  const RangeEnd end{clock_.to_ns(record.time), global_tid_};
  const auto start = started_.find(key);
  if (start == started_.end()) {
    ended_.emplace(key, end);
    return;
  }
  write_range(start->second, end);
  started_.erase(start);
}

void NvtxBuilder::write_range(NvtxRow& row, const RangeEnd& end) {
  row.set<&NvtxRow::end>(end.time);
  if (end.global_tid != row.global_tid) row.set<&NvtxRow::end_global_tid>(end.global_tid);
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
  for (auto& [domain, stack] : stacks_) {
    for (const NvtxRow& open : stack) write_open(open);
  }
  stacks_.clear();
}

template <class Map, class Key>
std::optional<std::uint64_t> NvtxBuilder::inherited(const ProcessImage& image, Map Names::*map,
                                                    const Key& key) const {
  const ProcessImage* ancestor = &image;
  // Bounded because a damaged spool can contain cycles of parents, or very long lines of them.
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
  for (const auto& [key, open] : started_) write_open(open);
  stats_.unmatched_ends += ended_.size();
  started_.clear();
  ended_.clear();
  for (const ProcessImage& image : processes_.images()) {
    if (image.parent_serial == 0) continue;
    const auto names = names_.find(image.serial);
    if (names != names_.end()) write_inherited(image, names->second);
  }
}

}  // namespace prof::ingest
