#include "exporters/mcp/line_reader.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "exporters/mcp/protocol.hpp"

namespace prof::mcp {

namespace {

bool is_request(std::string_view line, const Object& id) {
  const auto own = request_id(line);
  return own && *own == id;
}

}  // namespace

struct LineReader::Lines {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> waiting;
  std::size_t bytes = 0;  // of the lines that wait
  std::string current;    // the line that is answered
  std::stop_source stop;  // of the current line
  bool is_ended = false;

  void add(std::string line) {
    // A client that sends more than is answered waits, and with it what it cancels.
    constexpr std::size_t kMaxBytes = 16'000'000;
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return bytes < kMaxBytes; });
    bytes += line.size();
    waiting.push_back(std::move(line));
    changed.notify_all();
  }

  void end() {
    const std::lock_guard lock(mutex);
    is_ended = true;
    changed.notify_all();
  }

  void cancel(const Object& id) {
    const std::lock_guard lock(mutex);
    if (is_request(current, id)) {
      stop.request_stop();
      return;
    }
    for (std::string& each : waiting)
      if (is_request(each, id)) {
        bytes -= each.size();
        each.clear();
      }
  }
};

LineReader::LineReader(std::istream& input) : lines_(std::make_shared<Lines>()) {
  // The thread can wait for a line forever, so nobody waits for the thread.
  std::thread([lines = lines_, &input] {
    std::string line;
    while (std::getline(input, line))
      if (const auto id = cancelled_id(line))
        lines->cancel(*id);
      else if (!line.empty())
        lines->add(std::move(line));
    lines->end();
  }).detach();
}

LineReader::~LineReader() = default;

std::optional<LineReader::Line> LineReader::next() {
  std::unique_lock lock(lines_->mutex);
  lines_->current.clear();
  while (true) {
    lines_->changed.wait(lock, [&] { return !lines_->waiting.empty() || lines_->is_ended; });
    if (lines_->waiting.empty()) return std::nullopt;
    lines_->current = std::move(lines_->waiting.front());
    lines_->waiting.pop_front();
    lines_->bytes -= lines_->current.size();
    lines_->changed.notify_all();
    if (lines_->current.empty()) continue;  // it was cancelled
    lines_->stop = std::stop_source();
    return Line{lines_->current, lines_->stop.get_token()};
  }
}

}  // namespace prof::mcp
