// Writes CPU samples and samples of Python threads, with their call chains.
#include <algorithm>
#include <vector>

#include "exporters/analysis/events/call_chains/call_tree.hpp"
#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/call_chains/sample_call_chains.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/formats/perfetto/parts.hpp"

namespace prof::formats {

namespace {

using events::CallTree;
using events::SampleKind;

// The interned data of a sequence of samples. Ids are numbers of CodeFrames and CallTree plus 1.
class Interning {
 public:
  explicit Interning(const events::CodeFrames& code) : code_(code) {}

  // Returns the interned data of a call chain that the trace lacks. The frames of the chain are
  // those from the node to the root.
  std::string chain(const CallTree& tree, CallTree::Node node) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    std::vector<std::uint64_t> frames;
    for (CallTree::Node at = node; at != CallTree::kNone; at = tree.parent(at)) {
      add_frame(writer, tree.frame(at));
      frames.push_back(tree.frame(at) + 1);
    }
    {
      protozero::pbf_writer chain(writer, interned::kCallstacks);
      chain.add_uint64(1, node + 1);
      for (std::size_t i = frames.size(); i-- > 0;) chain.add_uint64(2, frames[i]);
    }
    return bytes;
  }

 private:
  void add_frame(protozero::pbf_writer& writer, std::uint32_t number) {
    if (!is_new(frames_, number)) return;
    const events::Frame& frame = code_.frame(number);
    const events::Function& function = code_.function(frame.function);
    if (is_new(functions_, frame.function))
      add_interned_text(writer, interned::kFunctionNames, frame.function + 1, function.name);
    const std::uint64_t mapping = mapping_of(writer, function.module);
    protozero::pbf_writer message(writer, interned::kFrames);
    message.add_uint64(1, number + 1);
    message.add_uint64(2, frame.function + 1);
    message.add_uint64(3, mapping);
  }

  std::uint64_t mapping_of(protozero::pbf_writer& writer, const std::string& module) {
    const auto [at, is_first] = mappings_.try_emplace(module, mappings_.size() + 1);
    if (!is_first) return at->second;
    const std::string_view path = module;
    add_interned_text(writer, interned::kMappingPaths, at->second,
                      path.substr(path.starts_with('/') ? 1 : 0));
    protozero::pbf_writer mapping(writer, interned::kMappings);
    mapping.add_uint64(1, at->second);
    mapping.add_uint64(7, at->second);
    return at->second;
  }

  static bool is_new(std::vector<bool>& known, std::uint32_t number) {
    if (number >= known.size()) known.resize(number + 1);
    if (known[number]) return false;
    known[number] = true;
    return true;
  }

  const events::CodeFrames& code_;
  std::vector<bool> frames_;
  std::vector<bool> functions_;
  std::unordered_map<std::string, std::uint64_t> mappings_;  // by file name
};

struct TracedSample {
  std::int64_t start;
  std::int64_t id;  // id of a CPU sample in its table
  std::uint32_t thread;
  CallTree::Node chain;
};

// Reads the CPU of each CPU sample.
base::Result<std::unordered_map<std::int64_t, std::uint32_t>> read_cpus(
    const report::ReportReader& reader, SampleKind kind) {
  std::unordered_map<std::int64_t, std::uint32_t> cpus;
  if (kind != SampleKind::kCpu || !reader.has_column(events::sample_table(kind), "cpu"))
    return cpus;
  const base::Status read = report::scan(
      reader, {events::sample_table(kind), {"id", "cpu"}}, [&](const report::Row& row) {
        cpus.emplace(row.integer(0), static_cast<std::uint32_t>(row.integer(1)));
      });
  if (!read) return tl::make_unexpected(read.error());
  return cpus;
}

// Writes the samples of one kind as one sequence.
class SampleWriter {
 public:
  SampleWriter(PerfettoTrace& trace, SampleKind kind)
      : trace_(trace),
        kind_(kind),
        sequence_(trace.stream.new_sequence()),
        strings_(trace.reader),
        code_(strings_, events::FrameDetail::kFunction),
        interning_(code_) {}

  base::Status write() {
    const auto samples = events::read_samples(trace_.reader, kind_);
    if (!samples) return tl::make_unexpected(samples.error());
    if (samples->all.empty()) return {};
    const auto cpus = read_cpus(trace_.reader, kind_);
    if (!cpus) return tl::make_unexpected(cpus.error());
    if (base::Status read = read_chains(*samples); !read) return read;
    write_start();
    for (const TracedSample& sample : traced_) {
      const auto cpu = cpus->find(sample.id);
      write_sample(sample, samples->threads[sample.thread], cpu == cpus->end() ? 0 : cpu->second);
    }
    return {};
  }

 private:
  base::Status read_chains(const events::Samples& samples) {
    return events::for_each_call_chain(
        trace_.reader, kind_, samples, code_,
        [&](std::span<const events::Sample> of_chain, std::span<const std::uint32_t> frames) {
          const CallTree::Node chain = tree_.of_chain(0, frames);
          for (const events::Sample& sample : of_chain)
            traced_.push_back({sample.start, sample.chain, sample.thread, chain});
        },
        [&] {
          tree_ = {};
          traced_.clear();
        });
  }

  // Writes the description of the event that took the samples.
  void write_start() {
    constexpr std::uint32_t kCpuClock = 1;
    std::string bytes;
    protozero::pbf_writer whole(bytes);
    whole.add_uint32(packet::kSequence, sequence_);
    whole.add_uint32(packet::kSequenceFlags, kFirstOfSequence);
    {
      protozero::pbf_writer defaults(whole, packet::kTracePacketDefaults);
      protozero::pbf_writer of_samples(defaults, 12);
      protozero::pbf_writer timebase(of_samples, 1);
      timebase.add_uint32(4, kCpuClock);
      timebase.add_string(10, kind_ == SampleKind::kCpu ? "cpu-clock" : "python");
    }
    trace_.stream.add(bytes);
  }

  void write_sample(const TracedSample& sample, std::int64_t global_tid, std::uint32_t cpu) {
    trace_.tracks.thread(global_tid);
    std::string bytes;
    protozero::pbf_writer whole(bytes);
    whole.add_uint64(packet::kTimestamp,
                     static_cast<std::uint64_t>(std::max<std::int64_t>(sample.start, 0)));
    whole.add_uint32(packet::kSequence, sequence_);
    whole.add_uint32(packet::kSequenceFlags, kNeedsState);
    if (sample.chain >= known_chains_.size()) known_chains_.resize(sample.chain + 1);
    if (!known_chains_[sample.chain])
      whole.add_message(packet::kInternedData, interning_.chain(tree_, sample.chain));
    known_chains_[sample.chain] = true;
    {
      protozero::pbf_writer event(whole, packet::kPerfSample);
      event.add_uint32(1, cpu);
      event.add_uint32(2, static_cast<std::uint32_t>(events::pid_of(global_tid)));
      event.add_uint32(3, static_cast<std::uint32_t>(events::tid_of(global_tid)));
      event.add_uint64(4, sample.chain + 1);
    }
    trace_.stream.add(bytes);
  }

  PerfettoTrace& trace_;
  SampleKind kind_;
  std::uint32_t sequence_;
  events::Strings strings_;
  events::CodeFrames code_;
  Interning interning_;
  CallTree tree_;
  std::vector<TracedSample> traced_;
  std::vector<bool> known_chains_;
};

}  // namespace

base::Status write_samples(PerfettoTrace& trace) {
  for (const SampleKind kind : {SampleKind::kCpu, SampleKind::kPython})
    if (base::Status written = SampleWriter(trace, kind).write(); !written) return written;
  return {};
}

}  // namespace prof::formats
