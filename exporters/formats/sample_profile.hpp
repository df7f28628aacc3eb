// The samples of a report as profile formats need them: threads, functions, frames, and a tree of
// call paths that the samples refer to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/call_chains/call_tree.hpp"
#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::formats {

// The unit of a sample's value.
enum class SampleUnit {
  kSamples,      // 1 per sample: taken by a clock with an unknown interval
  kCycles,       // CPU cycles
  kNanoseconds,  // the clock's interval or the duration of a call
};

struct ProfiledThread {
  std::int64_t global_tid;
  std::string name;          // never empty
  std::string process_name;  // file name of the program, never empty
  std::int64_t pid;
  std::int64_t tid;
};

// Threads are numbered by their number of samples, most first. A thread's number is the root of its
// paths in the tree.
class SampleProfile {
 public:
  using Node = events::CallTree::Node;
  struct Sample {
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
  // Returns the clock's interval in ns if the samples come from a clock.
  std::optional<std::int64_t> interval() const { return interval_; }
  const std::vector<ProfiledThread>& threads() const { return threads_; }
  const events::CodeFrames& code() const { return code_; }
  // True if source lines of native code were looked up.
  bool has_source_lines() const { return has_source_lines_; }
  const events::CallTree& tree() const { return tree_; }
  // The samples, sorted by thread and time.
  const std::vector<Sample>& samples() const { return samples_; }
  // Returns the sum of the values of the samples that end at a node.
  std::int64_t value_of(Node node) const;

  // Returns the text for a frame: the function with its source file, if known. The line is included
  // if lines distinguish frames.
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
  std::uint32_t called_frame(std::int64_t call, std::uint32_t innermost);
  std::int64_t value(std::int64_t weight) const;

  events::SampleKind kind_;
  events::Strings strings_;
  events::CodeFrames code_;
  bool has_source_lines_;
  events::CallTree tree_;
  SampleUnit unit_ = SampleUnit::kSamples;
  std::optional<std::int64_t> interval_;
  std::vector<std::uint32_t> rank_;  // by thread index in the samples
  std::vector<ProfiledThread> threads_;
  std::vector<Sample> samples_;
};

}  // namespace prof::formats
