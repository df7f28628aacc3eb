#include "injection/nvtx/payloads.hpp"

#include <atomic>
#include <cstring>

#include "common/wire/nvtx_payloads/payload_walk.hpp"
#include "common/wire/nvtx_records.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/nvtx/readable.hpp"
#include "injection/nvtx/schemas.hpp"

namespace prof::nvtx {

namespace {

namespace payloads = nvtx_payloads;
using payloads::Bytes;
using payloads::Field;

constexpr std::size_t kMaxPayloads = 64;             // of an event
constexpr std::size_t kMaxPayloadBytes = 64 * 1024;  // of one payload
constexpr std::size_t kMaxBlockBytes = 16 * 1024;    // of memory that one address points to
constexpr std::size_t kMaxBatchBytes = 4 * 1024 * 1024;
constexpr std::size_t kPieceBytes = 8 * 1024;  // of one record
constexpr unsigned kMaxBlocks = 64;            // of memory, per event
constexpr unsigned kMaxDepth = 6;              // of nested schemas
constexpr std::uint64_t kMaxElements = 64;     // of an array of schemas with addresses

std::atomic<std::uint64_t> g_next_token{1};

struct Copy {
  DomainTypes types;
  std::uint64_t token;
  std::uint64_t time;
  const PayloadData* payloads;
  std::size_t count;
  unsigned blocks;  // blocks of memory until now
};

void put_piece(const Copy& copy, std::uint64_t schema, std::uint8_t flags,
               const unsigned char* data, std::size_t bytes) {
  const auto length = static_cast<std::uint32_t>(bytes);
  const wire::NvtxPayloadRecord record{
      core::header_of<wire::NvtxPayloadRecord>(wire::RecordType::kNvtxPayload, length, flags),
      copy.token, schema, reinterpret_cast<std::uintptr_t>(data)};
  core::append_with_data(record, data, length);
}

// Returns how many bytes were copied.
std::size_t put_bytes(const Copy& copy, std::uint64_t schema, std::uint8_t flags,
                      const void* address, std::size_t size, std::size_t most) {
  if (size > most) {
    size = most;
    flags |= wire::kNvtxPayloadCut;
  }
  const std::size_t readable = readable_bytes(address, size, copy.time);
  if (readable < size) flags |= wire::kNvtxPayloadMissing;
  const auto* data = static_cast<const unsigned char*>(address);
  std::size_t done = 0;
  do {
    const std::size_t bytes = readable - done < kPieceBytes ? readable - done : kPieceBytes;
    put_piece(copy, schema, flags, data + done, bytes);
    flags |= wire::kNvtxPayloadFollows;
    done += bytes;
  } while (done < readable);
  return readable;
}

// Returns the length of a text in bytes, with the zero at its end if there is one.
std::size_t text_bytes(const void* text, std::uint64_t unit, std::uint64_t time) {
  constexpr std::size_t kStep = 256;
  const auto* at = static_cast<const unsigned char*>(text);
  for (std::size_t done = 0; done < kMaxBlockBytes; done += kStep) {
    const std::size_t readable = readable_bytes(at + done, kStep, time);
    const std::uint64_t units = payloads::count_until_zero(at + done, readable, unit);
    if (units < readable / unit) return done + (units + 1) * unit;
    if (readable < kStep) return done + readable;
  }
  return kMaxBlockBytes;
}

// True if the address is in one of the event's payloads, which are copied anyway.
bool is_in_payload(const Copy& copy, std::uint64_t address) {
  for (std::size_t i = 0; i < copy.count; ++i) {
    const auto begin = reinterpret_cast<std::uintptr_t>(copy.payloads[i].payload);
    if (address >= begin && address - begin < copy.payloads[i].size &&
        copy.payloads[i].size <= kMaxPayloadBytes)
      return true;
  }
  return false;
}

void copy_memory(Copy& copy, const payloads::Schema& schema, const Bytes& bytes, std::uint64_t base,
                 unsigned depth);

// Copies the memory to which an entry points.
void copy_target(Copy& copy, const Field& field, std::uint64_t address, unsigned depth) {
  if (address == 0 || is_in_payload(copy, address) || copy.blocks >= kMaxBlocks) return;
  const auto* data = reinterpret_cast<const unsigned char*>(address);
  const std::uint64_t element = field.element_size;
  if (element == 0) return;
  std::uint64_t size;
  if (field.elements == payloads::kUntilZero)
    size = text_bytes(data, element, copy.time);
  else
    size =
        field.elements > kMaxBlockBytes / element ? kMaxBlockBytes + 1 : field.elements * element;
  if (size == 0) return;
  ++copy.blocks;
  const std::size_t copied =
      put_bytes(copy, field.entry->type, wire::kNvtxPayloadMemory, data, size, kMaxBlockBytes);
  if (field.type.schema == nullptr) return;
  const Bytes block{data, copied, address};
  const std::uint64_t elements = payloads::min_of(copied / element, kMaxElements);
  for (std::uint64_t i = 0; i < elements; ++i)
    copy_memory(copy, *field.type.schema, block, i * element, depth + 1);
}

// Copies the memory to which the entries of a payload point.
void copy_memory(Copy& copy, const payloads::Schema& schema, const Bytes& bytes, std::uint64_t base,
                 unsigned depth) {
  if (depth >= kMaxDepth) return;
  const auto length_of_payload = [&](std::uint64_t index) -> std::uint64_t {
    if (index >= copy.count) return 0;
    const PayloadData& payload = copy.payloads[index];
    const std::uint64_t size = payloads::size_of(payload.schema);
    if (size == 0 || size > 8 || payload.size < size ||
        readable_bytes(payload.payload, size, copy.time) < size)
      return 0;
    return payloads::length_at(static_cast<const unsigned char*>(payload.payload), size,
                               payloads::is_signed(payload.schema));
  };
  const auto visit = [&](const Field& field, std::uint64_t& end, const auto& numbers) {
    const payloads::Entry& entry = *field.entry;
    const payloads::Schema* nested = field.type.schema;
    if (payloads::is_pointer(entry)) {
      std::uint64_t address = 0;
      std::memcpy(&address, bytes.data + field.offset, sizeof address);
      if ((entry.flags & payloads::kDeepCopy) != 0 || payloads::text_unit(entry.type) != 0)
        copy_target(copy, field, address, depth);
    } else if (nested != nullptr && !payloads::is_offset(entry)) {
      if (payloads::is_union(*nested)) {
        // Only one member of a union is valid and may be followed.
        const std::uint32_t member = payloads::selected_member(*nested, numbers.at(entry.detail));
        if (nested->type != payloads::kUnion || member >= nested->entry_count) return true;
        payloads::Schema one = *nested;
        one.entries += member;
        one.entry_count = 1;
        copy_memory(copy, one, bytes, field.offset, depth + 1);
      } else if (nested->size == 0) {
        copy_memory(copy, *nested, bytes, field.offset, depth + 1);
        end = bytes.size;  // nothing after it can be found without the collector's full walk
      } else {
        const std::uint64_t elements = payloads::min_of(field.elements, kMaxElements);
        for (std::uint64_t i = 0; i < elements; ++i)
          copy_memory(copy, *nested, bytes, field.offset + i * field.element_size, depth + 1);
      }
    }
    return true;
  };
  payloads::walk(schema, bytes, base, copy.types, length_of_payload, visit);
}

// Returns the size to copy; 0 if the payload is to be ignored.
std::size_t size_of(const PayloadData& payload, const KnownSchema* schema, std::uint64_t time) {
  if (payload.payload == nullptr) return 0;
  const std::uint64_t unit = payloads::text_unit(payload.schema);
  if (payload.size == kUnknownSize) {
    if (unit != 0) return text_bytes(payload.payload, unit, time);
    return schema == nullptr ? 0 : schema->layout.size;
  }
  // The fixed size of a schema replaces a size that is too large.
  if (schema != nullptr && schema->layout.size != 0 && !schema->has_offsets &&
      payload.size > schema->layout.size)
    return schema->layout.size;
  return payload.size;
}

bool is_recorded() { return !core::paused_here() && !core::is_foreign_thread(); }

}  // namespace

std::uint64_t copy_payloads(Domain domain, const PayloadData* payloads, std::size_t count) {
  if (payloads == nullptr || count == 0 || !is_recorded()) return 0;
  if (count > kMaxPayloads) count = kMaxPayloads;
  const std::uint64_t time = core::now();
  if (readable_bytes(payloads, count * sizeof *payloads, time) < count * sizeof *payloads) return 0;
  Copy copy{DomainTypes{domain.id},
            g_next_token.fetch_add(1, std::memory_order_relaxed),
            time,
            payloads,
            count,
            0};
  for (std::size_t i = 0; i < count; ++i) {
    const PayloadData& payload = payloads[i];
    const KnownSchema* schema = copy.types.schema(payload.schema);
    const std::size_t size = size_of(payload, schema, time);
    if (size == 0) {
      // The entries of other payloads rely on its position.
      put_piece(copy, payload.schema, wire::kNvtxPayloadMissing, nullptr, 0);
      continue;
    }
    const std::size_t copied =
        put_bytes(copy, payload.schema, 0, payload.payload, size, kMaxPayloadBytes);
    if (schema == nullptr || !schema->refers_to_memory) continue;
    const Bytes bytes{static_cast<const unsigned char*>(payload.payload), copied,
                      reinterpret_cast<std::uintptr_t>(payload.payload)};
    copy_memory(copy, schema->layout, bytes, 0, 0);
  }
  return copy.token;
}

std::uint64_t copy_blocks(Domain domain, const Block* blocks, std::size_t count) {
  if (!is_recorded()) return 0;
  const Copy copy{DomainTypes{domain.id},
                  g_next_token.fetch_add(1, std::memory_order_relaxed),
                  core::now(),
                  nullptr,
                  0,
                  0};
  for (std::size_t i = 0; i < count; ++i)
    if (blocks[i].address != nullptr)
      put_bytes(copy, blocks[i].schema, 0, blocks[i].address, blocks[i].size, kMaxBatchBytes);
  return copy.token;
}

}  // namespace prof::nvtx
