#include "collector/session/flight/flight_storage.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "common/base/log.hpp"

namespace prof::session {

using base::Status;
using tl::make_unexpected;

namespace {

// A segment has at most this part of the time and of the size, so data is kept too long by at most
// that part.
constexpr unsigned kSegmentsOfTime = 8;
constexpr unsigned kSegmentsOfSize = 16;
// The maximum size of a segment, because folding a larger one takes too long. The number of
// segments is limited, too, because a report opens all files.
constexpr std::uint64_t kLargestSegment = std::uint64_t{32} << 20;
constexpr unsigned kMaxSegments = 512;
// The maximum size of definitions: this part of the limit, and in no case more than
// kMaxDefinitions.
constexpr unsigned kPartOfDefinitions = 4;
constexpr std::uint64_t kMaxDefinitions = std::uint64_t{64} << 20;

}  // namespace

base::Result<FlightStorage> FlightStorage::create(spool::SpoolWriter marker,
                                                  const FlightOptions& options) {
  const std::string path = marker.path();
  auto folder = spool::FlightFolder::create(path, options.bytes);
  if (!folder) {
    unlink(path.c_str());
    return make_unexpected(folder.error());
  }
  const auto window = static_cast<std::uint64_t>(options.window.count());
  if (const Status noted = marker.note(spool::FlightNote{folder->path(), window, 0}); !noted) {
    unlink(path.c_str());
    return make_unexpected(noted.error());
  }
  const std::uint64_t definitions = std::min(folder->limit() / kPartOfDefinitions, kMaxDefinitions);
  return FlightStorage(std::move(marker), std::move(*folder), options.window, definitions);
}

FlightStorage::~FlightStorage() {
  if (folder_ && !is_finished_) unlink(marker_.path().c_str());
}

base::Result<spool::SpoolWriter> FlightStorage::begin(std::uint64_t now) {
  auto first = folder_->add_segment(now);
  if (!first) return first;
  if (const Status written = folder_->write_carry(retained_); !written)
    return make_unexpected(written.error());
  return first;
}

void FlightStorage::drop(const SessionContext& session, std::uint64_t oldest) {
  for (;;) {
    const auto second = folder_->second_begin();
    if (!second || (*second >= oldest && folder_->bytes() <= folder_->limit())) return;
    if (const Status dropped = folder_->drop_oldest(retained_); !dropped) {
      if (!std::exchange(has_failed_, true))
        session.recorder.warn("The flight recorder cannot drop old records: " +
                              dropped.error().message);
      return;
    }
  }
}

bool FlightStorage::is_segment_full(const SpoolRecorder& recorder) const {
  const std::uint64_t limit = folder_->limit();
  return recorder.bytes() >=
         std::max(std::min(limit / kSegmentsOfSize, kLargestSegment), limit / kMaxSegments);
}

void FlightStorage::turn(const SessionContext& session, const spool::ClockTriple& now,
                         std::uint64_t oldest) {
  folder_->set_newest(session.recorder.bytes());
  const auto longest = static_cast<std::uint64_t>(window_.count() / kSegmentsOfTime);
  const bool is_old = now.ticks - folder_->newest_begin() >= session.clock.to_ticks(longest);
  if (is_old || is_segment_full(session.recorder)) {
    auto next = folder_->add_segment(now.ticks);
    if (next) {
      session.recorder.turn(std::move(*next));
      session.recorder.clock(now);
    } else if (!std::exchange(has_failed_, true)) {
      session.recorder.warn("The flight recorder cannot begin a segment: " + next.error().message);
    }
  }
  drop(session, oldest);
}

Status FlightStorage::finish(const spool::SnapshotContent& content) {
  const auto files = folder_->open_files();
  if (!files) return make_unexpected(files.error());
  if (Status written = spool::write_snapshot(marker_, *files, content); !written) return written;
  is_finished_ = true;
  folder_.reset();
  return {};
}

}  // namespace prof::session
