// Finds out from /proc/self/maps which memory of this process can be written.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::attach {

// Reads the file once and answers from what it has read.
class Maps {
 public:
  Maps();
  ~Maps();
  Maps(const Maps&) = delete;
  Maps& operator=(const Maps&) = delete;

  bool is_valid() const { return count_ != 0; }
  // True if all of [begin, end) is mapped and the program can write to all of it.
  bool is_writable(std::uintptr_t begin, std::uintptr_t end) const;
  // True if all of [begin, end) is mapped and the program can write to none of it.
  bool is_read_only(std::uintptr_t begin, std::uintptr_t end) const;

 private:
  struct Mapping {
    std::uintptr_t begin, end;
    bool writable;
  };
  static constexpr std::size_t kMaximum = 65'000;  // the kernel's default limit is 65,530

  void add_line(const char* line, const char* end);
  bool all_are(std::uintptr_t begin, std::uintptr_t end, bool writable) const;

  Mapping* mappings_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace prof::attach
