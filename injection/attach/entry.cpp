// The entry point for prof attach. prof starts a thread in the program that runs prof_attach: for
// the first time when it has loaded this library, later to leave the session and to join another
// one.
#include <cstring>

#include "common/wire/attach.hpp"
#include "injection/attach/loading.hpp"
#include "injection/attach/pointers.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/join/session.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_lock.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/call.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/rank_variables.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/symbols/object_walk.hpp"
#include "injection/core/syscalls.hpp"

extern "C" {
__attribute__((visibility("default"))) constinit prof::wire::AttachBlock prof_attach_block{};
}

namespace prof::attach {

namespace {

using wire::AttachState;

AttachState state() {
  return static_cast<AttachState>(prof_attach_block.state.load(std::memory_order_relaxed));
}

// The thread that attaches or detaches holds this lock. If prof is killed while it attaches to this
// process, its guard asks to detach at once.
constinit core::ProcessLock g_running{};

// The number of rounds. A pointer that another thread has just bound lazily leads to the real
// function again, so one round is not enough.
constexpr int kRounds = 2;

void set_state(AttachState state) {
  prof_attach_block.state.store(static_cast<std::uint32_t>(state));
}

// Leaves a session that has ended. A program that was started under prof belongs to its session
// until then.
bool leave_earlier_session() {
  if (core::g_process.loaded_late) return true;
  if (!core::is_session_over()) return false;
  core::leave_session();
  core::g_process.loaded_late = true;
  return true;
}

bool join(const char* session) {
  static const bool prepared = prepare_loading();
  if (!prepared || !leave_earlier_session()) return false;
  core::forget_sent_strings();
  core::forget_sent_names();
  core::forget_reports();
  core::forget_rank_variables();
  if (!core::join_late(session)) return false;
  core::send_current_rank_variables();
  return true;
}

// Detaches. `is_in_part` is true if the process was forked while prof attached to its parent. The
// records of CUPTI are in the arena before the process leaves the session.
void detach(bool is_in_part) {
  end_loading();
  core::detach_nvtx();
  {
    const core::ProcessLockGuard lock(g_patching);
    prof_attach_block.patched = restore_pointers();
  }
  if (&core::detach_cuda != nullptr) core::detach_cuda();
  if (is_in_part)
    core::leave_session_of_parent();
  else
    core::leave_session();
  set_state(AttachState::kDetached);
}

void attach(const char* session) {
  set_state(AttachState::kAttaching);
  if (!join(session)) return set_state(AttachState::kRefused);
  core::attach_python();
  if (&core::attach_cuda != nullptr) core::attach_cuda(true);
  begin_loading();
  {
    const core::ProcessLockGuard lock(g_patching);
    for (int round = 0; round < kRounds; ++round) {
      const Patched patched = patch_pointers();
      prof_attach_block.patched = patched.pointers;
      prof_attach_block.left_out = patched.left_out;
    }
  }
  prof_attach_block.nvtx_tables = core::attach_nvtx(true);
  set_state(AttachState::kAttached);
}

}  // namespace
}  // namespace prof::attach

void prof::core::mark_loaded() { prof_attach_block.loaded = 1; }

extern "C" __attribute__((visibility("default"))) void* prof_attach(const char* session) {
  using namespace prof;
  constexpr long kSetName = 15;  // PR_SET_NAME
  core::sys::call(SYS_prctl, kSetName, core::sys::pointer("prof-attach"));
  core::set_up(core::t_state);
  core::t_state.calls = core::kMuted;
  prof_attach_block.version = wire::kWireVersion;
  {
    const core::ProcessLockGuard lock(attach::g_running);
    core::make_forks_wait_for_walks();
    const bool is_attached = attach::state() == wire::AttachState::kAttached;
    // No thread of this process is attaching. So a thread of its parent was attaching when this
    // process was forked.
    const bool is_in_part = attach::state() == wire::AttachState::kAttaching;
    if (is_in_part || (is_attached && *session == '\0')) attach::detach(is_in_part);
    if (*session != '\0' && !is_attached) attach::attach(session);
  }
  // A child that is being forked has the state from before, and prof does not see it yet.
  { const core::ForksWait forks_have_ended; }
  prof_attach_block.finished.fetch_add(1, std::memory_order_release);
  return nullptr;
}
