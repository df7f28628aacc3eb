// Finds out which memory can be read, for addresses that come from the program. Where the kernel
// would return EFAULT, prof must not crash.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::core {

inline constexpr std::uintptr_t kCheckedPageBytes = 4096;

// True if the kernel can read the page of this address. Makes one system call.
bool kernel_can_read(std::uintptr_t address);

// True if the range lies where programs have memory.
inline bool is_user_memory(std::uintptr_t begin, std::size_t size) {
  constexpr std::uintptr_t kUserEnd = std::uintptr_t{1} << 56;  // with five-level page tables
  return begin >= kCheckedPageBytes && begin < kUserEnd && size <= kUserEnd - begin;
}

// Checks each page once. In a sandbox, where prof makes no system calls, only addresses that no
// program can have count as unreadable.
class Reader {
 public:
  Reader();

  bool can_read(const void* address, std::size_t size);
  template <class T>
  bool can_read(const T* object) {
    return can_read(object, sizeof *object);
  }
  // True if the text can be read up to its end.
  bool can_read_text(const char* text);

 private:
  bool is_readable_page(std::uintptr_t address);

  static constexpr std::size_t kPages = 16;
  std::uintptr_t known_[kPages]{};  // numbers of pages that can be read
  bool asks_kernel_;
};

}  // namespace prof::core
