// Finds the entries of a schema in the bytes of a payload. Nothing is trusted: neither the schema
// nor the bytes, which can be shorter than the schema says. Allocates no memory.
#pragma once

#include <cstring>

#include "common/wire/nvtx_payloads/payload_types.hpp"

namespace prof::nvtx_payloads {

// Bytes of a program that were copied from `address` to `data`.
struct Bytes {
  const unsigned char* data;
  std::uint64_t size;
  std::uint64_t address;
};

// An entry in a payload. For a pointer or an offset, `elements` and `element_size` describe its
// target.
struct Field {
  std::uint32_t index;
  const Entry* entry;
  TypeInfo type;
  std::uint64_t offset;
  std::uint64_t size;  // in the payload
  std::uint64_t element_size;
  std::uint64_t elements;  // kUntilZero: until the first element of zeros
  bool is_array;
};
inline constexpr std::uint64_t kUntilZero = ~std::uint64_t{0};
inline constexpr std::uint64_t kAddressSize = 8;
inline constexpr std::uint32_t kLengthEntries = 64;  // only these can have the lengths of others

constexpr bool is_signed(std::uint64_t type) {
  return type == kChar || type == kShort || type == kInt || type == kLong || type == kLongLong ||
         type == kInt8 || type == kInt16 || type == kInt32 || type == kInt64;
}

// Returns the integer at `at`. A negative integer counts as 0, because lengths are integers.
inline std::uint64_t length_at(const unsigned char* at, std::uint64_t size, bool with_sign) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, min_of(size, sizeof value));
  if (with_sign && size <= sizeof value && size > 0 && (value >> (8 * size - 1) & 1) != 0) return 0;
  return value;
}

// Returns the number of elements before the first element that is all zeros.
inline std::uint64_t count_until_zero(const unsigned char* at, std::uint64_t bytes,
                                      std::uint64_t element) {
  if (element == 0) return 0;
  for (std::uint64_t count = 0; (count + 1) * element <= bytes; ++count) {
    std::uint64_t i = 0;
    while (i < element && at[count * element + i] == 0) ++i;
    if (i == element) return count;
  }
  return bytes / element;
}

// Returns the type of an entry. `Types` has TypeInfo find(std::uint64_t id) for the types that were
// registered in the domain.
template <class Types>
TypeInfo type_info(std::uint64_t type, const Types& types) {
  if (is_registered(type)) return types.find(type);
  const std::uint64_t size = size_of(type);
  return {size, size, nullptr};
}

inline std::uint64_t alignment_of(const Schema& schema, const Entry& entry, const TypeInfo& type) {
  const std::uint64_t align =
      is_pointer(entry) || is_offset(entry) ? kAddressSize : (type.align == 0 ? 1 : type.align);
  return schema.alignment == 0 ? align : min_of(align, schema.alignment);
}

// Returns the number of elements if it is fixed; 0 if the length depends on the data.
inline std::uint64_t fixed_elements(const Entry& entry) {
  const std::uint64_t array = entry.flags & kArrayMask;
  if (array == kFixedArray) return entry.detail;
  if (array != 0) return 0;
  return text_unit(entry.type) != 0 ? entry.detail : 1;
}

constexpr bool is_union(const Schema& schema) {
  return schema.type == kUnion || schema.type == kUnionWithSelector;
}

// Computes size and alignment of a schema whose entries are known. `static_size` is the size that
// the client declared, or 0.
template <class Types>
void measure(Schema& schema, std::uint64_t static_size, const Types& types) {
  std::uint64_t cursor = 0;
  std::uint64_t end = 0;
  bool fixed = schema.type != kDynamicSchema;
  schema.own_align = 1;
  for (std::uint32_t i = 0; i < schema.entry_count; ++i) {
    const Entry& entry = schema.entries[i];
    const TypeInfo type = type_info(entry.type, types);
    const std::uint64_t align = alignment_of(schema, entry, type);
    if (align > schema.own_align) schema.own_align = align;
    if (is_union(schema)) cursor = 0;
    const bool placed = i == 0 || entry.offset != 0;
    const std::uint64_t at = placed ? entry.offset : align_up(cursor, align);
    const bool refers = is_pointer(entry) || is_offset(entry);
    const std::uint64_t elements = refers ? 1 : fixed_elements(entry);
    const std::uint64_t size = refers ? kAddressSize : type.size;
    if (elements == 0 || size == 0) fixed = false;
    if (size != 0 && elements > (std::uint64_t{1} << 32) / size) fixed = false;
    cursor = at + (fixed ? elements * size : 0);
    if (cursor > end) end = cursor;
  }
  if (static_size != 0 && schema.type != kDynamicSchema)
    schema.size = static_size;
  else
    schema.size = fixed ? align_up(end, schema.own_align) : 0;
}

// The numbers in the entries that a walk has passed. They are lengths and selectors of unions.
template <class Types>
class Numbers {
 public:
  Numbers(const Schema& schema, const Bytes& bytes, const Types& types)
      : schema_(schema), bytes_(bytes), types_(types) {}

  void add(const Field& field) {
    if (field.index >= kLengthEntries) return;
    places_[field.index] = {static_cast<std::uint32_t>(field.offset),
                            static_cast<std::uint32_t>(field.size)};
    count_ = field.index + 1;
  }

  // Returns the number in the entry, or the product of an array's numbers; 0 if it has none.
  std::uint64_t at(std::uint64_t index) const {
    if (index >= count_) return 0;
    const Entry& entry = schema_.entries[index];
    const TypeInfo type = type_info(entry.type, types_);
    const EntryExtent place = places_[index];
    if (type.size == 0 || type.size > 8 || type.schema != nullptr || place.size < type.size)
      return 0;
    std::uint64_t product = 1;
    for (std::uint64_t offset = 0; offset + type.size <= place.size; offset += type.size) {
      const std::uint64_t one =
          length_at(bytes_.data + place.offset + offset, type.size, is_signed(entry.type));
      if ((entry.flags & kArrayMask) == kZeroTerminated && one == 0) break;
      if (one > 1 && product > kMaximum / one) return kMaximum;
      product *= one;
    }
    return product;
  }

 private:
  static constexpr std::uint64_t kMaximum = ~std::uint64_t{0} - 1;
  struct EntryExtent {
    std::uint32_t offset, size;
  };
  const Schema& schema_;
  const Bytes& bytes_;
  const Types& types_;
  EntryExtent places_[kLengthEntries];
  std::uint32_t count_ = 0;
};

// Returns the member that a union's selector selects: the member with this number, or the member at
// this position if the members have no numbers. Returns entry_count if there is none.
inline std::uint32_t selected_member(const Schema& schema, std::uint64_t selector) {
  bool numbered = false;
  for (std::uint32_t i = 0; i < schema.entry_count; ++i) {
    if (schema.entries[i].type == kUnionSelector) continue;
    if (schema.entries[i].detail != 0) numbered = true;
    if (numbered && schema.entries[i].detail == selector) return i;
  }
  return numbered || selector > schema.entry_count ? schema.entry_count
                                                   : static_cast<std::uint32_t>(selector);
}

// Calls `visit(field, end, numbers)` for each entry that lies in the bytes, in order, until it
// returns false. `end` is where the entry ends; the visitor corrects it for a nested dynamic
// schema. `base` is where the payload, or the nested one, begins. `payload_length(index)` is the
// length that another payload of the event has. Returns the end of the last entry, or `base` + the
// schema's size if that is fixed.
template <class Types, class PayloadLength, class Visit>
std::uint64_t walk(const Schema& schema, const Bytes& bytes, std::uint64_t base, const Types& types,
                   PayloadLength&& payload_length, Visit&& visit) {
  Numbers<Types> numbers(schema, bytes, types);
  std::uint64_t cursor = base;
  for (std::uint32_t i = 0; i < schema.entry_count; ++i) {
    const Entry& entry = schema.entries[i];
    Field field{};
    field.index = i;
    field.entry = &entry;
    field.type = type_info(entry.type, types);
    if (is_union(schema)) cursor = base;
    const bool placed = i == 0 || entry.offset != 0;
    field.offset = placed ? base + entry.offset
                          : base + align_up(cursor - base, alignment_of(schema, entry, field.type));
    if (field.offset > bytes.size || field.offset < base) break;
    const std::uint64_t rest = bytes.size - field.offset;
    const std::uint64_t array = entry.flags & kArrayMask;
    const bool refers = is_pointer(entry) || is_offset(entry);
    const bool nested_dynamic = field.type.schema != nullptr && field.type.size == 0;
    field.is_array = array != 0 && text_unit(entry.type) == 0;
    field.element_size = field.type.size;
    if (array == kLengthIndex)
      field.elements = numbers.at(entry.detail);
    else if (array == kLengthPayload)
      field.elements = payload_length(entry.detail);
    else if (array == kZeroTerminated)
      field.elements = kUntilZero;
    else
      field.elements = fixed_elements(entry);
    if (refers) {
      if (text_unit(entry.type) != 0 && array == 0 && entry.detail == 0)
        field.elements = kUntilZero;
      field.size = kAddressSize;
    } else if (nested_dynamic) {
      field.size = rest;
    } else if (field.elements == kUntilZero) {
      field.elements = count_until_zero(bytes.data + field.offset, rest, field.element_size);
      field.size = min_of(rest, (field.elements + 1) * field.element_size);
    } else {
      if (field.element_size == 0) break;
      // A length that exceeds the bytes is cut.
      const bool variable = array == kLengthIndex || array == kLengthPayload;
      if (variable) field.elements = min_of(field.elements, rest / field.element_size);
      if (field.elements > rest / field.element_size) break;
      field.size = field.elements * field.element_size;
    }
    if (field.size > rest) break;
    numbers.add(field);
    cursor = field.offset + field.size;
    if (!visit(field, cursor, numbers)) break;
  }
  return schema.size != 0 ? min_of(bytes.size, base + schema.size) : cursor;
}

}  // namespace prof::nvtx_payloads
