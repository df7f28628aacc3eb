// The tool interface of OpenMP runtimes (OMPT): LLVM's libomp, and those of Intel, AMD and NVIDIA.
// A runtime asks for a tool by calling ompt_start_tool() before its first region.
//
// The words that the runtime keeps for a tool have the numbers of regions and tasks.
#include <unistd.h>

#include <cstring>

#include "injection/core/symbols/loader.hpp"
#include "injection/libraries/recorder.hpp"
#include "injection/openmp/events.hpp"
#include "injection/openmp/ompt_abi.hpp"

namespace {

using namespace prof;
using openmp::OpenMpEvent;
using openmp::ompt::Data;

std::uint64_t value_of(const Data* data) { return data == nullptr ? 0 : data->value; }

template <class Kind>
std::uint32_t word(Kind kind) {
  return static_cast<std::uint32_t>(kind);
}

void on_parallel_begin(Data* task, const void*, Data* parallel, unsigned int, int,
                       const void* code) {
  parallel->value = openmp::next_parallel();
  openmp::begin(OpenMpEvent::kParallel, 0, parallel->value, value_of(task), 0, code);
}

void on_parallel_end(Data* parallel, Data*, int, const void*) {
  openmp::end(OpenMpEvent::kParallel, 0, value_of(parallel));
}

// The initial task of a thread is not recorded. Its region gets a number, as in nsys.
void on_implicit_task(int endpoint, Data* parallel, Data* task, unsigned int, unsigned int,
                      int flags) {
  const bool is_initial = (flags & openmp::ompt::kInitialTask) != 0;
  if (endpoint == openmp::ompt::kEnd) {
    if (value_of(task) != 0) openmp::end(OpenMpEvent::kImplicit, 0, task->value);
    return;
  }
  if (parallel == nullptr || task == nullptr) return;
  if (is_initial && parallel->value == 0) {
    parallel->value = openmp::next_parallel();
    return;
  }
  task->value = openmp::next_task();
  openmp::begin(OpenMpEvent::kImplicit, 0, parallel->value, task->value, 0, nullptr);
}

void on_task_create(Data* parent, const void*, Data* task, int flags, int, const void* code) {
  if ((flags & openmp::ompt::kExplicitTask) == 0 || task == nullptr) return;
  task->value = openmp::next_task() | wire::kOpenMpExplicit;
  openmp::begin(OpenMpEvent::kTaskCreate, 0, 0, task->value, value_of(parent), code);
}

void on_task_schedule(Data*, int status, Data* next) {
  using openmp::ompt::TaskStatus;
  if (next == nullptr || status == TaskStatus::kEarlyFulfill || status == TaskStatus::kLateFulfill)
    return;
  const bool goes_on = status == TaskStatus::kSwitch || status == TaskStatus::kYield;
  openmp::end(OpenMpEvent::kTaskSwitch, goes_on ? 1 : 0, next->value);
}

// Records the begin, the end, or both.
void record(OpenMpEvent event, std::uint32_t kind, int endpoint, const Data* parallel,
            const Data* task, std::uint64_t count, const void* code) {
  if ((endpoint & openmp::ompt::kBegin) != 0)
    openmp::begin(event, kind, value_of(parallel), value_of(task), count, code);
  if ((endpoint & openmp::ompt::kEnd) != 0) openmp::end(event, kind, 0);
}

void on_work(int kind, int endpoint, Data* parallel, Data* task, std::uint64_t count,
             const void* code) {
  record(OpenMpEvent::kWork, word(kind), endpoint, parallel, task, count, code);
}

void on_sync_region(int kind, int endpoint, Data* parallel, Data* task, const void* code) {
  record(OpenMpEvent::kSync, word(kind), endpoint, parallel, task, 0, code);
}

void on_reduction(int kind, int endpoint, Data* parallel, Data* task, const void* code) {
  record(OpenMpEvent::kReduction, word(kind), endpoint, parallel, task, 0, code);
}

void on_masked(int endpoint, Data* parallel, Data* task, const void* code) {
  record(OpenMpEvent::kMaster, 0, endpoint, parallel, task, 0, code);
}

void on_mutex_acquire(int kind, unsigned int, unsigned int, std::uint64_t mutex, const void* code) {
  openmp::begin(OpenMpEvent::kMutex, word(kind), 0, 0, mutex, code);
}

void on_mutex_acquired(int kind, std::uint64_t mutex, const void*) {
  openmp::end(OpenMpEvent::kAcquired, word(kind), mutex);
}

void on_mutex_released(int kind, std::uint64_t mutex, const void*) {
  openmp::end(OpenMpEvent::kReleased, word(kind), mutex);
}

struct Registration {
  openmp::ompt::Callback which;
  openmp::ompt::Function function;
};

template <class... Parameters>
openmp::ompt::Function as_function(void (*function)(Parameters...)) {
  return reinterpret_cast<openmp::ompt::Function>(function);
}

// Returns what an OpenMP runtime expects: 0 switches the tool off.
int initialize(openmp::ompt::Lookup lookup, int, Data*) {
  using enum openmp::ompt::Callback;
  const auto set_callback =
      reinterpret_cast<openmp::ompt::SetCallback>(lookup("ompt_set_callback"));
  if (set_callback == nullptr) return 0;
  const Registration registrations[] = {{kParallelBegin, as_function(on_parallel_begin)},
                                        {kParallelEnd, as_function(on_parallel_end)},
                                        {kImplicitTask, as_function(on_implicit_task)},
                                        {kTaskCreate, as_function(on_task_create)},
                                        {kTaskSchedule, as_function(on_task_schedule)},
                                        {kWork, as_function(on_work)},
                                        {kSyncRegion, as_function(on_sync_region)},
                                        {kReduction, as_function(on_reduction)},
                                        {kMasked, as_function(on_masked)},
                                        {kMutexAcquire, as_function(on_mutex_acquire)},
                                        {kMutexAcquired, as_function(on_mutex_acquired)},
                                        {kMutexReleased, as_function(on_mutex_released)}};
  for (const Registration& each : registrations) set_callback(each.which, each.function);
  return 1;
}

void finalize(Data*) {}

openmp::ompt::StartToolResult g_tool = {initialize, finalize, {}};

// Returns the tool that the program would have without prof. LLVM's runtime has a definition of its
// own, which finds the next one.
openmp::ompt::StartToolResult* find_other_tool(unsigned int version, const char* runtime) {
  if (!core::has_loader_functions()) return nullptr;
  const auto next = reinterpret_cast<openmp::ompt::StartTool>(dlsym(RTLD_NEXT, "ompt_start_tool"));
  dlerror();  // clears an error of the call above: the program must not see it
  return next == nullptr ? nullptr : next(version, runtime);
}

// Returns the value of OMP_TOOL_LIBRARIES.
const char* tool_libraries() {
  constexpr char kName[] = "OMP_TOOL_LIBRARIES=";
  for (char** each = environ; each != nullptr && *each != nullptr; ++each)
    if (std::strncmp(*each, kName, sizeof kName - 1) == 0) return *each + sizeof kName - 1;
  return "";
}

void report_other_tool(const char* path) {
  if (openmp::is_traced()) prof_report_openmp_tool(path);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] openmp::ompt::StartToolResult* ompt_start_tool(
    unsigned int version, const char* runtime) {
  if (openmp::ompt::StartToolResult* const other = find_other_tool(version, runtime)) {
    const link_map* const map = core::object_at(reinterpret_cast<void*>(other->initialize));
    report_other_tool(map == nullptr ? "" : map->l_name);
    return other;
  }
  // The runtime loads these if no library has a tool.
  if (const char* const libraries = tool_libraries(); *libraries != '\0') {
    report_other_tool(libraries);
    return nullptr;
  }
  return openmp::is_traced() ? &g_tool : nullptr;
}
