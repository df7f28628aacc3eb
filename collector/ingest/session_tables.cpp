#include "collector/ingest/session_tables.hpp"

#include <fmt/format.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string_view>

#include "common/report/schema.hpp"

namespace prof::ingest {

using report::ReportWriter;

namespace {

std::string iso_time(std::int64_t epoch_ns, bool local) {
  const auto seconds = static_cast<time_t>(epoch_ns / 1'000'000'000);
  struct tm fields {};
  local ? localtime_r(&seconds, &fields) : gmtime_r(&seconds, &fields);
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &fields);
  return text;
}

void write_start_time(ReportWriter& writer, std::int64_t start_realtime) {
  writer.add("TARGET_INFO_SESSION_START_TIME",
             {start_realtime, iso_time(start_realtime, false), iso_time(start_realtime, true)});
}

void write_capture(ReportWriter& writer, const spool::SessionNote& session,
                   const spool::Notes& notes, std::int64_t duration) {
  const auto add = [&](std::string_view name, const std::string& value) {
    writer.add("META_DATA_CAPTURE", {name, value});
  };
  add("DEVICE_ID", "Local (CLI)");
  for (const auto& [name, value] : session.capture) add(name, value);
  for (const auto& cpu : notes.all<spool::CpuRecordingNote>()) {
    if (!cpu.sampler) continue;
    add("SAMPLING_OPTIONS:METHOD", *cpu.sampler);
    if (cpu.period) add("SAMPLING_OPTIONS:TIMER_PERIOD_NS", std::to_string(*cpu.period));
    break;
  }
  for (const auto& end : notes.all<spool::EndNote>())
    if (end.exit_status >= 0) add("PROCESS_0:EXIT_STATUS", std::to_string(end.exit_status));
  add("RUN_DURATION_MS", std::to_string(duration / 1'000'000));
}

void write_export(ReportWriter& writer, const spool::SessionNote& session,
                  const std::string& output) {
  const auto add = [&](std::string_view name, const std::string& value) {
    writer.add("META_DATA_EXPORT", {name, value});
  };
  const std::int64_t now = static_cast<std::int64_t>(time(nullptr)) * 1'000'000'000;
  const std::string absolute = std::filesystem::absolute(output).string();
  add("EXPORT_PRODUCT_NAME", "prof");
  add("EXPORT_PRODUCT_VERSION", session.version);
  add("EXPORT_SCHEMA_VERSION", std::string(report::kSchemaVersion));
  add("EXPORT_SCHEMA_VERSION_MAJOR", std::to_string(report::kSchemaMajor));
  add("EXPORT_SCHEMA_VERSION_MINOR", std::to_string(report::kSchemaMinor));
  add("EXPORT_SCHEMA_VERSION_MICRO", std::to_string(report::kSchemaMicro));
  add("EXPORT_PLATFORM", "linux-desktop");
  add("EXPORT_ARCH", "x64");
  add("EXPORT_TIME_UTC", iso_time(now, false));
  add("EXPORT_TIME_LOCAL", iso_time(now, true));
  add("EXPORT_PARAM_OUTPUT_FILE", std::filesystem::path(output).filename().string());
  add("EXPORT_PARAM_OUTPUT_PATH", output);
  add("EXPORT_PARAM_OUTPUT_PATH_ABS", absolute);
  add("EXPORT_PARAM_LAZY", "true");
  add("EXPORT_PARAM_TIME_NORMALIZE", "false");
  add("EXPORT_PARAM_TIME_SHIFT", "0");
}

void write_system(ReportWriter& writer, const spool::SessionNote& session,
                  const spool::Notes& notes) {
  const auto add = [&](const std::vector<spool::SystemFact>& facts) {
    for (const spool::SystemFact& fact : facts)
      writer.add("TARGET_INFO_SYSTEM_ENV",
                 {kGlobalVid, std::string_view("Local (CLI)"), fact.name, fact.number, fact.value});
  };
  add(session.system);
  for (const auto& more : notes.all<spool::SystemFactsNote>()) add(more.system);
}

// Writes one row per process, about its last image. Notes are not in the order in which images
// started.
void write_processes(ReportWriter& writer, const ProcessTable& processes) {
  std::pmr::map<std::int64_t, const ProcessImage*> last(writer.memory());
  for (const ProcessImage& image : processes.images()) {
    const ProcessImage*& known = last[processes.global_pid_of(image.serial)];
    if (known == nullptr || image.time >= known->time) known = &image;
  }
  for (const auto& [id, image] : last)
    writer.add("PROCESSES", {id, static_cast<std::int64_t>(image->pid), image->name});
}

void write_streams(ReportWriter& writer, const spool::Notes& notes) {
  std::int64_t file_id = 0;
  notes.for_each<spool::StreamNote>([&](const spool::StreamNote& note) {
    const auto content = static_cast<std::int64_t>(writer.string_id(note.content));
    const auto name = static_cast<std::int64_t>(writer.string_id(note.file));
    const std::int64_t pid = global_pid(note.pid);
    writer.add("ProcessStreams", {pid, name, content});
    writer.add("ANALYSIS_FILE", {file_id++, note.file, content, pid});
  });
}

}  // namespace

void write_session_tables(ReportWriter& writer, const spool::SessionNote& session,
                          const spool::Notes& notes, const ProcessTable& processes,
                          std::int64_t start_realtime, std::int64_t duration,
                          const std::string& output) {
  write_start_time(writer, start_realtime);
  writer.add("ANALYSIS_DETAILS", {kGlobalVid, duration, std::int64_t{0}, duration});
  write_system(writer, session, notes);
  write_processes(writer, processes);
  write_streams(writer, notes);
  write_capture(writer, session, notes, duration);
  write_export(writer, session, output);
}

}  // namespace prof::ingest
