#include "collector/session/preparation.hpp"

#include <filesystem>
#include <utility>

#include "collector/session/host_info.hpp"
#include "collector/session/launch/injection_library.hpp"
#include "collector/session/launch/limits.hpp"
#include "collector/session/options/capture_metadata.hpp"
#include "collector/spool/left_over.hpp"
#include "collector/spool/spool_path.hpp"
#include "common/wire/kernel_names.hpp"
#include "common/wire/kernel_records.hpp"

namespace prof::session {

using base::Status;
using tl::make_unexpected;

namespace {

// The initial memory of the event buffer: 256 KiB. Zeroing and freeing more would be a large part
// of what a short program costs. A program that needs more adds it
// (injection/core/record/arena_room). If the kernel is too old for that, the initial memory is 16
// MiB, so that a burst of events fits.
constexpr spool::ChunkCounts kInitialChunks{32, 2};
constexpr spool::ChunkCounts kInitialChunksOfOldKernels{2048, 128};

}  // namespace

base::Result<Preload> find_preload(const SessionOptions& options, const TargetProgram& program) {
  const auto library = find_injection_library();
  if (!library) return make_unexpected(library.error());
  Preload preload{program.preload_first, *library, {}, {}};
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i) {
    if (!options.has(wire::library_feature(i))) continue;
    const auto tracer = find_library_tracer(*library, i);
    if (!tracer) return make_unexpected(tracer.error());
    preload.after.push_back(*tracer);
  }
  if ((options.graphics & wire::kGraphicsVulkan) != 0) {
    const auto layer = find_vulkan_layer(*library);
    if (!layer) return make_unexpected(layer.error());
    preload.vulkan_layer = *layer;
  }
  return preload;
}

base::Result<SessionDirectory> create_directory(const SessionOptions& options) {
  auto directory = SessionDirectory::create(options.guest);
  if (!directory) return directory;
  const std::string no_message = options.kernel_plan.empty() ? "" : "\n";
  const bool demangles = options.kernel_plan.find("base demangled\n") != std::string::npos;
  const std::string no_names = demangles ? "\n" : "";
  const std::pair<const char*, const std::string&> files[] = {
      {wire::kPythonAnnotationsName, options.python.annotations},
      {wire::kKernelPlanName, options.kernel_plan},
      {wire::kKernelHangName, no_message},
      {wire::kKernelNamesName, no_names},
      {wire::kKernelAnswersName, no_names}};
  for (const auto& [name, text] : files) {
    if (text.empty()) continue;
    if (const Status written = directory->write_file(name, text); !written)
      return make_unexpected(written.error());
  }
  return directory;
}

base::Result<spool::Arena> create_arena(const SessionOptions& options) {
  const spool::ChunkCounts chunks = affordable_chunks(options.buffer_bytes);
  if (chunks.small == 0)
    return base::fail(
        "the limit of file sizes (ulimit -f) or of the address space (ulimit -v) leaves no room "
        "for the event buffer");
  auto arena = spool::Arena::create(
      spool::threads_can_add_memory() ? kInitialChunks : kInitialChunksOfOldKernels, chunks);
  if (arena || !has_limited_memory()) return arena;
  return base::fail(arena.error().message +
                    ". A smaller event buffer needs less memory and address space (ulimit -v): "
                    "--buffer-size=16M, for example");
}

std::string with_pid(std::string text, pid_t pid) {
  for (std::size_t at = text.find("%p"); at != std::string::npos; at = text.find("%p", at))
    text.replace(at, 2, std::to_string(pid));
  return text;
}

base::Status check_new_output(const std::string& output, bool overwrite) {
  std::error_code error;
  if (overwrite || !std::filesystem::exists(output, error)) return {};
  return base::fail(output + " exists; use -f true to replace it, or another name with -o");
}

// Creates the spool. It also reserves the name of the output.
base::Result<spool::SpoolWriter> create_spool(const std::string& output, bool overwrite) {
  if (base::Status free = check_new_output(output, overwrite); !free)
    return tl::make_unexpected(free.error());
  std::error_code error;
  const std::string spool = spool::spool_path(output);
  if (std::filesystem::exists(spool, error))
    return base::fail(spool +
                      " exists: either prof is recording to it, or it was killed and the recording "
                      "can be saved with: " +
                      spool::recovery_command(spool));
  return spool::SpoolWriter::create(spool);
}

void write_warnings(SpoolRecorder& recorder, const std::vector<std::string>& of_options,
                    const std::vector<std::string>& of_program) {
  for (const auto* warnings : {&of_options, &of_program})
    for (const std::string& warning : *warnings) recorder.warn(warning);
}

void write_session_note(SpoolRecorder& recorder, const SessionOptions& options, double tick_rate) {
  recorder.note(
      spool::SessionNote{.version = options.version,
                         .tick_rate = tick_rate,
                         .capture_ranges = options.ranges.enabled || options.time.is_any(),
                         .capture_ranges_numbered = options.ranges.numbered,
                         .system = describe_host(),
                         .gpus = gpu_locations(),
                         .capture = capture_metadata(options)});
}

void write_streams(SpoolRecorder& recorder, const StreamCapture& streams, pid_t target_pid) {
  for (const CapturedStream& stream : streams.collect())
    recorder.note(spool::StreamNote{target_pid, stream.file, stream.content});
}

}  // namespace prof::session
