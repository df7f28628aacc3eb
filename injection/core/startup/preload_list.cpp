#include "injection/core/startup/preload_list.hpp"

#include <cstring>

#include "common/wire/preload/program_file.hpp"
#include "injection/core/process_state.hpp"

namespace prof::core {

namespace {

constexpr std::size_t kCompanionBytes = 32;  // maximum by which its file name is longer than ours

// Returns the length of our library's path up to the last slash. All of prof's libraries are in
// that folder.
std::size_t folder_length() {
  const char* slash = std::strrchr(g_process.library, '/');
  return slash != nullptr ? static_cast<std::size_t>(slash + 1 - g_process.library) : 0;
}

constexpr char kCompanionBegins[] = "libprof_";
constexpr char kCompanionEnds[] = ".so";

// Appends the path of the preload library of a wire::Library.
void add_companion(Text& text, std::uint32_t library) {
  text.add(g_process.library, folder_length())
      .add(kCompanionBegins)
      .add(wire::kLibraryNames[library])
      .add(kCompanionEnds);
}

bool wants(std::uint32_t library) { return has_feature(wire::library_feature(library)); }

// Matches `text` with the beginning of the entry, and removes it there.
bool take(const char*& entry, std::size_t& length, const char* text, std::size_t bytes) {
  if (length < bytes || std::memcmp(entry, text, bytes) != 0) return false;
  entry += bytes;
  length -= bytes;
  return true;
}

bool is_companion(const char* entry, std::size_t length, std::uint32_t library) {
  const char* const name = wire::kLibraryNames[library];
  return take(entry, length, g_process.library, folder_length()) &&
         take(entry, length, kCompanionBegins, std::strlen(kCompanionBegins)) &&
         take(entry, length, name, std::strlen(name)) &&
         take(entry, length, kCompanionEnds, std::strlen(kCompanionEnds)) && length == 0;
}

bool is_main(const char* entry, std::size_t length) {
  return std::strlen(g_process.library) == length &&
         std::memcmp(g_process.library, entry, length) == 0;
}

bool is_ours(const char* entry, std::size_t length) {
  if (is_main(entry, length)) return true;
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i)
    if (is_companion(entry, length, i)) return true;
  return false;
}

// Calls `visit` with each entry of a list and its length.
template <class Visit>
void for_each_entry(const char* list, Visit visit) {
  while (*list != '\0') {
    const std::size_t length = std::strcspn(list, ": ");
    if (length > 0) visit(list, length);
    list += length;
    list += std::strspn(list, ": ");
  }
}

template <class Is>
bool has_entry(const char* list, Is is) {
  bool found = false;
  for_each_entry(
      list, [&](const char* entry, std::size_t length) { found = found || is(entry, length); });
  return found;
}

// Returns the length of the entries of a list up to the last one that has to come before ours,
// including the separator after it.
std::size_t length_of_first_entries(const char* list) {
  std::size_t first = 0;
  for_each_entry(list, [&](const char* entry, std::size_t length) {
    if (!preload::wants_to_be_first(entry, length)) return;
    first = static_cast<std::size_t>(entry - list) + length;
    if (list[first] != '\0') ++first;
  });
  return first;
}

}  // namespace

bool lists_ours(const char* list) {
  if (!has_entry(list, is_main)) return false;
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i) {
    const auto is_this = [i](const char* entry, std::size_t length) {
      return is_companion(entry, length, i);
    };
    if (wants(i) && !has_entry(list, is_this)) return false;
  }
  return true;
}

void add_preload(Text& text, const char* others) {
  if (others != nullptr) {
    const std::size_t first = length_of_first_entries(others);
    text.add(others, first);
    if (first != 0 && others[first] == '\0' && others[first - 1] != ':') text.add(":");
    others += first;
  }
  text.add(g_process.library);
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i)
    if (wants(i)) add_companion(text.add(":"), i);
  if (others != nullptr && *others != '\0') text.add(":").add(others);
}

std::size_t most_preload_bytes() {
  return (1 + wire::kLibraries) * (std::strlen(g_process.library) + kCompanionBytes);
}

bool lists_any_of_ours(const char* list) { return has_entry(list, is_ours); }

bool add_without_ours(Text& text, const char* list) {
  bool any = false;
  for_each_entry(list, [&](const char* entry, std::size_t length) {
    if (is_ours(entry, length)) return;
    text.add(any ? ":" : "").add(entry, length);
    any = true;
  });
  return any;
}

void remove_ours(char* list) {
  char* end = list;
  for_each_entry(list, [&](const char* entry, std::size_t length) {
    if (is_ours(entry, length)) return;
    if (end != list) *end++ = ':';
    std::memmove(end, entry, length);
    end += length;
  });
  *end = '\0';
}

}  // namespace prof::core
