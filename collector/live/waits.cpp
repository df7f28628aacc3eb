#include "collector/live/waits.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>

#include "collector/ingest/cpu/system_call_names.hpp"
#include "collector/live/files/file_locks.hpp"
#include "collector/live/machine/old_calls.hpp"
#include "collector/python/remote_memory.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/text/printable.hpp"

namespace prof::live {

namespace {

// The number of innermost frames that are searched: frames further out do not say which function of
// the C library waits.
constexpr std::size_t kInnermost = 8;
constexpr std::size_t kMaxShown = 4;  // descriptors

class Finder {
 public:
  Finder(const WaitContext& context, const ThreadCopy& thread, const std::vector<Frame>& frames)
      : context_(context), thread_(thread), frames_(frames), memory_(context.pid) {}

  Wait find() {
    if (thread_.state == 'T') return event(stopped_text({context_.pid}));
    if (!thread_.call) return without_call();
    const auto& arguments = thread_.call->arguments;
    switch (number()) {
      case SYS_futex:
        return of_futex();
      case SYS_wait4:
      case SYS_waitid:
        return of_child();
      case kVfork:
      case SYS_clone:
      case SYS_clone3:
        return of_any_child("waits for its new process to start a program or to end");
      case kOpen:
        return of_open(AT_FDCWD, arguments[0], arguments[1]);
      case kCreate:
        return of_open(AT_FDCWD, arguments[0], O_WRONLY);
      case SYS_openat:
        return of_open(static_cast<std::int32_t>(arguments[0]), arguments[1], arguments[2]);
      case SYS_read:
      case SYS_pread64:
      case SYS_readv:
      case SYS_recvfrom:
      case SYS_recvmsg:
      case SYS_recvmmsg:
        return of_transfer(arguments[0], true);
      case SYS_write:
      case SYS_pwrite64:
      case SYS_writev:
      case SYS_sendto:
      case SYS_sendmsg:
        return of_transfer(arguments[0], false);
      case kPoll:
      case SYS_ppoll:
        return of_poll();
      case kSelect:
      case SYS_pselect6:
        return of_select();
      case kEpollWait:
      case SYS_epoll_pwait:
      case SYS_epoll_pwait2:
        return of_events(context_.descriptors.watched(context_.pid, arguments[0]), "epoll");
      default:
        return of_other_call();
    }
  }

 private:
  static Wait event(std::string text) { return {WaitKind::kEvent, std::move(text), 0, 0, {}}; }

  Wait without_call() const {
    switch (thread_.state) {
      case 't':
        return event("is stopped by a debugger");
      case 'D':
        return event("waits in the kernel and cannot be interrupted");
      case 'Z':
        return event("has ended");
      default:
        return {WaitKind::kNothing, "runs", 0, 0, {}};
    }
  }

  // After an earlier stop, poll, nanosleep, clock_nanosleep and futex go on as restart_syscall.
  // Then the function of libc shows which call it is.
  std::uint32_t number() const {
    const std::uint32_t number = thread_.call->number;
    if (number != SYS_restart_syscall) return number;
    if (is_in({"nanosleep"})) return SYS_clock_nanosleep;
    if (is_in({"poll"})) return SYS_ppoll;
    if (is_in({"pthread_", "sem_", "cnd_", "mtx_", "PyThread_acquire_lock", "_PyParkingLot_Park"}))
      return SYS_futex;
    return number;
  }

  // True if one of the innermost functions has one of these words in its name.
  bool is_in(std::initializer_list<std::string_view> words) const {
    for (std::size_t i = 0; i < std::min(kInnermost, frames_.size()); ++i)
      for (const std::string_view word : words)
        if (!frames_[i].is_python && frames_[i].function.find(word) != std::string::npos)
          return true;
    return false;
  }

  std::uint32_t word_at(std::uint64_t address) {
    std::uint32_t value = 0;
    memory_.read_afresh(address, value);
    return value;
  }

  // Returns a text such as "mutex g_lock (0x55aa)".
  std::string named(const char* what, std::uint64_t address) const {
    const std::string name = context_.variable(address);
    return name.empty() ? fmt::format("{} {:#x}", what, address)
                        : fmt::format("{} {} ({:#x})", what, name, address);
  }

  // Returns the thread of this process whose id in its own namespace is `own_id`, or null.
  const ThreadCopy* owner(std::uint32_t own_id) const {
    for (const ThreadCopy& each : context_.threads)
      if (own_id != 0 && static_cast<std::uint32_t>(each.own_id) == own_id) return &each;
    return nullptr;
  }

  Wait held(const std::string& what, std::uint64_t address, const ThreadCopy* holder) const {
    Wait wait{WaitKind::kLock, "waits for " + what, address, 0, {}};
    if (holder == nullptr) return wait;
    wait.holder = holder->thread;
    wait.text += holder == &thread_
                     ? ", which it holds itself"
                     : fmt::format(", which thread {} \"{}\" holds", holder->thread, holder->name);
    return wait;
  }

  // Adds the thread that holds a lock of Python. An RLock records it; a Lock does not.
  void add_python_holder(Wait& wait) const {
    const auto waits_too = [&](pid_t own_id) {
      return std::ranges::any_of(context_.threads, [&](const ThreadCopy& each) {
        return each.own_id == own_id && each.call && each.call->arguments[0] == wait.address;
      });
    };
    const auto found = context_.python->holder_of_lock(thread_.own_id, wait.address, waits_too);
    const ThreadCopy* holder = owner(static_cast<std::uint32_t>(found.thread));
    if (holder == nullptr) return;
    wait.holder = holder->thread;
    wait.is_probable = !found.is_certain;
    const char* const how = found.is_certain ? "" : "probably ";
    const char* const reason =
        found.is_certain ? "" : " (it is inside of a \"with\" statement of this lock)";
    wait.text += holder == &thread_ ? fmt::format(", which it {}holds itself{}", how, reason)
                                    : fmt::format(", which thread {} \"{}\" {}holds{}",
                                                  holder->thread, holder->name, how, reason);
  }

  // Python's other waits are built on its locks.
  std::optional<Wait> of_python(std::uint64_t address) const {
    // Python 3.13 and later wait in the last of these functions.
    if (!is_in({"PyThread_acquire_lock", "PyMutex_Lock", "_PyParkingLot_Park"})) return {};
    const auto caller = std::ranges::find_if(frames_, &Frame::is_python);
    if (caller == frames_.end()) return {};
    const bool is_threading = caller->file.ends_with("/threading.py");
    Wait wait{WaitKind::kUnknown, "", address, 0, {}};
    wait.is_of_python = true;
    if (is_threading && caller->function.ends_with("wait"))
      wait.text = fmt::format("waits for a Python condition ({:#x})", address);
    else if (is_threading && (caller->function.ends_with("_wait_for_tstate_lock") ||
                              caller->function.ends_with("Thread.join")))
      wait.text = "waits for the end of a Python thread";
    else
      wait.kind = WaitKind::kLock, wait.text = fmt::format("waits for Python lock {:#x}", address);
    if (wait.kind == WaitKind::kLock && context_.python != nullptr) add_python_holder(wait);
    return wait;
  }

  Wait of_futex() {
    constexpr std::uint64_t kOwner = 8;  // offset in a mutex: after lock and count
    // Offset in a lock of readers and writers, from a futex.
    constexpr std::uint64_t kWriter = 24 - 8;
    const std::uint64_t address = thread_.call->arguments[0];
    const auto command = thread_.call->arguments[1] & FUTEX_CMD_MASK;
    if (context_.python != nullptr)
      if (const pid_t holder = context_.python->lock_holder(address); holder != 0)
        return held("Python's interpreter lock", address,
                    owner(static_cast<std::uint32_t>(holder)));
    if (auto wait = of_python(address)) return *std::move(wait);
    const std::uint32_t word = word_at(address);
    const ThreadCopy* in_word = owner(word & FUTEX_TID_MASK);
    if (is_in({"pthread_join", "pthread_timedjoin", "pthread_clockjoin", "thrd_join"}))
      return of_join(in_word);
    if (is_in({"pthread_cond_", "cnd_wait", "cnd_timedwait"}))
      return {
          WaitKind::kUnknown, "waits for " + named("condition variable", address), address, 0, {}};
    if (is_in({"sem_wait", "sem_timedwait", "sem_clockwait"}))
      return {WaitKind::kUnknown, "waits for " + named("semaphore", address), address, 0, {}};
    if (is_in({"pthread_barrier_wait"}))
      return {WaitKind::kUnknown, "waits at " + named("barrier", address), address, 0, {}};
    const bool is_pi = command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2;
    if (is_in({"pthread_rwlock_"}))
      return held(named("lock of readers and writers", address), address,
                  owner(word_at(address + kWriter)));
    if (is_pi || is_in({"pthread_mutex_", "mtx_lock", "mtx_timedlock", "__lll_lock_wait"})) {
      const ThreadCopy* holder = owner(word_at(address + kOwner));
      if (holder == nullptr) holder = in_word;
      return held(named("mutex", address), address, holder);
    }
    if (in_word != nullptr && in_word != &thread_)
      return held(named("lock", address), address, in_word);
    return {WaitKind::kUnknown, "waits for " + named("futex", address), address, 0, {}};
  }

  // The kernel clears the futex word when the thread has ended.
  static Wait of_join(const ThreadCopy* thread) {
    if (thread == nullptr) return {WaitKind::kUnknown, "waits for the end of a thread", 0, 0, {}};
    return {WaitKind::kThread,
            fmt::format("waits for the end of thread {} \"{}\"", thread->thread, thread->name),
            0,
            thread->thread,
            {}};
  }

  std::vector<pid_t> children() const {
    std::vector<pid_t> found;
    for (const Process& each : context_.processes)
      if (each.parent == context_.pid) found.push_back(each.pid);
    return found;
  }

  Wait of_any_child(const std::string& text) const {
    return {WaitKind::kChild, text, 0, 0, children()};
  }

  Wait of_child() const {
    constexpr std::uint64_t kIsPid = 1;  // idtype P_PID of waitid
    const auto& arguments = thread_.call->arguments;
    const bool is_waitid = thread_.call->number == SYS_waitid;
    const auto id = static_cast<std::int32_t>(is_waitid ? arguments[1] : arguments[0]);
    const bool is_one = is_waitid ? arguments[0] == kIsPid : id > 0;
    for (const Process& each : context_.processes)
      if (is_one && each.pid == id)
        return {WaitKind::kChild,
                fmt::format("waits for the end of child process {} ({})", id, each.name),
                0,
                0,
                {id}};
    return of_any_child(is_one ? fmt::format("waits for the end of child process {}", id)
                               : "waits for the end of a child process");
  }

  std::vector<pid_t> all_processes() const {
    std::vector<pid_t> all;
    for (const Process& each : context_.processes) all.push_back(each.pid);
    return all;
  }

  std::vector<pid_t> peers(std::uint64_t pipe, bool reads) const {
    return context_.descriptors.other_ends(pipe, reads, context_.pid, all_processes());
  }

  // True for a pipe that wakes up a whole group of processes, as when their server ends. Nobody
  // writes to it as long as all is well.
  bool is_wake_up_pipe(std::uint64_t pipe, bool reads) const {
    constexpr std::size_t kGroup = 3;
    return context_.descriptors.sharers(pipe, reads, all_processes()) >= kGroup;
  }

  std::string text_at(std::uint64_t address) {
    constexpr std::size_t kMaxPath = 4096, kStep = 64;
    std::string text;
    while (text.size() < kMaxPath) {
      std::array<char, kStep> bytes{};
      // A text may end shortly before memory that cannot be read.
      const std::size_t count = kStep - (address + text.size()) % kStep;
      if (!memory_.read_bytes(address + text.size(),
                              std::as_writable_bytes(std::span(bytes).first(count))))
        break;
      const std::size_t length = strnlen(bytes.data(), count);
      text.append(bytes.data(), length);
      if (length < count) break;
    }
    return text;
  }

  Wait of_open(std::int32_t folder, std::uint64_t name, std::uint64_t flags) {
    const std::string path = text_at(name);
    if (path.empty()) return event("opens a file");
    const std::string base = path.front() == '/'  ? "root"
                             : folder == AT_FDCWD ? "cwd/"
                                                  : fmt::format("fd/{}/", folder);
    const std::string shown = base::printable(path);
    struct stat info {};
    const std::string here = base::proc_path(base::living_thread(context_.pid), base + path);
    if (stat(here.c_str(), &info) != 0 || !S_ISFIFO(info.st_mode)) return event("opens " + shown);
    const bool reads = (flags & O_ACCMODE) == O_RDONLY;
    return event(fmt::format("opens the FIFO {}, which no process has open for {}", shown,
                             reads ? "writing" : "reading"));
  }

  Wait of_transfer(std::uint64_t number, bool reads) const {
    const Descriptor descriptor = context_.descriptors.find(context_.pid, number);
    const auto fd = static_cast<std::int32_t>(number);
    Wait wait = event(fmt::format("{} descriptor {}{}", reads ? "reads" : "writes", fd,
                                  descriptor.is_there ? ": " + descriptor.name : ""));
    wait.pipe = descriptor.pipe;
    wait.reads = reads;
    if (descriptor.pipe != 0) add_peers(wait, peers(descriptor.pipe, reads));
    return wait;
  }

  void add_peers(Wait& wait, std::vector<pid_t> found) const {
    wait.processes = std::move(found);
    if (!wait.processes.empty()) wait.kind = WaitKind::kPeer;
  }

  Wait of_poll() {
    constexpr std::uint64_t kMaxPolled = 256;
    const auto& arguments = thread_.call->arguments;
    std::vector<pollfd> polled(std::min(arguments[1], kMaxPolled));
    if (!polled.empty() &&
        !memory_.read_bytes(arguments[0], std::as_writable_bytes(std::span(polled))))
      polled.clear();
    std::vector<std::uint64_t> numbers;
    bool reads = true;
    for (const pollfd& each : polled) {
      if (each.fd < 0) continue;
      numbers.push_back(static_cast<std::uint64_t>(each.fd));
      reads = (each.events & POLLIN) != 0;
    }
    return of_events(numbers, "poll", reads);
  }

  Wait of_select() {
    constexpr std::uint64_t kBits = 1024;
    const auto& arguments = thread_.call->arguments;
    std::vector<std::uint64_t> numbers;
    bool reads = true;
    for (const std::size_t set : {1, 2}) {
      std::array<std::uint64_t, kBits / 64> words{};
      if (arguments[set] == 0 ||
          !memory_.read_bytes(arguments[set], std::as_writable_bytes(std::span(words))))
        continue;
      for (std::uint64_t fd = 0; fd < std::min(arguments[0] & 0xffffffff, kBits); ++fd) {
        if ((words[fd / 64] >> fd % 64 & 1) == 0) continue;
        numbers.push_back(fd);
        reads = set == 1;
      }
    }
    return of_events(numbers, "select", reads);
  }

  Wait of_events(const std::vector<std::uint64_t>& numbers, const char* how,
                 bool reads = true) const {
    if (numbers.empty()) return event(fmt::format("sleeps ({})", how));
    std::string names;
    std::vector<pid_t> found;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Descriptor descriptor = context_.descriptors.find(context_.pid, numbers[i]);
      if (i < kMaxShown)
        names += fmt::format("{}{}{}", i == 0 ? "" : ", ", static_cast<std::int32_t>(numbers[i]),
                             descriptor.is_there ? ": " + descriptor.name : "");
      if (descriptor.pipe == 0 || is_wake_up_pipe(descriptor.pipe, reads)) continue;
      for (const pid_t pid : peers(descriptor.pipe, reads))
        if (std::ranges::find(found, pid) == found.end()) found.push_back(pid);
    }
    if (numbers.size() > kMaxShown)
      names += fmt::format(" and {} more", numbers.size() - kMaxShown);
    Wait wait = event(fmt::format("waits for events ({}) of descriptor {}", how, names));
    add_peers(wait, found);
    return wait;
  }

  // Returns a text such as "process 12 (python3)".
  static std::string name_of(pid_t pid) {
    const std::string name = base::read_proc_file(base::proc_path(pid, "comm"));
    return fmt::format("process {} ({})", pid, base::printable(name.substr(0, name.find('\n'))));
  }

  Wait of_file_lock(Wait wait, FileLockKind kind) const {
    wait.kind = WaitKind::kLock;
    wait.is_of_file = true;
    wait.processes = file_lock_holders(context_.pid, thread_.call->arguments[0], kind);
    if (wait.processes.empty()) {
      wait.text += ", which another process holds";
    } else if (wait.processes.front() == context_.pid) {
      wait.text += ", which the process itself holds through another descriptor";
    } else {
      const pid_t holder = wait.processes.front();
      wait.text += fmt::format(", which {} holds", name_of(holder));
      if (wait.processes.size() > 1)
        wait.text += fmt::format(", as do {} that share the file", wait.processes.size() - 1);
      const std::string status = base::read_proc_file(base::proc_path(holder, "status"));
      if (base::status_value(status, "State").starts_with('T'))
        wait.text += "; that " + stopped_text({holder});
    }
    return wait;
  }

  Wait of_other_call() const {
    const auto& arguments = thread_.call->arguments;
    const auto file = [&](const char* text) {
      const Descriptor descriptor = context_.descriptors.find(context_.pid, arguments[0]);
      return event(fmt::format("{} descriptor {}{}", text, static_cast<std::int32_t>(arguments[0]),
                               descriptor.is_there ? ": " + descriptor.name : ""));
    };
    switch (number()) {
      case SYS_nanosleep:
      case SYS_clock_nanosleep:
        return event("sleeps");
      case kPause:
      case SYS_rt_sigsuspend:
      case SYS_rt_sigtimedwait:
        return event("waits for a signal");
      case SYS_accept:
      case SYS_accept4:
        return file("waits for a connection to");
      case SYS_connect:
        return file("connects");
      case SYS_fsync:
      case SYS_fdatasync:
        return file("waits for the disk, for");
      case SYS_flock:
        return of_file_lock(file("waits for the lock of"), FileLockKind::kFlock);
      case SYS_fcntl:
        if (arguments[1] == F_SETLKW)
          return of_file_lock(file("waits for the lock of"), FileLockKind::kPosix);
        if (arguments[1] == F_OFD_SETLKW)
          return of_file_lock(file("waits for the lock of"), FileLockKind::kOpenDescription);
        return file("is in fcntl for");
      case SYS_ioctl:
        return file("waits in ioctl for");
      case SYS_restart_syscall:
        return event("waits, with a limit of time");
      default:
        return event("is in system call " + ingest::system_call_name(thread_.call->number, false));
    }
  }

  const WaitContext& context_;
  const ThreadCopy& thread_;
  const std::vector<Frame>& frames_;
  python::RemoteMemory memory_;
};

}  // namespace

Wait find_wait(const WaitContext& context, const ThreadCopy& thread,
               const std::vector<Frame>& frames) {
  return Finder(context, thread, frames).find();
}

}  // namespace prof::live
