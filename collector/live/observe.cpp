#include "collector/live/observe.hpp"

#include <sched.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "collector/live/api_calls.hpp"
#include "collector/live/circles.hpp"
#include "collector/live/frame_names.hpp"
#include "collector/live/thread_copy.hpp"
#include "collector/live/variables.hpp"
#include "collector/live/waits.hpp"
#include "collector/python/interpreter_search.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/text/printable.hpp"
#include "common/code/unwind/unwinder.hpp"

namespace prof::live {

namespace {

// Gives prof real-time priority while threads are stopped, so that it does not wait for a CPU. Does
// nothing where that is not allowed.
class RealTimePriority {
 public:
  RealTimePriority() {
    constexpr sched_param kLowestRealTime{1};
    is_first_ = sched_getscheduler(0) == SCHED_OTHER &&
                sched_setscheduler(0, SCHED_FIFO, &kLowestRealTime) == 0;
  }
  ~RealTimePriority() {
    constexpr sched_param kNone{};
    if (is_first_) sched_setscheduler(0, SCHED_OTHER, &kNone);
  }
  RealTimePriority(const RealTimePriority&) = delete;
  RealTimePriority& operator=(const RealTimePriority&) = delete;

 private:
  bool is_first_ = false;
};

// The data that are copied from a process while its threads are stopped, and the objects that
// interpret them.
struct ProcessCopy {
  const Process* process;
  std::string problem;
  // Put before the paths of its files; empty: the process sees the same files as prof.
  std::string root;
  std::vector<unwind::MapEvent> maps;
  std::unique_ptr<PythonChains> python;  // null: the process does not run Python
  std::vector<ThreadCopy> threads;
};

// Returns what to put before the paths of a process in a container, which has another root
// directory.
std::string root_of(pid_t pid) {
  const std::string own = base::read_link("/proc/self/ns/mnt");
  const pid_t living = base::living_thread(pid);
  const std::string its = base::read_link(base::proc_path(living, "ns/mnt"));
  const bool is_same =
      its.empty() || (its == own && base::read_link(base::proc_path(living, "root")) ==
                                        base::read_link("/proc/self/root"));
  return is_same ? "" : base::proc_path(living, "root");
}

// Returns the process and, as long as they run the same program, its ancestors, because it may have
// been forked from them. A process in another pid namespace is returned alone.
std::vector<pid_t> makers_of_code(pid_t pid, pid_t own_pid) {
  constexpr std::size_t kMaximum = 16;
  std::vector<pid_t> makers{own_pid};
  if (own_pid != pid) return makers;
  const std::string program = base::read_link(base::proc_path(pid, "exe"));
  while (makers.size() < kMaximum) {
    const std::string status = base::read_proc_file(base::proc_path(makers.back(), "status"));
    const auto parent = static_cast<pid_t>(base::number_in(base::status_value(status, "PPid")));
    if (parent <= 1 || base::read_link(base::proc_path(parent, "exe")) != program) break;
    makers.push_back(parent);
  }
  return makers;
}

// Returns the reason if the process certainly cannot be looked at.
std::string obstacle(const Process& process) {
  const pid_t living = base::living_thread(process.pid);
  if (living == 0) return "has ended, and its parent has not asked for its exit status";
  const std::string status = base::read_proc_file(base::proc_path(living, "status"));
  if (status.empty()) return "has ended";
  const auto tracer = static_cast<pid_t>(base::number_in(base::status_value(status, "TracerPid")));
  if (tracer != 0) {
    const std::string name = base::read_proc_file(base::proc_path(tracer, "comm"));
    const bool is_stopped = base::status_value(status, "State").starts_with('t');
    return std::string(is_stopped ? "is stopped and traced by process " : "is traced by process ") +
           std::to_string(tracer) + " (" + base::printable(name.substr(0, name.find('\n'))) +
           "); only one can do that: end that first";
  }
  const auto user = base::number_in(base::status_value(status, "Uid"));
  if (user != geteuid() && geteuid() != 0)
    return "belongs to user " + std::to_string(user) + ": run prof as that user or with sudo";
  if (process.words.empty() && base::read_link(base::proc_path(living, "exe")).empty())
    return "is a thread of the kernel, or may not be read";
  return "";
}

ProcessCopy copy_process(const Process& process) {
  ProcessCopy copy;
  copy.process = &process;
  copy.problem = obstacle(process);
  if (!copy.problem.empty()) return copy;
  auto maps = unwind::read_process_maps(std::to_string(process.pid));
  if (!maps) {
    copy.problem = "cannot be read: " + maps.error().message;
    return copy;
  }
  copy.maps = std::move(*maps);
  copy.root = root_of(process.pid);
  if (const auto address = python::find_interpreter(process.pid, copy.maps, copy.root)) {
    copy.python = std::make_unique<PythonChains>(process.pid, *address);
    copy.python->look();
  }
  copy.threads = copy_threads(process.pid, copy.maps, copy.python.get());
  // If no thread could be stopped, the reason is given once, for the process.
  bool has_any = false;
  for (const ThreadCopy& each : copy.threads)
    has_any = has_any || each.problem.empty() || each.call;
  if (!has_any) copy.problem = copy.threads.empty() ? "has ended" : copy.threads[0].problem;
  return copy;
}

class Interpreter {
 public:
  explicit Interpreter(const std::vector<Process>& processes) : processes_(processes) {}

  ProcessState interpret(ProcessCopy& copy) {
    ProcessState state{*copy.process, copy.problem, {}, false};
    unwind::Modules& modules = modules_of(copy.root);
    unwind::ModuleMap map(modules, copy.process->pid);
    for (const unwind::MapEvent& each : copy.maps) {
      if (each.executable) map.add(each);
      state.uses_gpu = state.uses_gpu || each.path.find("/libcuda.so") != std::string::npos;
    }
    const std::vector<pid_t> makers =
        makers_of_code(copy.process->pid, copy.threads.empty() ? 0 : copy.threads[0].own_id);
    if (copy.python != nullptr)
      for (ThreadCopy& each : copy.threads)
        if (std::string name = copy.python->thread_name(each.own_id); !name.empty())
          each.name = std::move(name);
    for (const ThreadCopy& each : copy.threads) {
      Thread thread{each.thread, each.name, each.state, each.problem, {}, {}, {}, {}, 0};
      thread.stopped_ns = each.stopped_ns;
      thread.system_call = each.call;
      if (each.problem.empty()) take_chain(copy, each, map, makers, thread);
      thread.wait =
          find_wait({copy.process->pid, copy.threads, processes_, descriptors_, copy.python.get(),
                     [&](std::uint64_t address) {
                       return variables_.find(copy.process->pid, copy.maps, copy.root, address);
                     }},
                    each, thread.frames);
      if (copy.python != nullptr && each.problem.empty()) take_tasks(*copy.python, each, thread);
      state.threads.push_back(std::move(thread));
    }
    return state;
  }

 private:
  unwind::Modules& modules_of(const std::string& root) {
    auto& modules = modules_[root];
    if (!modules) modules = std::make_unique<unwind::Modules>(unwind::FilePlaces{.root = root});
    return *modules;
  }

  static void take_tasks(PythonChains& python, const ThreadCopy& from, Thread& thread) {
    for (PythonTasks::Task& each : python.tasks(from.own_id)) {
      AsyncTask task{std::move(each.name), {}, std::move(each.awaits)};
      for (const python_frames::PythonFrame& frame : each.frames)
        task.frames.push_back(frame_of(python.function(frame)));
      thread.tasks.push_back(std::move(task));
    }
  }

  void take_chain(ProcessCopy& copy, const ThreadCopy& from, const unwind::ModuleMap& map,
                  std::span<const pid_t> makers, Thread& thread) {
    const unwind::StackSlice stack(from.registers[unwind::kStackPointer], from.stack);
    unwind::CallChain chain;
    unwind::Unwinder().unwind(map, 0, from.registers, stack, chain);
    const bool is_cut = chain.stop != unwind::Stop::kComplete;
    if (is_cut) thread.chain_end = unwind::describe(chain.stop);
    thread.frames = merge_frames(names_.native(chain, map, copy.root, makers), is_cut,
                                 from.python.frames, from.python.is_cut, copy.python.get());
    // prof's own wrappers say nothing about the program.
    std::erase_if(thread.frames, [](const Frame& each) {
      return each.module.find("/libprof_") != std::string::npos;
    });
    thread.call = find_api_call(thread.frames);
  }

  const std::vector<Process>& processes_;
  std::map<std::string, std::unique_ptr<unwind::Modules>> modules_;  // by root directory
  FrameNames names_;
  Descriptors descriptors_;
  Variables variables_;
};

}  // namespace

std::vector<ProcessState> observe(const std::vector<Process>& processes) {
  // All threads are copied first, so that all copies are of about the same time.
  std::vector<ProcessCopy> copies;
  {
    const RealTimePriority first;
    for (const Process& each : processes) copies.push_back(copy_process(each));
  }
  Interpreter interpreter(processes);
  std::vector<ProcessState> states;
  for (ProcessCopy& each : copies) states.push_back(interpreter.interpret(each));
  mark_circles(states);
  return states;
}

}  // namespace prof::live
