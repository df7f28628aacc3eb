// Writes GPU_CONTEXT_SWITCH_EVENTS: when GPUs begin and end to work for contexts. Each process
// reports only its own contexts, and a process that is killed does not report an end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <vector>

#include "common/report/report_writer.hpp"

namespace prof::ingest {

class ContextSwitches {
 public:
  // A context, and the GPU that it is on.
  struct Context {
    std::optional<std::int64_t> gpu;  // TARGET_INFO_GPU.id
    std::int64_t global_pid;
    std::uint32_t id;
    bool operator==(const Context&) const = default;
  };

  explicit ContextSwitches(std::pmr::memory_resource* memory) : switches_(memory) {}

  // `time`: ns.
  void add(std::uint32_t serial, std::uint32_t context, std::int64_t time, bool begins) {
    switches_.push_back({time, serial, context, begins});
  }

  // Writes the rows of each GPU in the order of their times. An end that is missing, because the
  // process was killed, is the time at which the next context begins; if it comes later than that,
  // it is left out. `context_of`: describes a context of a process image.
  void write(report::ReportWriter& writer,
             const std::function<Context(std::uint32_t serial, std::uint32_t context)>& context_of);

 private:
  struct Switch {
    std::int64_t time;
    std::uint32_t serial;
    std::uint32_t context;
    bool begins;
  };
  std::pmr::vector<Switch> switches_;
};

}  // namespace prof::ingest
