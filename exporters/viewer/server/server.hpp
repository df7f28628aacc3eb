// The HTTP server of prof view.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/viewer/server/site.hpp"

namespace prof::view {

struct ServerOptions {
  std::uint16_t port = 0;  // 0: the kernel chooses a port
  std::string token;
  std::vector<std::string> allowed_hosts;
};

class Server {
 public:
  // Listens on the loopback addresses. Afterwards SIGINT, SIGTERM and SIGHUP end run().
  static base::Result<std::unique_ptr<Server>> listen(const ServerOptions& options,
                                                      const Site& site);
  virtual ~Server() = default;

  virtual std::uint16_t port() const = 0;
  // Answers requests until a signal arrives. Requests in progress are abandoned.
  virtual void run() = 0;
};

}  // namespace prof::view
