// The HTTP server of --metrics-endpoint.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "collector/prometheus/listen_address.hpp"
#include "common/base/result.hpp"

namespace prof::prometheus {

class Endpoint {
 public:
  // Opens the listening socket. It is closed in child processes that call exec.
  static base::Result<std::unique_ptr<Endpoint>> listen(const ListenAddress& address);
  // Stops answering and closes the socket.
  virtual ~Endpoint() = default;

  // Starts to answer, in a separate thread, with the text that `text` returns.
  virtual void start(std::function<std::string()> text) = 0;
};

}  // namespace prof::prometheus
