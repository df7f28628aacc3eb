#include "collector/ingest/cuda/cuda_events.hpp"

#include <algorithm>
#include <tuple>

namespace prof::ingest {

void CudaEvents::add(std::uint32_t serial, const wire::CudaEventRecord& record) {
  constexpr Op kOps[] = {Op::kCreated, Op::kRecorded, Op::kCaptureBegun, Op::kCaptureEnded};
  static_assert(std::size(kOps) == static_cast<std::size_t>(wire::CudaEventOp::kCount));
  if (record.header.flags >= std::size(kOps)) return;
  add(serial,
      {record.time, record.event, record.context, record.stream, 0, kOps[record.header.flags]});
}

void CudaEvents::add(std::uint32_t serial, const wire::CudaSyncRecord& record) {
  if (record.event == 0) return;
  add(serial, {record.start, record.event, record.context, record.stream, 0, Op::kWaited});
}

void CudaEvents::add(std::uint32_t serial, Step step) {
  Process& process =
      processes_.try_emplace(serial, processes_.get_allocator().resource()).first->second;
  step.number = static_cast<std::uint32_t>(process.steps.size());
  process.steps.push_back(step);
}

CudaEvents::State CudaEvents::at(std::uint32_t serial, std::uint64_t event, std::uint64_t time) {
  const auto process = processes_.find(serial);
  if (process == processes_.end()) return {};
  replay(process->second);
  const auto known = process->second.events.find(event);
  if (known == process->second.events.end()) return {};
  const Moments& moments = known->second;
  const auto later = std::upper_bound(moments.begin(), moments.end(), time,
                                      [](std::uint64_t t, const Moment& m) { return t < m.time; });
  return later == moments.begin() ? State{} : std::prev(later)->state;
}

// Applies the steps of all threads in order of time, once.
void CudaEvents::replay(Process& process) {
  if (process.steps.empty()) return;
  // std::stable_sort would need memory for a copy.
  std::sort(process.steps.begin(), process.steps.end(), [](const Step& a, const Step& b) {
    return std::tie(a.time, a.number) < std::tie(b.time, b.number);
  });
  for (const Step& step : process.steps) apply(process, step);
  process.steps.clear();
  process.steps.shrink_to_fit();
}

void CudaEvents::apply(Process& process, const Step& step) {
  switch (step.op) {
    case Op::kCreated:
      process.captured.erase(step.event);
      process.events[step.event].push_back({step.time, {++process.ids, 0}});
      return;
    case Op::kRecorded:
      return record(process, step);
    case Op::kCaptureBegun:
      process.captures[step.stream] = step.stream;
      return;
    case Op::kCaptureEnded:
      return end_capture(process, step.stream);
    case Op::kWaited: {
      history(process, step.event, step.time);
      // A stream that waits for an event of a capture joins the capture.
      const auto captured = process.captured.find(step.event);
      if (captured != process.captured.end() && step.stream != wire::kNoCudaId)
        process.captures[step.stream] = captured->second;
      return;
    }
  }
}

void CudaEvents::record(Process& process, const Step& step) {
  Moments& moments = history(process, step.event, step.time);
  State state = moments.back().state;
  const auto capture = process.captures.find(step.stream);
  state.in_graph = capture != process.captures.end();
  if (state.in_graph) {
    process.captured[step.event] = capture->second;
  } else {
    process.captured.erase(step.event);
    state.recording = ++process.recordings;
    state.context = step.context;
  }
  moments.push_back({step.time, state});
}

void CudaEvents::end_capture(Process& process, std::uint32_t stream) {
  const auto of_capture = [stream](const auto& entry) { return entry.second == stream; };
  std::erase_if(process.captures, of_capture);
  std::erase_if(process.captured, of_capture);
}

// Returns the history of an event. If its creation was not recorded, the history starts with its
// first use.
CudaEvents::Moments& CudaEvents::history(Process& process, std::uint64_t event,
                                         std::uint64_t time) {
  Moments& moments = process.events[event];
  if (moments.empty()) moments.push_back({time, {++process.ids}});
  return moments;
}

}  // namespace prof::ingest
