// Sees what is recorded while it is written into the spool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collector/spool/notes.hpp"
#include "collector/spool/spool.hpp"

namespace prof::session {

class RecordWatch {
 public:
  virtual ~RecordWatch() = default;
  virtual void process(const spool::ProcessNote& note) = 0;
  virtual void process_end(std::uint32_t serial) = 0;
  virtual void metric_source(const spool::MetricSourceNote& note) = 0;
  virtual void records(const spool::PieceHeader& piece, std::span<const std::byte> bytes) = 0;
  virtual void metric_samples(const spool::MetricPieceHeader& piece,
                              std::span<const std::byte> bytes) = 0;
};

}  // namespace prof::session
