// Ids of the traced functions, in the order of osrt.def.
#pragma once

#include "injection/core/record/call.hpp"

namespace prof::osrt {

enum class FunctionId : std::uint32_t {
#define OSRT(name, ret, params, args, category, flags, version) name,
#define OSRT_ALIAS(symbol, name, ret, params, args, flags)
#define OSRT_VERSION(id, name, ret, params, args, flags, version)
#include "common/wire/functions/osrt.def"
#undef OSRT
#undef OSRT_ALIAS
#undef OSRT_VERSION
  kCount
};
static_assert(static_cast<std::uint32_t>(FunctionId::kCount) < wire::kProcessFunctions);

// The functions that programs call most, often for less than the threshold. Each has a separate
// slot among the counters of short calls.
inline constexpr FunctionId kFrequent[] = {
    FunctionId::read,
    FunctionId::write,
    FunctionId::pread64,
    FunctionId::pwrite64,
    FunctionId::readv,
    FunctionId::writev,
    FunctionId::open,
    FunctionId::open64,
    FunctionId::openat,
    FunctionId::openat64,
    FunctionId::close,
    FunctionId::ioctl,
    FunctionId::fcntl,
    FunctionId::fcntl64,
    FunctionId::stat,
    FunctionId::stat64,
    FunctionId::lstat,
    FunctionId::fstat,
    FunctionId::fstat64,
    FunctionId::access,
    FunctionId::poll,
    FunctionId::ppoll,
    FunctionId::epoll_wait,
    FunctionId::epoll_ctl,
    FunctionId::recv,
    FunctionId::recvfrom,
    FunctionId::recvmsg,
    FunctionId::send,
    FunctionId::sendto,
    FunctionId::sendmsg,
    FunctionId::accept4,
    FunctionId::fread,
    FunctionId::fwrite,
    FunctionId::fgets,
    FunctionId::fputs,
    FunctionId::puts,
    FunctionId::printf,
    FunctionId::fprintf,
    FunctionId::fflush,
    FunctionId::getline,
    FunctionId::readdir,
    FunctionId::readdir64,
    FunctionId::mmap,
    FunctionId::munmap,
    FunctionId::madvise,
    FunctionId::pthread_mutex_lock,
    FunctionId::pthread_cond_signal,
    FunctionId::sched_yield,
};
inline constexpr std::uint32_t kFrequentCount = sizeof kFrequent / sizeof kFrequent[0];
static_assert(kFrequentCount <= core::kOwnSlots);

constexpr std::uint32_t own_slot(FunctionId id) {
  for (std::uint32_t i = 0; i < kFrequentCount; ++i)
    if (kFrequent[i] == id) return i + 1;
  return 0;
}

constexpr core::Function function(FunctionId id, const char* name) {
  return {wire::kOsrtFunctions + static_cast<std::uint32_t>(id), name, own_slot(id)};
}

}  // namespace prof::osrt

#define OSRT_FUNCTION(name) ::prof::osrt::function(::prof::osrt::FunctionId::name, #name)
