// Writes the work of GPUs as render stages, from which Perfetto fills its table gpu_slice.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/formats/perfetto/parts.hpp"
#include "exporters/formats/trace/gpu_slices.hpp"

namespace prof::formats {

namespace {

enum StageCategory : std::int32_t { kOther = 0, kCompute = 2 };

// Ids of interned specifications. Perfetto requires that they are unique in the trace.
std::uint64_t queue_id(std::uint32_t stream) { return std::uint64_t{2} * stream + 1; }
std::uint64_t stage_id(std::uint32_t name) { return std::uint64_t{2} * name + 2; }

// Writes the work of one kind in one stream as one sequence. A stage is a name.
class StageSequence {
 public:
  StageSequence(PerfettoTrace& trace, const GpuStream& stream, std::uint32_t number,
                std::uint64_t context, StageCategory category)
      : stream_(trace.stream),
        queue_(queue_id(number)),
        context_(context),
        sequence_(trace.stream.new_sequence()),
        gpu_(trace.names.gpu_of(stream.global_pid, stream.device)),
        category_(category) {
    constexpr std::int32_t kCuda = 4;
    begin_sequence(stream_, sequence_, 0);
    std::string bytes;
    protozero::pbf_writer interned(bytes);
    add_specification(
        interned, queue_,
        fmt::format("{} {} context {} stream {}", trace.names.process(stream.global_pid),
                    events::pid_of(stream.global_pid), stream.context, stream.stream));
    {
      protozero::pbf_writer context_field(interned, interned::kGraphicsContexts);
      context_field.add_uint64(1, context);
      context_field.add_int32(2, static_cast<std::int32_t>(events::pid_of(stream.global_pid)));
      context_field.add_enum(3, kCuda);
    }
    first_ = bytes;
  }

  void add(const Slice& slice, const std::string& name, std::uint64_t id) {
    std::string interned_bytes = std::exchange(first_, {});
    protozero::pbf_writer interned(interned_bytes);
    const std::size_t known = stages_.size();
    if (stages_.of(slice.name) == known) add_specification(interned, stage_id(slice.name), name);
    std::string bytes;
    protozero::pbf_writer whole(bytes);
    const std::int64_t start = std::max(slice.start, last_);
    whole.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(start - last_));
    last_ = start;
    whole.add_uint32(packet::kSequence, sequence_);
    whole.add_uint32(packet::kSequenceFlags, kNeedsState);
    if (!interned_bytes.empty()) whole.add_message(packet::kInternedData, interned_bytes);
    {
      protozero::pbf_writer event(whole, packet::kGpuRenderStageEvent);
      event.add_uint64(1, id);
      event.add_uint64(2, static_cast<std::uint64_t>(slice.end - start));
      event.add_uint64(5, context_);
      event.add_int32(11, static_cast<std::int32_t>(gpu_));
      event.add_uint64(13, queue_);
      event.add_uint64(14, stage_id(slice.name));
    }
    stream_.add(bytes);
  }

 private:
  struct Hash {
    std::uint64_t operator()(std::uint32_t name) const { return name; }
  };

  void add_specification(protozero::pbf_writer& interned, std::uint64_t id,
                         const std::string& name) const {
    protozero::pbf_writer specification(interned, interned::kGpuSpecifications);
    specification.add_uint64(1, id);
    specification.add_string(2, name);
    specification.add_enum(4, category_);
  }

  PacketStream& stream_;
  std::uint64_t queue_;
  std::uint64_t context_;
  std::uint32_t sequence_;
  std::int64_t gpu_;
  StageCategory category_;
  std::string first_;  // interned data of the first packet
  std::int64_t last_ = 0;
  events::Numbering<std::uint32_t, Hash> stages_;
};

}  // namespace

base::Status write_gpu_stages(PerfettoTrace& trace) {
  SliceNames names(trace.reader);
  GpuSlices slices(trace.reader, names);
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> contexts;
  const auto make = [&](std::uint32_t number, StageCategory category) {
    const GpuStream& stream = slices.stream(number);
    const std::uint64_t context =
        contexts.try_emplace({stream.global_pid, stream.context}, contexts.size() + 1)
            .first->second;
    return StageSequence(trace, stream, number, context, category);
  };
  std::uint64_t id = 0;
  for (const GpuTable& table : gpu_tables(trace.reader)) {
    const StageCategory category = table.kind == GpuWorkKind::kKernel ? kCompute : kOther;
    std::map<std::uint32_t, StageSequence> sequences;  // by stream
    base::Status written = slices.visit(table, [&](const Slice& slice) {
      auto at = sequences.find(slice.row);
      if (at == sequences.end()) at = sequences.emplace(slice.row, make(slice.row, category)).first;
      at->second.add(slice, names.text(slice.name), ++id);
    });
    if (!written) return written;
  }
  return {};
}

}  // namespace prof::formats
