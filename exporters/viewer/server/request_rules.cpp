#include "exporters/viewer/server/request_rules.hpp"

#include <algorithm>

namespace prof::view {

namespace {

using http::Field;
using http::is_equal_without_case;
using http::RequestHead;

// Compares two texts. The time that it takes does not depend on where they differ.
bool is_secret(std::string_view given, std::string_view secret) {
  if (given.size() != secret.size() || secret.empty()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < secret.size(); ++i)
    difference |= static_cast<unsigned char>(given[i] ^ secret[i]);
  return difference == 0;
}

bool is_own_host(std::string_view host, std::uint16_t port) {
  const std::string end = ":" + std::to_string(port);
  return http::is_allowed_host(host, {"127.0.0.1" + end, "localhost" + end, "[::1]" + end});
}

std::string_view refuse_host(const RequestHead& head, const Address& address) {
  const Field host = find(head, "Host");
  if (host.count == 1 && (is_own_host(host.value, address.port) ||
                          http::is_allowed_host(host.value, address.allowed_hosts)))
    return {};
  return "prof view does not answer under this host name. Open the URL that it printed, or start "
         "it with --allow-host=HOST:PORT as in the browser's address bar.";
}

// Returns why the request's origin is refused. A browser names the site of the page that makes the
// request; other clients send no origin.
std::string_view refuse_origin(const RequestHead& head, const Address& address) {
  const Field origin = find(head, "Origin");
  if (origin.count == 0) return {};
  const std::string_view host = find(head, "Host").value;
  const bool is_same = is_equal_without_case(origin.value, "http://" + std::string(host)) ||
                       // allowed hosts may belong to a proxy with TLS
                       (!is_own_host(host, address.port) &&
                        is_equal_without_case(origin.value, "https://" + std::string(host)));
  return origin.count == 1 && is_same ? "" : "prof view does not answer other sites.";
}

// True if the request opens the page: a click on the URL, or the file that redirects to it, is a
// navigation from another site.
bool opens_page(const RequestHead& head, std::string_view path) {
  return path == "/" && find(head, "Sec-Fetch-Mode").value == "navigate" &&
         find(head, "Sec-Fetch-Dest").value == "document";
}

std::string_view refuse_site(const RequestHead& head, std::string_view path) {
  const Field site = find(head, "Sec-Fetch-Site");
  if (site.count == 0 || opens_page(head, path)) return {};
  const bool is_own = site.value == "same-origin" || site.value == "none";
  return site.count == 1 && is_own ? "" : "prof view does not answer other sites.";
}

// Fills in path and query. Returns false if the target does not start with the token.
bool split_target(std::string_view target, std::string_view token, Decision& decision) {
  if (target.empty() || target[0] != '/') return false;
  const std::size_t query = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, query);
  const std::size_t end = std::min(path.find('/', 1), path.size());
  if (!is_secret(path.substr(1, end - 1), token) || end == path.size()) return false;
  decision.path = path.substr(end);
  decision.query = target.substr(std::min(query + 1, target.size()));
  return true;
}

}  // namespace

Decision decide(const RequestHead& head, const Address& address) {
  Decision decision;
  if (!split_target(head.target, address.token, decision)) return {404, {}, {}, {}};
  if (head.method != "GET" && head.method != "HEAD")
    return {405, "prof view answers GET and HEAD only.", {}, {}};
  for (const std::string_view reason :
       {refuse_host(head, address), refuse_origin(head, address), refuse_site(head, decision.path)})
    if (!reason.empty()) return {403, reason, {}, {}};
  return decision;
}

const http::Fields& security_fields() {
  static const http::Fields fields = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
       "img-src 'self' data: blob:; worker-src 'self'; base-uri 'none'; form-action 'none'; "
       "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types worker"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"X-Frame-Options", "DENY"},
  };
  return fields;
}

}  // namespace prof::view
