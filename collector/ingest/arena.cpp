#include "collector/ingest/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "injection/wire/records.hpp"

namespace prof::ingest {

using base::fail_errno;

base::Result<Arena> Arena::create(std::uint32_t initial, std::uint32_t max) {
  const std::size_t bytes = wire::arena_bytes(max);
  base::UniqueFd fd(memfd_create("prof-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return fail_errno("cannot create shared memory", errno);
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0)
    return fail_errno("cannot size shared memory", errno);
  // A target must not be able to pull the memory from under us.
  fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  auto memory = base::MappedFile::share(fd.get(), bytes);
  if (!memory) return tl::make_unexpected(memory.error());
  Arena arena(std::move(fd), std::move(*memory), max);
  if (const int error = posix_fallocate(arena.fd(), 0, static_cast<off_t>(wire::kArenaHeaderBytes)))
    return fail_errno("not enough memory for the event buffer", error);
  auto* header = new (arena.memory_.data()) wire::ArenaHeader{};
  header->version = wire::kWireVersion;
  header->max_chunks = max;
  if (base::Status backed = arena.back(std::min(initial, max)); !backed)
    return tl::make_unexpected(backed.error());
  header->magic = wire::kArenaMagic;
  return arena;
}

base::Status Arena::back(std::uint32_t chunks) {
  const auto from = static_cast<off_t>(wire::arena_bytes(backed_));
  const auto to = static_cast<off_t>(wire::arena_bytes(chunks));
  if (const int error = posix_fallocate(fd_.get(), from, to - from))
    return fail_errno("not enough memory for the event buffer", error);
  backed_ = chunks;
  // Pairs with the acquire load of a claiming thread.
  header()->backed_chunks.store(chunks, std::memory_order_release);
  return {};
}

bool Arena::grow() {
  const std::uint32_t target = std::min(backed_ * 2, max_);
  return target > backed_ && back(target).has_value();
}

bool Arena::repair() {
  wire::ArenaHeader* header = this->header();
  if (header->magic == wire::kArenaMagic && header->version == wire::kWireVersion &&
      header->max_chunks == max_ && header->backed_chunks.load() == backed_)
    return false;
  header->magic = wire::kArenaMagic;
  header->version = wire::kWireVersion;
  header->max_chunks = max_;
  header->backed_chunks.store(backed_, std::memory_order_release);
  return true;
}

void Arena::close_recording() { header()->closed.store(1, std::memory_order_relaxed); }

}  // namespace prof::ingest
