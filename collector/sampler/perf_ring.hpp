// Reads the buffer that the kernel writes a perf event's records into: one for each CPU.
//
// The kernel advances data_head behind what it wrote; we advance data_tail behind what we took. A
// record may wrap around the end. What makes no sense is skipped and counted, never followed.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "collector/base/mapped_file.hpp"
#include "collector/base/unique_fd.hpp"

namespace prof::sampler {

// A record, whole and in one piece, for as long as the call takes.
struct PerfRecord {
  std::uint32_t type;  // PERF_RECORD_*
  std::uint16_t misc;
  std::span<const std::byte> body;  // behind the header
};

class PerfRing {
 public:
  using Visitor = std::function<void(const PerfRecord&)>;
  // False: no further; that record is not done with.
  using Reader = std::function<bool(const PerfRecord&)>;

  // Gives the event a buffer of `bytes`, a power of two of pages. Fails with the kernel's error,
  // most often because locked memory is limited.
  static base::Result<PerfRing> map(const base::UniqueFd& event, std::size_t bytes);

  // Over a control page and a buffer of somebody else's making; the size is a power of two.
  PerfRing(perf_event_mmap_page* control, std::span<const std::byte> data)
      : control_(control), data_(data) {}

  // Visits what has been written by now and makes room.
  void drain(const Visitor& visit);

  // The same in steps, where records have to be looked at more than once. Positions are counted in
  // bytes from the beginning of the recording.
  std::uint64_t written() const;   // all before it can be read
  std::uint64_t released() const;  // all before it is gone
  // Reads records of [begin, end); returns the position that it came to.
  std::uint64_t read(std::uint64_t begin, std::uint64_t end, const Reader& reader);
  // Makes room up to there.
  void release(std::uint64_t position);

  std::size_t bytes() const { return data_.size(); }
  // Bytes skipped because they made no sense.
  std::uint64_t corrupt_bytes() const { return corrupt_bytes_; }

 private:
  std::span<const std::byte> at(std::uint64_t position, std::size_t bytes);

  base::MappedFile memory_;
  perf_event_mmap_page* control_;
  std::span<const std::byte> data_;
  std::vector<std::byte> joined_;  // a record that wraps around
  std::uint64_t corrupt_bytes_ = 0;
};

}  // namespace prof::sampler
