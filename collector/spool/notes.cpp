#include "collector/spool/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "collector/spool/stack_note_json.hpp"
#include "common/base/text/json.hpp"
#include "common/base/utf8.hpp"

namespace prof::spool {

namespace {

using nlohmann::json;

// Converts the causes. Causes that are not integers are ignored.
json to_json(const Drops& drops) {
  json object = json::object();
  for (const auto& [cause, events] : drops) object[std::string(texts_of(cause).name)] = events;
  return object;
}
Drops to_drops(const json& note) {
  Drops drops;
  const auto found = note.find("dropped");
  if (found == note.end() || !found->is_object()) return drops;
  for (const auto& [name, events] : found->items()) {
    if (!events.is_number_integer()) continue;
    // Several unknown causes have the same key. A counter can have any value, so the sum is
    // limited.
    std::uint64_t& sum = drops[drop_cause_named(name)];
    const auto count = events.get<std::uint64_t>();
    sum = count > ~sum ? ~std::uint64_t{0} : sum + count;
  }
  return drops;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

json to_json(const SystemFact& fact) { return json::array({fact.name, fact.number, fact.value}); }
std::vector<SystemFact> to_facts(const json& note) {
  std::vector<SystemFact> facts;
  const auto found = note.find("system");
  if (found == note.end()) return facts;
  for (const json& item : *found)
    if (item.is_array() && item.size() == 3 && item[1].is_number_integer())
      facts.push_back({text_of(item[0]), item[1].get<std::int64_t>(), text_of(item[2])});
  return facts;
}

std::vector<std::pair<std::string, std::string>> to_capture(const json& note) {
  std::vector<std::pair<std::string, std::string>> capture;
  const auto found = note.find("capture");
  if (found == note.end()) return capture;
  for (const json& item : *found)
    if (item.is_array() && item.size() == 2)
      capture.emplace_back(text_of(item[0]), text_of(item[1]));
  return capture;
}

json to_json(const std::vector<SystemFact>& facts) {
  json system = json::array();
  for (const SystemFact& fact : facts) system.push_back(to_json(fact));
  return system;
}

json to_json(const SystemFactsNote& note) { return {{"system", to_json(note.system)}}; }
void from_json(const json& object, SystemFactsNote& note) { note.system = to_facts(object); }

void from_json(const json& object, SessionNote& note) {
  get(object, "version", note.version);
  get(object, "tick_rate", note.tick_rate);
  get(object, "capture_ranges", note.capture_ranges);
  get(object, "capture_ranges_numbered", note.capture_ranges_numbered);
  note.system = to_facts(object);
  get(object, "gpus", note.gpus);
  note.capture = to_capture(object);
}

void from_json(const json& object, ProcessNote& note) {
  get(object, "serial", note.serial);
  get(object, "parent_serial", note.parent_serial);
  get(object, "pid", note.pid);
  note.own_pid = note.pid;
  get(object, "own_pid", note.own_pid);
  get(object, "ppid", note.ppid);
  get(object, "time", note.time);
  get(object, "name", note.name);
  get(object, "exec_of", note.exec_of);
}

void from_json(const json& object, ProcessEndNote& note) {
  get(object, "serial", note.serial);
  get(object, "goes_on", note.goes_on);
  note.dropped = to_drops(object);
}

json to_json(const ClockNote& note) {
  return {{"raw", note.raw},
          {"monotonic", note.monotonic},
          {"boottime", note.boottime},
          {"realtime", note.realtime},
          {"tai", note.tai},
          {"uncertainty", note.uncertainty},
          {"ntp_offset", note.ntp_offset},
          {"ntp_frequency", note.ntp_frequency},
          {"ntp_max_error", note.ntp_max_error},
          {"ntp_estimated_error", note.ntp_estimated_error},
          {"ntp_status", note.ntp_status},
          {"is_synchronized", note.is_synchronized},
          {"boot_id", note.boot_id},
          {"namespace_shift", note.namespace_shift}};
}
void from_json(const json& object, ClockNote& note) {
  get(object, "raw", note.raw);
  get(object, "monotonic", note.monotonic);
  get(object, "boottime", note.boottime);
  get(object, "realtime", note.realtime);
  get(object, "tai", note.tai);
  get(object, "uncertainty", note.uncertainty);
  get(object, "ntp_offset", note.ntp_offset);
  get(object, "ntp_frequency", note.ntp_frequency);
  get(object, "ntp_max_error", note.ntp_max_error);
  get(object, "ntp_estimated_error", note.ntp_estimated_error);
  get(object, "ntp_status", note.ntp_status);
  get(object, "is_synchronized", note.is_synchronized);
  get(object, "boot_id", note.boot_id);
  get(object, "namespace_shift", note.namespace_shift);
}

json to_json(const StopNote& note) { return {{"time", note.time}}; }
void from_json(const json& object, StopNote& note) { get(object, "time", note.time); }

json to_json(const EndNote& note) {
  json object = {{"exit_status", note.exit_status}};
  if (!note.dropped.empty()) object["dropped"] = to_json(note.dropped);
  return object;
}
void from_json(const json& object, EndNote& note) {
  get(object, "exit_status", note.exit_status);
  note.dropped = to_drops(object);
}

json to_json(const DiagnosticNote& note) {
  json object = {{"severity", note.severity}, {"text", note.text}};
  if (note.time) object["time"] = *note.time;
  return object;
}
void from_json(const json& object, DiagnosticNote& note) {
  get(object, "severity", note.severity);
  get(object, "text", note.text);
  get(object, "time", note.time);
}

json to_json(const StreamNote& note) {
  return {{"pid", note.pid}, {"file", note.file}, {"content", note.content}};
}
void from_json(const json& object, StreamNote& note) {
  get(object, "pid", note.pid);
  get(object, "file", note.file);
  get(object, "content", note.content);
}

json to_json(const KernelLostNote& note) {
  json object = {{"records", note.records}};
  if (note.source != KernelSource::kSystemCalls) object["source"] = note.source;
  return object;
}
void from_json(const json& object, KernelLostNote& note) {
  get(object, "source", note.source);
  get(object, "records", note.records);
}

json to_json(const TracepointsNote& note) {
  json points = json::array();
  for (const auto& each : note.tracepoints)
    points.push_back({{"name", each.name}, {"format", each.format}});
  return {{"tracepoints", std::move(points)}};
}
void from_json(const json& object, TracepointsNote& note) {
  const auto points = object.find("tracepoints");
  if (points == object.end()) return;
  // A tracepoint that cannot be read keeps its place, because records have its number.
  for (const json& each : *points) {
    TracepointsNote::Tracepoint& point = note.tracepoints.emplace_back();
    if (!each.is_object()) continue;
    get(each, "name", point.name);
    get(each, "format", point.format);
  }
}

json to_json(const CpuRecordingNote& note) {
  json object = {{"boot_id", note.boot_id}};
  if (!note.switches.empty()) object["switches"] = note.switches;
  if (note.sampler) object["sampler"] = *note.sampler;
  if (note.period) object["period"] = *note.period;
  return object;
}
void from_json(const json& object, CpuRecordingNote& note) {
  get(object, "boot_id", note.boot_id);
  get(object, "switches", note.switches);
  get(object, "sampler", note.sampler);
  get(object, "period", note.period);
}

json to_json(const MetricSourceNote& note) {
  json counters = json::array();
  for (const Counter& each : note.counters)
    counters.push_back(json::array({each.name, static_cast<int>(each.type), each.unit}));
  json object = {{"id", note.id},
                 {"name", note.name},
                 {"pid", note.pid},
                 {"tid", note.tid},
                 {"counters", std::move(counters)}};
  if (note.gpu) object["gpu"] = *note.gpu;
  return object;
}
void from_json(const json& object, MetricSourceNote& note) {
  get(object, "id", note.id);
  get(object, "name", note.name);
  get(object, "gpu", note.gpu);
  get(object, "pid", note.pid);
  get(object, "tid", note.tid);
  const auto counters = object.find("counters");
  if (counters == object.end()) return;
  // A counter that cannot be read keeps its place, because values have no names.
  for (const json& item : *counters) {
    const bool is_counter = item.is_array() && item.size() == 3 && item[1].is_number_integer();
    note.counters.push_back(is_counter ? Counter{text_of(item[0]),
                                                 static_cast<CounterType>(item[1].get<int>()),
                                                 text_of(item[2])}
                                       : Counter{});
  }
}

json to_json(const FlightNote& note) {
  return {{"folder", note.folder}, {"window", note.window}, {"folded", note.folded}};
}
void from_json(const json& object, FlightNote& note) {
  get(object, "folder", note.folder);
  get(object, "window", note.window);
  get(object, "folded", note.folded);
}

// JSON is UTF-8, but names of programs, files and threads are any bytes.
void escape_texts(json& value) {
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    if (!base::is_utf8(text)) text = base::escaped_to_utf8(text);
  } else if (value.is_structured()) {
    for (json& item : value) escape_texts(item);
  }
}

// Leaves out what is nested too deep, because copying and printing a value is recursive. Notes of
// prof are 3 deep.
json parse_note(std::string_view text) {
  constexpr int kMaxDepth = 16;
  const auto opens = [](char c) { return c == '{' || c == '['; };
  // Without a callback, the parser takes half the time.
  if (std::count_if(text.begin(), text.end(), opens) < kMaxDepth)
    return json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto is_wanted = [](int depth, json::parse_event_t, const json&) {
    return depth < kMaxDepth;
  };
  return json::parse(text, is_wanted, /*allow_exceptions=*/false);
}

// Parses only the type of the note.
json parse_type(std::string_view text) {
  const auto is_wanted = [](int depth, json::parse_event_t event, const json& parsed) {
    if (event == json::parse_event_t::key) return depth == 1 && parsed == "type";
    return depth < 2;
  };
  return json::parse(text, is_wanted, /*allow_exceptions=*/false);
}

// Returns the text with a question mark for each byte that JSON does not allow.
std::string without_forbidden_bytes(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    const bool is_allowed =
        length > 1 || (length == 1 && static_cast<unsigned char>(text[0]) >= ' ');
    result += is_allowed ? text.substr(0, length) : "?";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string escaped(const std::string& text) {
  return base::is_utf8(text) ? text : base::escaped_to_utf8(text);
}

// Notes begin with this text, so their type is known without a parser. The parser would take longer
// than all other work that the report needs for a short process.
constexpr std::string_view kBegin = R"({"type":")";

}  // namespace

template <class Note>
std::string NoteJson<Note>::text(const Note& note) {
  json object = to_json(note);
  escape_texts(object);
  const std::string members = object.dump(-1, ' ', false, json::error_handler_t::replace);
  return fmt::format(R"({}{}",{})", kBegin, Note::kType, std::string_view(members).substr(1));
}

// The session's note is the longest note, and in a short recording it has most of the bytes.
template <>
std::string NoteJson<SessionNote>::text(const SessionNote& note) {
  base::Json text;
  text.begin_object()
      .pair("type", SessionNote::kType)
      .pair("version", escaped(note.version))
      .pair("tick_rate", note.tick_rate)
      .pair("capture_ranges", note.capture_ranges)
      .pair("capture_ranges_numbered", note.capture_ranges_numbered);
  text.key("system").begin_list();
  for (const SystemFact& fact : note.system) {
    text.begin_list().value(escaped(fact.name)).value(fact.number);
    text.value(escaped(fact.value)).end_list();
  }
  text.end_list().key("gpus").begin_list();
  for (const std::string& gpu : note.gpus) text.value(escaped(gpu));
  text.end_list().key("capture").begin_list();
  for (const auto& [name, value] : note.capture)
    text.begin_list().value(escaped(name)).value(escaped(value)).end_list();
  return text.end_list().end_object().take();
}

// Notes of processes are written as text, too: a program can cause thousands in a second.
template <>
std::string NoteJson<ProcessNote>::text(const ProcessNote& note) {
  base::Json text;
  text.begin_object().pair("type", ProcessNote::kType);
  if (note.exec_of) text.pair("exec_of", *note.exec_of);
  return text.pair("name", escaped(note.name))
      .pair("own_pid", note.own_pid)
      .pair("parent_serial", note.parent_serial)
      .pair("pid", note.pid)
      .pair("ppid", note.ppid)
      .pair("serial", note.serial)
      .pair("time", note.time)
      .end_object()
      .take();
}

template <>
std::string NoteJson<ProcessEndNote>::text(const ProcessEndNote& note) {
  base::Json text;
  text.begin_object()
      .pair("type", ProcessEndNote::kType)
      .key("dropped")
      .ready(to_json(note.dropped).dump());
  if (note.goes_on) text.pair("goes_on", true);
  return text.pair("serial", note.serial).end_object().take();
}

// Damage usually makes bytes that no text has. Then the rest of the note is right.
template <class Note>
std::optional<Note> NoteJson<Note>::read(std::string_view text) try {
  json object = parse_note(text);
  if (object.is_discarded()) object = parse_note(without_forbidden_bytes(text));
  if (!object.is_object()) return std::nullopt;
  Note note;
  from_json(object, note);
  return note;
} catch (const json::exception&) {
  return std::nullopt;
}

template struct NoteJson<SessionNote>;
template struct NoteJson<ProcessNote>;
template struct NoteJson<ProcessEndNote>;
template struct NoteJson<EndNote>;
template struct NoteJson<StopNote>;
template struct NoteJson<DiagnosticNote>;
template struct NoteJson<StreamNote>;
template struct NoteJson<KernelLostNote>;
template struct NoteJson<TracepointsNote>;
template struct NoteJson<CpuRecordingNote>;
template struct NoteJson<StackModuleNote>;
template struct NoteJson<StackFunctionsNote>;
template struct NoteJson<JitCodeNote>;
template struct NoteJson<JitProcessNote>;
template struct NoteJson<MetricSourceNote>;
template struct NoteJson<SystemFactsNote>;
template struct NoteJson<FlightNote>;
template struct NoteJson<ClockNote>;

void Notes::add_text(std::string_view text) try {
  if (text.starts_with(kBegin))
    return keep(text.substr(kBegin.size(), text.find('"', kBegin.size()) - kBegin.size()), text);
  const json note = parse_type(text);
  if (note.is_object())
    keep(note.value("type", ""), text);
  else
    damaged_bytes_ += text.size();
} catch (const json::exception&) {
  damaged_bytes_ += text.size();  // the type is not a text
}

void Notes::keep(std::string_view type, std::string_view text) {
  ++size_;
  auto found = by_type_.find(type);
  if (found == by_type_.end()) found = by_type_.try_emplace(std::pmr::string(type)).first;
  found->second.emplace_back(text);
}

const Notes::Texts* Notes::of_type(std::string_view type) const {
  const auto found = by_type_.find(type);
  return found == by_type_.end() ? nullptr : &found->second;
}

}  // namespace prof::spool
