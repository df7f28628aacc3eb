// Admission to a session: which processes join, and which are refused.
//
// A process joins in one of two ways. It arrives (arrivals.hpp) and does not wait, or it connects
// to the control socket, sends Hello and waits for a reply. In both cases it is added to the
// processes of the session, and Joined is called.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/session/admission/arrivals.hpp"
#include "collector/session/admission/control_server.hpp"
#include "collector/session/admission/live_processes.hpp"
#include "collector/session/admission/program_names.hpp"
#include "collector/session/admission/slow_peers.hpp"
#include "collector/session/session_context.hpp"
#include "collector/spool/arena.hpp"

namespace prof::session {

class Admission {
 public:
  // Called for each process that has joined, after its reply was sent.
  using Joined = std::function<void(const LiveProcess&, const wire::Hello&)>;

  // The references outlive the object.
  Admission(const SessionContext& session, ControlServer control, const spool::Arena& arena,
            LiveProcesses& processes, Joined joined);

  // Sets the reply to all processes. Their serial and slot are added.
  void set_reply(const wire::Reply& reply) { reply_ = reply; }

  // Publishes the reply, so that processes join without waiting for an answer. If it fails, they
  // wait. Called after the last set_reply().
  base::Status publish_reply();
  // Lets only fork children join without waiting for an answer. Called after the last set_reply().
  base::Status take_arrivals();
  // Makes arrivals wake the loop from now on. Before, the next poll reads them.
  void watch_arrivals();

  // Handles a descriptor that became readable. Returns false if it does not belong to admission.
  bool handle(int fd);

  // Returns a descriptor that is readable when a process announces something.
  int event_pipe() const { return control_.pipe(); }
  // Reads the announcements. Returns true if a process asks for a drain.
  bool read_announcements();

  // Registers the processes that have arrived. Must be called before a drain, because a process
  // arrives before its first record.
  void poll_arrivals();
  // Registers arrivals like poll_arrivals(), and admits the peers that have sent Hello by now.
  void poll_connections();
  // Called at the end of each poll: drops peers that never sent Hello, and listens again.
  void finish_poll();

  // Removes and returns processes that announced themselves with the pid of another process.
  std::vector<LiveProcess> reject_impostors();

  // Warns about processes that could not map the event buffer. Called after the last poll.
  void report_unmapped_processes();
  // Reports the processes and peers that were not admitted.
  void report_refusals();

 private:
  bool accept();
  void greet(base::UniqueFd connection);
  void register_arrival(const wire::Hello& hello, std::string_view program, std::uint64_t now);
  void admit(const Introduction& introduction);
  void send_reply(const Introduction& introduction, const LiveProcess& process);
  void refuse(const Introduction& introduction, wire::ReplyStatus reason);
  void report(std::uint64_t count, const std::string& text);

  const SessionContext session_;
  ControlServer control_;
  const spool::Arena& arena_;
  LiveProcesses& processes_;
  const Joined joined_;
  wire::Reply reply_{};
  std::optional<Arrivals> arrivals_;  // nothing: all processes and fork children wait for a reply
  ino_t arena_inode_ = 0;             // set if there are arrivals
  ProgramNames programs_;
  SlowPeers slow_peers_;
  bool is_listening_ = true;
  std::unordered_map<wire::ReplyStatus, std::uint64_t> refused_;
  std::uint64_t strangers_ = 0;
  std::uint64_t unmapped_ = 0;  // processes that could not map the event buffer
};

}  // namespace prof::session
