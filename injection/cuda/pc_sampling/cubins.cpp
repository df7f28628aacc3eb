// The code of the GPU, which CUPTI shows only while a module is loaded. Copies wait in memory of
// prof until there are samples of them. Each content is sent once in a session.
#include <algorithm>
#include <cstring>

#include "injection/core/lazy_array.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/pc_sampling/pc_sampling.hpp"

namespace prof::cuda::pc {

namespace {

// The program's memory must not grow without limit.
constexpr std::uint64_t kMostBytes = 512 << 20;  // of all copies

// A copy. The bytes of the cubin follow.
struct Copy {
  Copy* next;
  std::uint64_t size;

  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(this + 1); }
};

struct Cubin {
  std::uint64_t crc;
  Copy* copy;          // null: the module was not seen, or the cubin was sent
  std::uint64_t sent;  // bytes
  bool is_known;       // the entry is in use
  bool is_used;        // there are samples
  bool is_sent;
};

constexpr std::size_t kMostCubins = 16 * 1024;  // a power of two
constinit core::LazyArray<Cubin, kMostCubins> g_cubins;
std::size_t g_known;
std::size_t g_unsent;  // cubins that are wanted, have a copy, and are not sent

constinit std::atomic<Copy*> g_new{nullptr};
constinit std::atomic<std::uint64_t> g_bytes{0};

std::size_t mapped_bytes(const Copy& copy) { return sizeof(Copy) + copy.size; }

void discard(Copy* copy) {
  if (copy == nullptr) return;
  g_bytes.fetch_sub(copy->size, std::memory_order_relaxed);
  core::sys::munmap(copy, mapped_bytes(*copy));
}

// Returns the entry of the cubin, which may be new; null if there is no room.
Cubin* find(std::uint64_t crc) {
  Cubin* cubins = g_cubins.get();
  if (cubins == nullptr) return nullptr;
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
  for (std::size_t i = crc * kSpread >> 50;; ++i) {
    Cubin& cubin = cubins[i % kMostCubins];
    if (cubin.is_known && cubin.crc == crc) return &cubin;
    if (cubin.is_known) continue;
    if (g_known >= kMostCubins * 3 / 4) return nullptr;
    ++g_known;
    cubin.crc = crc;
    cubin.is_known = true;
    return &cubin;
  }
}
static_assert(std::uint64_t{1} << (64 - 50) == kMostCubins);

bool is_wanted(const Cubin& cubin) {
  return cubin.is_used || core::g_process.config.cuda.cubins == wire::CudaCubins::kAll;
}

bool is_pending(const Cubin& cubin) {
  return cubin.is_known && !cubin.is_sent && cubin.copy != nullptr && is_wanted(cubin);
}

// Finds out which cubins were copied since the last call.
void take_copies() {
  Copy* next = nullptr;
  for (Copy* copy = g_new.exchange(nullptr, std::memory_order_acquire); copy != nullptr;
       copy = next) {
    next = copy->next;
    CUpti_GetCubinCrcParams parameters{};
    parameters.size = CUpti_GetCubinCrcParamsSize;
    parameters.cubin = copy->bytes();
    parameters.cubinSize = copy->size;
    Cubin* cubin = g_cupti.cuptiGetCubinCrc(&parameters) == CUPTI_SUCCESS
                       ? find(parameters.cubinCrc)
                       : nullptr;
    if (cubin == nullptr || cubin->copy != nullptr || cubin->is_sent) {
      discard(copy);
      continue;
    }
    cubin->copy = copy;
    if (is_pending(*cubin)) ++g_unsent;
  }
}

// Cubins matter less than events, so they leave half of the arena free.
bool wait_for_large_room(std::uint32_t size) {
  constexpr int kTries = 50;
  for (int i = 0; i < kTries; ++i) {
    if (core::leaves_room(size)) return true;
    core::sys::sleep_ns(1'000'000);
  }
  return false;
}

bool send_piece(Cubin& cubin) {
  const auto bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(wire::kCubinPiece, cubin.copy->size - cubin.sent));
  if (!wait_for_large_room(core::size_with_data<wire::CudaCubinRecord>(bytes))) return false;
  wire::CudaCubinRecord record{};
  record.header = core::header_of<wire::CudaCubinRecord>(wire::RecordType::kCudaCubin, bytes);
  record.crc = cubin.crc;
  record.size = cubin.copy->size;
  record.at = cubin.sent;
  if (!core::append_with_data(record, cubin.copy->bytes() + cubin.sent, bytes)) return false;
  cubin.sent += bytes;
  return true;
}

bool send(Cubin& cubin) {
  while (cubin.sent < cubin.copy->size)
    if (!send_piece(cubin)) return false;
  cubin.is_sent = true;
  --g_unsent;
  discard(cubin.copy);
  cubin.copy = nullptr;
  return true;
}

}  // namespace

void keep_cubin(const void* bytes, std::size_t size) {
  if (bytes == nullptr || size == 0 || core::g_process.sandboxed.load(std::memory_order_relaxed))
    return;
  if (g_bytes.fetch_add(size, std::memory_order_relaxed) + size > kMostBytes) {
    g_bytes.fetch_sub(size, std::memory_order_relaxed);
    return core::report(wire::DiagnosticCode::kCubinsLeftOut, kMostBytes);
  }
  void* memory =
      core::sys::mmap(sizeof(Copy) + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (core::sys::failed(memory)) {
    g_bytes.fetch_sub(size, std::memory_order_relaxed);
    return;
  }
  auto* copy = static_cast<Copy*>(memory);
  copy->size = size;
  std::memcpy(copy + 1, bytes, size);
  copy->next = g_new.load(std::memory_order_relaxed);
  while (!g_new.compare_exchange_weak(copy->next, copy, std::memory_order_release,
                                      std::memory_order_relaxed)) {
  }
}

void use_cubin(std::uint64_t crc) {
  static Cubin* last;
  if (last == nullptr || last->crc != crc) last = find(crc);
  if (last == nullptr || last->is_used) return;
  const bool was_pending = is_pending(*last);
  last->is_used = true;
  if (!was_pending && is_pending(*last)) ++g_unsent;
}

bool send_cubins() {
  if (core::g_process.config.cuda.cubins == wire::CudaCubins::kNone) return true;
  take_copies();
  if (g_unsent == 0) return true;
  Cubin* cubins = g_cubins.get_if_used();
  for (std::size_t i = 0; cubins != nullptr && i < kMostCubins && g_unsent != 0; ++i)
    if (is_pending(cubins[i]) && !send(cubins[i])) return false;
  return true;
}

void report_missing_cubins() {
  Cubin* cubins = g_cubins.get_if_used();
  bool is_any_missing = false;
  for (std::size_t i = 0; cubins != nullptr && i < kMostCubins; ++i)
    is_any_missing =
        is_any_missing || (cubins[i].is_used && !cubins[i].is_sent && cubins[i].copy == nullptr);
  if (is_any_missing && core::g_process.config.cuda.cubins != wire::CudaCubins::kNone)
    core::report_each(
        wire::DiagnosticCode::kRemark,
        core::intern("PC samples of code that was loaded before the recording have no cubin, so "
                     "they have no source lines. Recorded from the program's start, they have."));
}

}  // namespace prof::cuda::pc
