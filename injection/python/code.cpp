#include "injection/python/code.hpp"

#include "common/wire/chain_records.hpp"
#include "common/wire/python_frames/python_stack.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/sent_hashes.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/python/own_memory.hpp"

namespace prof::python {

using python_frames::PythonLayout;

namespace {

PROF_SELDOM core::SentHashes<512> g_sent_codes;

constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  return wire::detail::fold(state ^ word, wire::detail::kMix1);
}

std::uint64_t load(std::uint64_t object, std::uint32_t offset) {
  return OwnMemory::load<std::uint64_t>(object + offset);
}

// Returns a hash of the length, the hash (if Python has computed it) and the last bytes. The object
// is padded to whole words.
std::uint64_t fingerprint_text(const PythonLayout& layout, std::uint64_t text) {
  if (!python_frames::may_be_object(text)) return 0;
  const std::uint64_t length = load(text, layout.text_length);
  const std::uint64_t hash = load(text, layout.text_length + 8);
  return mix(mix(text, length), hash ^ load(text, layout.text_ascii + (length & ~7U)));
}

std::uint64_t fingerprint_bytes(const PythonLayout& layout, std::uint64_t bytes) {
  if (!python_frames::may_be_object(bytes)) return 0;
  const std::uint64_t length = load(bytes, layout.bytes_length);
  return mix(mix(bytes, length), load(bytes, layout.bytes_data + (length & ~7U)));
}

std::uint32_t name_offset(const PythonLayout& layout) {
  return layout.code_qualname != 0 ? layout.code_qualname : layout.code_name;
}

std::uint32_t character(std::uint64_t data, std::uint32_t width, std::uint64_t index) {
  switch (width) {
    case 1:
      return OwnMemory::load<std::uint8_t>(data + index);
    case 2:
      return OwnMemory::load<std::uint16_t>(data + 2 * index);
    default:
      return OwnMemory::load<std::uint32_t>(data + 4 * index);
  }
}

std::uint64_t intern_text(const PythonLayout& layout, std::uint64_t text) {
  if (!python_frames::may_be_object(text)) return core::intern("");
  const std::uint64_t length = load(text, layout.text_length);
  const python_frames::PythonTextState state(
      OwnMemory::load<std::uint32_t>(text + layout.text_state));
  if (state.width == 0 || length > wire::kMaxStringBytes) return core::intern("[Unknown]");
  if (state.ascii)
    return core::intern(reinterpret_cast<const char*>(text + layout.text_ascii), length);
  char utf8[1024];  // longer texts are cut
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::size_t put = core::put_utf8(utf8 + bytes, sizeof utf8 - bytes,
                                           character(text + layout.text_other, state.width, i));
    if (put == 0) break;
    bytes += put;
  }
  return core::intern(utf8, bytes);
}

struct Lines {
  const char* table;
  std::size_t bytes;
  std::uint8_t flags;
};

Lines lines_of(const PythonLayout& layout, std::uint64_t code) {
  const std::uint64_t table = load(code, layout.code_lines);
  if (!python_frames::may_be_object(table)) return {"", 0, 0};
  const auto* data = reinterpret_cast<const char*>(table + layout.bytes_data);
  const std::uint64_t length = load(table, layout.bytes_length);
  if (length > wire::kMaxLineTable) return {data, wire::kMaxLineTable, wire::kLinesCut};
  return {data, length, 0};
}

bool send(wire::PythonCodeRecord record, const Lines& lines) {
  const auto bytes = static_cast<std::uint32_t>(lines.bytes);
  record.header =
      core::header_of<wire::PythonCodeRecord>(wire::RecordType::kPythonCode, bytes, lines.flags);
  return core::append_with_data(record, lines.table, bytes);
}

}  // namespace

std::uint64_t fingerprint(const PythonLayout& layout, std::uint64_t code) {
  const auto first_line = OwnMemory::load<std::uint32_t>(code + layout.code_first_line);
  std::uint64_t state = mix(code, first_line);
  state = mix(state, fingerprint_text(layout, load(code, name_offset(layout))));
  state = mix(state, fingerprint_text(layout, load(code, layout.code_file)));
  return mix(state, fingerprint_bytes(layout, load(code, layout.code_lines)));
}

std::uint64_t describe(const PythonLayout& layout, std::uint64_t code) {
  wire::PythonCodeRecord record{};
  record.name = intern_text(layout, load(code, name_offset(layout)));
  record.file = intern_text(layout, load(code, layout.code_file));
  record.first_line = OwnMemory::load<std::uint32_t>(code + layout.code_first_line);
  record.version = layout.version;
  const Lines lines = lines_of(layout, code);
  record.key = mix(mix(mix(record.name, record.file), record.first_line),
                   wire::hash_text(lines.table, lines.bytes));
  if (record.key == 0) record.key = 1;
  if (g_sent_codes.contains(record.key)) return record.key;
  if (!send(record, lines)) return 0;
  g_sent_codes.add(record.key);
  return record.key;
}

void forget_codes() { g_sent_codes.clear(); }

}  // namespace prof::python
