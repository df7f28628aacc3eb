#include "collector/session/launch/limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace prof::session {

namespace {

constexpr std::uint64_t kLargestDefaultBuffer = std::uint64_t{320} << 20;

// Returns an eighth of the available memory, at most.
std::uint64_t affordable_buffer() {
  const auto pages = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_AVPHYS_PAGES)));
  return std::min(pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 8,
                  kLargestDefaultBuffer);
}

// Returns RLIM_INFINITY if there is no limit.
rlim_t limit_of(__rlimit_resource resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

}  // namespace

bool has_limited_memory() { return limit_of(RLIMIT_AS) != RLIM_INFINITY; }

void raise_limits() {
  // A process tree can be wide. Each process needs a pidfd and, for a moment, a connection.
  rlimit limit{};
  for (const auto resource : {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_DATA}) {
    if (getrlimit(resource, &limit) != 0) continue;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(resource, &limit);
  }
  // setpriority fails without the right to do so. With the same priority, a target with hundreds of
  // busy threads would get nearly all of the CPU and fill the buffer before the collector, which
  // needs little, can run.
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - 10);
}

// The limit of file sizes also applies to the buffer. prof maps all of it; programs map at most an
// eighth of their address space.
spool::ChunkCounts affordable_chunks(std::uint64_t wanted) {
  constexpr std::uint32_t kFewest = 256;
  rlim_t most = limit_of(RLIMIT_FSIZE);
  if (const rlim_t space = limit_of(RLIMIT_AS); wanted == 0 && space != RLIM_INFINITY)
    most = std::min(most, space / 2);
  spool::ChunkCounts chunks = spool::chunks_within(wanted != 0 ? wanted : affordable_buffer());
  if (most >= wire::arena_bytes(chunks.small, chunks.large)) return chunks;
  chunks = spool::chunks_in_file(most, chunks);
  return chunks.small < kFewest ? spool::ChunkCounts{} : chunks;
}

}  // namespace prof::session
