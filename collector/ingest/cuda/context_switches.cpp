#include "collector/ingest/cuda/context_switches.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "collector/ingest/process_table.hpp"

namespace prof::ingest {

namespace {

using Context = ContextSwitches::Context;
using report::Value;

// ENUM_GPU_CTX_SWITCH, from nsys's reports.
struct Tag {
  std::int64_t id;
  const char* name;
  const char* label;
};
constexpr Tag kTags[] = {{-1, "UnknownGpuCtxswTag", "Unknown"},
                         {0, "SOF", "SO"},
                         {1, "REQ_BY_HOST", "Request by host"},
                         {2, "FE_ACK", "Front-end ACK"},
                         {3, "FE_ACK_WFI", "Front-end ACK WFI"},
                         {4, "FE_ACK_GFXP", "Front-end ACK GFXP"},
                         {5, "FE_ACK_CTAP", "Front-end ACK CTAP"},
                         {6, "FE_ACK_CILP", "Front-end ACK CILP"},
                         {7, "SAVE_END", "Save end"},
                         {8, "RESTORE_START", "Restore start"},
                         {9, "CONTEXT_START", "Context start"},
                         {10, "INVALID_TIMESTAMP", "Invalid timestamp"},
                         {11, "ENGINE_RESET", "Engine reset"}};
constexpr std::int64_t kSaveEnd = 7;
constexpr std::int64_t kContextStart = 9;

// Follows the switches of one GPU.
class SwitchedGpu {
 public:
  void begin(std::int64_t time, const Context& context, report::ReportWriter& writer) {
    if (current_) end(time, writer);
    current_ = context;
    start_ = time;
  }

  void end(std::int64_t time, const Context& context, report::ReportWriter& writer) {
    if (current_ == context) return end(time, writer);
    // The recording began while the GPU worked for this context.
    if (number_ == 0 && !current_) row(kSaveEnd, time, context, nullptr, writer);
  }

  // After the last switch. A context that the GPU still works for has no end.
  void finish(report::ReportWriter& writer) {
    if (current_) row(kContextStart, start_, *current_, nullptr, writer);
  }

 private:
  void end(std::int64_t time, report::ReportWriter& writer) {
    row(kContextStart, start_, *current_, time, writer);
    row(kSaveEnd, time, *current_, nullptr, writer);
    current_.reset();
  }

  void row(std::int64_t tag, std::int64_t time, const Context& context, const Value& end,
           report::ReportWriter& writer) {
    writer.add("GPU_CONTEXT_SWITCH_EVENTS",
               {tag, kGlobalVid, number_++, std::int64_t{context.id}, time, context.global_pid,
                context.gpu ? Value(*context.gpu) : Value(nullptr), end});
  }

  std::optional<Context> current_;
  std::int64_t start_ = 0;   // of current_
  std::int64_t number_ = 0;  // of rows
};

}  // namespace

void ContextSwitches::write(
    report::ReportWriter& writer,
    const std::function<Context(std::uint32_t serial, std::uint32_t context)>& context_of) {
  if (switches_.empty()) return;
  for (const Tag& tag : kTags) writer.add("ENUM_GPU_CTX_SWITCH", {tag.id, tag.name, tag.label});
  std::stable_sort(switches_.begin(), switches_.end(), [](const Switch& a, const Switch& b) {
    return std::pair(a.time, a.begins) < std::pair(b.time, b.begins);
  });
  std::map<std::optional<std::int64_t>, SwitchedGpu> gpus;
  for (const Switch& each : switches_) {
    const Context context = context_of(each.serial, each.context);
    SwitchedGpu& gpu = gpus[context.gpu];
    each.begins ? gpu.begin(each.time, context, writer) : gpu.end(each.time, context, writer);
  }
  for (auto& [id, gpu] : gpus) gpu.finish(writer);
}

}  // namespace prof::ingest
