#include "collector/ingest/report_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <vector>

#include "collector/ingest/chains/call_chains.hpp"
#include "collector/ingest/chains/stack_table.hpp"
#include "collector/ingest/closing_words.hpp"
#include "collector/ingest/cpu/cpu_builder.hpp"
#include "collector/ingest/cpu/system_call_builder.hpp"
#include "collector/ingest/cuda/cuda_builder.hpp"
#include "collector/ingest/file_builder.hpp"
#include "collector/ingest/library_calls.hpp"
#include "collector/ingest/messages.hpp"
#include "collector/ingest/nvtx_builder.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/ingest/session_tables.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/ingest/thread_names.hpp"
#include "collector/spool/clock_model.hpp"
#include "collector/spool/decoder.hpp"

namespace prof::ingest {

using report::ReportWriter;

namespace {

using ThreadKey = std::pair<std::uint32_t, std::uint32_t>;  // serial, tid

class Builder {
 public:
  Builder(const spool::Spool& spool, ReportWriter& writer, const Progress& progress,
          const std::optional<Window>& window)
      : spool_(spool),
        session_(spool.note("session")),
        writer_(writer),
        progress_(progress),
        clock_(spool.clocks, session_.value("tick_rate", 1e9)),
        processes_(spool.notes),
        stacks_(spool, writer),
        chains_(clock_, strings_, stacks_, writer),
        nvtx_(clock_, strings_, processes_, writer),
        cuda_(clock_, strings_, processes_, writer),
        files_(clock_, strings_, processes_, writer),
        system_calls_(clock_, writer),
        cpu_(clock_, stacks_, writer),
        window_(window) {
    if (!window_) return;
    clock_.set_zero(window_->begin);
    writer_.set_window(0, window_->end - window_->begin);
    cpu_.set_window(window_->end - window_->begin);
  }

  BuildSummary build(const std::string& output) {
    group_threads();
    collect_definitions();
    stacks_.resolve(progress_);
    for (auto& [key, pieces] : threads_) build_thread(key, pieces);
    nvtx_.finish();
    cuda_.finish(session_.value("gpus", std::vector<std::string>{}));
    last_time_ = std::max(last_time_, cuda_.last_time());
    files_.finish(end_time());
    build_system_calls();
    build_cpu();
    stacks_.write_code_places();
    write_thread_names();
    const bool complete = !spool_.note("end").empty();
    write_diagnostics(complete);
    write_session_tables(writer_, session_, spool_.notes, processes_, start_realtime(), end_time(),
                         output);
    writer_.flush();
    const CudaStats& cuda = cuda_.stats();
    return {calls_ + library_calls_ + files_.events() + nvtx_.stats().events + cuda.calls +
                cuda.operations + cuda.others + system_calls_.stats().calls + cpu_.stats().samples +
                cpu_.stats().switches,
            processes_.images().size(),
            dropped_,
            corrupt_bytes_,
            complete,
            {untraced_.begin(), untraced_.end()}};
  }

 private:
  std::int64_t end_time() const {
    return window_ ? window_->end - window_->begin : std::max(clock_.end(), last_time_);
  }
  std::int64_t start_realtime() const {
    const std::int64_t start = spool_.clocks.empty() ? 0 : spool_.clocks.front().realtime;
    return window_ ? start + window_->begin : start;
  }

  // Runs of one thread in the order they were written, whatever order they were drained in.
  void group_threads() {
    for (const spool::Piece& piece : spool_.pieces)
      threads_[{piece.header.serial, piece.header.tid}].push_back(&piece);
    for (auto& [key, pieces] : threads_)
      std::sort(pieces.begin(), pieces.end(), [](const spool::Piece* a, const spool::Piece* b) {
        return std::pair(a->header.claimed, a->header.offset) <
               std::pair(b->header.claimed, b->header.offset);
      });
  }

  // First pass: texts and function names may be defined by another thread than uses them.
  void collect_definitions() {
    struct Collector {
      Builder& b;
      std::uint32_t serial;
      void operator()(const wire::StringRecord& record, std::string_view text) {
        b.strings_.define(record.hash, text);
      }
      void operator()(const wire::FunctionRecord& record) {
        if (record.header.aux < wire::kMaxFunctions)
          b.function_names_[record.header.aux] = record.name;
      }
      void operator()(const wire::PythonCodeRecord& record, std::span<const std::byte> lines) {
        b.chains_.define(record, lines);
      }
      void operator()(const wire::ChainRecord& record, std::span<const std::byte> frames) {
        b.chains_.define(record, frames);
      }
      void operator()(const wire::CudaContextRecord& record) { b.cuda_.define(serial, record); }
      void operator()(const wire::CudaGraphEventRecord& record) { b.cuda_.define(serial, record); }
      void operator()(const wire::CudaEventRecord& record) { b.cuda_.define(serial, record); }
      void operator()(const wire::CudaSyncRecord& record) { b.cuda_.define(serial, record); }
      void operator()(const wire::CudaStreamRecord& record) { b.cuda_.define(serial, record); }
    };
    for (const spool::Piece& piece : spool_.pieces)
      spool::decode(piece.bytes, Collector{*this, piece.header.serial});
  }

  void build_thread(const ThreadKey& key, const std::vector<const spool::Piece*>& pieces) {
    key_ = key;
    global_tid_ = processes_.global_tid_of(key.first, key.second);
    chains_.begin_thread();
    nvtx_.begin_thread(key.first, key.second);
    cuda_.begin_thread(key.first, key.second);
    for (const spool::Piece* piece : pieces) {
      corrupt_bytes_ += spool::decode(piece->bytes, Visitor{*this}).corrupt_bytes;
      done_bytes_ += piece->bytes.size();
      if (progress_)
        progress_(static_cast<double>(done_bytes_) / static_cast<double>(spool_.record_bytes + 1));
    }
    nvtx_.end_thread();
  }

  struct Visitor {
    Builder& b;
    void operator()(const wire::ThreadRecord& record) { b.thread(record); }
    void operator()(const wire::EventChainRecord& record) { b.chains_.announce(record); }
    void operator()(const wire::StackNodeRecord& record) { b.chains_.announce(record); }
    void operator()(const wire::PythonSampleRecord& record) { b.python_sample(record); }
    void operator()(const wire::CpuSampleNodeRecord& record) {
      b.cpu_.add_own_sample(b.global_tid_, record);
    }
    void operator()(const wire::CallRecord& record) { b.call(record); }
    void operator()(const wire::FileRecord& record) { b.files_.file(b.key_.first, record); }
    void operator()(const wire::FileCallRecord& record) { b.file_call(record); }
    void operator()(const wire::NvtxPushRecord& record) { b.nvtx_.push(record); }
    void operator()(const wire::NvtxPopRecord& record) { b.nvtx_.pop(record); }
    void operator()(const wire::NvtxEventRecord& record) { b.nvtx_.event(record); }
    void operator()(const wire::NvtxEndRecord& record) { b.nvtx_.end(record); }
    void operator()(const wire::NvtxDomainRecord& record) { b.nvtx_.domain(record); }
    void operator()(const wire::NvtxDomainEndRecord& record) { b.nvtx_.domain_end(record); }
    void operator()(const wire::NvtxCategoryRecord& record) { b.nvtx_.category(record); }
    void operator()(const wire::ThreadNameRecord& record) { b.thread_name(record); }
    void operator()(const wire::OverheadRecord& record) { b.overhead(record); }
    void operator()(const wire::DiagnosticRecord& record) { b.diagnostic(record); }
    void operator()(const wire::CudaCallRecord& record) {
      b.cuda_.call(record, b.function_id(record.function), b.chains_.cuda_chain(record.start));
    }
    void operator()(const wire::CudaKernelRecord& record) { b.cuda_.kernel(record); }
    void operator()(const wire::CudaMemcpyRecord& record) { b.cuda_.memcpy(record); }
    void operator()(const wire::CudaMemsetRecord& record) { b.cuda_.memset(record); }
    void operator()(const wire::CudaSyncRecord& record) { b.cuda_.sync(record); }
    void operator()(const wire::CudaEventRecord& record) { b.cuda_.event(record); }
    void operator()(const wire::CudaGraphLaunchRecord& record) { b.cuda_.graph_launch(record); }
    void operator()(const wire::CudaMemoryRecord& record) { b.cuda_.memory(record); }
    void operator()(const wire::CudaPoolRecord& record) { b.cuda_.pool(record); }
    void operator()(const wire::CudaStreamRecord& record) { b.cuda_.stream(record); }
    void operator()(const wire::CudaDeviceRecord& record) { b.cuda_.device(record); }
    void operator()(const wire::CudaGraphEventRecord& record) { b.cuda_.graph_event(record); }
    void operator()(const wire::CudaOverheadRecord& record) { b.cuda_.overhead(record); }
    void operator()(const wire::CudaUnifiedMemoryRecord& record) { b.cuda_.unified_memory(record); }
    void operator()(const wire::CudaNameRecord& record) { b.cuda_.name(record); }
  };

  // A second ThreadRecord means that the kernel gave the same number to a later thread.
  void thread(const wire::ThreadRecord& record) {
    nvtx_.end_thread();
    thread_names_.add(key_.first, key_.second, record);
  }

  void thread_name(const wire::ThreadNameRecord& record) {
    nvtx_.thread_name(record);
    thread_names_.add(key_.first, record);
  }

  void call(const wire::CallRecord& record) {
    const std::int64_t end = clock_.to_ns(record.end);
    last_time_ = std::max(last_time_, end);
    if (record.header.aux >= wire::kLibraryFunctions) return library_call(record, end);
    ++calls_;
    writer_.add(report::OsrtRow{clock_.to_ns(record.start), end, global_tid_, record.result,
                                function_id(record.header.aux), record.header.flags,
                                chains_.osrt_chain(record.start)});
  }

  void file_call(const wire::FileCallRecord& record) {
    const std::int32_t name = function_id(record.header.aux);
    last_time_ = std::max(last_time_, clock_.to_ns(record.end));
    files_.call(key_.first, global_tid_, name, record);
    if ((record.flags & wire::kFileOnly) != 0) return;
    ++calls_;
    writer_.add(report::OsrtRow{clock_.to_ns(record.start), clock_.to_ns(record.end), global_tid_,
                                record.result, name, record.header.flags,
                                chains_.osrt_chain(record.start)});
  }

  void library_call(const wire::CallRecord& record, std::int64_t end) {
    const report::LibraryCall call{clock_.to_ns(record.start), end, global_tid_,
                                   function_id(record.header.aux)};
    if (write_library_call(writer_, record.header.aux, call)) ++library_calls_;
  }

  void python_sample(const wire::PythonSampleRecord& record) {
    const std::int64_t time = clock_.to_ns(record.time);
    if (window_ && (time < 0 || time > window_->end - window_->begin)) return;
    last_time_ = std::max(last_time_, time);
    writer_.add("PROF_PYTHON_SAMPLES",
                {time, processes_.global_tid_of(key_.first, record.header.aux),
                 chains_.sample_chain(record.chain)});
  }

  std::int32_t function_id(std::uint32_t function) {
    if (function >= wire::kMaxFunctions) return 0;
    std::int32_t& id = function_ids_[function];
    if (id < 0) id = writer_.string_id(strings_.text(function_names_[function]));
    return id;
  }

  void overhead(const wire::OverheadRecord& record) {
    if (record.header.flags == wire::kLastFlush) gpu_closed_.insert(key_.first);
    writer_.add(report::OverheadRow{
        clock_.to_ns(record.start), clock_.to_ns(record.end), global_tid_,
        writer_.string_id(overhead_name(static_cast<wire::OverheadKind>(record.header.aux)))});
  }

  void diagnostic(const wire::DiagnosticRecord& record) {
    if (record.header.aux == static_cast<std::uint32_t>(wire::DiagnosticCode::kCudaReady))
      gpu_open_.insert(key_.first);
    std::string text = diagnostic_text(record, strings_);
    // A script may start the same program a thousand times.
    if (is_about_untraced_program(record) && !untraced_.insert(text).second) return;
    write_diagnostic(writer_, {clock_.to_ns(record.time), DiagnosticSource::kInjection,
                               diagnostic_severity(record), std::move(text),
                               processes_.global_pid_of(key_.first)});
  }

  // The kernel's own count of the records that it lost, from the end of the session.
  std::uint64_t kernel_lost(spool::KernelSource source) const {
    for (const auto& note : spool_.notes)
      if (note.value("type", "") == "kernel_lost" &&
          note.value("source", spool::KernelSource::kSystemCalls) == source)
        return note.value("records", std::uint64_t{0});
    return 0;
  }

  void build_system_calls() {
    if (spool_.kernel_pieces.empty()) return;
    system_calls_.add(spool_.kernel_pieces, kernel_lost(spool::KernelSource::kSystemCalls));
    last_time_ = std::max(last_time_, system_calls_.last_time());
    system_calls_.finish(end_time());
    corrupt_bytes_ += system_calls_.stats().corrupt_bytes;
    dropped_ += system_calls_.stats().lost;
  }

  void build_cpu() {
    const auto switches =
        spool_.note("cpu_recording").value("switches", std::vector<spool::KernelSource>{});
    for (const spool::KernelSource source :
         {spool::KernelSource::kCpu, spool::KernelSource::kSwitches})
      cpu_.add(spool_.kernel_pieces, source, std::ranges::count(switches, source) != 0,
               kernel_lost(source));
    cpu_.write_own_samples();
    last_time_ = std::max(last_time_, cpu_.last_time());
    corrupt_bytes_ += cpu_.stats().corrupt_bytes;
    dropped_ += cpu_.stats().lost;
  }

  void write_thread_names() {
    NamedTasks named;
    for (const ProcessImage& image : processes_.images())
      named.processes.insert(static_cast<std::uint32_t>(image.pid));
    thread_names_.write(processes_, strings_, writer_, named);
    system_calls_.write_names(named);
    cpu_.write_names(named);
  }

  void write_diagnostics(bool complete) {
    write_diagnostic(writer_, {0, DiagnosticSource::kDaemon, Severity::kInfo, "Collection started.",
                               kGlobalVid});
    for (const auto& note : spool_.notes)
      if (note.value("type", "") == "diagnostic")
        write_diagnostic(
            writer_,
            {note.contains("time") ? clock_.to_ns(note.value("time", std::uint64_t{0})) : 0,
             DiagnosticSource::kDaemon, static_cast<Severity>(note.value("severity", 1)),
             note.value("text", ""), kGlobalVid});
    for (const ProcessImage& image : processes_.images())
      report_drops(image.dropped, fmt::format(" of process {}", image.pid), global_pid(image.pid));
    report_drops(drops_of(spool_.note("end")), "", kGlobalVid);
    for (const std::uint32_t serial : gpu_open_) {
      if (gpu_closed_.contains(serial)) continue;
      write_diagnostic(writer_, {end_time(), DiagnosticSource::kInjection, Severity::kWarning,
                                 "The process ended without handing over its last GPU records: it "
                                 "was killed or crashed, or still runs. GPU work of its last "
                                 "moments is missing.",
                                 processes_.global_pid_of(serial)});
    }
    SessionCounts counts{
        calls_,         files_.events(),       library_calls_,      nvtx_.stats(),
        cuda_.stats(),  system_calls_.stats(), cpu_.stats(),        chains_.skipped(),
        corrupt_bytes_, spool_.ignored_bytes,  window_.has_value(), complete};
    for (Remark& remark : closing_words(counts))
      write_diagnostic(writer_, {end_time(), DiagnosticSource::kAnalysis, remark.severity,
                                 std::move(remark.text), kGlobalVid});
  }

  // Of a process, or (`by` empty) of all.
  void report_drops(const Drops& drops, const std::string& by, std::int64_t pid) {
    for (const auto& [cause, events] : drops) {
      if (events == 0) continue;
      // A counter may say anything, also so much that a sum of two would be little.
      dropped_ = events > ~dropped_ ? ~std::uint64_t{0} : dropped_ + events;
      write_diagnostic(
          writer_, {end_time(), DiagnosticSource::kInjection, Severity::kWarning,
                    fmt::format("{} events{} were lost: {}.", events, by, drop_cause(cause)), pid});
    }
  }

  const spool::Spool& spool_;
  const nlohmann::json session_;
  ReportWriter& writer_;
  const Progress& progress_;
  spool::ClockModel clock_;
  StringTable strings_;
  ProcessTable processes_;
  StackTable stacks_;
  CallChains chains_;
  NvtxBuilder nvtx_;
  CudaBuilder cuda_;
  FileBuilder files_;
  SystemCallBuilder system_calls_;
  CpuBuilder cpu_;
  const std::optional<Window> window_;

  std::map<ThreadKey, std::vector<const spool::Piece*>> threads_;
  ThreadNames thread_names_;
  // Images that CUPTI was set up in, and those that came to their last flush: on any thread.
  std::set<std::uint32_t> gpu_open_;
  std::set<std::uint32_t> gpu_closed_;
  std::set<std::string> untraced_;  // what was said of programs that cannot be traced
  std::vector<std::uint64_t> function_names_ = std::vector<std::uint64_t>(wire::kMaxFunctions);
  std::vector<std::int32_t> function_ids_ = std::vector<std::int32_t>(wire::kMaxFunctions, -1);

  ThreadKey key_{};
  std::int64_t global_tid_ = 0;
  std::int64_t last_time_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t library_calls_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t done_bytes_ = 0;
  std::uint64_t corrupt_bytes_ = 0;
};

}  // namespace

base::Result<BuildSummary> build_report(const spool::Spool& spool, ReportWriter& writer,
                                        const std::string& output, const Progress& progress,
                                        const std::optional<Window>& window) try {
  Builder builder(spool, writer, progress, window);
  const BuildSummary summary = builder.build(output);
  if (!writer.status()) return tl::make_unexpected(writer.status().error());
  return summary;
} catch (const nlohmann::json::exception& error) {
  return base::fail(damaged_recording(error));
}

}  // namespace prof::ingest
