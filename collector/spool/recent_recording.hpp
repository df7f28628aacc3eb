// The last part of a growing recording, with everything that it refers to. Reading costs time only
// for what is new, and memory only for what is recent, however long the recording is.
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
  // `path` is also used in messages.
  static base::Result<RecentRecording> open(const std::string& path);

  // Reads what was written since the last call. `time`: now, on the caller's clock.
  base::Status read(std::uint64_t time);
  // Drops events that were read before `time`, but keeps what they define.
  void forget_before(std::uint64_t time);
  // Returns what is kept, as a recording.
  std::vector<std::byte> bytes() const;

  // True if the session has ended: nothing more is written.
  bool has_ended() const { return has_ended_; }
  // True if the last read() dropped recent events, because there were too many.
  bool is_cut() const { return is_cut_; }

 private:
  explicit RecentRecording(std::string path, base::UniqueFd file)
      : path_(std::move(path)), file_(std::move(file)) {}
  // A block with its header and padding.
  struct Block {
    std::uint64_t time;
    std::vector<std::byte> bytes;
  };
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;  // of recent blocks

  void take(std::span<const std::byte> block, std::uint64_t time);
  void forget_first();

  std::string path_;
  base::UniqueFd file_;
  std::uint64_t offset_ = 0;
  std::vector<std::byte> unread_;  // the beginning of a block whose rest is not there yet
  std::vector<std::byte> kept_;    // notes, clocks, nodes of call chains
  std::deque<Block> recent_;
  std::uint64_t recent_bytes_ = 0;
  Definitions definitions_;  // definitions of dropped events
  bool has_ended_ = false;
  bool is_cut_ = false;
};

}  // namespace prof::spool
