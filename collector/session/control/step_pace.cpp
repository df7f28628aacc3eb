#include "collector/session/control/step_pace.hpp"

#include <algorithm>

namespace prof::session {

namespace {

constexpr auto kWindow = std::chrono::milliseconds(500);
// The time that the request and the preparation of a recording may take.
constexpr double kPreparationSeconds = 1;
constexpr double kNearSeconds = 3;

double seconds(StepPace::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

// The number falls when the program that was ahead has ended.
void StepPace::look(std::uint64_t begun, Clock::time_point now) {
  begun_ = begun;
  if (last_ == Clock::time_point{} && now - begin_ >= kWindow)
    per_second_ = static_cast<double>(begun) / seconds(now - begin_);
  if (last_ != Clock::time_point{} && now - last_ < kWindow && begun >= last_begun_) return;
  if (last_ != Clock::time_point{} && begun >= last_begun_)
    per_second_ =
        std::max(per_second_, static_cast<double>(begun - last_begun_) / seconds(now - last_));
  last_ = now;
  last_begun_ = begun;
}

std::uint64_t StepPace::earliest() const {
  return begun_ + 1 + static_cast<std::uint64_t>(per_second_ * kPreparationSeconds);
}

bool StepPace::is_near(std::uint64_t first) const {
  return first <= begun_ || static_cast<double>(first - begun_) <= 2 + per_second_ * kNearSeconds;
}

}  // namespace prof::session
