#include "common/base/scratch_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <new>
#include <utility>

#include "common/base/machine.hpp"
#include "common/base/unnamed_file.hpp"

namespace prof::base {

ScratchMemory::~ScratchMemory() {
  for (const auto& [memory, extent] : extents_) munmap(memory, extent.bytes);
}

std::size_t ScratchMemory::rounded(std::size_t bytes) {
  if (bytes <= kSmall) return bytes == 0 ? kStep : (bytes + kStep - 1) / kStep * kStep;
  return bytes <= kLarge ? std::bit_ceil(bytes)
                         : (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

std::size_t ScratchMemory::index_of(std::size_t rounded_bytes) {
  if (rounded_bytes <= kSmall) return rounded_bytes / kStep - 1;
  return kSmall / kStep + static_cast<std::size_t>(std::countr_zero(rounded_bytes / kSmall)) - 1;
}

void* ScratchMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  // All sizes are multiples of kStep, and nothing in prof needs a stricter alignment.
  if (alignment > kStep) throw std::bad_alloc();
  const std::size_t size = rounded(bytes);
  if (size > kLarge) return map(size);
  Free*& first = free_[index_of(size)];
  if (first == nullptr) return cut(size);
  return std::exchange(first, first->next);
}

void ScratchMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t) {
  const std::size_t size = rounded(bytes);
  if (size > kLarge) return unmap(memory);
  Free*& first = free_[index_of(size)];
  first = new (memory) Free{first};
}

// Takes a piece from the newest chunk. The rest of the chunk is wasted if the piece does not fit:
// at most kLarge of kChunk.
void* ScratchMemory::cut(std::size_t bytes) {
  if (left_ < bytes) {
    next_ = static_cast<std::byte*>(map(kChunk));
    left_ = kChunk;
  }
  left_ -= bytes;
  return std::exchange(next_, next_ + bytes);
}

void* ScratchMemory::map(std::size_t bytes) {
  if (ordinary_ + bytes > in_memory_)
    if (void* memory = map_file(bytes); memory != nullptr) return memory;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  extents_.emplace(memory, Extent{bytes, -1});
  ordinary_ += bytes;
  return memory;
}

// Returns null if the file does not exist or cannot grow.
void* ScratchMemory::map_file(std::size_t bytes) {
  if (!has_file_ || !grow_file(bytes)) {
    has_file_ = false;
    return nullptr;
  }
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), file_end_);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  extents_.emplace(memory, Extent{bytes, file_end_});
  file_end_ += static_cast<off_t>(bytes);
  in_file_ += bytes;
  return memory;
}

// Allocates the disk space now, because a store to a page without disk space would raise SIGBUS.
// Leaves the larger half of the free space to the report.
bool ScratchMemory::grow_file(std::size_t bytes) {
  if (!file_) file_ = create_unnamed_file(folder_);
  struct statvfs disk {};
  if (!file_ || fstatvfs(file_.get(), &disk) != 0) return false;
  const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  return free >= in_file_ + 2 * bytes &&
         fallocate(file_.get(), 0, file_end_, static_cast<off_t>(bytes)) == 0;
}

void ScratchMemory::unmap(void* memory) {
  const auto found = extents_.find(memory);
  const auto [bytes, place] = found->second;
  extents_.erase(found);
  munmap(memory, bytes);
  if (place < 0) {
    ordinary_ -= bytes;
    return;
  }
  in_file_ -= bytes;
  static_cast<void>(fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, place,
                              static_cast<off_t>(bytes)));
}

}  // namespace prof::base
