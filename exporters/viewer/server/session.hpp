// One connection: reads a request, answers it, and so on until an end, an error or a time limit.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "exporters/viewer/server/request_head.hpp"
#include "exporters/viewer/server/site.hpp"
#include "exporters/viewer/server/worker_pools.hpp"

namespace prof::view {

// What all connections share.
struct Service {
  Address address;
  const Answers& answers;
  WorkerPools& pools;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  // `ended` is called by the destructor.
  Session(boost::asio::ip::tcp::socket socket, Service& service, std::function<void()> ended);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start() { read(); }

  // Anybody can connect: this says whether it has sent the token.
  bool is_known() const { return is_known_; }
  std::chrono::steady_clock::time_point begin() const { return begin_; }
  // Ends it at once.
  void drop() { stream_.close(); }

 private:
  class Writing;

  void read();
  void on_read(boost::beast::error_code error);
  void answer();
  void make_answer(const Handler& handler, std::string query);
  void write(Reply reply);
  void on_written();
  bool is_abandoned();
  void close();

  boost::beast::tcp_stream stream_;
  Service& service_;
  std::function<void()> ended_;
  boost::beast::flat_buffer buffer_;
  std::optional<RequestParser> parser_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool is_known_ = false;
  bool wants_body_ = true;  // not for HEAD
  bool keeps_alive_ = false;
};

}  // namespace prof::view
