#include "collector/ingest/report_builder.hpp"

#include <algorithm>
#include <vector>

#include "collector/ingest/diagnostics/session_diagnostics.hpp"
#include "collector/ingest/job/clocks.hpp"
#include "collector/ingest/records/record_passes.hpp"
#include "collector/ingest/records/row_builders.hpp"
#include "collector/ingest/session_tables.hpp"

namespace prof::ingest {

using report::ReportWriter;
using spool::KernelSource;

namespace {

class ReportBuilder {
 public:
  ReportBuilder(const spool::Spool& spool, ReportWriter& writer, const Progress& progress,
                const std::optional<Window>& window)
      : spool_(spool),
        session_(spool.notes.session()),
        end_(spool.notes.first<spool::EndNote>()),
        kernel_drops_(spool.notes.all<spool::KernelLostNote>()),
        writer_(writer),
        progress_(progress),
        window_(window),
        rows_(spool, session_.tick_rate, writer, window) {}

  BuildSummary build(const std::string& output) {
    collect_definitions(spool_, rows_, part(0, kDefined));
    rows_.stacks.resolve(part(kDefined, kNamed));
    build_target_rows();
    build_system_calls();
    build_cpu();
    build_tracepoints();
    build_metrics();
    rows_.stacks.write_code_places();
    rows_.compiled.write(rows_.processes, rows_.strings, writer_);
    write_thread_names();
    rows_.ranks.write(rows_.processes, rows_.strings, writer_);
    write_clocks(writer_, spool_.notes, rows_.clock);
    write_session_tables(writer_, session_, spool_.notes, rows_.processes,
                         start_realtime(spool_, window_), end_time(), output);
    // The diagnostics are written last, because only then all damaged notes are known.
    write_diagnostics();
    writer_.flush();
    return summary();
  }

 private:
  // Approximate shares of the time, as sums: collecting definitions, naming functions, and writing
  // the rows of threads. The time of the rest depends on the kernel's records.
  static constexpr double kDefined = 0.1;
  static constexpr double kNamed = 0.2;
  double rows_end() const {
    double by_kernel = 0;
    for (const spool::KernelPiece& piece : spool_.kernel_pieces)
      by_kernel += static_cast<double>(piece.bytes.size());
    const auto by_threads = static_cast<double>(spool_.record_bytes);
    return kNamed + (1 - kNamed) * by_threads / std::max(by_threads + by_kernel, 1.0);
  }
  // Returns a function that converts the progress of a part of the work to that of the whole.
  std::function<void(double)> part(double begin, double end) const {
    if (!progress_) return {};
    return [this, begin, end](double done) { progress_(begin + (end - begin) * done); };
  }

  std::int64_t end_time() const {
    return rows_.window_length.value_or(std::max(rows_.clock.end(), last_time_));
  }

  void build_target_rows() {
    corrupt_bytes_ += build_rows(spool_, rows_, part(kNamed, rows_end()));
    rows_.nvtx.finish();
    rows_.nvtx_schemas.write(writer_);
    rows_.nvtx_counters.finish();
    rows_.memory_regions.finish();
    rows_.graph_ranges.finish(rows_.window_length.value_or(rows_.clock.end()));
    rows_.cuda.finish(session_.gpus);
    rows_.pc_samples.finish();
    rows_.mpi.finish();
    rows_.openmp.finish();
    rows_.openacc.finish();
    rows_.vulkan.finish();
    rows_.opengl.finish();
    last_time_ =
        std::max({rows_.calls.last_time(), rows_.last_python_sample, rows_.cuda.last_time(),
                  rows_.mpi.last_time(), rows_.openmp.last_time(), rows_.openacc.last_time(),
                  rows_.vulkan.last_time(), rows_.opengl.last_time(), rows_.ucx.last_time(),
                  rows_.shmem.last_time(), rows_.torch_memory.last_time()});
    rows_.kernel_profiles.finish(end_time());
    rows_.files.finish(end_time());
    rows_.thinning.finish();
    rows_.short_calls.finish();
  }

  // Returns the kernel's own count at the end of the session.
  std::uint64_t dropped_by_kernel(KernelSource source) const {
    const auto found = std::ranges::find(kernel_drops_, source, &spool::KernelLostNote::source);
    return found == kernel_drops_.end() ? 0 : found->records;
  }

  void build_system_calls() {
    if (spool_.kernel_pieces.empty()) return;
    rows_.system_calls.add(spool_.kernel_pieces, dropped_by_kernel(KernelSource::kSystemCalls));
    last_time_ = std::max(last_time_, rows_.system_calls.last_time());
    rows_.system_calls.finish(end_time());
    corrupt_bytes_ += rows_.system_calls.stats().corrupt_bytes;
  }

  void build_cpu() {
    const auto recording = spool_.notes.first<spool::CpuRecordingNote>();
    const auto switches = recording ? recording->switches : std::vector<KernelSource>();
    for (const KernelSource source : {KernelSource::kCpu, KernelSource::kSwitches})
      rows_.cpu.add(spool_.kernel_pieces, source, std::ranges::count(switches, source) != 0,
                    dropped_by_kernel(source));
    rows_.cpu.write_own_samples();
    last_time_ = std::max(last_time_, rows_.cpu.last_time());
    corrupt_bytes_ += rows_.cpu.stats().corrupt_bytes;
  }

  void build_tracepoints() {
    rows_.tracepoints.add(spool_.notes, spool_.kernel_pieces,
                          dropped_by_kernel(KernelSource::kTracepoints));
    last_time_ = std::max(last_time_, rows_.tracepoints.last_time());
    corrupt_bytes_ += rows_.tracepoints.stats().corrupt_bytes;
  }

  void build_metrics() {
    rows_.metrics.add(spool_);
    last_time_ = std::max(last_time_, rows_.metrics.last_time());
    corrupt_bytes_ += rows_.metrics.stats().corrupt_bytes;
  }

  void write_thread_names() {
    NamedTasks named(writer_.memory());
    for (const ProcessImage& image : rows_.processes.images())
      named.processes.insert(static_cast<std::uint32_t>(image.pid));
    rows_.thread_names.write(rows_.processes, rows_.strings, writer_, named);
    rows_.system_calls.write_names(named);
    rows_.cpu.write_names(named);
    rows_.tracepoints.write_names(named);
  }

  void write_diagnostics() {
    write_collector_messages(writer_, spool_.notes, rows_.clock);
    dropped_by_prof_ =
        write_drops(writer_, rows_.processes, end_ ? end_->dropped : spool::Drops(), end_time());
    rows_.diagnostics.write_missing_gpu_records(end_time(), end_.has_value());
    write_final_messages(writer_, counts(), end_time());
  }

  bool was_traced(const char* event_type) const {
    const std::pair<std::string, std::string> row("CAPTURE_EVENT_TYPE", event_type);
    return std::ranges::find(session_.capture, row) != session_.capture.end();
  }

  std::vector<UnusedInterface> unused_interfaces() const {
    constexpr char kNoCall[] = "no process called a function of it that is linked dynamically";
    constexpr char kNoInstance[] =
        "no process made a Vulkan instance. That needs a loader (libvulkan.so.1) and a driver "
        "(VK_DRIVER_FILES, VK_ICD_FILENAMES)";
    constexpr char kNoGraphics[] =
        "no process called a function of OpenGL, EGL or GLX that prof records";
    struct Interface {
      const char* event_type;  // as in capture_metadata.cpp
      UnusedInterface unused;
      std::uint64_t events;
    };
    const Interface interfaces[] = {
        {"MpiEvents", {"MPI", kNoCall}, rows_.mpi.events()},
        {"UcxEvents", {"UCX", kNoCall}, rows_.ucx.events()},
        {"OpenShmemEvents", {"OpenSHMEM", kNoCall}, rows_.shmem.events()},
        {"Vulkan", {"Vulkan", kNoInstance}, rows_.vulkan.events()},
        {"OpenGlEvents", {"OpenGL", kNoGraphics}, rows_.opengl.events()}};
    std::vector<UnusedInterface> found;
    for (const Interface& each : interfaces)
      if (each.events == 0 && was_traced(each.event_type)) found.push_back(each.unused);
    return found;
  }

  SessionCounts counts() const {
    return {.os_runtime_calls = rows_.calls.os_runtime_calls(),
            .file_accesses = rows_.files.events(),
            .library_calls = rows_.calls.library_calls(),
            .mpi_events = rows_.mpi.events(),
            .unfinished_ranks = rows_.mpi.unfinished_ranks(rows_.processes),
            .ucx_events = rows_.ucx.events(),
            .shmem_events = rows_.shmem.events(),
            .unused = unused_interfaces(),
            .torch_memory_events = rows_.torch_memory.events(),
            .torch_memory_failures = rows_.torch_memory.failures(),
            .openmp_events = rows_.openmp.events(),
            .openacc_events = rows_.openacc.events(),
            .vulkan_events = rows_.vulkan.events(),
            .vulkan_workloads = rows_.vulkan.workloads(),
            .opengl_events = rows_.opengl.events(),
            .nvtx = rows_.nvtx.stats(),
            .cuda = rows_.cuda.stats(),
            .pc_samples = rows_.pc_samples.stats(),
            .system_calls = rows_.system_calls.stats(),
            .tracepoints = rows_.tracepoints.stats(),
            .cpu = rows_.cpu.stats(),
            .skipped_stacks = rows_.chains.skipped(),
            .corrupt_bytes = corrupt_bytes_,
            .ignored_bytes = spool_.ignored_bytes + spool_.notes.damaged_bytes(),
            .in_a_window = window_.has_value(),
            .complete = end_.has_value()};
  }

  BuildSummary summary() const {
    const SessionCounts all = counts();
    const std::uint64_t by_kernel =
        all.system_calls.dropped + all.tracepoints.dropped + all.cpu.dropped;
    const bool fits = by_kernel <= ~dropped_by_prof_;
    return {.events = all.os_runtime_calls + all.library_calls + all.mpi_events + all.ucx_events +
                      all.shmem_events + all.torch_memory_events + all.openmp_events +
                      all.openacc_events + all.vulkan_events + all.opengl_events +
                      all.vulkan_workloads + all.file_accesses + all.nvtx.events + all.cuda.calls +
                      all.cuda.operations + all.cuda.others + all.system_calls.calls +
                      all.tracepoints.events + all.cpu.samples + all.cpu.switches +
                      rows_.metrics.stats().samples + rows_.nvtx_counters.stats().samples,
            .processes = rows_.processes.images().size(),
            .dropped = fits ? by_kernel + dropped_by_prof_ : ~std::uint64_t{0},
            .corrupt_bytes = corrupt_bytes_,
            .complete = all.complete,
            .untraced = rows_.diagnostics.untraced()};
  }

  const spool::Spool& spool_;
  const spool::SessionNote& session_;
  const std::optional<spool::EndNote> end_;
  const std::vector<spool::KernelLostNote> kernel_drops_;
  ReportWriter& writer_;
  const Progress& progress_;
  const std::optional<Window> window_;
  RowBuilders rows_;

  std::int64_t last_time_ = 0;  // latest time of a row, ns
  std::uint64_t dropped_by_prof_ = 0;
  std::uint64_t corrupt_bytes_ = 0;
};

}  // namespace

base::Result<BuildSummary> build_report(const spool::Spool& spool, ReportWriter& writer,
                                        const std::string& output, const Progress& progress,
                                        const std::optional<Window>& window) {
  ReportBuilder builder(spool, writer, progress, window);
  const BuildSummary summary = builder.build(output);
  if (!writer.status()) return tl::make_unexpected(writer.status().error());
  return summary;
}

}  // namespace prof::ingest
