// The files of a flight recorder: the ring of segments with the last seconds, and the recording
// beside the output that says where they are and gets them at the end.
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

  // The first segment. `now`: of the session's clock.
  base::Result<spool::SpoolWriter> begin(std::uint64_t now);

  // Drops what is older than `oldest`, and what there is no memory for, and begins another segment
  // if it is time for one.
  void turn(const SessionContext& session, const spool::ClockTriple& now, std::uint64_t oldest);

  // Is it time for turn(), as the newest segment is full?
  bool is_segment_full(const SpoolRecorder& recorder) const;

  // The files with what is kept now.
  base::Result<spool::FlightFiles> files() const { return folder_->open_files(); }

  // Writes what is kept into the recording beside the output. Then the folder is removed.
  base::Status finish(const spool::SnapshotContent& content);
  const std::string& path() const { return marker_.path(); }
  base::UniqueFd duplicate() const { return marker_.duplicate(); }

  std::uint64_t forgotten_definitions() const { return carry_.forgotten(); }

 private:
  FlightStorage(spool::SpoolWriter marker, spool::FlightFolder folder,
                std::chrono::nanoseconds window, std::uint64_t most_definitions)
      : marker_(std::move(marker)),
        folder_(std::make_unique<spool::FlightFolder>(std::move(folder))),
        window_(window),
        carry_(most_definitions) {}
  void drop(const SessionContext& session, std::uint64_t oldest);

  spool::SpoolWriter marker_;
  std::unique_ptr<spool::FlightFolder> folder_;  // until finish()
  std::chrono::nanoseconds window_;
  spool::Carry carry_;
  bool is_finished_ = false;
  bool has_failed_ = false;
};

}  // namespace prof::session
