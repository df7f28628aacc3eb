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
  // Listens. A child that is forked now and calls exec does not inherit the socket.
  static base::Result<std::unique_ptr<Endpoint>> listen(const ListenAddress& address);
  // Stops answering.
  virtual ~Endpoint() = default;

  // Answers from now on, in a separate thread, with what `text` returns.
  virtual void start(std::function<std::string()> text) = 0;
};

}  // namespace prof::prometheus
