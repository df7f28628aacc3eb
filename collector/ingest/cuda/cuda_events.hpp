// What a CUDA event stands for at a moment. A handle is all that a call has; the report numbers
// events in the order of their making, and each recording of an event, as CUPTI does, so that a
// wait can be joined with the recording that it waits for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "injection/wire/cuda_records.hpp"

namespace prof::ingest {

class CudaEvents {
 public:
  struct State {
    std::uint32_t id = wire::kNoCudaId;
    std::uint32_t recording = wire::kNoCudaId;  // 0: never recorded; kNoCudaId: not known
    std::uint32_t context = wire::kNoCudaId;    // where it was recorded
    bool in_graph = false;                      // recorded into a capture last: no work for the GPU
  };

  // First pass, of all threads in any order. `serial` is the process image.
  void add(std::uint32_t serial, const wire::CudaEventRecord& record);
  void add(std::uint32_t serial, const wire::CudaSyncRecord& record);

  // Afterwards: the event after all that happened to it up to `time`.
  State at(std::uint32_t serial, std::uint64_t event, std::uint64_t time);

 private:
  enum class Op { kCreated, kRecorded, kCaptureBegun, kCaptureEnded, kWaited };
  struct Step {
    std::uint64_t time;
    Op op;
    std::uint64_t event;
    std::uint32_t context;
    std::uint32_t stream;
  };
  struct Moment {
    std::uint64_t time;
    State state;
  };
  struct Process {
    std::vector<Step> steps;
    std::unordered_map<std::uint64_t, std::vector<Moment>> events;  // in the order of time
    std::map<std::uint32_t, std::uint32_t> captures;  // by stream: the stream that began it
    std::unordered_map<std::uint64_t, std::uint32_t> captured;  // events: into whose capture
    std::uint32_t ids = 0;
    std::uint32_t recordings = 0;
  };

  static void replay(Process& process);
  static void apply(Process& process, const Step& step);
  static void record(Process& process, const Step& step);
  static void end_capture(Process& process, std::uint32_t stream);
  static std::vector<Moment>& history(Process& process, std::uint64_t event, std::uint64_t time);

  std::map<std::uint32_t, Process> processes_;
};

}  // namespace prof::ingest
