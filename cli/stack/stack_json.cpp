#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/stack/stack_text.hpp"
#include "collector/live/causes.hpp"

namespace prof::cli {

namespace {

using nlohmann::json;

constexpr double kNanosecondsPerMillisecond = 1e6;

json optional(const std::string& text) { return text.empty() ? json() : json(text); }
json optional(double value) { return std::isnan(value) ? json() : json(value); }

const char* name_of(live::WaitKind kind) {
  switch (kind) {
    case live::WaitKind::kNothing:
      return "nothing";
    case live::WaitKind::kLock:
      return "lock";
    case live::WaitKind::kThread:
      return "thread";
    case live::WaitKind::kChild:
      return "child";
    case live::WaitKind::kPeer:
      return "process";
    case live::WaitKind::kEvent:
      return "event";
    case live::WaitKind::kUnknown:
      return "unknown";
  }
  return "unknown";
}

json of_frame(const live::Frame& frame) {
  json object = {{"function", frame.has_name ? json(frame.function) : json()},
                 {"module", optional(frame.module)},
                 {"file", optional(frame.file)},
                 {"line", frame.line > 0 ? json(frame.line) : json()},
                 {"kind", frame.is_python    ? "python"
                          : frame.is_inlined ? "inlined"
                                             : "native"}};
  // Code without a known name gets "libfoo.so+0x1234".
  if (!frame.has_name) object["place"] = frame.function;
  if (frame.address != 0) object["address"] = frame.address;
  return object;
}

json of_wait(const live::Wait& wait) {
  json object = {{"for", name_of(wait.kind)},
                 {"text", wait.text},
                 {"address", wait.address != 0 ? json(wait.address) : json()},
                 {"holder", wait.holder != 0 ? json(wait.holder) : json()},
                 {"processes", wait.processes}};
  if (wait.is_probable) object["holder_is_probable"] = true;
  return object;
}

json of_task(const live::AsyncTask& task) {
  json frames = json::array();
  for (const live::Frame& each : task.frames) frames.push_back(of_frame(each));
  return {{"name", task.name}, {"awaits", task.awaits}, {"frames", std::move(frames)}};
}

json of_thread(const live::Thread& thread) {
  json frames = json::array();
  for (const live::Frame& each : thread.frames) frames.push_back(of_frame(each));
  json tasks = json::array();
  for (const live::AsyncTask& each : thread.tasks) tasks.push_back(of_task(each));
  return {{"tid", thread.id},
          {"name", thread.name},
          {"state", std::string(1, thread.state)},
          {"problem", optional(thread.problem)},
          {"wait", of_wait(thread.wait)},
          {"call", optional(thread.call)},
          {"frames", std::move(frames)},
          {"chain_end", optional(thread.chain_end)},
          {"tasks", std::move(tasks)},
          {"stopped_ms", static_cast<double>(thread.stopped_ns) / kNanosecondsPerMillisecond}};
}

json of_process(const live::ProcessState& state) {
  json threads = json::array();
  for (const live::Thread& each : state.threads) threads.push_back(of_thread(each));
  const live::Process& process = state.process;
  return {{"pid", process.pid},
          {"parent", process.parent},
          {"name", process.name},
          {"command", process.words},
          {"rank", process.rank >= 0 ? json(process.rank) : json()},
          {"problem", optional(state.problem)},
          {"threads", std::move(threads)}};
}

json of_groups(const std::vector<live::ProcessState>& processes) {
  json groups = json::array();
  for (const live::ThreadGroup& group : live::group_threads(processes)) {
    json members = json::array();
    for (const auto& [process, thread] : group.members)
      members.push_back({{"pid", process->process.pid}, {"tid", thread->id}});
    groups.push_back(std::move(members));
  }
  return groups;
}

}  // namespace

std::string stack_json(const std::vector<live::ProcessState>& processes,
                       const live::GpuLoads& gpus) {
  json object = {{"causes", live::find_causes(processes)},
                 {"processes", json::array()},
                 {"equal_chains", of_groups(processes)},
                 {"gpus", json::array()}};
  for (const live::ProcessState& each : processes) object["processes"].push_back(of_process(each));
  for (const live::GpuLoad& gpu : gpus.gpus) {
    json uses = json::array();
    for (const live::GpuLoad::Use& each : gpu.uses)
      uses.push_back({{"pid", each.pid}, {"memory_bytes", optional(each.memory)}});
    object["gpus"].push_back(
        {{"index", gpu.index}, {"busy_percent", optional(gpu.busy)}, {"processes", uses}});
  }
  // Names of functions and files can be any bytes.
  return object.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace prof::cli
