// Writes a recording into its spool. If that fails, most often because the disk is full, it reports
// the failure once, and from then on it only counts events as dropped. So the recording is complete
// up to that moment, the program continues, and its buffer does not fill up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "collector/prometheus/live_metrics.hpp"
#include "collector/session/record_watch.hpp"
#include "collector/spool/definitions.hpp"
#include "collector/spool/spool.hpp"

namespace prof::session {

class SpoolRecorder {
 public:
  explicit SpoolRecorder(spool::SpoolWriter spool) { attach(std::move(spool)); }

  // Makes a recorder for a single recording, without a spool yet. It keeps no definitions.
  static SpoolRecorder of_one_recording() {
    SpoolRecorder recorder;
    recorder.forget_definitions();
    return recorder;
  }

  // A recorder of a session with several collections. It has a spool only during a collection. In
  // between it keeps only the definitions that later records may refer to.
  SpoolRecorder() : definitions_(std::in_place) {}
  void attach(spool::SpoolWriter spool);
  void detach();

  // Passes on what is recorded, for --metrics-endpoint. The metrics outlive the recorder.
  void pass_to(prometheus::LiveMetrics& metrics) { live_ = &metrics; }
  prometheus::LiveMetrics* live_metrics() const { return live_; }  // null: no endpoint serves them
  // Writes what has been defined so far. Called after the session's note is written.
  void write_definitions();
  // Called when no other collection will follow.
  void forget_definitions() { definitions_.reset(); }
  // From now on records go into the next segment of a flight recorder.
  void turn(spool::SpoolWriter next);
  // Shows `watch` what is recorded. `watch` outlives the recording.
  void show_to(RecordWatch* watch) { watch_ = watch; }

  template <class Note>
  void note(const Note& note) {
    if (spool_) keep(spool_->note(note));
  }
  void note(const spool::SessionNote& note);
  void note(const spool::ProcessNote& note);
  void note(const spool::ProcessEndNote& note);
  void note(const spool::MetricSourceNote& note);
  // Writes how many events a process that goes on has dropped.
  void drops(std::uint32_t serial, spool::Drops dropped);
  // Writes a message for DIAGNOSTIC_EVENT.
  void diagnostic(spool::Severity severity, const std::string& text);
  // Writes a warning for DIAGNOSTIC_EVENT, and prints it to stderr.
  void warn(const std::string& text);
  // Called once a second. From time to time it also reads all clocks of the machine, for a note.
  void clock(const spool::ClockTriple& triple);
  // Writes that the collector itself begins or ends the part of the recording that becomes a
  // report.
  void edge(wire::CaptureEvent event, std::uint64_t time);
  // Writes records. Never fails: events that cannot be written are counted as dropped.
  void records(const spool::PieceHeader& piece, std::span<const std::byte> bytes);
  // Writes kernel records of one CPU.
  void kernel_records(const spool::KernelPieceHeader& piece, std::span<const std::byte> bytes);
  // Writes nodes of the call chain tree, which samples and events refer to.
  void call_chain_nodes(const spool::StackPieceHeader& piece, std::span<const std::byte> bytes);

  // Writes samples of a group of counters.
  void metric_samples(const spool::MetricPieceHeader& piece, std::span<const std::byte> bytes);

  // From now on the records of processes are collected, until write_collected(), so that the many
  // small pieces of short processes do not take a system call each.
  void collect() {
    if (spool_) spool_->collect();
  }
  void write_collected() {
    if (spool_) keep(spool_->flush());
  }

  // Warns if other programs deleted or truncated the file. Called once a second.
  void check_file();
  // Called when the recording has lasted a while: see SpoolWriter.
  void secure_space() {
    if (spool_ && !stopped_) keep(spool_->secure_space());
  }

  // Writes the final notes: the time, the exit status, and what was dropped.
  void end(const spool::ClockTriple& triple, int exit_status);

  const std::string& path() const { return spool_->path(); }
  std::uint64_t bytes() const { return spool_->bytes(); }
  const std::optional<spool::SessionNote>& session() const { return session_; }
  base::UniqueFd duplicate() const { return spool_->duplicate(); }

 private:
  void keep(const base::Status& status);
  void note_clocks();

  std::optional<spool::SpoolWriter> spool_;
  std::optional<spool::Definitions> definitions_;
  prometheus::LiveMetrics* live_ = nullptr;
  std::optional<spool::SessionNote> session_;  // written again if the file was truncated
  RecordWatch* watch_ = nullptr;
  bool stopped_ = false;
  bool disk_full_ = false;  // why recording stopped
  bool file_problem_reported_ = false;
  std::uint64_t dropped_events_ = 0;
  std::int64_t next_clock_note_ = 0;  // CLOCK_MONOTONIC_RAW, ns: when all clocks are read again
};

}  // namespace prof::session
