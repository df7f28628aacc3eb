// The files of a flight recorder: a ring of segments with the last seconds, and a recording beside
// the output. That recording says where the segments are, and receives their content at the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collector/session/flight/flight_options.hpp"
#include "collector/session/session_context.hpp"
#include "collector/spool/flight/flight_folder.hpp"
#include "collector/spool/flight/snapshot_file.hpp"
#include "collector/spool/session_clock.hpp"

namespace prof::session {

class FlightStorage {
 public:
  // `marker`: the recording beside the output. It is removed if it was not finished.
  static base::Result<FlightStorage> create(spool::SpoolWriter marker,
                                            const FlightOptions& options);
  FlightStorage(FlightStorage&&) = default;
  ~FlightStorage();

  // Begins the first segment. `now`: of the session's clock.
  base::Result<spool::SpoolWriter> begin(std::uint64_t now);

  // Drops segments that are older than `oldest` or do not fit into memory, and begins another
  // segment when it is time for one.
  void turn(const SessionContext& session, const spool::ClockTriple& now, std::uint64_t oldest);

  // True if the newest segment is full, so that turn() is due.
  bool is_segment_full(const SpoolRecorder& recorder) const;

  // Opens the files with what is kept now.
  base::Result<spool::FlightFiles> files() const { return folder_->open_files(); }

  // Writes what is kept into the recording beside the output. Then removes the folder.
  base::Status finish(const spool::SnapshotContent& content);
  const std::string& path() const { return marker_.path(); }
  base::UniqueFd duplicate() const { return marker_.duplicate(); }

  std::uint64_t forgotten_definitions() const { return retained_.forgotten(); }

 private:
  FlightStorage(spool::SpoolWriter marker, spool::FlightFolder folder,
                std::chrono::nanoseconds window, std::uint64_t most_definitions)
      : marker_(std::move(marker)),
        folder_(std::make_unique<spool::FlightFolder>(std::move(folder))),
        window_(window),
        retained_(most_definitions) {}
  void drop(const SessionContext& session, std::uint64_t oldest);

  spool::SpoolWriter marker_;
  std::unique_ptr<spool::FlightFolder> folder_;  // until finish()
  std::chrono::nanoseconds window_;
  spool::RetainedState retained_;
  bool is_finished_ = false;
  bool has_failed_ = false;
};

}  // namespace prof::session
