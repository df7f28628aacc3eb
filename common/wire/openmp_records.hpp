// Records of the OpenMP trace (injection/openmp). A runtime reports the begin and the end of what
// its threads do. The collector makes rows of both (collector/ingest/openmp).
#pragma once

#include "common/wire/records.hpp"

namespace prof::wire {

// The flags of OpenMpBeginRecord and OpenMpEndRecord: what begins, ends, or happens.
enum class OpenMpEvent : std::uint8_t {
  kParallel = 0,  // a parallel region
  kImplicit = 1,  // a thread's part of a parallel region: its implicit task
  kWork = 2,      // a loop, sections, single, ...; aux: OpenMpWork
  kSync = 3,      // a barrier, taskwait, taskgroup; aux: OpenMpSync
  kMaster = 4,    // master, masked
  kReduction = 5,
  kMutex = 6,     // a wait for a mutex; aux: OpenMpMutex
  kAcquired = 7,  // the wait has ended, and the thread has the mutex
  kReleased = 8,
  kTaskCreate = 9,
  kTaskSwitch = 10,  // the thread goes on with another task; aux: 1 if the one before goes on later
  // The thread has done its part of a region, and waits in the region's barrier until the region
  // ends. No kImplicit ends it.
  kPartDone = 11,
  kTarget = 12,  // a target construct; aux: OpenMpTarget | number of the device << 16
};
// aux of the end of kParallel: it ends the parts that are done.
inline constexpr std::uint32_t kOpenMpEndsParts = 1;

// The values of OMPT (OpenMP 5.0 and 5.2) for ompt_work_t, ompt_sync_region_t and ompt_mutex_t.
enum class OpenMpWork : std::uint32_t {
  kLoop = 1,
  kSections = 2,
  kSingleExecutor = 3,
  kSingleOther = 4,
  kWorkshare = 5,
  kDistribute = 6,
  kTaskloop = 7,
  kScope = 8,
  kLoopStatic = 10,
  kLoopDynamic = 11,
  kLoopGuided = 12,
  kLoopOther = 13,
};
enum class OpenMpSync : std::uint32_t {
  kBarrier = 1,
  kImplicit = 2,
  kExplicit = 3,
  kImplementation = 4,
  kTaskwait = 5,
  kTaskgroup = 6,
  kReduction = 7,
  kImplicitWorkshare = 8,
  kImplicitParallel = 9,
  kTeams = 10,
};
enum class OpenMpMutex : std::uint32_t {
  kLock = 1,
  kTestLock = 2,
  kNestLock = 3,
  kTestNestLock = 4,
  kCritical = 5,
  kAtomic = 6,
  kOrdered = 7,
};

// OMPT's values of ompt_target_t.
enum class OpenMpTarget : std::uint32_t {
  kTarget = 1,
  kEnterData = 2,
  kExitData = 3,
  kUpdate = 4,
};

// Regions and tasks are numbered in each process, from 1, in the order in which they were made. The
// number of an explicit task has this bit.
inline constexpr std::uint64_t kOpenMpExplicit = std::uint64_t{1} << 63;

// Something begins, or happens at one moment (kTaskCreate).
struct OpenMpBeginRecord {
  RecordHeader header;  // flags: OpenMpEvent; aux: as there
  std::uint64_t time;
  std::uint64_t parallel;  // number of the region; 0: none, or not known
  std::uint64_t task;      // kParallel: the task that began it; kTaskCreate: the new task
  // kWork: number of iterations or sections; kTarget: bytes that it copies if the device has own
  // memory; kMutex: address of the mutex; kTaskCreate: the task
  // that made it
  std::uint64_t object;
  std::uint64_t code;  // address to which the construct's call returns; 0: not known
};

// Something ends.
struct OpenMpEndRecord {
  RecordHeader header;  // flags: OpenMpEvent; aux: as there
  std::uint64_t time;
  // kParallel: number of the region; kImplicit: number of the task; kAcquired, kReleased: address
  // of the mutex; kTaskSwitch: the next task
  std::uint64_t object;
};

// Where the code of a construct of OpenMP or OpenACC lies. Sent once for each address of a process
// and trace.
struct CodeAddressRecord {
  RecordHeader header;
  std::uint64_t code;
  std::uint64_t address;  // as linked, without the loader's bias
  std::uint64_t module;   // string hash of the file's path; of an empty text: the program
};

// The flags of OpenAccRecord: CUPTI's numbers, which nsys's tables have.
enum class OpenAccEvent : std::uint8_t {
  kDeviceInit = 1,
  kDeviceShutdown = 2,
  kRuntimeShutdown = 3,
  kLaunch = 4,
  kUpload = 5,
  kDownload = 6,
  kWait = 7,
  kImplicitWait = 8,
  kCompute = 9,
  kUpdate = 10,
  kEnterData = 11,
  kExitData = 12,
  kCreate = 13,
  kDelete = 14,
  kAlloc = 15,
  kFree = 16,
};

// What an OpenACC runtime did (injection/openacc).
struct OpenAccRecord {
  RecordHeader header;  // flags: OpenAccEvent; aux: type of the device (acc_device_t)
  std::uint64_t end;
  std::uint64_t start;  // 0: the event is a moment
  std::uint64_t code;   // address to which the program's call returns; 0: not known
  std::int32_t device;
  std::int32_t line;   // as the runtime says; not positive: it does not
  std::uint64_t file;  // string hashes of what the runtime says; 0: nothing
  std::uint64_t function;
  std::uint64_t name;  // string hash of the variable or kernel; 0: not known
  // kLaunch: gangs, workers, vector length; other events: bytes, 0, 0.
  std::uint64_t sizes[3];
};

static_assert(kIsRecord<OpenAccRecord> && sizeof(OpenAccRecord) == 88);
static_assert(kIsRecord<OpenMpBeginRecord> && sizeof(OpenMpBeginRecord) == 48);
static_assert(kIsRecord<OpenMpEndRecord> && sizeof(OpenMpEndRecord) == 24);
static_assert(kIsRecord<CodeAddressRecord> && sizeof(CodeAddressRecord) == 32);
static_assert(offsetof(OpenMpBeginRecord, time) == 8 && offsetof(OpenMpEndRecord, time) == 8);

}  // namespace prof::wire
