#include "collector/attach/injector.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <thread>

#include "collector/attach/filters.hpp"
#include "collector/attach/fork_handler.hpp"
#include "collector/attach/own_stack.hpp"
#include "collector/attach/remote_call.hpp"
#include "collector/attach/safe_point.hpp"
#include "collector/attach/target.hpp"
#include "collector/attach/target_memory.hpp"
#include "collector/ptrace/interrupted_call.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/unique_fd.hpp"
#include "common/wire/attach.hpp"
#include "common/wire/handshake.hpp"

namespace prof::attach {

using base::fail;
using wire::AttachBlock;
using wire::AttachState;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto kPatience = 10s;       // limit for a thread to come to a safe point
constexpr auto kOnlyWaiting = 300ms;  // only threads that wait are considered before
constexpr auto kRunPatience = 20s;    // limit for the work of the thread that prof starts
constexpr auto kForksWait = 300ms;    // fork() waits at most this long for dlopen
constexpr auto kStopWait = 200ms;
constexpr char kLibraryName[] = "libprof_inject.so";
constexpr char kThreadName[] = "prof-attach";

// Returns the address of the library's state in the program, if the library is loaded.
std::optional<std::uint64_t> find_block(const TargetMemory& memory) {
  const Module* library = memory.module_named(kLibraryName);
  if (library == nullptr) return std::nullopt;
  return memory.find(*library, wire::kAttachBlockName);
}

template <class T>
T read_block(const TargetMemory& memory, std::uint64_t block, std::size_t offset) {
  T value{};
  memory.memory().read(block + offset, value);
  return value;
}

AttachState state_of(const TargetMemory& memory, std::uint64_t block) {
  return static_cast<AttachState>(
      read_block<std::uint32_t>(memory, block, offsetof(AttachBlock, state)));
}

AttachState state_of(pid_t process) {
  TargetMemory memory(process);
  if (!memory.read_mappings()) return AttachState::kNever;
  const auto block = find_block(memory);
  return block ? state_of(memory, *block) : AttachState::kNever;
}

base::Result<LibcFunctions> find_functions(const TargetMemory& memory, CodePage& page) {
  const Module* libc = memory.module_named("libc.so.6");
  if (libc == nullptr) return fail("the program has no glibc");
  LibcFunctions functions{};
  const auto handler_return =
      memory.find_code(*libc, std::string(kReturnFromHandler, kReturnFromHandlerBytes));
  const std::pair<const char*, std::uint64_t*> wanted[] = {
      {"mmap", &functions.mmap},
      {"pthread_create", &functions.pthread_create},
      {"pthread_detach", &page.pthread_detach},
      {"dlopen", &page.dlopen},
      {"dlsym", &page.dlsym},
      {"dlerror", &page.dlerror},
      {"munmap", &page.munmap},
      {"mprotect", &page.mprotect},
      {"__register_atfork", &page.register_atfork},
      {"__cxa_finalize", &page.cxa_finalize}};
  // A library can ask libc without a lock where it is loaded: libc has _dl_find_object since 2.35.
  bool complete = handler_return.has_value() && memory.find(*libc, "_dl_find_object").has_value();
  for (const auto& [name, place] : wanted) {
    const auto found = memory.find(*libc, name);
    complete = complete && found.has_value();
    if (found) *place = *found;
  }
  if (!complete)
    return fail("the program's C library is older than glibc 2.35, which prof attach needs");
  functions.return_from_handler = *handler_return;
  return functions;
}

// One command to the library in one process. Runs in the tracing process.
class Command {
 public:
  Command(pid_t process, const std::string& library, const std::string& session)
      : process_(process), library_(library), session_(session), memory_(process) {}

  base::Result<Outcome> run() {
    if (!memory_.read_mappings()) return fail("process " + std::to_string(process_) + " has ended");
    if (session_.size() >= sizeof(CodePage::argument) || library_.size() >= sizeof page_.library)
      return fail("the path of the library or of the session is too long");
    const auto functions = find_functions(memory_, page_);
    if (!functions) return tl::make_unexpected(functions.error());
    if (auto known = find_loaded(); !known) return tl::make_unexpected(known.error());
    page_.bytes = kMappedBytes;
    page_.patience[0] = 2;
    page_.pause[1] = 10'000'000;
    std::string_view(wire::kAttachFunction).copy(page_.name, sizeof page_.name - 1);
    session_.copy(page_.argument, sizeof page_.argument - 1);
    library_.copy(page_.library, sizeof page_.library - 1);
    const auto page_at = start_at_safe_point(*functions);
    if (!page_at) return tl::make_unexpected(page_at.error());
    const auto done = wait_for_thread(*page_at);
    keep_page_of_handler(*page_at);
    static_cast<void>(
        memory_.memory().write(*page_at + offsetof(CodePage, released), std::uint32_t{1}));
    wait_for_end_of_thread();
    if (!done) return tl::make_unexpected(done.error());
    return check_result();
  }

 private:
  // Finds a library from an earlier attach. Fails if it is another prof's, or cannot be used.
  base::Status find_loaded() {
    const Module* loaded = memory_.module_named(kLibraryName);
    if (loaded == nullptr) return {};
    const auto function = memory_.find(*loaded, wire::kAttachFunction);
    const auto block = find_block(memory_);
    const auto version =
        block ? read_block<std::uint32_t>(memory_, *block, offsetof(AttachBlock, version)) : 0;
    if (block && version == 0 && is_in_session(process_))
      return fail(
          fmt::format("process {} was started under prof: use prof start --session, or "
                      "start it without prof",
                      process_));
    const bool is_whole =
        version != 0 ||
        (block && read_block<std::uint32_t>(memory_, *block, offsetof(AttachBlock, loaded)) != 0);
    if (!function || !is_whole)
      return fail(
          fmt::format("process {} was forked while its parent loaded prof's library, so it "
                      "is not recorded",
                      process_));
    if (version == 0 ? loaded->path != library_ : version != wire::kWireVersion)
      return fail(
          fmt::format("process {} has the library of another version of prof ({}); restart "
                      "it, or use that prof",
                      process_, loaded->path));
    page_.function = *function;
    return {};
  }

  // Starts the thread. Only one thread is stopped at a time, and only as long as this takes.
  base::Result<std::uint64_t> start_at_safe_point(const LibcFunctions& functions) {
    const SafePoints points(process_, memory_, functions.return_from_handler);
    const auto begin = Clock::now();
    while (Clock::now() - begin < kPatience) {
      const bool may_run = Clock::now() - begin > kOnlyWaiting;
      const auto threads = base::threads_of(process_);
      if (threads.empty()) return fail("process " + std::to_string(process_) + " has ended");
      if (std::all_of(threads.begin(), threads.end(), is_confined))
        return fail(fmt::format(
            "process {} ({}) has a seccomp filter, which may kill it for a system call of prof",
            process_, name_of(process_)));
      for (const pid_t id : points.promising(threads, may_run)) {
        auto started = try_thread(id, points, functions, may_run);
        if (!started) return tl::make_unexpected(started.error());
        if (*started) return **started;
      }
      std::this_thread::sleep_for(2ms);
      resumed_.poll();
    }
    return fail(fmt::format(
        "no thread of process {} came to a point in {} s at which prof could start its own: none "
        "waits in a system call of libc outside of a signal handler, or runs the program's own "
        "code. Try again",
        process_, kPatience.count()));
  }

  // Returns nothing if the thread is not at a safe point or has ended.
  base::Result<std::optional<std::uint64_t>> try_thread(pid_t id, const SafePoints& points,
                                                        const LibcFunctions& functions,
                                                        bool may_run) {
    auto thread = ptrace::SeizedThread::seize(id);
    if (!thread) {
      const std::string stat = base::proc_path(process_, id, "stat");
      if (access(stat.c_str(), F_OK) != 0) return std::optional<std::uint64_t>{};
      return tl::make_unexpected(thread.error());
    }
    const ptrace::BeforeStop before = ptrace::look_before_stop(id);
    thread->interrupt();
    if (!thread->wait(kStopWait) || thread->state() != ptrace::State::kInterrupted)
      return std::optional<std::uint64_t>{};
    const auto registers = thread->registers();
    if (!registers) return tl::make_unexpected(registers.error());
    auto failed = ptrace::failed_call(id, memory_.memory(), *registers, before);
    if (failed && failed->begin) find_first_begin(id, *failed->begin);
    base::Result<std::optional<std::uint64_t>> result;
    if (points.is_safe(id, *registers, may_run)) {
      const auto page = start_thread(*thread, memory_, functions, page_,
                                     has_room_below(process_, id, memory_, *registers));
      if (page)
        result = *page;
      else
        result = tl::make_unexpected(page.error());
    } else {
      ++outcome_.attempts;
    }
    outcome_.stopped_ns = std::max(outcome_.stopped_ns, thread->stopped_ns());
    const auto begin =
        ptrace::go_on(std::move(*thread), process_, memory_.memory(), failed, resumed_);
    if (begin) restarted_.push_back({id, 0, begin->waits, begin->raw_time});
    return result;
  }

  static std::size_t place_of(pid_t thread) {
    return offsetof(AttachBlock, restarted) +
           static_cast<std::size_t>(thread) % wire::kRestartedWaits * sizeof(wire::RestartedWait);
  }

  // Looks up when this wait first began, because prof may have interrupted and restarted it before.
  void find_first_begin(pid_t thread, ptrace::WaitBegin& begin) const {
    const auto block = find_block(memory_);
    if (!block) return;
    const auto known = read_block<wire::RestartedWait>(memory_, *block, place_of(thread));
    if (known.thread == thread && known.waits == begin.waits) begin.raw_time = known.begin;
  }

  void note_restarted(std::uint64_t block) const {
    for (const wire::RestartedWait& each : restarted_)
      static_cast<void>(memory_.memory().write(block + place_of(each.thread), each));
  }

  base::Status wait_for_thread(std::uint64_t page_at) {
    const auto begin = Clock::now();
    bool forks_wait = page_.function == 0;
    while (Clock::now() - begin < kRunPatience) {
      if (forks_wait && Clock::now() - begin > kForksWait) {
        forks_wait = false;
        static_cast<void>(
            memory_.memory().write(page_at + offsetof(CodePage, forks_may_run), std::uint32_t{1}));
      }
      std::uint32_t state = 0;
      if (!memory_.memory().read(page_at + offsetof(CodePage, state), state))
        return fail("process " + std::to_string(process_) + " has ended");
      resumed_.poll();
      if (state == static_cast<std::uint32_t>(PageState::kDone)) return {};
      if (state == static_cast<std::uint32_t>(PageState::kFailed))
        return fail("the program cannot load prof's library: " +
                    memory_.memory().read_text(page_at + offsetof(CodePage, error), 511));
      std::this_thread::sleep_for(500us);
    }
    return fail(fmt::format(
        "process {} did not load prof's library in {} s: another thread of it holds the loader's "
        "lock. Try again",
        process_, kRunPatience.count()));
  }

  // Keeps the page if a thread may still be in the page's handler for fork().
  void keep_page_of_handler(std::uint64_t page_at) {
    if (page_.function != 0) return;
    std::uint32_t state = 0;
    memory_.memory().read(page_at + offsetof(CodePage, state), state);
    memory_.read_mappings();
    // If prof's thread has not finished, it may still be in dlopen, and then fork() still calls the
    // handler.
    const bool is_over = state != static_cast<std::uint32_t>(PageState::kRunning);
    const std::uint32_t stays = is_over && have_left_handler(process_, memory_, page_at) ? 0 : 1;
    static_cast<void>(memory_.memory().write(page_at + offsetof(CodePage, stays), stays));
  }

  void wait_for_end_of_thread() {
    const auto end = Clock::now() + 2s;
    while (Clock::now() < end && has_own_thread()) {
      std::this_thread::sleep_for(1ms);
      resumed_.poll();
    }
  }

  bool has_own_thread() const {
    const auto threads = base::threads_of(process_);
    return std::any_of(threads.begin(), threads.end(), [](pid_t id) {
      return base::read_proc_file(base::proc_path(id, "comm")) == std::string(kThreadName) + "\n";
    });
  }

  base::Result<Outcome> check_result() {
    memory_.read_mappings();
    const auto block = find_block(memory_);
    if (!block) return fail("process " + std::to_string(process_) + " has ended");
    note_restarted(*block);
    outcome_.patched = read_block<std::uint64_t>(memory_, *block, offsetof(AttachBlock, patched));
    outcome_.nvtx_tables =
        read_block<std::uint64_t>(memory_, *block, offsetof(AttachBlock, nvtx_tables));
    const bool attaches = !session_.empty();
    const AttachState wanted = attaches ? AttachState::kAttached : AttachState::kDetached;
    if (state_of(memory_, *block) == wanted) return outcome_;
    if (attaches)
      return fail(
          fmt::format("process {} could not join the session (its user, its root directory, "
                      "or a limit of its memory or descriptors)",
                      process_));
    return outcome_;
  }

  const pid_t process_;
  const std::string library_;
  const std::string session_;
  TargetMemory memory_;
  CodePage page_{};
  Outcome outcome_;
  ptrace::ResumedThreads resumed_;
  std::vector<wire::RestartedWait> restarted_;
};

// Gives this process a high priority, if that is allowed, and exact timers, because a thread of the
// program waits for this process.
void run_at_once() {
  setpriority(PRIO_PROCESS, 0, -20);
  prctl(PR_SET_TIMERSLACK, 1);
}

// What the tracing process writes to its pipe.
struct Answer {
  Outcome outcome;
  std::uint32_t is_good = 0;
  char message[1024] = {};
};

// Runs a command in a tracing process, which ends when the command is done. So the kernel releases
// the threads that it still traces.
base::Result<Outcome> in_tracing_process(pid_t process, const std::string& library,
                                         const std::string& session) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return base::fail_errno("cannot create a pipe", errno);
  base::UniqueFd in(ends[0]), out(ends[1]);
  const pid_t tracer = fork();
  if (tracer < 0) return base::fail_errno("cannot start a process", errno);
  if (tracer == 0) {
    signal(SIGINT, SIG_IGN);
    run_at_once();
    signal(SIGPIPE, SIG_IGN);
    Answer answer;
    const auto outcome = Command(process, library, session).run();
    answer.is_good = outcome.has_value();
    if (outcome) answer.outcome = *outcome;
    if (!outcome) outcome.error().message.copy(answer.message, sizeof answer.message - 1);
    static_cast<void>(!write(out.get(), &answer, sizeof answer));
    _exit(0);
  }
  out.reset();
  Answer answer;
  ssize_t got;
  do got = read(in.get(), &answer, sizeof answer);
  while (got < 0 && errno == EINTR);
  while (waitpid(tracer, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (got != sizeof answer) return fail("the process that attaches ended at once");
  if (answer.is_good == 0) return fail(answer.message);
  return answer.outcome;
}

}  // namespace

bool can_attach() { return true; }

base::Result<Outcome> attach(pid_t process, const std::string& library,
                             const std::string& session) {
  return in_tracing_process(process, library, session);
}

base::Result<Outcome> detach(pid_t process, const std::string& library) {
  if (!is_attached_in_part(process)) return Outcome{};
  return in_tracing_process(process, library, "");
}

bool is_attached(pid_t process) { return state_of(process) == AttachState::kAttached; }

bool is_attached_in_part(pid_t process) {
  const AttachState state = state_of(process);
  return state == AttachState::kAttached || state == AttachState::kAttaching;
}

}  // namespace prof::attach
