// Taking perf's records apart.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "collector/sampler/perf_event.hpp"

namespace prof::sampler {

// Takes a value off the front of a record; false if it is too short.
template <class T>
bool take(std::span<const std::byte>& bytes, T& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return true;
}

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
