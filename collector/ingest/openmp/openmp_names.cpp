#include "collector/ingest/openmp/openmp_names.hpp"

#include "collector/ingest/records/enum_values.hpp"

namespace prof::ingest {

namespace {

using wire::OpenMpMutex;
using wire::OpenMpSync;
using wire::OpenMpWork;

constexpr EnumValue kEnumValues[] = {
    {"ENUM_OPENMP_EVENT_KIND", 0, "OPENMP_EVENT_KIND_INVALID", "Invalid"},
    {"ENUM_OPENMP_EVENT_KIND", 1, "OPENMP_EVENT_KIND_THREAD_BEGIN", "Thread begin"},
    {"ENUM_OPENMP_EVENT_KIND", 2, "OPENMP_EVENT_KIND_THREAD_END", "Thread end"},
    {"ENUM_OPENMP_EVENT_KIND", 3, "OPENMP_EVENT_KIND_PARALLEL_BEGIN", "Parallel begin"},
    {"ENUM_OPENMP_EVENT_KIND", 4, "OPENMP_EVENT_KIND_PARALLEL_END", "Parallel End"},
    {"ENUM_OPENMP_EVENT_KIND", 5, "OPENMP_EVENT_KIND_SYNC_REGION_WAIT_BEGIN",
     "Sync region wait begin"},
    {"ENUM_OPENMP_EVENT_KIND", 6, "OPENMP_EVENT_KIND_SYNC_REGION_WAIT_END", "Sync region wait end"},
    {"ENUM_OPENMP_EVENT_KIND", 7, "OPENMP_EVENT_KIND_SYNC_REGION_BEGIN", "Sync region begin"},
    {"ENUM_OPENMP_EVENT_KIND", 8, "OPENMP_EVENT_KIND_SYNC_REGION_END", "Sync region end"},
    {"ENUM_OPENMP_EVENT_KIND", 9, "OPENMP_EVENT_KIND_TASK_BEGIN", "Task begin"},
    {"ENUM_OPENMP_EVENT_KIND", 10, "OPENMP_EVENT_KIND_TASK_END", "Task end"},
    {"ENUM_OPENMP_EVENT_KIND", 11, "OPENMP_EVENT_KIND_MASTER_BEGIN", "Master begin"},
    {"ENUM_OPENMP_EVENT_KIND", 12, "OPENMP_EVENT_KIND_MASTER_END", "Master end"},
    {"ENUM_OPENMP_EVENT_KIND", 13, "OPENMP_EVENT_KIND_REDUCTION_BEGIN", "Reduction begin"},
    {"ENUM_OPENMP_EVENT_KIND", 14, "OPENMP_EVENT_KIND_REDUCTION_END", "Reduction end"},
    {"ENUM_OPENMP_EVENT_KIND", 15, "OPENMP_EVENT_KIND_TASK_CREATE", "Task create"},
    {"ENUM_OPENMP_EVENT_KIND", 16, "OPENMP_EVENT_KIND_TASK_SCHEDULE", "Task schedule"},
    {"ENUM_OPENMP_EVENT_KIND", 17, "OPENMP_EVENT_KIND_CANCEL", "Cancel"},
    {"ENUM_OPENMP_EVENT_KIND", 18, "OPENMP_EVENT_KIND_MUTEX_ACQUIRE", "Mutex acquire"},
    {"ENUM_OPENMP_EVENT_KIND", 19, "OPENMP_EVENT_KIND_MUTEX_ACQUIRED", "Mutex acquired"},
    {"ENUM_OPENMP_EVENT_KIND", 20, "OPENMP_EVENT_KIND_MUTEX_RELEASED", "Mutex released"},
    {"ENUM_OPENMP_EVENT_KIND", 21, "OPENMP_EVENT_KIND_LOCK_INIT", "Lock init"},
    {"ENUM_OPENMP_EVENT_KIND", 22, "OPENMP_EVENT_KIND_LOCK_DESTROY", "Lock destroy"},
    {"ENUM_OPENMP_EVENT_KIND", 23, "OPENMP_EVENT_KIND_WORKSHARE_BEGIN", "Workshare begin"},
    {"ENUM_OPENMP_EVENT_KIND", 24, "OPENMP_EVENT_KIND_WORKSHARE_END", "Workshare end"},
    {"ENUM_OPENMP_EVENT_KIND", 25, "OPENMP_EVENT_KIND_DISPATCH", "Dispatch"},
    {"ENUM_OPENMP_EVENT_KIND", 26, "OPENMP_EVENT_KIND_FLUSH", "Flush"},
    {"ENUM_OPENMP_EVENT_KIND", 27, "OPENMP_EVENT_KIND_THREAD", "Thread"},
    {"ENUM_OPENMP_EVENT_KIND", 28, "OPENMP_EVENT_KIND_PARALLEL", "Parallel"},
    {"ENUM_OPENMP_EVENT_KIND", 29, "OPENMP_EVENT_KIND_SYNC_REGION_WAIT", "Sync region wait"},
    {"ENUM_OPENMP_EVENT_KIND", 30, "OPENMP_EVENT_KIND_SYNC_REGION", "Sync region"},
    {"ENUM_OPENMP_EVENT_KIND", 31, "OPENMP_EVENT_KIND_TASK", "Task"},
    {"ENUM_OPENMP_EVENT_KIND", 32, "OPENMP_EVENT_KIND_MASTER", "Master"},
    {"ENUM_OPENMP_EVENT_KIND", 33, "OPENMP_EVENT_KIND_REDUCTION", "Reduction"},
    {"ENUM_OPENMP_EVENT_KIND", 34, "OPENMP_EVENT_KIND_MUTEX_WAIT", "Mutex wait"},
    {"ENUM_OPENMP_EVENT_KIND", 35, "OPENMP_EVENT_KIND_CRITICAL_SECTION", "Critical section"},
    {"ENUM_OPENMP_EVENT_KIND", 36, "OPENMP_EVENT_KIND_WORKSHARE", "Workshare"},
    {"ENUM_OPENMP_THREAD", 1, "ompt_thread_initial", "Initial"},
    {"ENUM_OPENMP_THREAD", 2, "ompt_thread_worker", "Worker"},
    {"ENUM_OPENMP_THREAD", 3, "ompt_thread_other", "Internal"},
    {"ENUM_OPENMP_THREAD", 4, "ompt_thread_unknown", "Unknown"},
    {"ENUM_OPENMP_DISPATCH", 1, "ompt_dispatch_iteration", "Iteration"},
    {"ENUM_OPENMP_DISPATCH", 2, "ompt_dispatch_section", "Section"},
    {"ENUM_OPENMP_SYNC_REGION", 1, "ompt_sync_region_barrier", "Barrier"},
    {"ENUM_OPENMP_SYNC_REGION", 2, "ompt_sync_region_barrier_implicit", "Implicit barrier"},
    {"ENUM_OPENMP_SYNC_REGION", 3, "ompt_sync_region_barrier_explicit", "Explicit barrier"},
    {"ENUM_OPENMP_SYNC_REGION", 4, "ompt_sync_region_barrier_implementation",
     "Implementation barrier"},
    {"ENUM_OPENMP_SYNC_REGION", 5, "ompt_sync_region_taskwait", "Task wait"},
    {"ENUM_OPENMP_SYNC_REGION", 6, "ompt_sync_region_taskgroup", "Task group"},
    {"ENUM_OPENMP_SYNC_REGION", 7, "ompt_sync_region_reduction", "Reduction"},
    {"ENUM_OPENMP_WORK", 1, "ompt_work_loop", "Loop region"},
    {"ENUM_OPENMP_WORK", 2, "ompt_work_sections", "Sections region"},
    {"ENUM_OPENMP_WORK", 3, "ompt_work_single_executor", "Single region executor"},
    {"ENUM_OPENMP_WORK", 4, "ompt_work_single_other", "Single region waiting"},
    {"ENUM_OPENMP_WORK", 5, "ompt_work_workshare", "Workshare retion"},
    {"ENUM_OPENMP_WORK", 6, "ompt_work_distribute", "Distribute region"},
    {"ENUM_OPENMP_WORK", 7, "ompt_work_taskloop", "Task loop region"},
    {"ENUM_OPENMP_MUTEX", 1, "ompt_mutex_lock", "Wait for lock"},
    {"ENUM_OPENMP_MUTEX", 2, "ompt_mutex_test_lock", "Testing lock"},
    {"ENUM_OPENMP_MUTEX", 3, "ompt_mutex_nest_lock", "Wait for nested lock"},
    {"ENUM_OPENMP_MUTEX", 4, "ompt_mutex_test_nest_lock", "Testing nested lock"},
    {"ENUM_OPENMP_MUTEX", 5, "ompt_mutex_critical", "Wait for critical section entry"},
    {"ENUM_OPENMP_MUTEX", 6, "ompt_mutex_atomic", "Wait for atomic region entry"},
    {"ENUM_OPENMP_MUTEX", 7, "ompt_mutex_ordered", "Wait for ordered region entry"},
    {"ENUM_OPENMP_TASK_FLAG", 1, "ompt_task_initial", "Initial"},
    {"ENUM_OPENMP_TASK_FLAG", 2, "ompt_task_implicit", "Implitic"},
    {"ENUM_OPENMP_TASK_FLAG", 4, "ompt_task_explicit", "Explicit"},
    {"ENUM_OPENMP_TASK_FLAG", 8, "ompt_task_target", "Target"},
    {"ENUM_OPENMP_TASK_FLAG", 134217728, "ompt_task_undeferred", "Undeferred"},
    {"ENUM_OPENMP_TASK_FLAG", 268435456, "ompt_task_untied", "United"},
    {"ENUM_OPENMP_TASK_FLAG", 536870912, "ompt_task_final", "Final"},
    {"ENUM_OPENMP_TASK_FLAG", 1073741824, "ompt_task_mergeable", "Mergeable"},
    {"ENUM_OPENMP_TASK_FLAG", 2147483648, "ompt_task_merged", "Merged"},
    {"ENUM_OPENMP_TASK_STATUS", 1, "ompt_task_complete", "Completed"},
    {"ENUM_OPENMP_TASK_STATUS", 2, "ompt_task_yield", "Yielded"},
    {"ENUM_OPENMP_TASK_STATUS", 3, "ompt_task_cancel", "Cancelled"},
    {"ENUM_OPENMP_TASK_STATUS", 4, "ompt_task_detach", "Detached"},
    {"ENUM_OPENMP_TASK_STATUS", 5, "ompt_task_early_fulfill", "Early fulfilled"},
    {"ENUM_OPENMP_TASK_STATUS", 6, "ompt_task_late_fulfill", "Late fulfilled"},
    {"ENUM_OPENMP_TASK_STATUS", 7, "ompt_task_switch", "Switched Out"},
};

}  // namespace

std::int32_t work_kind(std::uint32_t kind) {
  switch (static_cast<OpenMpWork>(kind)) {
    case OpenMpWork::kLoopStatic:
    case OpenMpWork::kLoopDynamic:
    case OpenMpWork::kLoopGuided:
    case OpenMpWork::kLoopOther:
      return static_cast<std::int32_t>(OpenMpWork::kLoop);
    default:
      return static_cast<std::int32_t>(kind);
  }
}

std::int32_t sync_kind(std::uint32_t kind) {
  switch (static_cast<OpenMpSync>(kind)) {
    case OpenMpSync::kImplicitWorkshare:
    case OpenMpSync::kImplicitParallel:
    case OpenMpSync::kTeams:
      return static_cast<std::int32_t>(OpenMpSync::kImplicit);
    default:
      return static_cast<std::int32_t>(kind);
  }
}

const char* name_of_work(std::int32_t kind) {
  switch (static_cast<OpenMpWork>(kind)) {
    case OpenMpWork::kLoop:
      return "Loop Region";
    case OpenMpWork::kSections:
      return "Sections Region";
    case OpenMpWork::kSingleExecutor:
      return "Single Region (Executor)";
    case OpenMpWork::kSingleOther:
      return "Single Region (Waiting)";
    case OpenMpWork::kDistribute:
      return "Distribute Region";
    case OpenMpWork::kTaskloop:
      return "Taskloop Region";
    case OpenMpWork::kScope:
      return "Scope Region";
    default:
      return "Workshare Region";
  }
}

const char* name_of_sync(std::int32_t kind) {
  switch (static_cast<OpenMpSync>(kind)) {
    case OpenMpSync::kImplicit:
      return "Implicit Barrier";
    case OpenMpSync::kExplicit:
      return "Explicit Barrier";
    case OpenMpSync::kImplementation:
      return "Implementation Barrier";
    case OpenMpSync::kTaskwait:
      return "Taskwait";
    case OpenMpSync::kTaskgroup:
      return "Taskgroup";
    case OpenMpSync::kReduction:
      return "Reduction";
    default:
      return "Barrier";
  }
}

const char* name_of_wait(std::uint32_t mutex) {
  switch (static_cast<OpenMpMutex>(mutex)) {
    case OpenMpMutex::kLock:
      return "Waiting for Lock";
    case OpenMpMutex::kTestLock:
      return "Testing Lock";
    case OpenMpMutex::kNestLock:
      return "Waiting for Nested Lock";
    case OpenMpMutex::kTestNestLock:
      return "Testing Nested Lock";
    case OpenMpMutex::kCritical:
      return "Waiting to enter Critical Region";
    case OpenMpMutex::kAtomic:
      return "Waiting to enter Atomic Region";
    case OpenMpMutex::kOrdered:
      return "Waiting to enter Ordered Region";
  }
  return "Waiting for Mutex";
}

const char* name_of_target(std::uint32_t kind) {
  switch (static_cast<wire::OpenMpTarget>(kind)) {
    case wire::OpenMpTarget::kEnterData:
      return "Target Enter Data";
    case wire::OpenMpTarget::kExitData:
      return "Target Exit Data";
    case wire::OpenMpTarget::kUpdate:
      return "Target Update";
    default:
      return "Target Region";
  }
}

void write_openmp_enums(report::ReportWriter& writer) { write_enums(writer, kEnumValues); }

}  // namespace prof::ingest
