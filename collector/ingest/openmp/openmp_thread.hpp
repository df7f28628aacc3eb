// Pairs the begins and ends that an OpenMP thread reports, as nsys does: what a task does is cut
// where the thread goes on with another task.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "collector/ingest/openmp/openmp_span.hpp"

namespace prof::ingest {

class OpenMpThread {
 public:
  // `write` gets each span when it ends. A span of kImplicit or kTaskSwitch is time in which the
  // thread did that task.
  // `end_of` returns when a region ended, ns; nothing if it has not. It is asked for regions of
  // which the thread has done its part (kPartDone).
  OpenMpThread(std::function<void(const OpenMpSpan&)> write,
               std::function<std::optional<std::int64_t>(std::uint64_t parallel)> end_of)
      : write_(std::move(write)), end_of_(std::move(end_of)) {}

  // Times are those of the records in ns.
  void begin(const wire::OpenMpBeginRecord& record, std::int64_t time);
  void end(const wire::OpenMpEndRecord& record, std::int64_t time);
  // Ends what the thread has not ended: it lasts until `time`.
  void finish(std::int64_t time);

 private:
  using Event = wire::OpenMpEvent;

  struct Task {
    OpenMpSpan span;          // its current time on the thread
    std::uint64_t outer = 0;  // the task that the thread did when this one, an implicit one, began
    std::vector<OpenMpSpan> open;
    bool is_suspended = false;
    // The thread has done its part, and waits for the end of the region.
    bool is_done = false;
  };

  static OpenMpSpan span_of(const wire::OpenMpBeginRecord& record, std::int64_t time);
  void write(OpenMpSpan span, std::int64_t end);
  void write_task(const Task& task, std::int64_t end);
  void begin_task(Event event, std::uint64_t task, std::uint64_t parallel, std::int64_t time);
  void end_region(std::uint64_t parallel, std::int64_t time);
  void end_task(std::uint64_t task, std::int64_t time);
  void finish_part(std::uint64_t task, std::int64_t time);
  void end_done_part(std::int64_t time);
  void end_construct(Event event, std::uint32_t kind, std::int64_t time);
  void acquire(std::uint32_t kind, std::uint64_t mutex, std::int64_t time);
  void release(std::uint32_t kind, std::uint64_t mutex, std::int64_t time);
  void switch_to(std::uint64_t task, bool goes_on, std::int64_t time);

  std::function<void(const OpenMpSpan&)> write_;
  std::function<std::optional<std::int64_t>(std::uint64_t parallel)> end_of_;
  std::vector<OpenMpSpan> regions_;  // that the thread began
  // The tasks that the thread has begun, and 0: what it does outside of tasks.
  std::map<std::uint64_t, Task> tasks_{{0, {}}};
  std::uint64_t current_ = 0;
  std::vector<OpenMpSpan> held_;  // critical regions
  OpenMpSpan wait_;               // for a mutex
  bool waits_ = false;
};

}  // namespace prof::ingest
