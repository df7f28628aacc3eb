// The state of CUDA events over time. A call only has the handle of an event. The report numbers
// events in the order of their creation, and each cudaEventRecord, as CUPTI does, so that a wait
// can be joined with the record that it waits for.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/wire/cuda_records.hpp"

namespace prof::ingest {

class CudaEvents {
 public:
  struct State {
    std::uint32_t id = wire::kNoCudaId;
    // Number of the last record; 0: never recorded; kNoCudaId: not known.
    std::uint32_t recording = wire::kNoCudaId;
    std::uint32_t context = wire::kNoCudaId;  // context of that record
    bool in_graph = false;  // last recorded into a capture, which is not work for the GPU
  };

  explicit CudaEvents(std::pmr::memory_resource* memory) : processes_(memory) {}

  // First pass: adds a step. The threads come in any order. `serial`: of the process image.
  void add(std::uint32_t serial, const wire::CudaEventRecord& record);
  void add(std::uint32_t serial, const wire::CudaSyncRecord& record);

  // Returns the state of the event at `time`. Called after the first pass.
  State at(std::uint32_t serial, std::uint64_t event, std::uint64_t time);

 private:
  enum class Op : std::uint8_t { kCreated, kRecorded, kCaptureBegun, kCaptureEnded, kWaited };
  struct Step {
    std::uint64_t time;
    std::uint64_t event;
    std::uint32_t context;
    std::uint32_t stream;
    std::uint32_t number;  // in the order of the first pass
    Op op;
  };
  struct Moment {
    std::uint64_t time;
    State state;
  };
  using Moments = std::pmr::vector<Moment>;
  struct Process {
    explicit Process(std::pmr::memory_resource* memory)
        : steps(memory), events(memory), captures(memory), captured(memory) {}

    std::pmr::vector<Step> steps;
    // Events by handle; the moments of each are in order of time.
    std::pmr::unordered_map<std::uint64_t, Moments> events;
    std::pmr::map<std::uint32_t, std::uint32_t> captures;  // by stream: the stream that began it
    // By event: the stream whose capture it was recorded in.
    std::pmr::unordered_map<std::uint64_t, std::uint32_t> captured;
    std::uint32_t ids = 0;
    std::uint32_t recordings = 0;
  };

  void add(std::uint32_t serial, Step step);
  static void replay(Process& process);
  static void apply(Process& process, const Step& step);
  static void record(Process& process, const Step& step);
  static void end_capture(Process& process, std::uint32_t stream);
  static Moments& history(Process& process, std::uint64_t event, std::uint64_t time);

  std::pmr::map<std::uint32_t, Process> processes_;
};

}  // namespace prof::ingest
