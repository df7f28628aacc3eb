// Memory for data that grows with the length of a recording. Up to a limit it is ordinary memory.
// The rest is in a file without a name, which the kernel can write to disk and drop from memory, so
// a long recording needs disk space instead of memory.
//
// For containers of std::pmr. Only one thread may use it at a time.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory_resource>
#include <string>

#include "common/base/unique_fd.hpp"

namespace prof::base {

class ScratchMemory final : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t kInMemory = std::size_t{48} << 20;

  // `folder` is where the file is created when it is needed. If the file cannot be created, or if
  // it fills half of the disk, further memory is ordinary memory.
  explicit ScratchMemory(std::string folder, std::size_t in_memory = kInMemory)
      : folder_(std::move(folder)), in_memory_(in_memory) {}
  ~ScratchMemory() override;
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

  // Bytes of the file that are in use.
  std::size_t in_file() const { return in_file_; }

 private:
  static constexpr std::size_t kStep = 16;
  static constexpr std::size_t kSmall = 1024;  // up to this: multiples of kStep; then powers of two
  static constexpr std::size_t kLarge = 256 << 10;             // larger ones have a separate extent
  static constexpr std::size_t kChunk = std::size_t{4} << 20;  // smaller pieces are cut from it
  static constexpr std::size_t kSizes = kSmall / kStep + 8;    // number of sizes up to kLarge

  struct Extent {
    std::size_t bytes;
    off_t place;  // in the file; -1: ordinary memory
  };
  struct Free {
    Free* next;
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  static std::size_t rounded(std::size_t bytes);
  static std::size_t index_of(std::size_t rounded_bytes);
  void* cut(std::size_t bytes);
  void* map(std::size_t bytes);
  void* map_file(std::size_t bytes);
  void unmap(void* memory);
  bool grow_file(std::size_t bytes);

  std::string folder_;
  std::size_t in_memory_;
  std::size_t ordinary_ = 0;  // bytes of ordinary memory
  std::size_t in_file_ = 0;
  UniqueFd file_;
  off_t file_end_ = 0;
  bool has_file_ = true;  // as far as known, the file can be created and can grow
  std::map<void*, Extent> extents_;
  std::array<Free*, kSizes> free_{};  // by size
  std::byte* next_ = nullptr;         // unused part of the newest chunk
  std::size_t left_ = 0;
};

}  // namespace prof::base
