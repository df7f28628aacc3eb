#include "cli/options/nvtx_options.hpp"

#include <cstdlib>
#include <string>

#include "cli/messages/failure.hpp"
#include "cli/options/name_list.hpp"
#include "cli/options/option_kinds.hpp"

namespace prof::cli {

namespace {

CLI::Option* add_filter(CLI::App& app, const char* name, session::NvtxOptions& options,
                        wire::NvtxFilter filter, const char* help) {
  const auto take = [&options, filter](const std::string& list) {
    if (list.empty()) return;
    options.filter = filter;
    options.domains = split_names(list);
  };
  return add_parsed(app, name, take, help)->type_name("LIST");
}

}  // namespace

void add_nvtx_options(CLI::App& app, session::NvtxOptions& options) {
  auto* include = add_filter(app, "--nvtx-domain-include", options, wire::NvtxFilter::kInclude,
                             "Record only these NVTX domains. 'default' is the default domain");
  add_filter(app, "--nvtx-domain-exclude", options, wire::NvtxFilter::kExclude,
             "Do not record these NVTX domains")
      ->excludes(include);
}

void resolve_nvtx(session::SessionOptions& options) {
  std::size_t bytes = 0;
  for (const std::string& domain : options.nvtx.domains) bytes += domain.size() + 1;
  if (bytes > sizeof(wire::Reply::nvtx_domains))
    throw Failure("the list of NVTX domains is longer than 1023 bytes", kBadUsage);
  if (options.has(wire::kFeatureNvtx) && std::getenv("NVTX_INJECTION64_PATH") != nullptr)
    options.warnings.push_back(
        "NVTX_INJECTION64_PATH is set. prof receives the program's NVTX events in place of that "
        "library.");
}

}  // namespace prof::cli
