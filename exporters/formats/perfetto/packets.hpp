// Writes the packets of a Perfetto trace.
#pragma once

#include <array>
#include <cstdint>
#include <protozero/buffer_fixed.hpp>
#include <protozero/pbf_writer.hpp>
#include <span>
#include <string>
#include <string_view>

#include "exporters/analysis/events/call_chains/numbering.hpp"
#include "exporters/formats/output.hpp"
#include "exporters/formats/trace/slice_names.hpp"

namespace prof::formats {

// Fields of Perfetto's messages (perfetto_trace.proto), by message.
namespace packet {
enum Field : protozero::pbf_tag_type {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kGpuRenderStageEvent = 53,
  kTracePacketDefaults = 59,
  kTrackDescriptor = 60,
  kPerfSample = 66,
  kTaskStateEvent = 117,
};
}
namespace interned {
enum Field : protozero::pbf_tag_type {
  kEventNames = 2,
  kAnnotationNames = 3,
  kFunctionNames = 5,
  kFrames = 6,
  kCallstacks = 7,
  kMappingPaths = 17,
  kMappings = 19,
  kGraphicsContexts = 23,
  kGpuSpecifications = 24,
  kAnnotationTexts = 29,
};
}

inline constexpr std::uint32_t kFirstOfSequence = 3;  // state cleared, and needed
inline constexpr std::uint32_t kNeedsState = 2;
inline constexpr std::uint32_t kBootTime = 6;  // the trace's clock: ns of the session

// Appends packets to the output.
class PacketStream : public BufferedOutput {
 public:
  using BufferedOutput::BufferedOutput;

  void add(std::string_view packet) {
    constexpr protozero::pbf_tag_type kPacket = 1;
    writer_.add_message(kPacket, packet.data(), packet.size());
    flush_if_large();
  }

  std::uint32_t new_sequence() { return ++sequences_; }
  std::uint64_t new_track() { return ++tracks_; }

 private:
  protozero::pbf_writer writer_{buffer_};
  std::uint32_t sequences_ = 0;
  std::uint64_t tracks_ = 0;
};

// The parts of a slice besides its name.
struct SliceExtras {
  // Numbers of links. `starts_links` means that the slice is the first of the two slices that each
  // link joins.
  std::span<const std::uint64_t> links = {};
  bool starts_links = false;
  // Arguments: a number and a text. A name that is null means that the slice has no such argument.
  const char* value_name = nullptr;
  std::int64_t value = 0;
  const char* text_name = nullptr;
  const std::string* text = nullptr;
  std::uint32_t text_number = 0;  // number of the text, unique in the trace

  bool has_arguments() const { return value_name != nullptr || text_name != nullptr; }
};

// Adds a name or a text to the interned data of a packet.
void add_interned_text(protozero::pbf_writer& interned, interned::Field field, std::uint64_t id,
                       std::string_view text);

// Begins a sequence in which each time is the difference to the previous one. `track` is the track
// of its events; 0: none.
void begin_sequence(PacketStream& stream, std::uint32_t sequence, std::uint64_t track);

// Writes the events of one track, in the order of time. The track's packets are a sequence, whose
// defaults make them small: the track is implied, and each time is the difference to the last.
class TrackSequence {
 public:
  TrackSequence(PacketStream& stream, std::uint64_t track);

  void begin(std::int64_t time, std::uint32_t name, const SliceNames& names,
             const SliceExtras& extras = {}) {
    const std::uint32_t id = names_.of(name);
    if (id == known_names_ || extras.links.size() > kFewLinks || extras.has_arguments())
      write_full(time, kBegin, id, names.text(name), extras);
    else
      write(time, kBegin, id, extras);
  }
  void end(std::int64_t time) { write(time, kEnd, kNoName, {}); }
  void instant(std::int64_t time, std::uint32_t name, const SliceNames& names,
               const SliceExtras& extras = {}) {
    write_full(time, kInstant, names_.of(name), names.text(name), extras);
  }
  void count(std::int64_t time, double value);

 private:
  enum Type : std::int32_t { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };
  static constexpr std::size_t kFewLinks = 1;
  static constexpr std::uint32_t kNoName = UINT32_MAX;

  struct Hash {
    std::uint64_t operator()(std::uint64_t key) const { return key; }
  };
  using Numbers = events::Numbering<std::uint64_t, Hash>;

  template <class Writer>
  static void write_event(Writer& event, Type type, std::uint32_t name, const SliceExtras& extras);
  template <class Writer>
  void write_head(Writer& packet, std::int64_t time);
  void write(std::int64_t time, Type type, std::uint32_t name, const SliceExtras& extras);
  void write_full(std::int64_t time, Type type, std::uint32_t name, std::string_view text,
                  const SliceExtras& extras);
  void write_value(protozero::pbf_writer& event, protozero::pbf_writer& interned,
                   const SliceExtras& extras);
  void write_text(protozero::pbf_writer& event, protozero::pbf_writer& interned,
                  const SliceExtras& extras);

  PacketStream* stream_;
  std::uint32_t sequence_;
  std::int64_t last_ = 0;  // ns, time of the last event
  Numbers names_;
  std::uint32_t known_names_ = 0;  // names with smaller numbers are in the trace
  bool has_value_name_ = false;    // the name of the argument is in the trace
  bool has_text_name_ = false;
  Numbers texts_;
};

}  // namespace prof::formats
