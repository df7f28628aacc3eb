// Records calls that use a descriptor. They are recorded like all others, and with
// --osrt-file-access also with the file and the bytes (descriptors.hpp). Without the option a call
// takes the same path as a call without a descriptor.
#pragma once

#include <stdio.h>

#include "injection/core/record/call.hpp"
#include "injection/osrt/descriptors.hpp"

namespace prof::osrt {

using Operation = wire::FileOperation;

// A call that has returned.
struct FileCall {
  core::Call call;
  std::uint64_t end;
  core::Function function;
  std::int64_t result;

  bool succeeded() const { return result >= 0; }

  // These describe the call: one of them is called, or several if the call uses several files.
  // Without an access the call is recorded like any other.
  void on(std::uint32_t access, Operation operation, std::int64_t bytes = 0) const;
  void also_on(std::uint32_t access, Operation operation, std::int64_t bytes = 0) const;
  void on_no_file() const;

  void reads(int fd, std::int64_t bytes) const { on(access_of(fd), Operation::kRead, bytes); }
  void writes(int fd, std::int64_t bytes) const { on(access_of(fd), Operation::kWrite, bytes); }
  void uses(int fd) const { on(access_of(fd), Operation::kOther); }
  void copies(int in, int out) const;

  // For calls that create and return a descriptor, if they succeeded.
  void opens_path(int directory, const char* path) const;
  void opens_nameless(const char* what) const;
  void opens_unknown() const;
  void opens_socket(int domain, int type) const;
  void opens_copy(int of) const;
  void accepts() const;

  void opens_stream(const FILE* stream, const char* path) const;
  void opens_pipe(const int* ends) const;
  void opens_pair(const int* ends, int domain, int type) const;
  void connects(int fd, const sockaddr* address, socklen_t length) const;
  void binds(int fd) const;
  void controls(int fd, int command) const;  // fcntl
};

inline bool follows_files() {
  return core::has_feature(wire::kFeatureFileAccess) && core::records_calls();
}

// Returns the descriptor, or -1 if the stream has none.
inline int descriptor_of(const FILE* stream) { return stream == nullptr ? -1 : stream->_fileno; }

// Calls `real` and records the call, on a thread that records its calls. `describe` describes the
// call by functions of the FileCall that it gets.
template <class Real, class Describe>
[[gnu::always_inline]] inline auto certainly_recorded_on_file(core::Function function, Real real,
                                                              Describe describe) {
  const core::Call call = core::begin_call();
  const auto result = real();
  const std::uint64_t end = core::now();
  core::leave_call(call);
  if (end - call.start >= core::g_process.file_threshold) {
    const std::int64_t value = core::as_result(result);
    if (core::has_feature(wire::kFeatureFileAccess)) [[unlikely]]
      describe(FileCall{call, end, function, value}, result);
    else
      core::record_call(call, end, function, value);
  } else {
    core::count_short_call(function, call.start, end);
  }
  return result;
}

// Like certainly_recorded_on_file(), on any thread. For wrappers with a gate.
template <class Real, class Describe>
[[gnu::always_inline]] inline auto recorded_on_file(core::Function function, Real real,
                                                    Describe describe) {
  if (!core::records_calls_awake()) return real();
  return certainly_recorded_on_file(function, real, describe);
}

// Like recorded_on_file(), for a call that closes a descriptor. `describe` also gets the access of
// that descriptor. If the call fails and closes nothing, `describe` restores the access.
template <class Real, class Describe>
[[gnu::always_inline]] inline auto recorded_closing(core::Function function, int fd, Real real,
                                                    Describe describe) {
  const std::uint32_t access = follows_files() ? take_access(fd) : 0;
  return recorded_on_file(
      function, real, [&](const FileCall& done, auto result) { describe(done, result, access); });
}

}  // namespace prof::osrt
