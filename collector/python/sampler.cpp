#include "collector/python/sampler.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <random>
#include <system_error>
#include <utility>

#include "collector/python/interpreter_search.hpp"
#include "common/base/log.hpp"
#include "common/base/raw_time.hpp"
#include "common/code/unwind/process_maps.hpp"

namespace prof::python {

namespace {

std::int64_t time_of(clockid_t clock) { return static_cast<std::int64_t>(base::clock_ns(clock)); }

// Sleeps until this time of CLOCK_MONOTONIC, or until the thread is to stop.
void sleep_until(std::int64_t time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(time)};
  never.wait_until(lock, stop, until, [] { return false; });
}

// The program reports the interpreter that it has at its start. If it loads a libpython later, prof
// finds that from outside. The first look is after this time; the longer the program runs, the
// rarer are the looks.
constexpr std::int64_t kFirstLook = 50'000'000;
constexpr std::int64_t kLongestRest = 2'000'000'000;

// Returns how many periods a look that takes so long counts for, so that looks take at most a
// fiftieth of a CPU.
std::uint32_t periods_for(std::int64_t look, std::int64_t period) {
  constexpr std::int64_t kRestPerLook = 50;
  constexpr std::int64_t kMaximum = 64;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>((look * kRestPerLook + period - 1) / period, 1, kMaximum));
}

}  // namespace

Sampler::Sampler(const wire::ArenaHeader& arena, const spool::SessionClock& clock,
                 const SamplerOptions& options)
    : arena_(arena), clock_(clock), options_(options) {
  if (!options.is_sparing) start();
}

Sampler::~Sampler() { stop(); }

void Sampler::start() try {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  has_started_ = true;
} catch (const std::system_error& error) {
  base::log_warning("Python samples are not taken: no thread can be started ({})", error.what());
}

void Sampler::add(std::uint32_t serial, std::uint32_t slot, pid_t pid, std::uint32_t parent) {
  const std::lock_guard lock(mutex_);
  Target& target = waiting_[serial];
  target.pid = pid;
  target.slot = slot;
  target.parent = parent;
  target.added = time_of(CLOCK_MONOTONIC);
  target.next_look = target.added + kFirstLook;
}

void Sampler::remove(std::uint32_t serial) {
  const std::lock_guard lock(mutex_);
  waiting_.erase(serial);
  const auto found = targets_.find(serial);
  if (found == targets_.end()) return;
  hand_over(serial, found->second);
  targets_.erase(found);
}

void Sampler::hand_over(std::uint32_t serial, Target& target) {
  if (target.records.empty()) return;
  Piece piece{{serial, 0, target.begin, target.offset, 0}, target.records.take()};
  target.offset += static_cast<std::uint32_t>(piece.bytes.size());
  finished_.push_back(std::move(piece));
}

void Sampler::drain(const Sink& sink) {
  std::vector<Piece> pieces;
  {
    const std::lock_guard lock(mutex_);
    if (find_interpreters() && !has_started_) start();
    for (auto& [serial, target] : targets_) hand_over(serial, target);
    pieces = std::exchange(finished_, {});
  }
  for (const Piece& piece : pieces) sink(piece.header, piece.bytes);
}

Sampler::Outcome Sampler::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  return outcome_;
}

// Takes one sample in each period, at a random moment. With fixed moments, a program that works in
// step with the clock would be sampled at the same point of its work each time.
void Sampler::run(const std::stop_token& stop) {
  const std::int64_t period = 1'000'000'000 / options_.frequency;
  std::minstd_rand random(static_cast<std::uint32_t>(time_of(CLOCK_MONOTONIC)));
  std::uint32_t periods = 1;    // number of periods that the next look counts for
  std::int64_t usual_look = 0;  // CPU time, ns
  for (std::int64_t next = time_of(CLOCK_MONOTONIC); !stop.stop_requested();) {
    std::uniform_int_distribution<std::int64_t> within(0, periods * period - 1);
    sleep_until(next + within(random), stop);
    if (stop.stop_requested()) return;
    const std::lock_guard lock(mutex_);
    const std::int64_t before = time_of(CLOCK_THREAD_CPUTIME_ID);
    sample_all(periods);
    next += periods * period;
    // A single slow look, such as the first one, has little effect on the average.
    usual_look += (time_of(CLOCK_THREAD_CPUTIME_ID) - before - usual_look) / 8;
    if (options_.is_sparing) periods = periods_for(usual_look, period);
    if (const std::int64_t delay = time_of(CLOCK_MONOTONIC) - next; delay > period) {
      outcome_.missed += static_cast<std::uint64_t>(delay / period);
      next += delay / period * period;
    }
  }
}

void Sampler::sample_all(std::uint32_t periods) {
  if (!options_.is_sparing) find_interpreters();
  const bool is_capturing = arena_.capture.load(std::memory_order_relaxed) == wire::kCapturing;
  if (options_.in_ranges && !is_capturing) return;
  for (auto& [serial, target] : targets_) {
    if (target.refused) continue;
    const std::uint64_t time = clock_.now();
    if (target.begin == 0) target.begin = time;
    if (target.interpreter->sample(time, periods, target.records, outcome_.counts)) continue;
    target.refused = true;
    outcome_.refused = target.interpreter->error();
  }
}

// Returns true if an interpreter was found.
bool Sampler::find_interpreters() {
  const std::size_t before = targets_.size();
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const auto next = std::next(at);
    if (find_interpreter(at->second)) {
      addresses_.try_emplace(at->first, at->second.address);
      targets_.insert(waiting_.extract(at));
    }
    at = next;
  }
  return targets_.size() != before;
}

bool Sampler::find_interpreter(Target& target) {
  const wire::ProcessSlot& slot = arena_.slots[target.slot];
  // This acquire pairs with the release store in injection/python/chains.cpp, so the other word is
  // set.
  const std::uint64_t runtime = slot.python_runtime.load(std::memory_order_acquire);
  const bool is_own = target.parent == 0 && target.slot != wire::kSharedSlot;
  if (runtime != 0 && is_own) {
    target.address = {runtime & ~(wire::kPythonVersionMask),
                      slot.python_code_type.load(std::memory_order_relaxed),
                      static_cast<std::uint16_t>(runtime >> wire::kPythonVersionShift)};
  } else if (const auto parent = addresses_.find(target.parent); parent != addresses_.end()) {
    target.address = parent->second;
  } else if (!find_loaded_interpreter(target)) {
    return false;
  }
  target.interpreter = std::make_unique<Interpreter>(target.pid, target.address, clock_);
  return true;
}

bool Sampler::find_loaded_interpreter(Target& target) {
  const std::int64_t now = time_of(CLOCK_MONOTONIC);
  if (now < target.next_look) return false;
  target.next_look = now + std::clamp((now - target.added) / 4, kFirstLook, kLongestRest);
  const auto maps = unwind::read_process_maps(std::to_string(target.pid));
  const auto found = maps ? find_libpython(target.pid, *maps) : std::nullopt;
  if (found) target.address = *found;
  return found.has_value();
}

}  // namespace prof::python
