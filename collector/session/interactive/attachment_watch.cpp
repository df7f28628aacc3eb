#include "collector/session/interactive/attachment_watch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "collector/session/admission/process_facts.hpp"

namespace prof::session {

AttachmentWatch::AttachmentWatch(const EventLoop& loop, const std::vector<pid_t>& prof_and_guard)
    : prof_(open_pidfd(prof_and_guard.at(0))), guard_(open_pidfd(prof_and_guard.at(1))) {
  for (const base::UniqueFd* each : {&prof_, &guard_})
    if (*each) loop.watch(each->get());
}

bool AttachmentWatch::handle(int fd) {
  for (base::UniqueFd* each : {&prof_, &guard_})
    if (*each && fd == each->get()) {
      each->reset();
      return true;
    }
  return false;
}

void AttachmentWatch::undo(const std::function<void()>& detach) {
  undoing_ = fork();
  if (*undoing_ != 0) return;
  detach();
  _exit(0);
}

void AttachmentWatch::reap() {
  if (is_undoing() && waitpid(*undoing_, nullptr, WNOHANG) == *undoing_) undoing_ = 0;
}

}  // namespace prof::session
