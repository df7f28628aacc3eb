#include "collector/live/python/python_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "common/base/text/printable.hpp"

namespace prof::live {

using python_frames::may_be_object;
using python_frames::python_version;
using python_frames::PythonFrame;

struct PythonTasks::Places {
  std::uint16_t version;
  std::uint32_t frame_globals;
  std::uint32_t coroutine_frame;
  std::uint32_t waiter;   // what a task awaits; its coroutine and its name are the next words
  const char* all_tasks;  // the weak set of all tasks, in the module asyncio.tasks
};

namespace {

constexpr std::uint32_t kTaskLoop = 16;  // the same for all kinds of futures
constexpr std::uint32_t kStackTop = 64, kFrameSlots = 72;
constexpr std::uint32_t kModuleNames = 16, kReferenced = 16;
constexpr std::uint32_t kSetMask = 32, kSetTable = 40;
constexpr std::uint64_t kSetEntry = 16;  // size of an entry of a set
constexpr std::uint64_t kMaxTasks = 4096;
constexpr std::uint64_t kMaxTable = 1 << 15;
constexpr std::size_t kMaxCoroutines = 64;
constexpr std::uint32_t kMaxStackTop = 4096;

}  // namespace

const PythonTasks::Places* PythonTasks::places() const {
  static constexpr Places kPlaces[] = {{python_version(3, 11), 8, 80, 128, "_all_tasks"},
                                       {python_version(3, 12), 24, 72, 128, "_scheduled_tasks"},
                                       {python_version(3, 13), 24, 72, 112, "_scheduled_tasks"}};
  if (!objects_.is_known_version()) return nullptr;
  const auto* const at = std::ranges::find(kPlaces, memory_.layout().version, &Places::version);
  return at == std::end(kPlaces) ? nullptr : at;
}

std::string PythonTasks::file_of(std::uint64_t frame) {
  const std::uint64_t code = objects_.word(frame + memory_.layout().frame_code) & ~std::uint64_t{7};
  if (!may_be_object(code) || objects_.type_name(code) != "code") return "";
  const auto found = memory_.read_code(code);
  const auto file = found ? memory_.read_text(found->file) : std::nullopt;
  return file.value_or("");
}

// Returns the set that has weak references to all tasks. `frame` runs code of a module that has
// imported asyncio.tasks as `tasks`.
std::uint64_t PythonTasks::all_tasks(std::uint64_t frame) {
  const std::uint64_t globals = objects_.word(frame + places()->frame_globals);
  const std::uint64_t module = objects_.item(globals, "tasks");
  if (objects_.type_name(module) != "module") return 0;
  const std::uint64_t tasks =
      objects_.item(objects_.word(module + kModuleNames), places()->all_tasks);
  const std::uint64_t data = objects_.attribute(tasks, "data");
  return objects_.type_name(data) == "set" ? data : 0;
}

std::string PythonTasks::name_of(std::uint64_t task) {
  const std::uint64_t name = objects_.word(task + places()->waiter + 16);
  const std::string type = objects_.type_name(name);
  // A name that nobody has asked for is the number of the task yet.
  constexpr std::uint32_t kDigit = 24;
  if (type == "int") {
    std::uint32_t number = 0;
    memory_.memory().read(name + kDigit, number);
    return fmt::format("Task-{}", number);
  }
  const auto text = type == "str" ? memory_.read_text(name) : std::nullopt;
  return base::printable(text.value_or("?"));
}

std::string PythonTasks::awaits_of(std::uint64_t task) {
  const std::uint64_t waiter = objects_.word(task + places()->waiter);
  if (!may_be_object(waiter)) return "runs, or can run";
  const std::string type = objects_.type_name(waiter);
  if (type == "_asyncio.Task") return fmt::format("awaits task \"{}\"", name_of(waiter));
  return type == "_GatheringFuture" ? "awaits the tasks of a gather()" : "awaits a future";
}

std::vector<PythonFrame> PythonTasks::frames_of(std::uint64_t task) {
  std::vector<PythonFrame> frames;
  std::uint64_t coroutine = objects_.word(task + places()->waiter + 8);
  while (frames.size() < kMaxCoroutines && objects_.type_name(coroutine) == "coroutine") {
    const std::uint64_t frame = coroutine + places()->coroutine_frame;
    const std::size_t before = frames.size();
    python_frames::walk_python_frames(memory_.memory(), memory_.layout(),
                                      memory_.address().code_type, frame, 1,
                                      [&](const PythonFrame& found) { frames.push_back(found); });
    std::uint32_t top = 0;
    if (frames.size() == before || !memory_.memory().read(frame + kStackTop, top) || top == 0 ||
        top > kMaxStackTop)
      break;
    coroutine = objects_.word(frame + kFrameSlots + 8 * std::uint64_t{top - 1});  // what it awaits
  }
  std::ranges::reverse(frames);
  return frames;
}

std::vector<PythonTasks::Task> PythonTasks::of(const std::vector<std::uint64_t>& frames) {
  std::vector<Task> found;
  if (places() == nullptr) return found;
  // Loops of asyncio run in base_events.py; asyncio.run() in runners.py runs other loops, too.
  std::uint64_t runs = 0;
  std::uint64_t loop = 0;
  for (const std::uint64_t frame : frames) {
    const std::string file = file_of(frame);
    if (file.ends_with("asyncio/base_events.py")) {
      runs = frame;
      loop = objects_.word(frame + kFrameSlots);  // self
      break;
    }
    if (file.ends_with("asyncio/runners.py")) runs = frame;
  }
  const std::uint64_t tasks = runs == 0 ? 0 : all_tasks(runs);
  if (tasks == 0) return found;
  const std::uint64_t size = objects_.word(tasks + kSetMask) + 1;
  const std::uint64_t table = objects_.word(tasks + kSetTable);
  for (std::uint64_t i = 0; i < std::min(size, kMaxTable) && found.size() < kMaxTasks; ++i) {
    const std::uint64_t reference = objects_.word(table + i * kSetEntry);
    if (!may_be_object(reference)) continue;
    const std::uint64_t task = objects_.word(reference + kReferenced);
    if (objects_.type_name(task) != "_asyncio.Task") continue;
    if (loop != 0 && objects_.word(task + kTaskLoop) != loop) continue;
    // A task that has ended has no coroutine.
    if (std::vector<PythonFrame> chain = frames_of(task); !chain.empty())
      found.push_back({name_of(task), std::move(chain), awaits_of(task)});
  }
  std::ranges::sort(found, {}, &Task::name);
  return found;
}

}  // namespace prof::live
