// Writes a recording of any length in a moment, for measuring what making a report of it takes:
//
//   long_spool OUTPUT.spool EVENTS KIND...
//   prof recover OUTPUT.spool
//
// Each kind makes one builder of collector/ingest keep something for every event. EVENTS of each
// kind are written. Prints as JSON which tables get how many rows of them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "collector/spool/spool.hpp"
#include "common/wire/chain_records.hpp"
#include "common/wire/cuda_records.hpp"
#include "common/wire/sample_records.hpp"
#include "common/wire/stack_records.hpp"

namespace {

using namespace prof;
using wire::RecordType;

constexpr std::uint32_t kSerial = 16;
constexpr std::uint32_t kPid = 1000;
constexpr std::uint32_t kWrite = 5;  // any number of a function
constexpr std::uint32_t kThreads = 4;
constexpr std::uint64_t kBetween = 1000;  // ns from one event to the next

template <class Record>
Record make(RecordType type, std::uint32_t aux = 0, std::uint8_t flags = 0) {
  Record record{};
  record.header = {sizeof record, type, flags, aux};
  return record;
}

class Writer {
 public:
  explicit Writer(spool::SpoolWriter spool) : spool_(std::move(spool)) {}

  // Appends a record of a thread; `tail` follows it.
  template <class Record>
  void add(std::uint32_t thread, Record record, std::string_view tail = {}) {
    std::string& bytes = pending_[thread];
    const std::size_t length =
        sizeof record + wire::padded(static_cast<std::uint32_t>(tail.size()));
    record.header.size = static_cast<std::uint16_t>(length);
    bytes.append(reinterpret_cast<const char*>(&record), sizeof record);
    bytes.append(tail).append(length - sizeof record - tail.size(), '\0');
    if (bytes.size() >= most_) drain(thread);
  }
  void text(std::uint32_t thread, std::uint64_t hash, std::string_view text) {
    auto record =
        make<wire::StringRecord>(RecordType::kString, static_cast<std::uint32_t>(text.size()));
    record.hash = hash;
    add(thread, record, text);
  }
  // Limits what is drained together.
  void set_most(std::size_t bytes) {
    drain_all();
    most_ = bytes;
  }
  void drain_all() {
    for (auto& [thread, bytes] : pending_) drain(thread);
  }
  std::uint64_t now() { return time_ += kBetween; }
  spool::SpoolWriter& spool() { return spool_; }

 private:
  void drain(std::uint32_t thread) {
    std::string& bytes = pending_[thread];
    if (bytes.empty()) return;
    const spool::PieceHeader piece{kSerial, thread, ++claimed_, 0, 0};
    if (!spool_.records(piece, std::as_bytes(std::span(bytes)))) std::exit(1);
    bytes.clear();
  }

  spool::SpoolWriter spool_;
  std::map<std::uint32_t, std::string> pending_;  // by thread
  std::size_t most_ = 64 << 10;
  std::uint64_t claimed_ = 0;
  std::uint64_t time_ = 1'000'000;
};

std::uint32_t thread_of(std::uint64_t event) {
  return kPid + static_cast<std::uint32_t>(event % kThreads);
}

void call(Writer& to, std::uint32_t thread, std::uint64_t start) {
  auto record = make<wire::CallRecord>(RecordType::kCall, kWrite);
  record.start = start;
  record.end = start + 100;
  to.add(thread, record);
}

void calls(Writer& to, std::uint64_t events) {
  for (std::uint64_t i = 0; i < events; ++i) call(to, thread_of(i), to.now());
}

// Few events in each poll, as in a long recording of a program that is mostly idle.
void rare(Writer& to, std::uint64_t events) {
  to.set_most(1);
  calls(to, events);
  to.set_most(64 << 10);
}

// Each call has its own call chain of Python functions.
void python_chains(Writer& to, std::uint64_t events) {
  constexpr std::uint64_t kCode = 77;
  auto code = make<wire::PythonCodeRecord>(RecordType::kPythonCode);
  code.key = kCode;
  code.version = 0x30b;
  to.add(kPid, code);
  for (std::uint64_t i = 0; i < events; ++i) {
    const std::uint64_t start = to.now();
    auto chain = make<wire::ChainRecord>(RecordType::kChain, 1);
    chain.chain = i + 1;
    const wire::ChainFrame frame{kCode, static_cast<std::uint32_t>(i), wire::FrameKind::kPython};
    to.add(thread_of(i), chain, {reinterpret_cast<const char*>(&frame), sizeof frame});
    auto announced = make<wire::EventChainRecord>(RecordType::kEventChain);
    announced.start = start;
    announced.chain = chain.chain;
    to.add(thread_of(i), announced);
    call(to, thread_of(i), start);
  }
}

// Each call comes from another place of the program.
void native_chains(Writer& to, std::uint64_t events) {
  static_cast<void>(!to.spool().note(
      spool::StackModuleNote{.id = spool::kFirstModule, .path = "/nowhere/program"}));
  constexpr std::uint32_t kTogether = 1000;
  std::vector<spool::StackNode> nodes;
  for (std::uint64_t i = 0; i < events; ++i) {
    nodes.push_back({0, spool::kFirstModule, 0x400000 + i, i, 0, 0, 0, 0});
    if (nodes.size() == kTogether || i + 1 == events) {
      const spool::StackPieceHeader head{static_cast<std::uint32_t>(i + 2 - nodes.size()), 0};
      if (!to.spool().stack_nodes(head, std::as_bytes(std::span(nodes)))) std::exit(1);
      nodes.clear();
    }
    auto node =
        make<wire::StackNodeRecord>(RecordType::kStackNode, static_cast<std::uint32_t>(i + 1));
    node.start = to.now();
    to.add(thread_of(i), node);
    call(to, thread_of(i), node.start);
  }
}

// Ranges with names of their own ("step 17").
void texts(Writer& to, std::uint64_t events) {
  for (std::uint64_t i = 0; i < events; ++i) {
    const std::uint64_t hash = (i + 1) * 0x9e3779b97f4a7c15;
    to.text(thread_of(i), hash, "step " + std::to_string(i));
    auto push = make<wire::NvtxPushRecord>(RecordType::kNvtxPush, 0, wire::kNvtxHasText);
    push.time = to.now();
    push.text = hash;
    to.add(thread_of(i), push);
    auto pop = make<wire::NvtxPopRecord>(RecordType::kNvtxPop);
    pop.time = push.time + 100;
    to.add(thread_of(i), pop);
  }
}

// Ranges with registered names each, which become rows of StringIds.
void registered(Writer& to, std::uint64_t events) {
  for (std::uint64_t i = 0; i < events; ++i) {
    const std::uint64_t hash = (i + 1) * 0xc2b2ae3d27d4eb4f;
    to.text(thread_of(i), hash, "registered " + std::to_string(i));
    auto mark = make<wire::NvtxEventRecord>(RecordType::kNvtxMark, 0,
                                            wire::kNvtxHasText | wire::kNvtxRegistered);
    mark.time = to.now();
    mark.text = hash;
    to.add(thread_of(i), mark);
  }
}

// Ranges that one thread starts and another one ends.
void crossing(Writer& to, std::uint64_t events) {
  for (std::uint64_t i = 0; i < events; ++i) {
    auto start = make<wire::NvtxEventRecord>(RecordType::kNvtxStart);
    start.time = to.now();
    start.range_id = i + 1;
    to.add(kPid, start);
    auto end = make<wire::NvtxEndRecord>(RecordType::kNvtxEnd);
    end.time = start.time + 100;
    end.range_id = i + 1;
    to.add(kPid + 1, end);
  }
}

// A program that forgets to pop.
void open_ranges(Writer& to, std::uint64_t events) {
  for (std::uint64_t i = 0; i < events; ++i) {
    auto push = make<wire::NvtxPushRecord>(RecordType::kNvtxPush);
    push.time = to.now();
    to.add(thread_of(i), push);
  }
}

// Launches, kernels, and events that are recorded and waited for.
void cuda(Writer& to, std::uint64_t events) {
  constexpr std::uint64_t kEvents = 64;
  for (std::uint64_t i = 0; i < events; ++i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    const std::uint64_t start = to.now();
    auto launch = make<wire::CudaCallRecord>(RecordType::kCudaCall, id);
    launch.function = wire::kCudaRuntimeFunctions + 211;
    launch.start = start;
    launch.end = start + 100;
    to.add(thread_of(i), launch);
    auto kernel = make<wire::CudaKernelRecord>(RecordType::kCudaKernel, id);
    kernel.start = start + 200;
    kernel.end = start + 300;
    kernel.name = 1;
    to.add(kPid, kernel);
    auto event = make<wire::CudaEventRecord>(
        RecordType::kCudaEvent, id, static_cast<std::uint8_t>(wire::CudaEventOp::kRecorded));
    event.time = start + 400;
    event.event = 1 + i % kEvents;
    to.add(thread_of(i), event);
    auto sync = make<wire::CudaSyncRecord>(RecordType::kCudaSync, id, 1);
    sync.start = start + 500;
    sync.end = start + 600;
    sync.event = event.event;
    to.add(thread_of(i), sync);
  }
}

// Files that are opened, each for one call.
void files(Writer& to, std::uint64_t events) {
  for (std::uint64_t i = 0; i < events; ++i) {
    const auto access = static_cast<std::uint32_t>(i + 1);
    auto file = make<wire::FileRecord>(RecordType::kFile, access, wire::kFileOpened);
    file.time = to.now();
    file.kind = wire::FileKind::kPipe;
    file.name = i;
    to.add(thread_of(i), file);
    auto close = make<wire::FileCallRecord>(RecordType::kFileCall, kWrite);
    close.start = file.time;
    close.end = file.time + 100;
    close.access = access;
    close.operation = wire::FileOperation::kClose;
    close.flags = wire::kFileOnly;
    to.add(thread_of(i), close);
  }
}

// Samples that threads take of themselves.
void samples(Writer& to, std::uint64_t events) {
  for (std::uint64_t i = 0; i < events; ++i) {
    auto sample = make<wire::CpuSampleNodeRecord>(RecordType::kCpuSampleNode);
    sample.time = to.now();
    sample.periods = 1;
    to.add(thread_of(i), sample);
  }
}

// Context switches, of which each poll finds few.
void switches(Writer& to, std::uint64_t events) {
  static_cast<void>(
      !to.spool().note(spool::CpuRecordingNote{.switches = {spool::KernelSource::kCpu}}));
  for (std::uint64_t i = 0; i < events; ++i) {
    const auto type =
        i % 2 == 0 ? spool::KernelRecordType::kSwitchIn : spool::KernelRecordType::kSwitchOut;
    const spool::KernelRecord record{to.now(), kPid, kPid, 0, type, 0, 0};
    if (!to.spool().kernel_records({0, spool::KernelSource::kCpu},
                                   std::as_bytes(std::span(&record, 1))))
      std::exit(1);
  }
}

// Programs that start and end.
void processes(Writer& to, std::uint64_t events) {
  for (std::uint64_t i = 0; i < events; ++i) {
    const auto serial = static_cast<std::uint32_t>(kSerial + 1 + i);
    const auto pid = static_cast<pid_t>(2000 + i % 4'000'000);
    static_cast<void>(!to.spool().note(
        spool::ProcessNote{serial, 0, pid, pid, 1, to.now(), "/usr/bin/a-program-with-a-name"}));
    static_cast<void>(!to.spool().note(spool::ProcessEndNote{serial, {}}));
  }
}

// Threads that start and end.
void threads(Writer& to, std::uint64_t events) {
  for (std::uint64_t i = 0; i < events; ++i) {
    auto thread = make<wire::ThreadRecord>(RecordType::kThread);
    std::strcpy(thread.name, "worker");
    const auto tid = static_cast<std::uint32_t>(100'000 + i);
    const spool::PieceHeader piece{kSerial, tid, i + 1, 0, 0};
    thread.header.aux = tid;
    if (!to.spool().records(piece, std::as_bytes(std::span(&thread, 1)))) std::exit(1);
  }
}

struct Kind {
  void (*write)(Writer&, std::uint64_t);
  const char* table;
};
const std::map<std::string_view, Kind> kKinds = {
    {"calls", {calls, "OSRT_API"}},
    {"rare", {rare, "OSRT_API"}},
    {"python_chains", {python_chains, "OSRT_API"}},
    {"native_chains", {native_chains, "OSRT_API"}},
    {"texts", {texts, "NVTX_EVENTS"}},
    {"registered", {registered, "NVTX_EVENTS"}},
    {"crossing", {crossing, "NVTX_EVENTS"}},
    {"open_ranges", {open_ranges, "NVTX_EVENTS"}},
    {"cuda", {cuda, "CUPTI_ACTIVITY_KIND_KERNEL"}},
    {"files", {files, "OSRT_FILE_ACCESS_EVENTS"}},
    {"samples", {samples, "COMPOSITE_EVENTS"}},
    {"switches", {switches, "SCHED_EVENTS"}},
    {"processes", {processes, "PROCESSES"}},
    {"threads", {threads, "ThreadNames"}},
};

void write_start(Writer& to) {
  static_cast<void>(!to.spool().note(spool::SessionNote{}));
  static_cast<void>(!to.spool().clock({1'000'000, 1'000'000, 1'000'000'000'000'000'000}));
  static_cast<void>(!to.spool().note(
      spool::ProcessNote{kSerial, 0, kPid, kPid, 1, 1'000'000, "/usr/bin/program"}));
  to.text(kPid, 1, "write");
  auto function = make<wire::FunctionRecord>(RecordType::kFunction, kWrite);
  function.name = 1;
  to.add(kPid, function);
}

void write_end(Writer& to) {
  to.drain_all();
  const auto time = static_cast<std::int64_t>(to.now());
  static_cast<void>(!to.spool().clock(
      {static_cast<std::uint64_t>(time), time, 1'000'000'000'000'000'000 + time}));
  static_cast<void>(!to.spool().note(spool::EndNote{}));
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::fprintf(stderr, "usage: long_spool OUTPUT.spool EVENTS KIND...\nkinds:");
    for (const auto& [name, kind] : kKinds) std::fprintf(stderr, " %s", std::string(name).c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  auto spool = spool::SpoolWriter::create(words[1]);
  if (!spool) {
    std::fprintf(stderr, "%s\n", spool.error().message.c_str());
    return 1;
  }
  const std::uint64_t events = std::strtoull(words[2], nullptr, 10);
  Writer writer(std::move(*spool));
  write_start(writer);
  std::map<std::string, std::uint64_t> rows;
  for (int i = 3; i < count; ++i) {
    const auto kind = kKinds.find(words[i]);
    if (kind == kKinds.end()) return 2;
    kind->second.write(writer, events);
    rows[kind->second.table] += events;
  }
  write_end(writer);
  const char* separator = "{";
  for (const auto& [table, number] : rows) {
    std::printf("%s\"%s\": %llu", separator, table.c_str(),
                static_cast<unsigned long long>(number));
    separator = ", ";
  }
  std::printf("}\n");
  return 0;
}
