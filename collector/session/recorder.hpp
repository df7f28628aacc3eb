// Writes a recording into its spool, and remembers if that stopped working.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "collector/ingest/spool.hpp"

namespace prof::session {

class Recorder {
 public:
  explicit Recorder(ingest::SpoolWriter spool) : spool_(std::move(spool)) {}

  void note(const nlohmann::json& note) { keep(spool_.note(note)); }
  // For DIAGNOSTIC_EVENT; severity as in ingest::Severity.
  void diagnostic(int severity, const std::string& text) {
    note({{"type", "diagnostic"}, {"severity", severity}, {"text", text}});
  }
  void clock(const ingest::ClockTriple& triple) { keep(spool_.clock(triple)); }
  base::Status records(const ingest::PieceHeader& piece, std::span<const std::byte> bytes) {
    return keep(spool_.records(piece, bytes));
  }
  void kernel_records(std::uint32_t cpu, std::span<const std::byte> bytes) {
    keep(spool_.kernel_records(cpu, bytes));
  }

  const std::string& path() const { return spool_.path(); }

 private:
  // The first failure is told at once: it is the moment to free some space.
  base::Status keep(base::Status status);

  ingest::SpoolWriter spool_;
  bool failed_ = false;
};

}  // namespace prof::session
