// Two made-up GPUs. Each operation reports to the fake CUPTI what a real GPU would do, and notes
// the rows that a report must have for it.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fake_cupti.hpp"

namespace fake {

using Json = nlohmann::json;

inline constexpr std::uint32_t kNone = 0xffffffff;

struct Place {
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
};
inline constexpr Place kFirst{0, 1, 7};
inline constexpr Place kOther{0, 1, 13};
inline constexpr Place kSecond{1, 2, 7};
inline constexpr Place kGreen{0, 3, 17};  // a part of context 1

class Gpu {
 public:
  // Announces devices, contexts and streams.
  void set_up();

  // A runtime call, or a driver call outside of runtime calls. `inside` runs within it.
  template <class Inside>
  std::uint32_t runtime(CUpti_CallbackId id, Inside inside, int result = 0,
                        const Arguments& arguments = {}) {
    return call(CUPTI_CB_DOMAIN_RUNTIME_API, id, inside, result, arguments);
  }
  template <class Inside>
  std::uint32_t driver(CUpti_CallbackId id, Inside inside, int result = 0) {
    return call(CUPTI_CB_DOMAIN_DRIVER_API, id, inside, result, {});
  }
  // A runtime call, and the driver call that it makes.
  template <class Inside>
  std::uint32_t runtime_over_driver(CUpti_CallbackId id, CUpti_CallbackId below, Inside inside,
                                    const Arguments& arguments = {}) {
    const auto nest = [&](std::uint32_t correlation) {
      const ApiCall nested(CUPTI_CB_DOMAIN_DRIVER_API, below, arguments);
      inside(correlation);
    };
    return runtime(id, nest, 0, arguments);
  }

  void launch(const char* name, Place at, std::uint32_t blocks = 4, std::uint32_t threads = 64);
  void launch_by_driver(const char* name, Place at);
  CUpti_ActivityKernel10 kernel(const char* name, Place at, std::uint32_t correlation,
                                std::uint64_t node = 0, std::uint32_t graph = 0);
  void copy(CUpti_ActivityMemcpyKind kind, CUpti_ActivityMemoryKind from,
            CUpti_ActivityMemoryKind to, std::uint64_t bytes, Place at, std::uint64_t batch = 1);
  void copy_between_devices(std::uint64_t bytes);
  void set(std::uint32_t value, std::uint64_t bytes, Place at);
  // Events by number, counted from 1 in the order of their creation.
  std::uint32_t create_event();
  void record_event(std::uint32_t event, Place at, bool into_graph = false);
  void wait_for_event(std::uint32_t event, Place at);
  void make_wait(Place at, std::uint32_t event);
  void wait_for_stream(Place at);
  void query_stream(Place at);
  void wait_for_device(Place at);
  void begin_capture(Place at);
  void end_capture(Place at);
  void allocate(CUpti_ActivityMemoryKind kind, std::uint64_t address, std::uint64_t bytes,
                const char* name);
  void allocate_from_pool(std::uint64_t address, std::uint64_t bytes, Place at);
  void pool(CUpti_ActivityMemoryPoolOperationType operation);
  void graph(int launches, Place at);
  // A host function that a stream waits for. Versions before 13.1 have no record of it.
  void host_function(Place at);
  // The GPU works for a context, then for others of the process.
  void switch_contexts();
  void migrate(CUpti_ActivityUnifiedMemoryCounterKind kind, std::uint64_t value);
  void overhead(CUpti_ActivityOverheadKind kind);

  // All operations so far, by table.
  Json answer() const { return answer_; }
  void expect(const char* table, Json row);

 private:
  template <class Inside>
  std::uint32_t call(CUpti_CallbackDomain domain, CUpti_CallbackId id, Inside inside, int result,
                     const Arguments& arguments) {
    ApiCall call(domain, id, arguments);
    call.result = result;
    inside(call.correlation);
    expect_call(domain, id, call);
    return call.correlation;
  }
  void expect_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const ApiCall& call);
  void expect_sync(std::uint32_t correlation, CUpti_ActivitySynchronizationType type, Place at,
                   std::uint32_t event = kNone);
  // The runtime call on a stream, with the driver's call inside.
  std::uint32_t call_of_stream(CUpti_CallbackId id, CUpti_CallbackId below, Place at);
  void expect_kernel(const CUpti_ActivityKernel10& kernel, const char* table);
  // A host function that is a node of a graph.
  void host_node(std::uint64_t node, std::uint32_t exec, Place at, std::uint32_t correlation);
  void expect_host_function(Place at, std::uint32_t correlation, Json node, Json graph);
  // The GPU works for `ns`, starting now.
  template <class Record>
  void take_time(Record& record, std::uint64_t ns) {
    record.start = now();
    record.end = record.start + ns;
  }

  struct Event {
    std::uint32_t recording;  // the last one; 0: none
    Place at;
  };
  std::vector<Event> events_;
  std::uint32_t last_recording_ = 0;
  mutable std::mutex lock_;
  Json answer_;
};

template <class Record>
bool put(const Record& made) {
  return record(&made, sizeof made);
}

}  // namespace fake
