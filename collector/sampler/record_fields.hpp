// Reads fields of perf's records.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "collector/sampler/perf_event.hpp"
#include "common/base/take.hpp"

namespace prof::sampler {

using base::take;

// Takes the RecordIds from the end of a record that is not a sample.
inline bool take_ids(std::span<const std::byte>& body, RecordIds& ids) {
  if (body.size() < sizeof ids) return false;
  std::memcpy(&ids, body.data() + body.size() - sizeof ids, sizeof ids);
  body = body.first(body.size() - sizeof ids);
  return true;
}

// The fields of a fork or exit record.
struct TaskFields {
  std::uint32_t pid, ppid, tid, ptid;
  std::uint64_t time;
};

}  // namespace prof::sampler
