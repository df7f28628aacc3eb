#include "exporters/analysis/insight/graphics/frames.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::insight {

namespace {

constexpr std::ptrdiff_t kMedianOf = 19;  // frames
constexpr std::int64_t kMinStutter = 4'000'000;
constexpr double kStutterFactor = 1.2;

bool shows_frame(std::string_view name) {
  return name == "glXSwapBuffers" || name.starts_with("eglSwapBuffers") ||
         name == "vkQueuePresentKHR";
}

bool creates_pipeline(std::string_view name) {
  return name.starts_with("vkCreate") && (name.find("Pipelines") != std::string_view::npos ||
                                          name.find("Shader") != std::string_view::npos);
}

class FrameReader {
 public:
  explicit FrameReader(const report::ReportReader& reader) : reader_(reader), strings_(reader) {}

  base::Result<Frames> read() {
    for (const char* table : {"OPENGL_API", "VULKAN_API"})
      if (const base::Status done = read_calls(table); !done)
        return tl::make_unexpected(done.error());
    for (const char* table : {"OPENGL_WORKLOAD", "VULKAN_WORKLOAD"})
      if (const base::Status done = read_work(table); !done)
        return tl::make_unexpected(done.error());
    for (auto& [process, work] : work_) work = merged(std::move(work));
    for (auto& [thread, creations] : pipelines_) creations = merged(std::move(creations));
    std::ranges::sort(found_.frames, {}, [](const Frame& each) {
      return std::tuple(each.global_tid, each.end, each.present);
    });
    for (auto begin = found_.frames.begin(); begin != found_.frames.end();) {
      const auto end = std::find_if(begin, found_.frames.end(), [&](const Frame& each) {
        return each.global_tid != begin->global_tid;
      });
      complete(begin, end);
      begin = end;
    }
    return std::move(found_);
  }

 private:
  base::Status read_calls(const char* table) {
    if (!reader_.has_table(table)) return {};
    return events::for_each_event(
        reader_, {table, {"globalTid", "nameId"}, {}},
        [&](const events::Times& times, const report::Row& row) {
          const std::int64_t tid = row.integer_or(0, 0);
          const std::int64_t name = row.integer_or(1, events::Strings::kNone);
          const auto [first, is_new] = first_calls_.try_emplace(tid, times.start);
          if (!is_new) first->second = std::min(first->second, times.start);
          const Kind kind = kind_of(name);
          if (kind == Kind::kPipeline) pipelines_[tid].push_back({times.start, times.end});
          if (kind != Kind::kPresent) return;
          Frame& frame = found_.frames.emplace_back();
          frame.present = times.start;
          frame.end = times.end;
          frame.global_tid = tid;
          frame.name = name;
        });
  }

  enum class Kind : std::uint8_t { kOther, kPresent, kPipeline };

  Kind kind_of(std::int64_t name) {
    const auto [known, is_new] = kinds_.try_emplace(name, Kind::kOther);
    if (!is_new) return known->second;
    const std::string_view text = strings_.text(name);
    if (shows_frame(text)) known->second = Kind::kPresent;
    if (creates_pipeline(text)) known->second = Kind::kPipeline;
    return known->second;
  }

  base::Status read_work(const char* table) {
    if (!reader_.has_table(table)) return {};
    found_.has_gpu_times = true;
    return events::for_each_event(
        reader_, {table, {"globalTid"}, {}},
        [&](const events::Times& times, const report::Row& row) {
          work_[events::process_of(row.integer_or(0, 0))].push_back({times.start, times.end});
        });
  }

  // Fills in what the frames of one thread have besides the call that shows them.
  void complete(std::vector<Frame>::iterator begin, std::vector<Frame>::iterator end) {
    const Intervals& work = work_[events::process_of(begin->global_tid)];
    const Intervals& pipelines = pipelines_[begin->global_tid];
    std::int64_t start = first_calls_[begin->global_tid];
    std::int64_t number = 0;
    for (auto each = begin; each != end; ++each) {
      each->start = std::min(start, each->present);
      each->number = ++number;
      each->gpu = covered(work, each->start, each->end);
      each->gpu_in_wait = covered(work, each->present, each->end);
      each->pipelines = covered(pipelines, each->start, each->end);
      start = each->end;
    }
    find_stutters(begin, end);
  }

  const report::ReportReader& reader_;
  events::Strings strings_;
  Frames found_;
  std::map<std::int64_t, Kind> kinds_;                // of calls, by StringIds.id
  std::map<std::int64_t, std::int64_t> first_calls_;  // starts by globalTid
  std::map<std::int64_t, Intervals> work_;            // by process
  std::map<std::int64_t, Intervals> pipelines_;       // calls that create them, by globalTid
};

}  // namespace

void find_stutters(std::vector<Frame>::iterator begin, std::vector<Frame>::iterator end) {
  const std::ptrdiff_t count = end - begin;
  std::array<std::int64_t, kMedianOf> near{};
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::ptrdiff_t length = std::min(kMedianOf, count);
    const std::ptrdiff_t first = std::clamp<std::ptrdiff_t>(i - kMedianOf / 2, 0, count - length);
    for (std::ptrdiff_t k = 0; k < length; ++k)
      near[static_cast<std::size_t>(k)] = (begin + first + k)->duration();
    const auto middle = near.begin() + length / 2;
    std::nth_element(near.begin(), middle, near.begin() + length);
    Frame& frame = *(begin + i);
    frame.median = *middle;
    frame.stutters =
        static_cast<double>(frame.duration()) > kStutterFactor * static_cast<double>(*middle) &&
        frame.duration() > *middle + kMinStutter;
  }
}

base::Result<Frames> read_frames(const report::ReportReader& reader) {
  return FrameReader(reader).read();
}

}  // namespace prof::insight
