#include "collector/session/launch/limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace prof::session {

namespace {

constexpr std::uint64_t kLargestDefaultBuffer = std::uint64_t{320} << 20;

// Keeps the buffer below an eighth of what the machine has to give.
std::uint64_t affordable_buffer() {
  const auto pages = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_AVPHYS_PAGES)));
  return std::min(pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 8,
                  kLargestDefaultBuffer);
}

}  // namespace

void raise_limits() {
  // A process tree can be wide: one pidfd and, for a moment, one connection each.
  rlimit limit{};
  for (const auto resource : {RLIMIT_NOFILE, RLIMIT_FSIZE}) {
    if (getrlimit(resource, &limit) != 0) continue;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(resource, &limit);
  }
  // Where we may: a target with hundreds of busy threads would otherwise leave us, who need little
  // but need it now, one share in hundreds, and fill the buffer meanwhile.
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - 10);
}

// The buffer counts as a file for a limit of file sizes.
spool::ChunkCounts affordable_chunks(std::uint64_t wanted) {
  constexpr std::uint32_t kFewest = 256;
  rlimit file{};
  const bool limited = getrlimit(RLIMIT_FSIZE, &file) == 0 && file.rlim_cur != RLIM_INFINITY;
  spool::ChunkCounts chunks = spool::chunks_within(wanted != 0 ? wanted : affordable_buffer());
  if (!limited || file.rlim_cur >= wire::arena_bytes(chunks.small, chunks.large)) return chunks;
  chunks = spool::chunks_in_file(file.rlim_cur, chunks);
  return chunks.small < kFewest ? spool::ChunkCounts{} : chunks;
}

}  // namespace prof::session
