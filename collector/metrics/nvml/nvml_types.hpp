// The part of NVML's binary interface that prof uses. It is declared here because prof is built
// without NVML's header. Names and numbers are those of nvml.h; tests/unit compares the layouts
// with nvml.h where it is installed.
#pragma once

#include <cstdint>

namespace prof::nvml {

struct DeviceObject;
using Device = DeviceObject*;

// nvmlReturn_t. NVML may return numbers that are not in this list.
enum class Return : int {
  kSuccess = 0,
  kNotSupported = 3,
  kNoPermission = 4,
  kInsufficientSize = 7,
  kDriverNotLoaded = 9,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kResetRequired = 16,
  kVersionMismatch = 18,
  kGpuNotFound = 28,
  kUnknown = 999,
};

struct Utilization {
  unsigned gpu;     // percent of the time in which a kernel ran
  unsigned memory;  // percent of the time in which memory was read or written
};

struct Memory {  // bytes
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;  // includes the reserved memory
};

// nvmlMemory_v2_t. The caller sets the version.
struct MemoryWithReserve {  // bytes
  unsigned version = kVersion;
  unsigned long long total = 0;
  unsigned long long reserved = 0;  // by the driver and the firmware: 480 MiB on an H100
  unsigned long long free = 0;
  unsigned long long used = 0;  // without the reserved memory, as nvidia-smi shows it

  static constexpr unsigned kVersion = 40 | 2U << 24;  // size and version number
};
static_assert(sizeof(MemoryWithReserve) == 40);

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;  // bytes; or kUnknownMemory
  unsigned gpu_instance;
  unsigned compute_instance;
};
inline constexpr unsigned long long kUnknownMemory = ~0ULL;

struct ProcessUtilization {
  unsigned pid;
  unsigned long long time;  // microseconds since the epoch
  unsigned sm;              // percent
  unsigned memory;
  unsigned encoder;
  unsigned decoder;
};

enum class ValueType : int {
  kDouble = 0,
  kUnsigned = 1,
  kUnsignedLong = 2,
  kUnsignedLongLong = 3,
  kSignedLongLong = 4,
  kSigned = 5,
  kUnsignedShort = 6,
};

struct FieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp;
  long long latency;
  ValueType type;
  Return result;
  union {
    double as_double;
    unsigned as_unsigned;
    unsigned long as_unsigned_long;
    unsigned long long as_unsigned_long_long;
    long long as_signed_long_long;
    int as_signed;
    unsigned short as_unsigned_short;
  } value;
};

// Fields of nvmlDeviceGetFieldValues.
inline constexpr unsigned kFieldMemoryTemperature = 82;
inline constexpr unsigned kFieldNvLinkSpeed = 90;    // of one link and direction, MB/s
inline constexpr unsigned kFieldNvLinkDataTx = 138;  // KiB; the scope is a link or kAllLinks
inline constexpr unsigned kFieldNvLinkDataRx = 139;
inline constexpr unsigned kFieldNvLinkSpeedOf = 164;  // speed of the link in the scope
inline constexpr unsigned kFieldPcieTxBytes = 197;    // may wrap
inline constexpr unsigned kFieldPcieRxBytes = 198;
inline constexpr unsigned kAllLinks = ~0U;
inline constexpr unsigned kMaxLinks = 36;

enum class Clock : int { kGraphics = 0, kSm = 1, kMemory = 2, kVideo = 3 };
enum class PcieCounter : int { kTx = 0, kRx = 1 };
enum class EccError : int { kCorrected = 0, kUncorrected = 1 };
enum class EccCounter : int { kVolatile = 0, kAggregate = 1 };
enum class LinkPeer : int { kGpu = 0, kNpu = 1, kSwitch = 2, kUnknown = 255 };
enum class Ancestor : int {
  kInternal = 0,
  kSingle = 10,
  kMultiple = 20,
  kHostBridge = 30,
  kNode = 40,
  kSystem = 50,
};

}  // namespace prof::nvml
