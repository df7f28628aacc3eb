// The calls of threads: CUDA calls, OS-runtime calls and MPI calls. Calls inside other calls are
// left out, so a thread is in one call or between two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::path {

// What a thread does in a call.
enum class CallRole : std::uint8_t {
  kLaunch,     // launches GPU work: kernels, graphs, copies and fills
  kGpuWait,    // waits for the GPU: synchronizations, synchronous copies, cudaFree
  kCuda,       // other CUDA calls
  kThreadEnd,  // waits until another thread ends: pthread_join
  kChildEnd,   // waits until a child process ends: waitpid
  kWakeup,     // waits for another thread: condition variables, semaphores, locks
  kInput,      // waits for a file, a pipe or a socket
  kStart,      // makes a thread: pthread_create
  kOs,         // other OS-runtime calls
  kMpi,
  kTorch  // collective operations of torch.distributed
};

// True if a thread may wait for another thread or process in the call.
bool waits_for_thread(CallRole role);

// A place in a list: no element has it.
inline constexpr std::uint32_t kNowhere = UINT32_MAX;

class HostCalls {
 public:
  static base::Result<HostCalls> read(const report::ReportReader& reader);

  struct Thread {
    std::int64_t global_tid;
    std::uint32_t first;     // its first call
    std::uint32_t end;       // the call after its last one
    std::uint32_t launches;  // number of its calls that launch GPU work
  };
  struct Name {
    std::string text;
    CallRole role;
    bool is_device_wide;  // a synchronization with all streams
    bool is_copy;         // copies memory; an asynchronous copy of pageable memory waits, too
  };

  std::size_t size() const { return starts_.size(); }
  std::int64_t start(std::uint32_t call) const { return starts_[call]; }
  std::int64_t end(std::uint32_t call) const { return ends_[call]; }
  std::int64_t duration(std::uint32_t call) const { return ends_[call] - starts_[call]; }
  const Name& name(std::uint32_t call) const { return names_[name_numbers_[call]]; }
  CallRole role(std::uint32_t call) const { return name(call).role; }

  // Sorted by globalTid. Each has a call; its calls are sorted by time and do not overlap.
  std::span<const Thread> threads() const { return threads_; }
  std::uint32_t thread_of(std::uint32_t call) const;         // an index into threads()
  std::uint32_t find_thread(std::int64_t global_tid) const;  // or kNowhere
  // Returns the thread's last call that begins before `time`, or kNowhere.
  std::uint32_t last_before(std::uint32_t thread, std::int64_t time) const;

  // Returns the call with this id of a process, or kNowhere. Ids are looked up fastest in ascending
  // order.
  std::uint32_t launching(std::int64_t global_pid, std::int64_t correlation) const;
  // Returns when the call with this id began, or the first one after it that was recorded. Ids grow
  // with time. INT64_MAX: none.
  std::int64_t time_of(std::int64_t global_pid, std::int64_t correlation) const;

 private:
  struct Rows;  // calls as they are read
  struct Id {
    std::int64_t process;  // process_of()
    std::int64_t correlation;
    std::uint32_t call;
  };

  base::Status read_table(const report::ReportReader& reader, const char* table, Rows& rows);
  base::Status read_torch(const report::ReportReader& reader, Rows& rows);
  void keep(const Rows& rows);
  void keep(const Rows& rows, std::int64_t thread, const std::vector<std::uint32_t>& sorted);
  std::size_t place_of(std::int64_t process, std::int64_t correlation) const;

  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> ends_;
  std::vector<std::uint32_t> name_numbers_;
  std::vector<Name> names_;
  std::vector<Thread> threads_;
  std::vector<Id> ids_;  // sorted by process and correlation id
  mutable std::size_t last_place_ = 0;
};

}  // namespace prof::path
