// Writes a recording into its spool. If that stops working, most often because the disk is full, it
// says so once and from then on only counts the events: the recording is complete up to a moment,
// the program goes on, and its buffer does not fill up.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "collector/spool/spool.hpp"

namespace prof::session {

class SpoolRecorder {
 public:
  explicit SpoolRecorder(spool::SpoolWriter spool) : spool_(std::move(spool)) {}

  void note(const nlohmann::json& note);
  // For DIAGNOSTIC_EVENT; severity as in ingest::Severity.
  void diagnostic(int severity, const std::string& text);
  // The same, and on stderr.
  void warn(const std::string& text);
  void clock(const spool::ClockTriple& triple);
  // Never fails: what cannot be written is counted as lost.
  void records(const spool::PieceHeader& piece, std::span<const std::byte> bytes);
  // Those of one CPU; the same.
  void kernel_records(const spool::KernelPieceHeader& piece, std::span<const std::byte> bytes);
  // What samples and events refer to.
  void stack_nodes(const spool::StackPieceHeader& piece, std::span<const std::byte> bytes);

  // Notices what others did to the file. Called now and then.
  void look_after_file();

  // The last words: the time, how the program ended, what was lost.
  void end(const spool::ClockTriple& triple, int exit_status);

  const std::string& path() const { return spool_.path(); }
  base::UniqueFd duplicate() const { return spool_.duplicate(); }

 private:
  void keep(const base::Status& status);

  spool::SpoolWriter spool_;
  nlohmann::json session_;  // the note, in case it has to be written again
  bool stopped_ = false;
  bool disk_full_ = false;  // that was why
  bool told_of_file_ = false;
  std::uint64_t lost_events_ = 0;
};

}  // namespace prof::session
