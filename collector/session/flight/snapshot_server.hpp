// Lets prof snapshot find the flight recorder of a prof profile, in the same way as sessions.
#pragma once

#include <map>
#include <string>

#include "collector/session/event_loop.hpp"
#include "collector/session/flight/flight_recorder.hpp"
#include "collector/session/interactive/messages.hpp"
#include "collector/session/interactive/session_registry.hpp"

namespace prof::session {

// Returns the request in a message of prof snapshot. The message has the descriptors of its output
// and messages.
FlightRecorder::Request snapshot_request(const Message& message,
                                         std::vector<base::UniqueFd>& descriptors);

class SnapshotServer {
 public:
  // The references outlive the object.
  SnapshotServer(SessionSocket socket, std::string name, const EventLoop& loop,
                 FlightRecorder& flight, std::string output);

  // Handles a descriptor that became readable. Returns false if it does not belong to the server.
  bool handle(int fd);

 private:
  void accept_client();
  void serve(int fd);
  Message describe() const;

  SessionSocket socket_;
  const std::string name_;
  const EventLoop& loop_;
  FlightRecorder& flight_;
  const std::string output_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::map<int, base::UniqueFd> clients_;
};

}  // namespace prof::session
