// Reads memory of another process while that process runs. Memory is read in blocks that are kept
// until clear(), because each read is a system call and related data often lies in one block.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "common/base/proc_ids.hpp"

namespace prof::python {

class RemoteMemory {
 public:
  explicit RemoteMemory(pid_t pid) : pid_(base::living_thread(pid)) {}
  pid_t pid() const { return pid_; }  // or one of its threads, if the first one has ended

  // The interface that common/wire/python_frames/python_stack.hpp requires.
  template <class T>
  bool read(std::uint64_t address, T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return read_bytes(address, std::as_writable_bytes(std::span(&value, 1)));
  }
  bool read_bytes(std::uint64_t address, std::span<std::byte> into);

  // Reads the present contents instead of a kept block.
  template <class T>
  bool read_afresh(std::uint64_t address, T& value) {
    return copy(address, std::as_writable_bytes(std::span(&value, 1)));
  }

  // Reads several pieces in one system call, one immediately after the other. That takes about as
  // long as reading a single piece.
  struct Piece {
    std::uint64_t address;
    std::span<std::byte> into;
  };
  bool read_at_once(std::span<const Piece> pieces);

  // Reads at this address return these bytes until clear().
  void set_window(std::uint64_t address, std::span<const std::byte> bytes) {
    window_at_ = address;
    window_.assign(bytes.begin(), bytes.end());
  }

  // Numbers of blocks.
  using Places = std::vector<std::uint64_t>;

  // Reads, in one system call, the blocks `places`: those that the caller needed the last time and
  // probably needs again. Then notes in `places` which blocks are used, until the next prefetch()
  // or clear(). `places` lives until then.
  void prefetch(Places& places);

  void clear() {
    blocks_.clear();
    window_.clear();
    noted_ = nullptr;
  }

  // Returns errno of the last read that failed.
  int error() const { return error_; }

 private:
  static constexpr std::size_t kBlockBytes = 1024;
  struct Block {
    bool readable;
    const Places* noted;  // list in which the use of the block is already noted
    std::byte bytes[kBlockBytes];
  };

  bool copy(std::uint64_t address, std::span<std::byte> into);

  pid_t pid_;
  int error_ = 0;
  std::unordered_map<std::uint64_t, Block> blocks_;
  Places* noted_ = nullptr;
  std::uint64_t window_at_ = 0;
  std::vector<std::byte> window_;
};

}  // namespace prof::python
