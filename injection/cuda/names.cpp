// Sends the names that the program assigns to contexts and streams, with CUPTI's ids. A handle that
// the driver or CUPTI does not know is an error of the program, and is not reported.
#include "injection/core/record/cuda_names.hpp"

#include "injection/core/layout.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

bool context_of(CUstream stream, CUcontext& context) {
  // For the default streams this returns the current context, for a stream of a green context the
  // context that cuCtxFromGreenCtx returns.
  auto* const get = PROF_DRIVER_FUNCTION(cuStreamGetCtx);
  return get != nullptr && get(stream, &context) == CUDA_SUCCESS && context != nullptr;
}

bool id_of(CUcontext context, std::uint32_t& id) {
  return g_cupti.cuptiGetContextId(context, &id) == CUPTI_SUCCESS;
}

struct Named {
  wire::CudaObject kind;
  CUcontext context;
  CUstream stream;  // set if the object is a stream
  std::uint64_t name;
};

// The context of a default stream is that of the calling thread.
bool resolve(wire::CudaObject kind, std::uintptr_t handle, Named& named) {
  named.kind = kind;
  if (kind == wire::CudaObject::kContext) {
    named.context = reinterpret_cast<CUcontext>(handle);
    return true;
  }
  named.stream = reinterpret_cast<CUstream>(handle);
  return context_of(named.stream, named.context);
}

void send(const Named& named) {
  std::uint32_t context = 0;
  if (!id_of(named.context, context)) return;
  if (named.kind == wire::CudaObject::kContext)
    return core::write_cuda_name(named.kind, context, 0, named.name);
  const std::uint32_t id = stream_id(named.context, named.stream, false);
  if (id != wire::kNoCudaId) core::write_cuda_name(named.kind, id, context, named.name);
}

// A name that was given while CUPTI is off. An entry is claimed by its number and valid when it is
// ready.
struct KeptName {
  std::atomic<bool> ready;
  Named named;
};
constexpr std::uint32_t kMaxKept = 256;
PROF_SELDOM constinit KeptName g_kept[kMaxKept]{};
std::atomic<std::uint32_t> g_kept_count;

void keep(const Named& named) {
  const std::uint32_t place = g_kept_count.fetch_add(1, std::memory_order_relaxed);
  if (place >= kMaxKept) return g_kept_count.store(kMaxKept, std::memory_order_relaxed);
  g_kept[place].named = named;
  // Release pairs with the acquire in send_kept_names().
  g_kept[place].ready.store(true, std::memory_order_release);
}

}  // namespace

void send_kept_names() {
  for (const KeptName& kept : g_kept)
    if (kept.ready.load(std::memory_order_acquire)) send(kept.named);
}

void name_object(wire::CudaObject kind, std::uintptr_t handle, std::uint64_t name) {
  if (!core::has_libc_pointer()) return;
  core::ThreadState& t = core::t_state;
  if (t.in_cupti || core::sys::getpid() != g_state.pid) return;
  const bool is_on = g_state.active.load(std::memory_order_acquire);
  if (!is_on && !core::has_feature(wire::kFeatureDormancy)) return;
  t.in_cupti = true;  // our own driver calls are not recorded
  Named named{};
  named.name = name;
  if (resolve(kind, handle, named)) is_on ? send(named) : keep(named);
  t.in_cupti = false;
}

}  // namespace prof::cuda
