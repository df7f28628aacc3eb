// Names that the program gives to contexts and streams, sent under CUPTI's ids. A handle that the
// driver or CUPTI does not know is an error of the program, and is not reported.
#include "injection/core/record/cuda_names.hpp"

#include "injection/core/layout.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

bool context_of(CUstream stream, CUcontext& context) {
  // Returns the current context for the default streams. For a stream of a green context it returns
  // the context that cuCtxFromGreenCtx returns.
  auto* const get = reinterpret_cast<decltype(cuStreamGetCtx)*>(driver_symbol("cuStreamGetCtx"));
  return get != nullptr && get(stream, &context) == CUDA_SUCCESS && context != nullptr;
}

bool id_of(CUcontext context, std::uint32_t& id) {
  return g_cupti.cuptiGetContextId(context, &id) == CUPTI_SUCCESS;
}

void name_context(CUcontext context, std::uint64_t name) {
  std::uint32_t id = 0;
  if (id_of(context, id)) core::write_cuda_name(wire::CudaObject::kContext, id, 0, name);
}

void name_stream(CUstream stream, std::uint64_t name) {
  CUcontext context = nullptr;
  std::uint32_t context_id = 0;
  if (!context_of(stream, context) || !id_of(context, context_id)) return;
  const std::uint32_t id = stream_id(context, stream, false);
  if (id != wire::kNoCudaId) core::write_cuda_name(wire::CudaObject::kStream, id, context_id, name);
}

// Names given while CUPTI is off. A place is claimed by its number and valid when its handle is set.
struct KeptName {
  std::atomic<std::uintptr_t> handle;
  wire::CudaObject kind;
  std::uint64_t name;
};
constexpr std::uint32_t kMostKept = 256;
PROF_SELDOM constinit KeptName g_kept[kMostKept]{};
std::atomic<std::uint32_t> g_kept_count;

void keep(wire::CudaObject kind, std::uintptr_t handle, std::uint64_t name) {
  const std::uint32_t place = g_kept_count.fetch_add(1, std::memory_order_relaxed);
  if (place >= kMostKept) return g_kept_count.store(kMostKept, std::memory_order_relaxed);
  g_kept[place].kind = kind;
  g_kept[place].name = name;
  // Release pairs with the acquire in send_kept_names().
  g_kept[place].handle.store(handle, std::memory_order_release);
}

}  // namespace

void send_kept_names() {
  for (KeptName& kept : g_kept)
    if (const std::uintptr_t handle = kept.handle.load(std::memory_order_acquire); handle != 0)
      name_object(kept.kind, handle, kept.name);
}

void name_object(wire::CudaObject kind, std::uintptr_t handle, std::uint64_t name) {
  if (!core::has_libc_pointer()) return;
  core::ThreadState& t = core::t_state;
  if (core::has_feature(wire::kFeatureDormancy) &&
      !g_state.active.load(std::memory_order_acquire) && core::sys::getpid() == core::g_process.pid)
    return keep(kind, handle, name);
  if (t.in_cupti || !is_active()) return;
  t.in_cupti = true;  // our own driver calls are not recorded
  if (kind == wire::CudaObject::kContext)
    name_context(reinterpret_cast<CUcontext>(handle), name);
  else
    name_stream(reinterpret_cast<CUstream>(handle), name);
  t.in_cupti = false;
}

}  // namespace prof::cuda
