// A session as record() creates it, for tests. The test polls it and is its only process.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "collector/session/targets/target_server.hpp"

namespace prof::session {

struct ServedSession {
  // `spool`: path of the recording, which is removed at the end.
  explicit ServedSession(const std::string& spool)
      : directory(SessionDirectory::create().value()),
        spool(spool),
        recorder(make_spool(spool)),
        server(
            {options, directory, loop, recorder, chains, spool::SessionClock::tsc(kTickRate), true},
            ControlServer::create(directory).value(), make_arena(arena)) {
    if (!server.publish_reply()) throw std::runtime_error("no standing reply");
    arrivals = open_pipe(wire::kArrivalPipeName);
    events = open_pipe(wire::kEventPipeName);
  }
  ~ServedSession() { unlink(spool.c_str()); }
  ServedSession(const ServedSession&) = delete;
  ServedSession& operator=(const ServedSession&) = delete;

  // Connects to the control socket. Invalid if the queue is full.
  base::UniqueFd connect() const {
    base::UniqueFd peer(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const std::string path = directory.file(wire::kControlSocketName);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (::connect(peer.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      peer.reset();
    return peer;
  }

  void handle_events() {
    loop.wait(std::chrono::milliseconds(0), [this](int fd) { server.handle(fd); });
  }

  static constexpr double kTickRate = 1e9;

  SessionOptions options = without_samples();
  SessionDirectory directory;
  std::string spool;
  EventLoop loop;
  wire::ArenaHeader* arena = nullptr;
  SpoolRecorder recorder;
  CallChainContext chains;
  TargetServer server;
  base::UniqueFd arrivals;  // the pipes, as in a target
  base::UniqueFd events;

 private:
  static SessionOptions without_samples() {
    SessionOptions options;
    options.cpu.samples = options.cpu.switches = sampler::Scope::kNone;
    options.python.samples = false;
    return options;
  }
  static spool::SpoolWriter make_spool(const std::string& path) {
    unlink(path.c_str());
    return spool::SpoolWriter::create(path).value();
  }
  static spool::Arena make_arena(wire::ArenaHeader*& header) {
    auto made = spool::Arena::create({8, 4}, {16, 8}).value();
    header = made.header();
    return made;
  }
  base::UniqueFd open_pipe(const char* name) const {
    return base::UniqueFd(open(directory.file(name).c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  }
};

}  // namespace prof::session
