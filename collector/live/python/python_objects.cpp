#include "collector/live/python/python_objects.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "common/base/text/printable.hpp"

namespace prof::live {

using python_frames::may_be_object;

// How an object keeps its attributes: in a dictionary (before 3.11), in an array that a word before
// the object points to (3.11 and 3.12), or in an array inside of the object (3.13).
struct PythonObjects::Places {
  std::uint16_t version;
  std::uint32_t frame_slots;  // local variables and the stack of values
  std::uint32_t type_keys;    // the names that all objects of a type share
  bool has_old_keys;          // the layout of the table of names before 3.11
  std::uint32_t values_header;
};

namespace {

constexpr std::uint32_t kType = 8, kTypeName = 24;
// The same for lock and RLock.
constexpr std::uint32_t kSemaphore = 16, kOwner = 24;
constexpr std::uint32_t kMethodSelf = 24;
constexpr std::uint32_t kDictionaryKeys = 32, kDictionaryValues = 40;

constexpr std::uint16_t kPython11 = python_frames::python_version(3, 11);
constexpr std::uint16_t kPython12 = python_frames::python_version(3, 12);
constexpr std::uint16_t kPython13 = python_frames::python_version(3, 13);

constexpr std::uint32_t kMaxFrames = 1024;
constexpr std::size_t kMaxSlots = 256;

}  // namespace

const PythonObjects::Places* PythonObjects::places() const {
  static constexpr Places kPlaces[] = {{python_frames::python_version(3, 9), 360, 864, true, 0},
                                       {python_frames::python_version(3, 10), 352, 872, true, 0},
                                       {kPython11, 72, 872, false, 0},
                                       {kPython12, 72, 880, false, 0},
                                       {kPython13, 72, 880, false, 8}};
  if (objects_.layout().object_type != kType) return nullptr;  // a build without interpreter lock
  const auto* const at = std::ranges::find(kPlaces, objects_.layout().version, &Places::version);
  return at == std::end(kPlaces) ? nullptr : at;
}

std::uint64_t PythonObjects::word(std::uint64_t address) {
  std::uint64_t value = 0;
  if (!may_be_object(address & ~std::uint64_t{7}) || !objects_.memory().read(address, value))
    return 0;
  return value;
}

std::vector<std::uint64_t> PythonObjects::frames(std::uint64_t state) {
  std::vector<std::uint64_t> found;
  python_frames::walk_python_stack(
      objects_.memory(), objects_.layout(), objects_.address().code_type, state, kMaxFrames,
      [&](const python_frames::PythonFrame&, std::uint64_t frame) { found.push_back(frame); });
  return found;
}

// Returns how many slots the frame has. Beyond them is what is left of frames of functions that
// have returned.
std::size_t PythonObjects::slot_count(std::uint64_t frame) {
  const std::uint64_t code = word(frame + objects_.layout().frame_code) & ~std::uint64_t{7};
  if (!may_be_object(code)) return 0;
  const auto number = [&](std::uint64_t offset) {
    std::int32_t value = 0;
    objects_.memory().read(code + offset, value);
    return static_cast<std::size_t>(std::clamp<std::int32_t>(value, 0, kMaxSlots));
  };
  const std::uint64_t first_line = objects_.layout().code_first_line;
  // The size of the stack of values is before the first line, and the number of variables after it.
  if (!places()->has_old_keys)
    return std::min(kMaxSlots, number(first_line - 4) + number(first_line + 4));
  constexpr std::uint64_t kVariables = 28, kStack = 32, kFree = 80, kCells = 88, kTupleSize = 16;
  std::size_t count = number(kVariables) + number(kStack);
  for (const std::uint64_t names : {kFree, kCells})
    count += std::min<std::size_t>(kMaxSlots, word(word(code + names) + kTupleSize));
  return std::min(kMaxSlots, count);
}

std::vector<std::uint64_t> PythonObjects::slots(std::uint64_t frame) {
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0, count = slot_count(frame); i < count; ++i)
    if (const std::uint64_t object = word(frame + places()->frame_slots + 8 * i);
        may_be_object(object))
      found.push_back(object);
  return found;
}

std::string PythonObjects::type_name(std::uint64_t object) {
  std::array<char, 32> text{};
  const std::uint64_t at = word(word(object + kType) + kTypeName);
  // A shorter text may end before memory that cannot be read, but types of Python itself do not.
  if (at == 0 || !objects_.memory().read_bytes(at, std::as_writable_bytes(std::span(text))))
    return "";
  return {text.data(), strnlen(text.data(), text.size())};
}

std::string PythonObjects::thread_name(const std::vector<std::uint64_t>& frames) {
  if (frames.empty() || !is_known_version()) return "";
  const auto code = objects_.read_code(word(frames.back() + objects_.layout().frame_code));
  if (!code) return "";
  const auto function = objects_.read_text(code->name);
  const auto file = objects_.read_text(code->file);
  if (!function || !file || !function->ends_with("_bootstrap") || !file->ends_with("threading.py"))
    return "";
  const std::uint64_t thread = word(frames.back() + places()->frame_slots);  // self
  const std::uint64_t name = attribute(thread, "_name");
  const auto text = may_be_object(name) ? objects_.read_text(name) : std::nullopt;
  return text ? base::printable(*text) : "";
}

std::optional<PythonObjects::Lock> PythonObjects::lock(std::uint64_t frame,
                                                       std::uint64_t semaphore) {
  if (!is_known_version()) return std::nullopt;
  for (const std::uint64_t slot : slots(frame)) {
    for (const std::uint64_t object : {slot, word(slot + kMethodSelf)}) {
      if (!may_be_object(object) || word(object + kSemaphore) != semaphore) continue;
      const std::string type = type_name(object);
      if (type == "_thread.RLock") return Lock{object, word(object + kOwner)};
      if (type == "_thread.lock") return Lock{object, 0};
    }
  }
  return std::nullopt;
}

std::set<std::uint64_t> PythonObjects::exit_methods(const std::vector<std::uint64_t>& frames,
                                                    std::uint64_t lock) {
  constexpr std::uint64_t kMaxReferences = 1 << 20;
  std::set<std::uint64_t> found;
  for (const std::uint64_t frame : frames) {
    for (const std::uint64_t method : slots(frame)) {
      if (word(method + kMethodSelf) != lock || type_name(method) != "builtin_function_or_method")
        continue;
      // Slots above the top of the stack may point to methods that do not exist any more.
      const std::uint64_t references = word(method);
      if (references == 0 || references > kMaxReferences) continue;
      constexpr std::uint64_t kMethodDefinition = 16;
      std::array<char, 9> name{};
      const std::uint64_t at = word(word(method + kMethodDefinition));
      if (at != 0 && objects_.memory().read_bytes(at, std::as_writable_bytes(std::span(name))) &&
          std::string_view(name.data(), strnlen(name.data(), name.size())) == "__exit__")
        found.insert(method);
    }
  }
  return found;
}

std::uint64_t PythonObjects::attribute(std::uint64_t object, std::string_view name) {
  if (!may_be_object(object)) return 0;
  if (const std::uint64_t values = inline_values(object); values != 0)
    return value_in(word(word(object + kType) + places()->type_keys), values, name);
  return item(dictionary(object), name);
}

std::uint64_t PythonObjects::item(std::uint64_t dictionary, std::string_view name) {
  if (!may_be_object(dictionary) || !is_known_version()) return 0;
  std::uint64_t values = word(dictionary + kDictionaryValues);
  if (values != 0) values += places()->values_header;
  return value_in(word(dictionary + kDictionaryKeys), values, name);
}

// Returns the address of the values of the attributes, or 0 if the object has a dictionary.
std::uint64_t PythonObjects::inline_values(std::uint64_t object) {
  constexpr std::uint64_t kBasicSize = 32, kIsValid = 3;
  switch (objects_.layout().version) {
    case kPython11:
      return word(object - 32);
    case kPython12: {
      const std::uint64_t tagged = word(object - 24);
      return (tagged & 1) != 0 ? tagged + 1 : 0;
    }
    case kPython13: {
      if (word(object - 24) != 0) return 0;
      const std::uint64_t values = object + word(word(object + kType) + kBasicSize);
      std::uint8_t is_valid = 0;
      objects_.memory().read(values + kIsValid, is_valid);
      return is_valid == 1 ? values + places()->values_header : 0;
    }
    default:
      return 0;
  }
}

std::uint64_t PythonObjects::dictionary(std::uint64_t object) {
  constexpr std::uint64_t kOffset = 288;  // tp_dictoffset
  if (!places()->has_old_keys) return word(object - 24);
  const std::uint64_t offset = word(word(object + kType) + kOffset);
  constexpr std::uint64_t kMaxOffset = 4096;
  return offset < kMaxOffset ? word(object + offset) : 0;
}

// Searches a table of names. `values`: 0 if the values are in the table, too.
std::uint64_t PythonObjects::value_in(std::uint64_t keys, std::uint64_t values,
                                      std::string_view name) {
  constexpr std::uint64_t kMaxEntries = 256;  // then an index of the table has one byte
  constexpr std::uint64_t kGeneral = 0;       // the entries have a hash, too
  if (!may_be_object(keys)) return 0;
  const bool is_old = places()->has_old_keys;
  const std::uint64_t sizes = word(keys + 8);
  const std::uint64_t indices =
      is_old ? sizes : std::uint64_t{1} << std::min<std::uint64_t>(sizes >> 8 & 0xff, 16);
  const std::uint64_t count = word(keys + (is_old ? 32 : 24));
  if (indices > kMaxEntries || count > kMaxEntries) return 0;
  const bool has_hash = is_old || (sizes >> 16 & 0xff) == kGeneral;
  const std::uint64_t size = has_hash ? 24 : 16;
  std::uint64_t entry = keys + (is_old ? 40 : 32) + indices;
  for (std::uint64_t i = 0; i < count; ++i, entry += size) {
    const std::uint64_t key = word(entry + size - 16);
    if (!may_be_object(key) || objects_.read_text(key) != name) continue;
    return values != 0 ? word(values + 8 * i) : word(entry + size - 8);
  }
  return 0;
}

}  // namespace prof::live
