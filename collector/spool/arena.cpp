#include "collector/spool/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "injection/wire/records.hpp"

namespace prof::spool {

using base::fail_errno;

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
  // Or a target could shrink the file, and the collector would get SIGBUS.
  fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  auto memory = base::MappedFile::share(fd.get(), bytes);
  if (!memory) return tl::make_unexpected(memory.error());
  Arena arena(std::move(fd), std::move(*memory), max);
  if (const int error = posix_fallocate(arena.fd(), 0, static_cast<off_t>(wire::kArenaHeaderBytes)))
    return fail_errno("not enough memory for the event buffer", error);
  auto* header = new (arena.memory_.data()) wire::ArenaHeader{};
  header->version = wire::kWireVersion;
  header->next_serial = wire::kFirstSerial;
  for (const auto size : {wire::ChunkSize::kSmall, wire::ChunkSize::kLarge})
    if (base::Status backed = arena.back(size, std::min(initial[size], max[size])); !backed)
      return tl::make_unexpected(backed.error());
  header->magic = wire::kArenaMagic;
  return arena;
}

base::Status Arena::back(wire::ChunkSize size, std::uint32_t chunks) {
  const std::size_t bytes = wire::chunk_bytes(size);
  const std::size_t from = wire::pool_offset(size) + backed_[size] * bytes;
  const std::size_t length = (chunks - backed_[size]) * bytes;
  if (length == 0) return {};
  if (const int error =
          posix_fallocate(fd_.get(), static_cast<off_t>(from), static_cast<off_t>(length)))
    return fail_errno("not enough memory for the event buffer", error);
  backed_[size] = chunks;
  // A thread that claims a chunk reads this number with acquire (usable_chunks()).
  wire::pool_of(header(), size).backed.store(chunks, std::memory_order_release);
  return {};
}

bool Arena::grow(wire::ChunkSize size) { return grow_to(size, backed_[size] * 2); }

bool Arena::grow_a_little(wire::ChunkSize size) {
  constexpr std::uint32_t kStep = 512 * 1024;
  return grow_to(size, backed_[size] + kStep / wire::chunk_bytes(size));
}

bool Arena::grow_to(wire::ChunkSize size, std::uint32_t chunks) {
  const std::uint32_t target = std::min(chunks, max_[size]);
  if (target > backed_[size] && back(size, target)) return true;
  max_[size] = backed_[size];
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
  for (const auto size : {wire::ChunkSize::kSmall, wire::ChunkSize::kLarge})
    put_right(wire::pool_of(header, size).backed, backed_[size]);
  return was_wrong;
}

void Arena::close_recording() { header()->closed.store(1, std::memory_order_relaxed); }

}  // namespace prof::spool
