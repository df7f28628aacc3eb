#include "collector/spool/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "common/wire/records.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace prof::spool {

using base::fail_errno;

namespace {

constexpr std::size_t kPage = 4096;
constexpr wire::ChunkSize kSizes[] = {wire::ChunkSize::kSmall, wire::ChunkSize::kLarge};

// Returns where in the arena the owner of the chunk with this number is.
constexpr std::size_t owner_offset(std::uint32_t chunk) {
  return offsetof(wire::ArenaHeader, owners) + chunk * sizeof(wire::ArenaHeader::owners[0]);
}

void raise(std::atomic<std::uint32_t>& value, std::uint32_t least) {
  std::uint32_t seen = value.load(std::memory_order_relaxed);
  while (seen < least && !value.compare_exchange_weak(seen, least, std::memory_order_release,
                                                      std::memory_order_relaxed)) {
  }
}

}  // namespace

bool threads_can_add_memory() { return madvise(nullptr, 0, MADV_POPULATE_WRITE) == 0; }

ChunkCounts chunks_within(std::uint64_t bytes) {
  constexpr std::uint64_t kMin = 16;
  const auto count = [kMin](std::uint64_t share, wire::ChunkSize size) {
    const std::uint64_t most = wire::kMaxChunks[static_cast<std::size_t>(size)];
    return static_cast<std::uint32_t>(std::clamp(share / wire::chunk_bytes(size), kMin, most));
  };
  ChunkCounts chunks;
  chunks.small = count(bytes / 4, wire::ChunkSize::kSmall);
  const std::uint64_t small =
      std::uint64_t{chunks.small} * wire::chunk_bytes(wire::ChunkSize::kSmall);
  chunks.large = count(bytes > small ? bytes - small : 0, wire::ChunkSize::kLarge);
  return chunks;
}

ChunkCounts chunks_in_file(std::uint64_t bytes, ChunkCounts wanted) {
  const auto fitting = [bytes](wire::ChunkSize size, std::uint32_t most) {
    const std::uint64_t begin = wire::pool_offset(size);
    const std::uint64_t room = bytes > begin ? bytes - begin : 0;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(room / wire::chunk_bytes(size), most));
  };
  return {fitting(wire::ChunkSize::kSmall, wanted.small),
          fitting(wire::ChunkSize::kLarge, wanted.large)};
}

base::Result<Arena> Arena::create(ChunkCounts initial, ChunkCounts max) {
  const std::size_t bytes = wire::arena_bytes(max.small, max.large);
  base::UniqueFd fd(memfd_create("prof-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return fail_errno("cannot create shared memory", errno);
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0)
    return fail_errno("cannot size shared memory", errno);
  // Without the seals a target could shrink the file, and the collector would get SIGBUS.
  fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  auto memory = base::MappedFile::share(fd.get(), bytes);
  if (!memory) return tl::make_unexpected(memory.error());
  Arena arena(std::move(fd), std::move(*memory), max);
  // The owners of chunks without memory do not need memory either.
  base::Status header_backed = arena.allocate(0, owner_offset(0));
  if (header_backed)
    header_backed = arena.allocate(owner_offset(wire::kAllChunks), wire::kArenaHeaderBytes);
  if (!header_backed) return tl::make_unexpected(header_backed.error());
  // Zero is the right value for all other fields.
  wire::ArenaHeader* header = arena.header();
  header->version = wire::kWireVersion;
  header->next_serial = wire::kFirstSerial;
  for (const auto size : kSizes)
    if (base::Status backed = arena.back(size, std::min(initial[size], max[size])); !backed)
      return tl::make_unexpected(backed.error());
  header->magic = wire::kArenaMagic;
  return arena;
}

base::Status Arena::allocate(std::size_t begin, std::size_t end) {
  if (begin == end) return {};
  const int error =
      posix_fallocate(fd_.get(), static_cast<off_t>(begin), static_cast<off_t>(end - begin));
  if (error == 0) return {};
  // A sandbox may refuse the call.
  const bool is_lack = error == ENOSPC || error == ENOMEM;
  const std::size_t page = begin / kPage * kPage;
  if (!is_lack && madvise(memory_.data() + page, end - page, MADV_POPULATE_WRITE) == 0) return {};
  return fail_errno("not enough memory for the event buffer", error);
}

base::Status Arena::back(wire::ChunkSize size, std::uint32_t chunks) {
  const std::uint32_t first = wire::first_chunk(size);
  const auto chunk_offset = [size](std::size_t chunk) {
    return wire::pool_offset(size) + chunk * wire::chunk_bytes(size);
  };
  base::Status done = allocate(owner_offset(first + backed_[size]), owner_offset(first + chunks));
  if (done) done = allocate(chunk_offset(backed_[size]), chunk_offset(chunks));
  if (!done) return done;
  backed_[size] = chunks;
  // A thread that claims a chunk reads this number with acquire (usable_chunks()). Threads may
  // raise it at the same time (add_chunks()).
  raise(wire::pool_of(header(), size).backed, chunks);
  return {};
}

bool Arena::grow(wire::ChunkSize size) { return grow_to(size, backed_[size] * 2); }

bool Arena::grow_a_little(wire::ChunkSize size) {
  constexpr std::uint32_t kStep = 512 * 1024;
  return grow_to(size, backed_[size] + kStep / wire::chunk_bytes(size));
}

bool Arena::grow_to(wire::ChunkSize size, std::uint32_t chunks) {
  const std::uint32_t target = std::min(chunks, limit_[size]);
  if (target > backed_[size] && back(size, target)) return true;
  limit_[size] = backed_[size];
  return false;
}

// Returns false if the header names chunks that cannot exist.
bool Arena::take_added(wire::ChunkSize size) {
  std::atomic<std::uint32_t>& claimed = wire::pool_of(header(), size).backed;
  const std::uint32_t added = claimed.load(std::memory_order_acquire);
  // These chunks already have memory, so allocating it cannot fail, unless a target lies.
  if (added > backed_[size] && added <= max_[size] && back(size, added)) return true;
  if (added == backed_[size]) return true;
  claimed.store(backed_[size], std::memory_order_release);
  return false;
}

bool Arena::repair() {
  wire::ArenaHeader* header = this->header();
  bool was_wrong = false;
  const auto put_right = [&was_wrong](auto& field, auto right) {
    if (field == right) return;
    was_wrong = true;
    field = right;
  };
  put_right(header->magic, wire::kArenaMagic);
  put_right(header->version, std::uint32_t{wire::kWireVersion});
  for (const auto size : kSizes) was_wrong |= !take_added(size);
  return was_wrong;
}

void Arena::close_recording() { header()->closed.store(1, std::memory_order_relaxed); }

}  // namespace prof::spool
