#include "collector/metrics/polling_thread.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace prof::metrics {

PollingThread::~PollingThread() { stop(); }

void PollingThread::add(std::unique_ptr<PolledSource> source, std::chrono::nanoseconds period) {
  entries_.push_back({std::move(source), period});
}

base::Status PollingThread::start() try {
  if (!entries_.empty()) thread_ = std::thread([this] { run(); });
  return {};
} catch (const std::system_error& error) {
  return base::fail(std::string("no thread can be started: ") + error.what());
}

void PollingThread::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  stopped_.notify_one();
  thread_.join();
}

void PollingThread::run() {
  std::erase_if(entries_, [this](Entry& each) { return !each.source->open(buffer_); });
  for (Entry& each : entries_) each.due = Clock::now();
  std::unique_lock lock(mutex_);
  while (!stops_ && !entries_.empty()) {
    lock.unlock();
    sample_due(Clock::now());
    lock.lock();
    if (entries_.empty()) return;
    const auto due = std::ranges::min_element(entries_, {}, &Entry::due)->due;
    stopped_.wait_until(lock, due, [this] { return stops_; });
  }
  lock.unlock();
  sample_due(Clock::time_point::max());
}

// A source that takes longer than its period skips samples, because they would be late.
void PollingThread::sample_due(Clock::time_point now) {
  std::erase_if(entries_, [&](Entry& each) {
    if (each.due > now) return false;
    const bool goes_on = each.source->sample(buffer_);
    const auto finished = Clock::now();
    while (each.due <= finished) each.due += each.period;
    return !goes_on;
  });
}

}  // namespace prof::metrics
