// The last part of a recording that grows, with everything that it refers to. Reading it costs what
// is new, and memory for what is recent, however long the recording is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "collector/spool/definitions.hpp"
#include "collector/spool/spool.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::spool {

class RecentRecording {
 public:
  // `path` is also for messages.
  static base::Result<RecentRecording> open(const std::string& path);

  // Reads what was written since the last call. `time`: now, on the caller's clock.
  base::Status read(std::uint64_t time);
  // Events that were read before `time` are dropped; what they define stays.
  void forget_before(std::uint64_t time);
  // What is kept, as a recording.
  std::vector<std::byte> bytes() const;

  // The session has ended: nothing more is written.
  bool has_ended() const { return has_ended_; }
  // The last read() dropped events that were not old enough, because they were too many.
  bool is_cut() const { return is_cut_; }

 private:
  explicit RecentRecording(std::string path, base::UniqueFd file)
      : path_(std::move(path)), file_(std::move(file)) {}
  // A block with its header and padding.
  struct Block {
    std::uint64_t time;
    std::vector<std::byte> bytes;
  };
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;  // of recent blocks

  void take(std::span<const std::byte> block, std::uint64_t time);
  void forget_first();

  std::string path_;
  base::UniqueFd file_;
  std::uint64_t offset_ = 0;
  std::vector<std::byte> unread_;  // the beginning of a block that is not there yet
  std::vector<std::byte> kept_;    // notes, clocks, nodes of call chains
  std::deque<Block> recent_;
  std::uint64_t recent_bytes_ = 0;
  Definitions definitions_;  // of what was dropped
  bool has_ended_ = false;
  bool is_cut_ = false;
};

}  // namespace prof::spool
