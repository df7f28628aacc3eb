// Memory of another process, read and written from outside.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "common/base/proc_ids.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::ptrace {

class Memory {
 public:
  explicit Memory(pid_t process) : process_(base::living_thread(process)) {}

  // Reads all bytes or none. Works while the process runs: uses process_vm_readv, or /proc/PID/mem
  // where that call is forbidden.
  bool read(std::uint64_t address, std::span<std::byte> into) const;
  template <class T>
  bool read(std::uint64_t address, T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return read(address, std::as_writable_bytes(std::span(&value, 1)));
  }
  // Reads up to a zero byte, or `most` bytes. Empty if the address cannot be read.
  std::string read_text(std::uint64_t address, std::size_t most = 4096) const;

  // Also writes pages that the process itself cannot write, as long as it is traced. A write is not
  // atomic, so nobody may use the bytes meanwhile.
  base::Status write(std::uint64_t address, std::span<const std::byte> bytes) const;
  template <class T>
  base::Status write(std::uint64_t address, const T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return write(address, std::as_bytes(std::span(&value, 1)));
  }

 private:
  const base::UniqueFd& file() const;

  pid_t process_;                // or one of its threads, if the first one has ended
  mutable base::UniqueFd file_;  // /proc/PID/mem, opened when it is needed
};

}  // namespace prof::ptrace
