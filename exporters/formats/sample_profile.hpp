// The samples of a report as profile formats want them: threads, functions, frames, and a tree of
// call paths that samples point into.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/events/call_tree.hpp"
#include "exporters/events/code_frames.hpp"
#include "exporters/events/samples.hpp"
#include "exporters/events/strings.hpp"

namespace prof::formats {

// What a sample amounts to.
enum class SampleUnit {
  kSamples,      // of a clock whose interval the report does not say: 1
  kCycles,       // of the CPU
  kNanoseconds,  // the clock's interval, or the duration of a call
};

struct ProfiledThread {
  std::int64_t global_tid;
  std::string name;          // never empty
  std::string process_name;  // the program's file without its folder, never empty
  std::int64_t pid;
  std::int64_t tid;
};

// Threads are numbered from the one with most samples on; a thread is the root of its paths in the
// tree.
class SampleProfile {
 public:
  using Node = events::CallTree::Node;
  struct Taken {
    std::int64_t start;  // ns
    std::int64_t value;  // in unit()
    Node path;
    std::uint32_t thread;
  };

  static base::Result<std::unique_ptr<SampleProfile>> read(const report::ReportReader& reader,
                                                           events::SampleKind kind,
                                                           events::FrameDetail detail,
                                                           const events::CodeLines* lines);
  SampleProfile(const SampleProfile&) = delete;
  SampleProfile& operator=(const SampleProfile&) = delete;

  events::SampleKind kind() const { return kind_; }
  SampleUnit unit() const { return unit_; }
  // ns between two samples of a clock.
  std::optional<std::int64_t> interval() const { return interval_; }
  const std::vector<ProfiledThread>& threads() const { return threads_; }
  const events::CodeFrames& code() const { return code_; }
  // Of native code, as far as they are known.
  bool has_source_lines() const { return has_source_lines_; }
  const events::CallTree& tree() const { return tree_; }
  // By thread and time.
  const std::vector<Taken>& samples() const { return samples_; }
  // Samples that end at a node, and their amount.
  std::int64_t value_of(Node node) const;

  // What the frame is shown as: functions with their source file, where that is known, and the line
  // if lines tell frames apart.
  std::string label(std::uint32_t frame) const;

 private:
  SampleProfile(const report::ReportReader& reader, events::SampleKind kind,
                events::FrameDetail detail, const events::CodeLines* lines)
      : kind_(kind),
        strings_(reader),
        code_(strings_, detail, lines),
        has_source_lines_(lines != nullptr) {}

  base::Status read_samples(const report::ReportReader& reader);
  base::Status name_threads(const report::ReportReader& reader,
                            const std::vector<std::int64_t>& threads);
  void add(const events::Samples& samples, std::span<const events::Sample> chain,
           std::span<const std::uint32_t> frames);
  std::uint32_t called(std::int64_t call, std::uint32_t innermost);
  std::int64_t value(std::int64_t weight) const;

  events::SampleKind kind_;
  events::Strings strings_;
  events::CodeFrames code_;
  bool has_source_lines_;
  events::CallTree tree_;
  SampleUnit unit_ = SampleUnit::kSamples;
  std::optional<std::int64_t> interval_;
  std::vector<std::uint32_t> rank_;  // of the samples' threads
  std::vector<ProfiledThread> threads_;
  std::vector<Taken> samples_;
};

}  // namespace prof::formats
