#include "exporters/analysis/path/path_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/thread_names.hpp"
#include "exporters/analysis/path/range_pieces.hpp"
#include "exporters/analysis/path/sampled_functions.hpp"

namespace prof::path {

namespace {

std::string in_brackets(SegmentKind kind) { return fmt::format("[{}]", name_of(kind)); }

class PathSums {
 public:
  PathSums(const ExecutionModel& model, PathBy by) : model_(model), by_(by) {}

  base::Status read(const report::ReportReader& reader) {
    const auto take_over = [](auto& place, auto read) -> base::Status {
      if (!read) return tl::make_unexpected(read.error());
      place = std::make_unique<std::decay_t<decltype(*read)>>(*std::move(read));
      return {};
    };
    if (by_ == PathBy::kThread) return take_over(threads_, events::ThreadNames::read(reader));
    if (by_ == PathBy::kRange || by_ == PathBy::kWork)
      return take_over(ranges_, RangePieces::read(reader));
    if (by_ == PathBy::kFunction) return take_over(functions_, SampledFunctions::read(reader));
    return {};
  }

  // `duration` is that of the segment, on any clock. What a drift adds is in the last piece.
  void add(const Segment& segment, std::int64_t duration) {
    std::int64_t rest = segment.duration();
    const auto add_piece = [&](const std::string& name, std::int64_t length) {
      rest -= length;
      const std::int64_t time = rest == 0 ? duration : length;
      add(segment.kind, name.empty() ? in_brackets(segment.kind) : name, time);
      duration -= time;
    };
    const bool is_host_work = segment.kind == SegmentKind::kCpu;
    if (by_ == PathBy::kRange || (by_ == PathBy::kWork && is_host_work)) {
      const auto [thread, moment] = host_time(segment);
      // What a GPU did belongs to the range of its launch.
      if (is_on_gpu(segment.kind))
        return add(segment.kind, ranges_->name_at(thread, moment), duration);
      return ranges_->for_each(thread, segment.start, segment.end, add_piece);
    }
    if (by_ == PathBy::kFunction && !is_on_gpu(segment.kind))
      return functions_->for_each(global_tid(segment), segment.start, segment.end, add_piece);
    add(segment.kind, name_of_segment(segment), duration);
  }

  std::vector<PathSum> take() {
    std::ranges::stable_sort(sums_, [](const PathSum& a, const PathSum& b) {
      return std::pair(-a.time, a.name) < std::pair(-b.time, b.name);
    });
    return std::move(sums_);
  }

 private:
  std::int64_t global_tid(const Segment& segment) const {
    return model_.calls().threads()[segment.thread].global_tid;
  }

  // Returns the thread and the time to which a segment belongs: those of the launch of a GPU
  // operation. The thread is 0 if they are unknown.
  std::pair<std::int64_t, std::int64_t> host_time(const Segment& segment) const {
    if (!is_on_gpu(segment.kind)) return {global_tid(segment), segment.start};
    const std::uint32_t launch =
        segment.item == kNowhere ? kNowhere : model_.launch_of(segment.item);
    if (launch == kNowhere) return {0, 0};
    const HostCalls& calls = model_.calls();
    return {calls.threads()[calls.thread_of(launch)].global_tid, calls.start(launch)};
  }

  std::string name_of_segment(const Segment& segment) const {
    const bool has_operation = segment.kind <= SegmentKind::kGraph;
    const bool has_call = !is_on_gpu(segment.kind) && segment.kind != SegmentKind::kCpu;
    switch (by_) {
      case PathBy::kKind:
        return name_of(segment.kind);
      case PathBy::kKernel:
        return has_operation ? model_.work().name_of(model_.work().at(segment.item))
                             : in_brackets(segment.kind);
      case PathBy::kCall:
        return has_call ? model_.calls().name(segment.item).text : in_brackets(segment.kind);
      case PathBy::kThread:
        return row_name(segment);
      case PathBy::kWork:
        if (has_operation) return model_.work().name_of(model_.work().at(segment.item));
        return has_call ? model_.calls().name(segment.item).text : "";
      default:
        return in_brackets(segment.kind);
    }
  }

  std::string row_name(const Segment& segment) const {
    if (!is_on_gpu(segment.kind)) {
      const std::int64_t id = global_tid(segment);
      const std::string& name = threads_->thread(id);
      return fmt::format("{}{}thread {}", name, name.empty() ? "" : ", ", events::tid_of(id));
    }
    if (segment.item == kNowhere) return in_brackets(segment.kind);
    const auto& stream = model_.streams()[model_.stream_of(segment.item)];
    const insight::Device& device = model_.work().devices()[stream.device];
    return fmt::format("GPU {} stream {}, process {}", device.number, stream.number,
                       events::pid_of(device.global_pid));
  }

  void add(SegmentKind kind, const std::string& name, std::int64_t time) {
    const std::string key =
        by_ == PathBy::kWork ? fmt::format("{}\n{}", static_cast<int>(kind), name) : name;
    const auto [at, is_new] = numbers_.try_emplace(key, sums_.size());
    if (is_new) sums_.push_back({kind, name});
    sums_[at->second].time += time;
    ++sums_[at->second].count;
  }

  const ExecutionModel& model_;
  PathBy by_;
  std::unique_ptr<events::ThreadNames> threads_;
  std::unique_ptr<RangePieces> ranges_;
  std::unique_ptr<SampledFunctions> functions_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<PathSum> sums_;
};

}  // namespace

base::Result<std::vector<PathSum>> sum_path(const report::ReportReader& reader,
                                            const ExecutionModel& model,
                                            const std::vector<Segment>& path, PathBy by,
                                            const std::vector<std::int64_t>& durations) {
  PathSums sums(model, by);
  if (const base::Status read = sums.read(reader); !read) return tl::make_unexpected(read.error());
  for (std::size_t i = 0; i < path.size(); ++i)
    sums.add(path[i], durations.empty() ? path[i].duration() : durations[i]);
  return sums.take();
}

}  // namespace prof::path
