#include "injection/attach/maps.hpp"

#include <algorithm>

#include "injection/core/syscalls.hpp"

namespace prof::attach {

namespace sys = core::sys;

namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;

std::uintptr_t take_hex(const char*& at) {
  std::uintptr_t value = 0;
  for (;; ++at) {
    const char c = *at;
    if (c >= '0' && c <= '9')
      value = value * 16 + static_cast<std::uintptr_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value * 16 + static_cast<std::uintptr_t>(c - 'a' + 10);
    else
      return value;
  }
}

void* allocate(std::size_t bytes) {
  void* memory =
      sys::mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  return sys::failed(memory) ? nullptr : memory;
}

}  // namespace

Maps::Maps() {
  mappings_ = static_cast<Mapping*>(allocate(kMaximum * sizeof(Mapping)));
  auto* const buffer = static_cast<char*>(allocate(kBufferBytes));
  const int file = sys::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  std::size_t used = 0;
  while (file >= 0 && mappings_ != nullptr && buffer != nullptr) {
    const long got = sys::call(SYS_read, file, sys::pointer(buffer + used),
                               static_cast<long>(kBufferBytes - 1 - used));
    if (got <= 0) break;
    used += static_cast<std::size_t>(got);
    buffer[used] = '\0';
    char* line = buffer;
    for (char* at = buffer; at < buffer + used; ++at) {
      if (*at != '\n') continue;
      add_line(line, at);
      line = at + 1;
    }
    used = static_cast<std::size_t>(buffer + used - line);
    for (std::size_t i = 0; i < used; ++i) buffer[i] = line[i];
    if (used == kBufferBytes - 1) break;  // no line is that long
  }
  if (file >= 0) sys::close(file);
  if (buffer != nullptr) sys::munmap(buffer, kBufferBytes);
}

Maps::~Maps() {
  if (mappings_ != nullptr) sys::munmap(mappings_, kMaximum * sizeof(Mapping));
}

// Parses "begin-end rwxp ...".
void Maps::add_line(const char* line, const char* end) {
  if (end - line < 10 || count_ == kMaximum) return;
  Mapping mapping{};
  mapping.begin = take_hex(line);
  if (*line != '-') return;
  mapping.end = take_hex(++line);
  if (*line != ' ') return;
  mapping.writable = line[2] == 'w';
  mappings_[count_++] = mapping;
}

bool Maps::all_are(std::uintptr_t begin, std::uintptr_t end, bool writable) const {
  const Mapping* at = std::upper_bound(
      mappings_, mappings_ + count_, begin,
      [](std::uintptr_t address, const Mapping& mapping) { return address < mapping.end; });
  while (at != mappings_ + count_ && at->begin <= begin && at->writable == writable) {
    if (at->end >= end) return true;
    begin = at->end;
    ++at;
  }
  return false;
}

bool Maps::is_writable(std::uintptr_t begin, std::uintptr_t end) const {
  return all_are(begin, end, true);
}

bool Maps::is_read_only(std::uintptr_t begin, std::uintptr_t end) const {
  return all_are(begin, end, false);
}

}  // namespace prof::attach
