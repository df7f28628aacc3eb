// Writes PROF_CUBINS: each cubin once, whatever processes sent it.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <set>
#include <span>
#include <string>

#include "common/report/report_writer.hpp"
#include "common/wire/cuda_records.hpp"

namespace prof::ingest {

class Cubins {
 public:
  explicit Cubins(report::ReportWriter& writer) : writer_(writer), known_(writer.memory()) {}

  // Adds a piece, in any order and perhaps again. A cubin is written when all of it is there. The
  // bytes must outlive the object: they are in the mapped spool.
  void add(const wire::CudaCubinRecord& record, std::span<const std::byte> bytes);

 private:
  // A cubin of which pieces are missing.
  struct Part {
    std::uint64_t size = 0;
    std::uint64_t received = 0;                                  // bytes
    std::map<std::uint64_t, std::span<const std::byte>> pieces;  // by offset, in the mapped spool
  };

  void write(std::uint64_t crc, const std::string& bytes);

  report::ReportWriter& writer_;
  std::pmr::set<std::uint64_t> known_;   // CRCs of cubins that are written
  std::map<std::uint64_t, Part> parts_;  // by CRC
};

}  // namespace prof::ingest
