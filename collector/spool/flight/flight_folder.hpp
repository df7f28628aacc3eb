// The place where a flight recorder keeps the last seconds: a private folder in memory (/dev/shm).
// It has a spool for each segment, and one for what is kept of dropped segments (RetainedState). It
// outlives a prof that was killed, so that prof recover finds it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "collector/spool/flight/retained_state.hpp"
#include "collector/spool/spool.hpp"
#include "common/base/held/private_folder.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::spool {

// The files of a folder at one moment, in the order in which they are read.
struct FlightFiles {
  base::UniqueFd retained;
  std::vector<base::UniqueFd> segments;
};

class FlightFolder {
 public:
  // Creates the folder for the recording `marker`, in /dev/shm, or, if there is none, beside
  // `marker`. `bytes` is its maximum size; 0: 512 MiB, or half of the free space if that is less.
  static base::Result<FlightFolder> create(const std::string& marker, std::uint64_t bytes);

  const std::string& path() const { return folder_.path(); }
  std::uint64_t limit() const { return limit_; }

  // Begins a segment at this reading of the session's clock.
  base::Result<SpoolWriter> add_segment(std::uint64_t begin);
  // Sets the present size of the newest segment.
  void set_newest(std::uint64_t bytes) { segments_.back().bytes = bytes; }
  std::uint64_t newest_begin() const { return segments_.back().begin; }
  // Returns when the segment after the oldest one that is kept begins, if there is one.
  std::optional<std::uint64_t> second_begin() const;
  std::size_t segments() const { return segments_.size(); }
  // Returns the size of all files.
  std::uint64_t bytes() const;

  // Folds the oldest segment into `retained`, writes `retained`, and removes the segment.
  base::Status drop_oldest(RetainedState& retained);
  // Writes `retained`, which has everything before the oldest segment.
  base::Status write_carry(const RetainedState& retained);

  base::Result<FlightFiles> open_files() const;
  // Opens the folder of another prof, which goes on or was killed.
  static base::Result<FlightFiles> open_of_others(const std::string& path);
  static void remove(const std::string& path);
  // Removes the folders of this user that no prof holds and whose recording is gone.
  static void remove_stale();

 private:
  struct Segment {
    std::uint64_t number;
    std::uint64_t begin;
    std::uint64_t bytes;
  };
  FlightFolder(base::PrivateFolder folder, std::uint64_t limit)
      : folder_(std::move(folder)), limit_(limit) {}
  std::string name_of(std::uint64_t number) const;

  base::PrivateFolder folder_;
  std::uint64_t limit_;
  std::deque<Segment> segments_;
  std::uint64_t next_ = 1;
  std::uint64_t carry_bytes_ = 0;
};

}  // namespace prof::spool
