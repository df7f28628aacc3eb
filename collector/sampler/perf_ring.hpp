// Reads the buffer into which the kernel writes the records of a perf event. Each CPU has its own
// buffer.
//
// The kernel advances data_head after writing, and the reader advances data_tail after reading. A
// record may wrap around the end. Invalid bytes are skipped and counted.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/base/mapped_file.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::sampler {

// A complete record in one piece, valid during the call.
struct PerfRecord {
  std::uint32_t type;  // PERF_RECORD_*
  std::uint16_t misc;
  std::span<const std::byte> body;  // after the header
};

class PerfRing {
 public:
  using Visitor = std::function<void(const PerfRecord&)>;
  // Reads a record. Returns false to stop before this record.
  using Reader = std::function<bool(const PerfRecord&)>;

  // Gives the event a buffer of `bytes`, a power of two of pages. Fails with the kernel's error,
  // most often because locked memory is limited.
  static base::Result<PerfRing> map(const base::UniqueFd& event, std::size_t bytes);

  // Uses an existing control page and buffer. The size is a power of two.
  PerfRing(perf_event_mmap_page* control, std::span<const std::byte> data)
      : control_(control), data_(data) {}

  // Visits the records that have been written by now and frees their space.
  void drain(const Visitor& visit);

  // These do the same in steps, for records that are read more than once. Positions are counted in
  // bytes from the start of the recording.
  std::uint64_t written() const;   // all bytes before can be read
  std::uint64_t released() const;  // all bytes before have been released
  // Reads the records of [begin, end). Returns the position of the first record that it has not
  // read.
  std::uint64_t read(std::uint64_t begin, std::uint64_t end, const Reader& reader);
  // Frees the space up to this position.
  void release(std::uint64_t position);

  std::size_t bytes() const { return data_.size(); }
  // Returns how many invalid bytes were skipped.
  std::uint64_t corrupt_bytes() const { return corrupt_bytes_; }

 private:
  std::span<const std::byte> at(std::uint64_t position, std::size_t bytes);

  base::MappedFile memory_;
  perf_event_mmap_page* control_;
  std::span<const std::byte> data_;
  std::vector<std::byte> joined_;  // a copy of a record that wraps around
  std::uint64_t corrupt_bytes_ = 0;
};

}  // namespace prof::sampler
