#include "exporters/ranks/delays/own_times.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "exporters/analysis/insight/iterations.hpp"
#include "exporters/analysis/insight/report_activity.hpp"

namespace prof::ranks {

using insight::Interval;
using insight::Intervals;

namespace {

// The work of a process on its GPUs, but for communication.
struct GpuTimes {
  Intervals kernels;
  Intervals copies;  // while no kernel runs
};

class OwnTimeReader {
 public:
  OwnTimeReader(const insight::ReportActivity& activity, const HostSpans& spans)
      : activity_(activity), spans_(spans) {
    read_work();
    read_steps();
  }

  OwnTimes times_of(const ReportCalls& calls) {
    for (const CallSequence& sequence : calls.sequences) {
      std::vector<CauseTimes>& times = result_.calls.emplace_back();
      for (std::size_t i = 0; i < sequence.calls.size(); ++i)
        times.push_back(i == 0 ? CauseTimes{} : times_before(sequence, i));
    }
    return std::move(result_);
  }

 private:
  void read_work() {
    const insight::GpuWork& work = activity_.work;
    std::map<std::int64_t, std::vector<Interval>> kernels;
    std::map<std::int64_t, std::vector<Interval>> copies;
    for (std::size_t i = 0; i < work.devices().size(); ++i) {
      const insight::Device& device = work.devices()[i];
      ProcessTimes& process = result_.processes[device.global_pid];
      process.device = process.device == -1 ? device.number : -1;
      for (const insight::Operation& each : work.operations_of(i)) {
        if (each.communication) continue;
        const bool is_kernel = each.kind == insight::WorkKind::kKernel;
        const bool computes = is_kernel || each.kind == insight::WorkKind::kGraph;
        (computes ? kernels : copies)[device.global_pid].push_back(each.interval());
        if (!is_kernel) continue;
        KernelSum& sum = kernels_[{device.global_pid, each.name}];
        ++sum.count;
        sum.time += each.duration();
      }
    }
    for (const auto& [key, sum] : kernels_) {
      KernelSum& all = result_.processes[key.first].kernels[work.kernel_name(key.second)];
      all.count += sum.count;
      all.time += sum.time;
    }
    for (auto& [process, any] : kernels) gpus_[process].kernels = insight::merged(std::move(any));
    for (auto& [process, any] : copies)
      gpus_[process].copies =
          insight::difference(insight::merged(std::move(any)), gpus_[process].kernels);
  }

  void read_steps() {
    insight::IterationFinder finder(activity_.work, activity_.ranges);
    for (std::size_t i = 0; i < activity_.work.devices().size(); ++i) {
      auto found = finder.find(i);
      if (!found) continue;
      ProcessTimes& process = result_.processes[activity_.work.devices()[i].global_pid];
      if (!process.steps.empty()) continue;
      process.steps = std::move(found->times);
      process.steps_found_by = found->found_by;
    }
  }

  CauseTimes times_before(const CallSequence& sequence, std::size_t index) const {
    const RankCall& call = sequence.calls[index];
    const RankCall& before = sequence.calls[index - 1];
    CauseTimes times{};
    spans_.visit(call.global_tid, preparation(sequence, index), [&](const HostPiece& piece) {
      times[static_cast<std::size_t>(piece.cause)] += static_cast<float>(piece.time.length());
    });
    const auto gpu = gpus_.find(sequence.global_pid);
    if (gpu == gpus_.end()) return times;
    const auto add = [&](Cause cause, const Intervals& work) {
      times[static_cast<std::size_t>(cause)] =
          static_cast<float>(insight::covered(work, before.start, call.start));
    };
    add(Cause::kKernels, gpu->second.kernels);
    add(Cause::kCopies, gpu->second.copies);
    return times;
  }

  const insight::ReportActivity& activity_;
  const HostSpans& spans_;
  std::map<std::int64_t, GpuTimes> gpus_;                               // by globalPid
  std::map<std::pair<std::int64_t, std::int64_t>, KernelSum> kernels_;  // by globalPid and name
  OwnTimes result_;
};

}  // namespace

Interval preparation(const CallSequence& sequence, std::size_t call) {
  if (call == 0) return {};
  return {sequence.calls[call - 1].call_end, sequence.calls[call].call_start};
}

base::Result<OwnTimes> read_own_times(const report::ReportReader& reader,
                                      const ReportCalls& calls) {
  const auto activity = insight::ReportActivity::read(reader);
  if (!activity) return tl::make_unexpected(activity.error());
  std::set<std::int64_t> callers;
  for (const CallSequence& sequence : calls.sequences)
    for (const RankCall& call : sequence.calls) callers.insert(call.global_tid);
  const auto spans = HostSpans::read(reader, *activity, callers);
  if (!spans) return tl::make_unexpected(spans.error());
  return OwnTimeReader(*activity, *spans).times_of(calls);
}

}  // namespace prof::ranks
