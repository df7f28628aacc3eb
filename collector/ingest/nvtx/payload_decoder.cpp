#include "collector/ingest/nvtx/payload_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace prof::ingest {

namespace payloads = nvtx_payloads;
using payloads::Bytes;

namespace {

constexpr unsigned kMaxDepth = 8;
constexpr unsigned kMaxValues = 4096;        // values of an event
constexpr std::uint64_t kMaxListed = 1024;   // elements of an array
constexpr std::uint64_t kMaxHexBytes = 256;  // bytes of raw data

std::string hex(const unsigned char* at, std::uint64_t bytes) {
  std::string text;
  for (std::uint64_t i = 0; i < std::min(bytes, kMaxHexBytes); ++i)
    fmt::format_to(std::back_inserter(text), "{:02x}", at[i]);
  if (bytes > kMaxHexBytes) text += "...";
  return text;
}

Bytes bytes_of(const PayloadBlock& block) {
  return {reinterpret_cast<const unsigned char*>(block.bytes.data()), block.bytes.size(),
          block.address};
}

// True for character types: arrays of characters are texts.
bool is_character(std::uint64_t type) {
  return type == payloads::kChar || (type >= payloads::kWchar && type <= payloads::kChar32);
}

std::uint64_t number_at(const Bytes& bytes, std::uint64_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data + offset, sizeof value);
  return value;
}

}  // namespace

Bytes PayloadDecoder::block_at(std::uint64_t address) const {
  for (const PayloadBlock& block : *blocks_) {
    if (address < block.address || address - block.address >= block.bytes.size()) continue;
    const Bytes all = bytes_of(block);
    const std::uint64_t skipped = address - block.address;
    return {all.data + skipped, all.size - skipped, address};
  }
  return {nullptr, 0, address};
}

std::uint64_t PayloadDecoder::payload_length(std::uint64_t index) const {
  std::uint64_t at = 0;
  for (const PayloadBlock& block : *blocks_) {
    if (!block.is_payload() || at++ != index) continue;
    if (const PayloadSchema* schema = schemas_.schema(types_.serial, types_.domain, block.schema)) {
      std::uint64_t length = 0;
      payloads::walk(
          schema->layout, bytes_of(block), 0, types_,
          [](std::uint64_t) { return std::uint64_t{0}; },
          [&](const Field& field, std::uint64_t&, auto& numbers) {
            length = numbers.at(field.index);
            return false;
          });
      return length;
    }
    const std::uint64_t size = payloads::size_of(block.schema);
    if (size == 0 || size > 8 || block.bytes.size() < size) return 0;
    std::uint64_t product = 1;
    for (std::uint64_t offset = 0; offset + size <= block.bytes.size(); offset += size)
      product *= payloads::length_at(bytes_of(block).data + offset, size,
                                     payloads::is_signed(block.schema));
    return product;
  }
  return 0;
}

PayloadValue PayloadDecoder::enum_value(const PayloadEnum& values, std::uint64_t bits) const {
  const std::uint64_t size = values.record.size;
  const std::uint64_t mask = size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
  for (const wire::NvtxEnumValue& value : values.values)
    if ((value.value & mask) == bits && value.name != 0)
      return PayloadValue::of_text(std::string(strings_.text(value.name)));
  std::string names;
  std::uint64_t rest = bits;
  for (const wire::NvtxEnumValue& value : values.values) {
    const std::uint64_t flag = value.value & mask;
    if (value.is_flag == 0 || flag == 0 || (rest & flag) != flag || value.name == 0) continue;
    if (!names.empty()) names += '|';
    names += strings_.text(value.name);
    rest &= ~flag;
  }
  if (rest == 0 && !names.empty()) return PayloadValue::of_text(names);
  PayloadValue number;
  number.kind = ValueKind::kUnsigned;
  number.bits = bits;
  return number;
}

PayloadValue PayloadDecoder::decode_one(const Bytes& bytes, std::uint64_t type,
                                        std::uint64_t offset, std::uint64_t& end, unsigned depth) {
  PayloadValue value;
  if (depth > kMaxDepth || ++values_ > kMaxValues) return value;
  if (const PayloadSchema* schema = schemas_.schema(types_.serial, types_.domain, type)) {
    if (payloads::is_union(schema->layout)) {
      std::uint64_t selector = 0;
      for (const payloads::Entry& entry : schema->layout_entries)
        if (entry.type == payloads::kUnionSelector && offset + entry.offset + 8 <= bytes.size)
          selector = number_at(bytes, offset + entry.offset);
      return decode_union(bytes, *schema, offset, selector, depth);
    }
    value.kind = ValueKind::kObject;
    end = decode_schema(*schema, schema->layout, bytes, offset, value.children, depth + 1);
    // Python's nvtx wraps each number in a schema without a name. Only the number is shown.
    if (schema->record.name == 0 && schema->entries.size() == 1 && value.children.size() == 1) {
      PayloadValue only = std::move(value.children.front());
      only.name.clear();
      return only;
    }
    return value;
  }
  const payloads::TypeInfo info = payloads::type_info(type, types_);
  if (info.size == 0 || offset > bytes.size || info.size > bytes.size - offset) return value;
  end = offset + info.size;
  if (const PayloadEnum* names = schemas_.enumeration(types_.serial, types_.domain, type)) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data + offset, std::min<std::uint64_t>(info.size, sizeof bits));
    return enum_value(*names, bits);
  }
  value = predefined_value(type, bytes.data + offset);
  value.type = type;
  if (type == payloads::kRegisteredString) {
    const std::uint64_t hash = value.bits;
    value = hash == 0 ? PayloadValue() : PayloadValue::of_text(std::string(strings_.text(hash)));
  } else if (type == payloads::kScopeId) {
    const std::string path = schemas_.scope_path(types_.serial, types_.domain, value.bits);
    if (!path.empty()) value.text = path;  // the value keeps its number
  }
  return value;
}

// `offset` is the position of the elements, in the payload or in other memory.
PayloadValue PayloadDecoder::decode_elements(const Bytes& bytes, const Field& field,
                                             std::uint64_t offset, std::uint64_t& end,
                                             unsigned depth) {
  const std::uint64_t type = field.entry->type;
  if (offset > bytes.size) return {};
  const std::uint64_t rest = bytes.size - offset;
  const bool is_text = payloads::text_unit(type) != 0 || (field.is_array && is_character(type));
  const std::uint64_t element = field.element_size;
  if (element == 0 && field.type.schema == nullptr) return {};
  if (field.type.schema != nullptr && element == 0)  // a dynamic schema, which is never an array
    return decode_one(bytes, type, offset, end, depth);
  std::uint64_t elements = field.elements == payloads::kUntilZero
                               ? payloads::count_until_zero(bytes.data + offset, rest, element)
                               : std::min(field.elements, rest / element);
  if (is_text) return PayloadValue::of_text(text_value(type, bytes.data + offset, elements));
  if (type == payloads::kByte && field.is_array)
    return PayloadValue::of_text(hex(bytes.data + offset, elements));
  if (!field.is_array)
    return elements == 0 ? PayloadValue() : decode_one(bytes, type, offset, end, depth);
  PayloadValue list;
  list.kind = ValueKind::kList;
  const std::uint64_t shown = std::min(elements, kMaxListed);
  for (std::uint64_t i = 0; i < shown && values_ < kMaxValues; ++i)
    list.children.push_back(decode_one(bytes, type, offset + i * element, end, depth));
  if (list.children.size() < elements) list.children.push_back(PayloadValue::of_text("..."));
  return list;
}

PayloadValue PayloadDecoder::decode_union(const Bytes& bytes, const PayloadSchema& schema,
                                          std::uint64_t offset, std::uint64_t selector,
                                          unsigned depth) {
  PayloadValue value;
  const std::uint32_t member = payloads::selected_member(schema.layout, selector);
  if (member >= schema.layout.entry_count || depth > kMaxDepth) return value;
  payloads::Schema one = schema.layout;
  one.entries += member;
  one.entry_count = 1;
  value.kind = ValueKind::kObject;
  decode_schema(schema, one, bytes, offset, value.children, depth + 1);
  return value;
}

template <class Numbers>
PayloadValue PayloadDecoder::decode_field(const Bytes& bytes, const Field& field,
                                          const Numbers& numbers, std::uint64_t& end,
                                          unsigned depth) {
  const payloads::Entry& entry = *field.entry;
  std::uint64_t ignored = 0;
  if (payloads::is_pointer(entry)) {
    const std::uint64_t address = number_at(bytes, field.offset);
    const Bytes target = block_at(address);
    if (target.data != nullptr) return decode_elements(target, field, 0, ignored, depth);
    if (address == 0 || payloads::text_unit(entry.type) != 0) return {};
    return PayloadValue::of_text(fmt::format("{:#x}", address));
  }
  if (payloads::is_offset(entry)) {
    const std::uint64_t distance = number_at(bytes, field.offset);
    if (flexible_ != nullptr)
      return decode_elements(bytes_of(*flexible_), field, distance, ignored, depth);
    const std::uint64_t from =
        (entry.flags & payloads::kOffsetFromHere) != 0 ? field.offset + field.size : 0;
    return decode_elements(bytes, field, from + distance, ignored, depth);
  }
  const payloads::Schema* nested = field.type.schema;
  if (nested != nullptr && nested->type == payloads::kUnion) {
    const PayloadSchema* schema = schemas_.schema(types_.serial, types_.domain, entry.type);
    return decode_union(bytes, *schema, field.offset, numbers.at(entry.detail), depth);
  }
  if (nested != nullptr && nested->size == 0)
    return decode_one(bytes, entry.type, field.offset, end, depth);
  return decode_elements(bytes, field, field.offset, ignored, depth);
}

std::uint64_t PayloadDecoder::decode_schema(const PayloadSchema& schema,
                                            const payloads::Schema& layout, const Bytes& bytes,
                                            std::uint64_t base, std::vector<PayloadValue>& out,
                                            unsigned depth) {
  if (depth > kMaxDepth) return base;
  return payloads::walk(
      layout, bytes, base, types_, [&](std::uint64_t index) { return payload_length(index); },
      [&](const Field& field, std::uint64_t& end, const auto& numbers) {
        if (++values_ > kMaxValues) return false;
        const auto index = static_cast<std::size_t>(field.entry - schema.layout_entries.data());
        PayloadValue value = decode_field(bytes, field, numbers, end, depth);
        const std::uint64_t name = schema.entries[index].name;
        if (name != 0) value.name = strings_.text(name);
        value.flags = field.entry->flags;
        value.type = field.entry->type;
        value.schema = schema.record.id;
        value.entry = static_cast<std::uint32_t>(index);
        out.push_back(std::move(value));
        return true;
      });
}

void PayloadDecoder::decode_payload(const PayloadBlock& block, std::vector<PayloadValue>& out) {
  const Bytes bytes = bytes_of(block);
  if (block.schema == payloads::kReferenced || bytes.size == 0) return;
  if (const PayloadSchema* schema = schemas_.schema(types_.serial, types_.domain, block.schema)) {
    decode_schema(*schema, schema->layout, bytes, 0, out, 0);
    return;
  }
  const payloads::TypeInfo type = payloads::type_info(block.schema, types_);
  PayloadValue value;
  if (const std::uint64_t unit = payloads::text_unit(block.schema); unit != 0) {
    value = PayloadValue::of_text(text_value(block.schema, bytes.data, bytes.size / unit));
  } else if (type.size == 0 || bytes.size < type.size) {
    value = PayloadValue::of_text(hex(bytes.data, bytes.size));
  } else {
    const payloads::Entry entry{payloads::kFixedArray, block.schema, bytes.size / type.size, 0};
    Field field{};
    field.entry = &entry;
    field.type = type;
    field.element_size = type.size;
    field.elements = entry.detail;
    field.is_array = entry.detail != 1 || block.schema == payloads::kByte;
    std::uint64_t end = 0;
    value = decode_elements(bytes, field, 0, end, 0);
  }
  value.type = block.schema;
  out.push_back(std::move(value));
}

std::vector<PayloadValue> PayloadDecoder::decode(const PayloadBlocks& blocks) {
  blocks_ = &blocks;
  flexible_ = nullptr;
  values_ = 0;
  std::vector<PayloadValue> values;
  for (const PayloadBlock& block : blocks)
    if (block.is_payload()) decode_payload(block, values);
  return values;
}

std::vector<PayloadValue> PayloadDecoder::decode_element(const PayloadBlocks& blocks,
                                                         std::uint64_t schema, std::uint64_t base,
                                                         std::uint64_t& end) {
  blocks_ = &blocks;
  flexible_ = blocks.size() > 1 ? &blocks[1] : nullptr;
  values_ = 0;
  std::vector<PayloadValue> values;
  end = base;
  if (const PayloadSchema* known = schemas_.schema(types_.serial, types_.domain, schema)) {
    end = decode_schema(*known, known->layout, bytes_of(blocks[0]), base, values, 0);
    return values;
  }
  values.push_back(decode_one(bytes_of(blocks[0]), schema, base, end, 0));
  return values;
}

}  // namespace prof::ingest
