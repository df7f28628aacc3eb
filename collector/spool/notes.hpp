// Notes of the spool: facts about a session and its processes, besides records. In the spool each
// note is a JSON object whose `type` is kType (docs/wire-format.md); notes.cpp translates in both
// directions.
//
// Readers tolerate missing keys: the field keeps its default. A damaged note is left out and
// counted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/spool/drop_causes.hpp"
#include "collector/spool/kernel_records.hpp"
#include "collector/spool/metric_records.hpp"

namespace prof::spool {

// A fact about the machine, for TARGET_INFO_SYSTEM_ENV.
struct SystemFact {
  std::string name{};
  std::int64_t number = 0;  // nsys's number for the name
  std::string value{};
};

// The first note: how the session records.
struct SessionNote {
  static constexpr std::string_view kType = "session";
  std::string version{};   // version of prof
  double tick_rate = 1e9;  // ticks of the session's clock per second
  bool capture_ranges = false;
  bool capture_ranges_numbered = false;  // the reports of the ranges get numbers
  std::vector<SystemFact> system{};
  std::vector<std::string> gpus{};                             // PCI locations, lowest first
  std::vector<std::pair<std::string, std::string>> capture{};  // rows of META_DATA_CAPTURE
};

// A process image joined the session.
struct ProcessNote {
  static constexpr std::string_view kType = "process";
  std::uint32_t serial = 0;
  std::uint32_t parent_serial = 0;  // the image that it was forked from; 0: started by exec
  pid_t pid = 0;                    // in prof's pid namespace
  pid_t own_pid = 0;                // what getpid() returns in the process
  pid_t ppid = 0;
  std::uint64_t time = 0;  // reading of the session's clock
  std::string name{};      // path of the program; if unknown, the kernel's name
  // Serial of another image of the same process, which has called exec. 0: there is none, so
  // another process that had the pid has ended. Not set: not known, as in recordings of old
  // versions.
  std::optional<std::uint32_t> exec_of{};
};

// A process image ended, and its last records are in the spool; or it goes on, and has dropped
// events.
struct ProcessEndNote {
  static constexpr std::string_view kType = "process_end";
  std::uint32_t serial = 0;
  Drops dropped{};
  bool goes_on = false;
};

// The session ended normally.
struct EndNote {
  static constexpr std::string_view kType = "end";
  int exit_status = 0;  // negative: programs go on, because the collection ended before them
  Drops dropped{};      // events dropped by the collector
};

// The user stopped a recording that would otherwise last until the program's end. Later events are
// not part of the report.
struct StopNote {
  static constexpr std::string_view kType = "stop";
  std::uint64_t time = 0;  // on the session's clock
};

// Numbers of ENUM_DIAGNOSTIC_SEVERITY_LEVEL.
enum class Severity : int { kInfo = 1, kWarning = 2, kError = 3 };

// A message for the report's DIAGNOSTIC_EVENT.
struct DiagnosticNote {
  static constexpr std::string_view kType = "diagnostic";
  Severity severity = Severity::kInfo;
  std::string text{};
  std::optional<std::uint64_t> time{};  // reading of the session's clock; not set: the beginning
};

// What the program wrote to stdout or stderr.
struct StreamNote {
  static constexpr std::string_view kType = "stream";
  pid_t pid = 0;
  std::string file{};
  std::string content{};
};

// The number of records that the kernel dropped, by its own count at the end of the session.
struct KernelLostNote {
  static constexpr std::string_view kType = "kernel_lost";
  KernelSource source = KernelSource::kSystemCalls;
  std::uint64_t records = 0;
};

// The chosen tracepoints of the kernel, in the order of their numbers.
struct TracepointsNote {
  static constexpr std::string_view kType = "tracepoints";
  struct Tracepoint {
    std::string name{};    // "sched/sched_switch"
    std::string format{};  // tracefs's description of the fields
  };
  std::vector<Tracepoint> tracepoints{};
};

// How CPU samples and context switches are recorded.
struct CpuRecordingNote {
  static constexpr std::string_view kType = "cpu_recording";
  std::string boot_id{};                 // identifies the kernel whose addresses are in call chains
  std::vector<KernelSource> switches{};  // sources that record context switches
  std::optional<std::string> sampler{};  // "perf" or "timer"; not set: no samples
  std::optional<std::uint64_t> period{};  // for timers: CPU time between two samples, ns
};

// A file, or code of a JIT compiler, that contains frames of call chains.
struct StackModuleNote {
  static constexpr std::string_view kType = "stack_module";
  std::uint32_t id = 0;
  std::string path{};  // for JIT code: a file in which the compiler may list its functions
  std::uint64_t inode = 0;
  std::int64_t modified = 0;  // ns since 1970; 0: unknown
  std::string build_id{};
  // The file is not at its path; its functions are in StackFunctionsNotes.
  bool is_elsewhere = false;
  pid_t jit_of = 0;  // process whose JIT compiler made the code; 0: the module is a file
  // Processes that may have made the code before `jit_of` was forked from them, the last one first.
  std::vector<pid_t> inherited_from{};
};

// Returns the file in which a JIT compiler of the process may list its functions.
inline std::string perf_map_of(pid_t pid) { return "/tmp/perf-" + std::to_string(pid) + ".map"; }

// Functions in a file that is not at its path.
struct StackFunctionsNote {
  static constexpr std::string_view kType = "stack_functions";
  std::uint32_t module = 0;
  std::vector<std::pair<std::uint64_t, std::string>> functions{};  // by offset in the file
};

// A function that a JIT compiler loaded, or moved.
struct JitCode {
  std::uint64_t time = 0;  // CLOCK_MONOTONIC_RAW, ns
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::string name{};                         // name of a loaded function
  std::optional<std::uint64_t> moved_from{};  // earlier address of a moved function
};
struct JitCodeNote {
  static constexpr std::string_view kType = "jit_code";
  pid_t pid = 0;
  std::vector<JitCode> code{};
};

// A process with JIT code was forked, or executed another program.
struct JitProcessNote {
  static constexpr std::string_view kType = "jit_process";
  pid_t pid = 0;
  pid_t parent = 0;        // process whose code this one has; 0: it has none after an exec
  std::uint64_t time = 0;  // CLOCK_MONOTONIC_RAW, ns
};

// A group of counters that are sampled together. `gpu`: the rank, by PCI location, of the GPU that
// has these GPU metrics; not set: counters of the machine.
struct MetricSourceNote {
  static constexpr std::string_view kType = "metric_source";
  std::uint32_t id = 0;
  std::string name{};  // name of the source and the device or interface: "NVML GPU 0"
  std::optional<std::uint32_t> gpu{};
  pid_t pid = 0;  // process that samples
  pid_t tid = 0;
  std::vector<Counter> counters{};
};

// Facts about the machine that take long to find out, so the session begins without them.
struct SystemFactsNote {
  static constexpr std::string_view kType = "system_facts";
  std::vector<SystemFact> system{};
};

// Readings of the machine's clocks at one moment, all in ns, and what the kernel knows about how
// well CLOCK_REALTIME is synchronized (adjtimex(2)).
struct ClockNote {
  static constexpr std::string_view kType = "clocks";
  std::int64_t raw = 0;  // CLOCK_MONOTONIC_RAW
  std::int64_t monotonic = 0;
  std::int64_t boottime = 0;
  std::int64_t realtime = 0;     // since the epoch
  std::int64_t tai = 0;          // since the epoch
  std::int64_t uncertainty = 0;  // the other clocks were read within this distance of `raw`
  std::int64_t ntp_offset = 0;
  std::int64_t ntp_frequency = 0;  // correction of the clock's rate, parts per billion
  std::int64_t ntp_max_error = 0;
  std::int64_t ntp_estimated_error = 0;
  int ntp_status = 0;                // bits of timex.status
  bool is_synchronized = false;      // by the kernel's word
  std::string boot_id{};             // differs between machines, and after a restart
  std::int64_t namespace_shift = 0;  // what a time namespace adds to CLOCK_MONOTONIC_RAW
};

// A flight recorder's note: where the last seconds are kept while the session goes on.
struct FlightNote {
  static constexpr std::string_view kType = "flight";
  std::string folder{};
  std::uint64_t window = 0;  // ns that are kept
  // In the file of what is kept of dropped segments: the last dropped segment.
  std::uint64_t folded = 0;
};

// Translates notes of one type.
template <class Note>
struct NoteJson {
  static std::string text(const Note& note);
  // Returns nothing if the note is damaged.
  static std::optional<Note> read(std::string_view text);
};

// The notes of a spool by their type.
class Notes {
 public:
  // Keeps the texts in `memory`. A long session can have several notes for each process.
  explicit Notes(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : by_type_(memory) {}

  // Adds the JSON text of a note.
  void add_text(std::string_view json);
  template <class Note>
  void add(const Note& note) {
    add_text(NoteJson<Note>::text(note));
  }

  // Calls `visit(Note&&)` for each note of a type, in the order in which they were written.
  template <class Note, class Visit>
  void for_each(Visit visit) const {
    if (const Texts* texts = of_type(Note::kType))
      for (const auto& text : *texts)
        if (std::optional<Note> note = read<Note>(text)) visit(std::move(*note));
  }
  template <class Note>
  std::vector<Note> all() const {
    std::vector<Note> result;
    for_each<Note>([&](Note&& note) { result.push_back(std::move(note)); });
    return result;
  }
  template <class Note>
  std::optional<Note> first() const {
    std::optional<Note> note;
    if (const Texts* texts = of_type(Note::kType))
      for (auto text = texts->begin(); text != texts->end() && !note; ++text)
        note = read<Note>(*text);
    return note;
  }
  // Returns the first note of the session, or an empty one. The note is long, so it is parsed only
  // once.
  const SessionNote& session() const {
    if (!session_) session_ = first<SessionNote>().value_or(SessionNote());
    return *session_;
  }
  // Sets the session's note as its writer has it, so that it is not parsed again.
  void set_session(SessionNote note) { session_ = std::move(note); }
  std::size_t size() const { return size_; }
  // Returns the size of the notes that could not be read: notes of the types that were asked for,
  // and notes without a type.
  std::uint64_t damaged_bytes() const { return damaged_bytes_; }

 private:
  using Texts = std::pmr::vector<std::pmr::string>;
  void keep(std::string_view type, std::string_view text);
  const Texts* of_type(std::string_view type) const;  // null: no notes of the type
  template <class Note>
  std::optional<Note> read(const std::pmr::string& text) const {
    std::optional<Note> note = NoteJson<Note>::read(text);
    if (!note && damaged_.insert(&text).second) damaged_bytes_ += text.size();
    return note;
  }

  std::pmr::map<std::pmr::string, Texts, std::less<>> by_type_;
  mutable std::set<const std::pmr::string*> damaged_;
  mutable std::uint64_t damaged_bytes_ = 0;
  std::size_t size_ = 0;
  mutable std::optional<SessionNote> session_;
};

}  // namespace prof::spool
