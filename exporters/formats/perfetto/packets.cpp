#include "exporters/formats/perfetto/packets.hpp"

#include <algorithm>
#include <utility>

namespace prof::formats {

namespace {

// Ids of the names of arguments in a sequence.
constexpr std::uint64_t kValueName = 1;
constexpr std::uint64_t kTextName = 2;

using FixedWriter = protozero::basic_pbf_writer<protozero::fixed_size_buffer_adaptor>;

namespace track_event {
enum Field : protozero::pbf_tag_type {
  kAnnotations = 4,
  kType = 9,
  kNameId = 10,
  kDoubleValue = 44,
  // Perfetto later replaced these varints by numbers of 64 bits, for random ids. Links are counted
  // from 1, so they need 3 bytes here instead of 8. Perfetto reads both kinds.
  kLinks = 36,
  kEndedLinks = 42,
};
}
namespace annotation {
enum Field : protozero::pbf_tag_type { kNameId = 1, kInteger = 4, kTextId = 17 };
}
// Names and texts of interned data have the same fields.
namespace interned_text {
enum Field : protozero::pbf_tag_type { kId = 1, kText = 2 };
}

constexpr std::uint32_t kIncrementalClock = 64;

}  // namespace

void add_interned_text(protozero::pbf_writer& interned, interned::Field field, std::uint64_t id,
                       std::string_view text) {
  protozero::pbf_writer name(interned, field);
  name.add_uint64(interned_text::kId, id);
  name.add_bytes(interned_text::kText, text.data(), text.size());
}

void begin_sequence(PacketStream& stream, std::uint32_t sequence, std::uint64_t track) {
  std::string bytes;
  protozero::pbf_writer start(bytes);
  start.add_uint32(packet::kSequence, sequence);
  start.add_uint32(packet::kSequenceFlags, kFirstOfSequence);
  {
    protozero::pbf_writer snapshot(start, packet::kClockSnapshot);
    for (const std::uint32_t id : {kBootTime, kIncrementalClock}) {
      protozero::pbf_writer clock(snapshot, 1);
      clock.add_uint32(1, id);
      clock.add_uint64(2, 0);
      if (id == kIncrementalClock) clock.add_bool(3, true);
    }
  }
  protozero::pbf_writer defaults(start, packet::kTracePacketDefaults);
  defaults.add_uint32(58, kIncrementalClock);
  if (track != 0) {
    protozero::pbf_writer event(defaults, 11);
    event.add_uint64(11, track);
  }
  defaults.commit();
  stream.add(bytes);
}

TrackSequence::TrackSequence(PacketStream& stream, std::uint64_t track)
    : stream_(&stream), sequence_(stream.new_sequence()) {
  begin_sequence(stream, sequence_, track);
}

template <class Writer>
void TrackSequence::write_event(Writer& event, Type type, std::uint32_t name,
                                const SliceExtras& extras) {
  event.add_enum(track_event::kType, type);
  if (name != kNoName) event.add_uint64(track_event::kNameId, name + 1);
  for (const std::uint64_t link : extras.links)
    event.add_uint64(extras.starts_links ? track_event::kLinks : track_event::kEndedLinks, link);
}

template <class Writer>
void TrackSequence::write_head(Writer& packet, std::int64_t time) {
  time = std::max(time, last_);  // times before the session would be negative
  packet.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(time - last_));
  last_ = time;
  packet.add_uint32(packet::kSequence, sequence_);
}

// Writes an event in the usual case, without allocation.
void TrackSequence::write(std::int64_t time, Type type, std::uint32_t name,
                          const SliceExtras& extras) {
  constexpr std::size_t kMaxBytes = 64;
  std::array<char, kMaxBytes> event_bytes;   // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::array<char, kMaxBytes> packet_bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  protozero::fixed_size_buffer_adaptor event_buffer(event_bytes.data(), kMaxBytes);
  protozero::fixed_size_buffer_adaptor packet_buffer(packet_bytes.data(), kMaxBytes);
  FixedWriter event(event_buffer);
  write_event(event, type, name, extras);
  FixedWriter whole(packet_buffer);
  write_head(whole, time);
  whole.add_message(packet::kTrackEvent, event_buffer.data(), event_buffer.size());
  stream_->add({packet_buffer.data(), packet_buffer.size()});
}

void TrackSequence::write_full(std::int64_t time, Type type, std::uint32_t name,
                               std::string_view text, const SliceExtras& extras) {
  std::string event_bytes;
  std::string interned_bytes;
  protozero::pbf_writer event(event_bytes);
  protozero::pbf_writer interned(interned_bytes);
  write_event(event, type, name, extras);
  if (name == known_names_) {
    add_interned_text(interned, interned::kEventNames, name + 1, text);
    ++known_names_;
  }
  if (extras.value_name != nullptr) write_value(event, interned, extras);
  if (extras.text_name != nullptr) write_text(event, interned, extras);
  std::string bytes;
  protozero::pbf_writer whole(bytes);
  write_head(whole, time);
  if (!interned_bytes.empty()) whole.add_message(packet::kInternedData, interned_bytes);
  whole.add_message(packet::kTrackEvent, event_bytes);
  stream_->add(bytes);
}

// A sequence has one kind of numbers and one kind of texts as arguments.
void TrackSequence::write_value(protozero::pbf_writer& event, protozero::pbf_writer& interned,
                                const SliceExtras& extras) {
  if (!std::exchange(has_value_name_, true))
    add_interned_text(interned, interned::kAnnotationNames, kValueName, extras.value_name);
  protozero::pbf_writer argument(event, track_event::kAnnotations);
  argument.add_uint64(annotation::kNameId, kValueName);
  argument.add_int64(annotation::kInteger, extras.value);
}

void TrackSequence::write_text(protozero::pbf_writer& event, protozero::pbf_writer& interned,
                               const SliceExtras& extras) {
  if (!std::exchange(has_text_name_, true))
    add_interned_text(interned, interned::kAnnotationNames, kTextName, extras.text_name);
  protozero::pbf_writer argument(event, track_event::kAnnotations);
  argument.add_uint64(annotation::kNameId, kTextName);
  const std::size_t known = texts_.size();
  const std::uint32_t id = texts_.of(extras.text_number);
  if (id == known) add_interned_text(interned, interned::kAnnotationTexts, id + 1, *extras.text);
  argument.add_uint64(annotation::kTextId, id + 1);
}

void TrackSequence::count(std::int64_t time, double value) {
  std::string event_bytes;
  protozero::pbf_writer event(event_bytes);
  event.add_enum(track_event::kType, kCounter);
  event.add_double(track_event::kDoubleValue, value);
  std::string bytes;
  protozero::pbf_writer whole(bytes);
  write_head(whole, time);
  whole.add_message(packet::kTrackEvent, event_bytes);
  stream_->add(bytes);
}

}  // namespace prof::formats
