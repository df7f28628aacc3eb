// The entry point for prof attach. prof starts a thread in the program that runs prof_attach: the
// first time when it has loaded this library, later to leave the session and to join another one.
#include <pthread.h>

#include <cstring>

#include "injection/attach/loading.hpp"
#include "injection/attach/pointers.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/join/session.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/call.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/wire/attach.hpp"

// Weak: before glibc 2.34 it is in libpthread, which this library must not need. prof attaches only
// to newer ones.
#pragma weak pthread_detach

extern "C" {
__attribute__((visibility("default"))) constinit prof::wire::AttachBlock prof_attach_block{};
}

namespace prof::attach {

namespace {

using wire::AttachState;

AttachState state() {
  return static_cast<AttachState>(prof_attach_block.state.load(std::memory_order_relaxed));
}

// A pointer that was bound lazily, by a thread at this moment, leads to the real function again.
constexpr int kRounds = 2;

bool join(const char* session) {
  static const bool prepared = prepare_loading();
  if (!prepared || !core::g_process.loaded_late) return false;
  core::forget_sent_strings();
  core::forget_sent_names();
  core::forget_reports();
  return core::join_late(session);
}

void attach(const char* session) {
  if (!join(session))
    return prof_attach_block.state.store(static_cast<std::uint32_t>(AttachState::kRefused));
  core::attach_python();
  if (&core::attach_cuda != nullptr) core::attach_cuda(true);
  begin_loading();
  {
    const PatchLock lock;
    for (int round = 0; round < kRounds; ++round) {
      const Patched patched = patch_pointers();
      prof_attach_block.patched = patched.pointers;
      prof_attach_block.left_out = patched.left_out;
    }
  }
  prof_attach_block.nvtx_tables = core::attach_nvtx(true);
  prof_attach_block.state.store(static_cast<std::uint32_t>(AttachState::kAttached));
}

// The records of CUPTI are in the arena before the process leaves the session.
void detach() {
  end_loading();
  core::detach_nvtx();
  {
    const PatchLock lock;
    prof_attach_block.patched = restore_pointers();
  }
  if (&core::detach_cuda != nullptr) core::detach_cuda();
  core::leave_session();
  prof_attach_block.state.store(static_cast<std::uint32_t>(AttachState::kDetached));
}

}  // namespace
}  // namespace prof::attach

extern "C" __attribute__((visibility("default"))) void* prof_attach(const char* session) {
  using namespace prof;
  if (&pthread_detach != nullptr) pthread_detach(pthread_self());
  constexpr long kSetName = 15;  // PR_SET_NAME
  core::sys::call(SYS_prctl, kSetName, core::sys::pointer("prof-attach"));
  core::set_up(core::t_state);
  core::t_state.calls = core::kMuted;
  prof_attach_block.version = wire::kWireVersion;
  const bool is_attached = attach::state() == wire::AttachState::kAttached;
  if (*session == '\0' && is_attached) attach::detach();
  if (*session != '\0' && !is_attached) attach::attach(session);
  prof_attach_block.finished.fetch_add(1, std::memory_order_release);
  return nullptr;
}
