// Taking perf's records apart.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "collector/base/take.hpp"
#include "collector/sampler/perf_event.hpp"

namespace prof::sampler {

using base::take;

// The RecordIds at the end of a record that is no sample, which it takes off.
inline bool take_ids(std::span<const std::byte>& body, RecordIds& ids) {
  if (body.size() < sizeof ids) return false;
  std::memcpy(&ids, body.data() + body.size() - sizeof ids, sizeof ids);
  body = body.first(body.size() - sizeof ids);
  return true;
}

// A fork or exit record.
struct TaskFields {
  std::uint32_t pid, ppid, tid, ptid;
  std::uint64_t time;
};

}  // namespace prof::sampler
