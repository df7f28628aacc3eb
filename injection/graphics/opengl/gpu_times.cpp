#include "injection/graphics/opengl/gpu_times.hpp"

#include <atomic>

#include "common/wire/opengl_records.hpp"
#include "injection/graphics/opengl/contexts.hpp"
#include "injection/graphics/opengl/query_functions.hpp"
#include "injection/graphics/opengl/records.hpp"
#include "injection/libraries/recorder.hpp"

namespace prof::opengl {

namespace {

constexpr std::uint32_t kQueryResult = 0x8866;
constexpr std::uint32_t kQueryResultAvailable = 0x8867;
constexpr std::uint32_t kQueryBufferBinding = 0x9193;

constexpr std::uint64_t kMaxClockAge = 20'000'000;  // ns

constinit std::atomic<std::uint32_t> g_correlations{0};

}  // namespace

void GpuTimes::clear() {
  state_ = State::kUnknown;
  added_ = read_ = ends_ = 0;
  is_working_ = false;
  calls_ = open_depth_ = 0;
}

bool GpuTimes::set_up(const Context& context) {
  if (!find_query_functions(context.is_egl, gl_, has_query_buffer_)) return false;
  gl_.gen(kQueries, queries_);
  for (const std::uint32_t query : queries_)
    if (query == 0) return false;
  read_clock();
  return true;
}

bool GpuTimes::is_on(Context& context) {
  if (context.is_making_list) return false;
  if (state_ == State::kUnknown) state_ = set_up(context) ? State::kOn : State::kOff;
  return state_ == State::kOn;
}

void GpuTimes::read_clock() {
  const std::uint64_t before = prof_time();
  std::int64_t now = 0;
  gl_.get_clock(kTimestamp, &now);
  clock_ = before + (prof_time() - before) / 2;
  gpu_clock_ = static_cast<std::uint64_t>(now);
}

bool GpuTimes::has_room(std::uint32_t needed) {
  return added_ - read_ + ends_ + needed <= kQueries;
}

void GpuTimes::add(Mark mark, const Work& work, const Group& group) {
  gl_.counter(queries_[added_ % kQueries], kTimestamp);
  slots_[added_ % kQueries] = {mark, work, group};
  ++added_;
}

std::uint32_t GpuTimes::begin_call(Context& context, Index function) {
  const Kind kind = kFunctions[function].kind;
  const std::uint32_t correlation = g_correlations.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!is_on(context)) return correlation;
  if (is_working_ && (kind == Kind::kBarrier || kind == Kind::kSwap)) {
    work_.last = function;
    work_.last_correlation = correlation;
  }
  if (is_working_ && kind != Kind::kDraw && kind != Kind::kBarrier) end_work();
  if (is_working_ || kind != Kind::kDraw) return correlation;
  if (!has_room(2)) poll(context);
  if (!has_room(2)) return correlation;
  add(Mark::kWorkBegin, {}, {});
  ++ends_;
  is_working_ = true;
  calls_ = 0;
  work_ = {function, function, correlation, correlation};
  return correlation;
}

void GpuTimes::end_work() {
  add(Mark::kWorkEnd, work_, {});
  --ends_;
  is_working_ = false;
}

void GpuTimes::end_call(Context& context, Index function, std::uint32_t correlation) {
  if (state_ != State::kOn || context.is_making_list) return;
  const Kind kind = kFunctions[function].kind;
  if (is_working_ && kind == Kind::kDraw) {
    work_.last = function;
    work_.last_correlation = correlation;
    if (++calls_ == kMaxCalls) end_work();
  }
  if (kind == Kind::kSync || kind == Kind::kSwap) poll(context);
}

bool GpuTimes::begin_group(Context& context, const Group& group) {
  if (!is_on(context) || !has_room(2)) return false;
  add(Mark::kGroupBegin, {}, group);
  ++ends_;
  return true;
}

void GpuTimes::end_group(const Context& context, const Group& group) {
  --ends_;
  if (!context.is_making_list) add(Mark::kGroupEnd, {}, group);
}

void GpuTimes::leave(Context& context) {
  if (state_ != State::kOn || context.is_making_list) return;
  if (is_working_) end_work();
  poll(context);
}

void GpuTimes::poll(const Context& context) {
  if (has_query_buffer_) {
    std::int32_t buffer = 0;
    gl_.get_integer(kQueryBufferBinding, &buffer);
    if (buffer != 0) return;
  }
  std::uint64_t time = 0;
  for (; read_ != added_; ++read_) {
    const std::uint32_t query = queries_[read_ % kQueries];
    std::int32_t is_available = 0;
    gl_.get_state(query, kQueryResultAvailable, &is_available);
    if (is_available == 0) break;
    gl_.get_result(query, kQueryResult, &time);
    read(context, slots_[read_ % kQueries], time);
  }
  // Clocks drift.
  if (time > gpu_clock_ + kMaxClockAge) read_clock();
}

void GpuTimes::read(const Context& context, const Slot& slot, std::uint64_t time) {
  const auto times_from = [&](std::uint64_t start) {
    return wire::OpenGlGpuTimes{start, time, gpu_clock_, clock_};
  };
  switch (slot.mark) {
    case Mark::kWorkBegin:
      work_start_ = time;
      return;
    case Mark::kWorkEnd:
      return write_workload(slot.work.first,
                            {.header = {},
                             .times = times_from(work_start_),
                             .last_function = id_of(static_cast<Index>(slot.work.last)),
                             .context = context.number,
                             .correlation = slot.work.correlation,
                             .last_correlation = slot.work.last_correlation});
    case Mark::kGroupBegin:
      if (open_depth_ < kMaxGroups) open_[open_depth_++] = {time, slot.group.correlation};
      return;
    case Mark::kGroupEnd:
      // Groups that were made part of a display list have no end.
      while (open_depth_ > 0 && open_[open_depth_ - 1].correlation != slot.group.correlation)
        --open_depth_;
      if (open_depth_ == 0) return;
      return write_gpu_group({.header = {},
                              .times = times_from(open_[--open_depth_].start),
                              .text = slot.group.text,
                              .context = context.number,
                              .correlation = slot.group.correlation});
  }
}

}  // namespace prof::opengl
