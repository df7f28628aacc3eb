#include "exporters/formats/perfetto/tracks.hpp"

#include <fmt/format.h>

#include "exporters/analysis/events/global_ids.hpp"

namespace prof::formats {

namespace {

namespace descriptor {
enum Field : protozero::pbf_tag_type {
  kId = 1,
  kName = 2,
  kProcess = 3,
  kThread = 4,
  kParent = 5,
  kCounter = 8,
  kChildOrdering = 11,
  kRank = 12,
  kMerging = 15,
  kMergeKey = 16,
};
}
constexpr std::int32_t kExplicitOrder = 3;
constexpr std::int32_t kMergeByKey = 3;
constexpr std::int32_t kMergeNone = 2;

std::int32_t to_int32(std::int64_t value) { return static_cast<std::int32_t>(value); }

// Returns a descriptor with the fields that most tracks have. A `parent` of 0 stands for no parent.
std::string described(std::uint64_t track, std::uint64_t parent, std::string_view name) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_uint64(descriptor::kId, track);
  if (parent != 0) writer.add_uint64(descriptor::kParent, parent);
  writer.add_bytes(descriptor::kName, name.data(), name.size());
  return bytes;
}

}  // namespace

void PerfettoTracks::add(const std::string& descriptor) {
  std::string bytes;
  protozero::pbf_writer whole(bytes);
  whole.add_uint32(packet::kSequence, sequence_);
  whole.add_message(packet::kTrackDescriptor, descriptor);
  stream_.add(bytes);
}

std::uint64_t PerfettoTracks::process(std::int64_t global_id) {
  std::uint64_t& track = processes_[events::process_of(global_id)];
  if (track != 0) return track;
  track = stream_.new_track();
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_uint64(descriptor::kId, track);
  {
    protozero::pbf_writer process(writer, descriptor::kProcess);
    process.add_int32(1, to_int32(events::pid_of(global_id)));
    process.add_string(6, names_.process(global_id));
  }
  add(bytes);
  return track;
}

std::uint64_t PerfettoTracks::thread(std::int64_t global_tid) {
  std::uint64_t& track = threads_[global_tid];
  if (track != 0) return track;
  const std::uint64_t parent = process(global_tid);
  track = stream_.new_track();
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_uint64(descriptor::kId, track);
  writer.add_uint64(descriptor::kParent, parent);
  writer.add_enum(descriptor::kChildOrdering, kExplicitOrder);
  {
    protozero::pbf_writer thread(writer, descriptor::kThread);
    thread.add_int32(1, to_int32(events::pid_of(global_tid)));
    thread.add_int64(2, events::tid_of(global_tid));
    thread.add_string(5, names_.thread(global_tid));
  }
  add(bytes);
  return track;
}

std::uint64_t PerfettoTracks::group(std::uint64_t parent, std::string_view name,
                                    std::int32_t rank) {
  const std::uint64_t track = stream_.new_track();
  std::string bytes = described(track, parent, name);
  protozero::pbf_writer writer(bytes);
  writer.add_enum(descriptor::kChildOrdering, kExplicitOrder);
  writer.add_int32(descriptor::kRank, rank);
  writer.add_enum(descriptor::kMerging, kMergeNone);
  add(bytes);
  return track;
}

std::uint64_t PerfettoTracks::gpu(std::int64_t gpu) {
  std::uint64_t& track = gpus_[gpu];
  if (track == 0) track = group(0, names_.gpu(gpu), to_int32(gpu));
  return track;
}

std::uint64_t PerfettoTracks::gpu_stream(const GpuStream& stream) {
  std::uint64_t& track = streams_[stream];
  if (track != 0) return track;
  const std::int64_t device = names_.gpu_of(stream.global_pid, stream.device);
  std::uint64_t& context = contexts_[{device, stream.global_pid, stream.context}];
  if (context == 0)
    context = group(gpu(device),
                    fmt::format("{} {} context {}", names_.process(stream.global_pid),
                                events::pid_of(stream.global_pid), stream.context),
                    to_int32(stream.context));
  track = group(context, fmt::format("Stream {}", stream.stream), to_int32(stream.stream));
  return track;
}

std::uint64_t PerfettoTracks::row(std::uint64_t parent, std::string_view name, std::int32_t rank,
                                  std::string_view key) {
  const std::uint64_t track = stream_.new_track();
  std::string bytes = described(track, parent, name);
  protozero::pbf_writer writer(bytes);
  writer.add_int32(descriptor::kRank, rank);
  writer.add_enum(descriptor::kMerging, kMergeByKey);
  writer.add_bytes(descriptor::kMergeKey, key.data(), key.size());
  add(bytes);
  return track;
}

std::uint64_t PerfettoTracks::counter(std::uint64_t parent, std::string_view name,
                                      std::string_view unit) {
  const std::uint64_t track = stream_.new_track();
  std::string bytes = described(track, parent, name);
  protozero::pbf_writer writer(bytes);
  {
    protozero::pbf_writer counter(writer, descriptor::kCounter);
    counter.add_bytes(6, unit.data(), unit.size());
  }
  add(bytes);
  return track;
}

}  // namespace prof::formats
