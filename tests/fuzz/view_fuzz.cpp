// Requests to prof view: the parser, the rules and the parameters. The first byte says
// whether the input follows the token or is all of the request.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "common/http/parser.hpp"
#include "exporters/viewer/answers/parameters.hpp"
#include "exporters/viewer/server/request_rules.hpp"
#include "tests/fuzz/input.hpp"

using namespace prof::http;
using namespace prof::view;

namespace {

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";

void require(bool truth) {
  if (!truth) std::abort();
}

std::string request_of(prof::fuzz::Input& input) {
  const auto how = input.take<std::uint8_t>();
  std::string rest;
  while (!input.empty()) rest += static_cast<char>(input.take<std::uint8_t>());
  const std::string start = std::string("GET /") + kToken + "/";
  const std::string end = " HTTP/1.1\r\nHost: localhost:4711\r\n\r\n";
  switch (how % 4) {
    case 0:
      return start + rest + end;
    case 1:
      return start + "api/tile?" + rest + end;
    case 2:
      return start + " HTTP/1.1\r\n" + rest + "\r\n\r\n";
    default:
      return rest;
  }
}

// Whatever is allowed follows every rule.
void check(const RequestHead& head, const Decision& decision) {
  const std::string prefix = std::string("/") + kToken + "/";
  require(decision.allowed() || decision.path.empty());
  if (!head.target.starts_with(prefix)) require(decision.status == 404 && decision.reason.empty());
  if (!decision.allowed()) return;
  require(head.target.starts_with(prefix) && decision.path.starts_with('/'));
  require(head.method == "GET" || head.method == "HEAD");
  int hosts = 0;
  for (const auto& [name, value] : head.fields)
    if (name == "Host") {
      ++hosts;
      require(value.find("4711") != value.npos || value == "node7" || value.starts_with("node7:"));
    }
  require(hosts <= 1);
}

void read_parameters(std::string_view query) {
  const Parameters parameters = Parameters::parse(query);
  for (const char* name : {"rows", "level", "index", "v", "q"}) {
    static_cast<void>(parameters.integer(name));
    static_cast<void>(parameters.integer_in(name, -5, 5, 0));
    static_cast<void>(parameters.word(name, {"a", "b"}));
    if (const auto numbers = parameters.integers(name, 3)) require(numbers->size() <= 3);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  prof::fuzz::Input input(data, size);
  const std::string request = request_of(input);
  RequestParser parser;
  parser.header_limit(kMaxHeadBytes);
  boost::beast::error_code error;
  parser.put(boost::asio::buffer(request), error);
  if (error || !parser.is_header_done()) return 0;
  const RequestHead head = head_of(parser);
  const Decision decision = decide(head, {4711, kToken, {"node7", "localhost:47110"}});
  check(head, decision);
  if (!decision.allowed()) return 0;
  read_parameters(decision.query);
  return 0;
}
