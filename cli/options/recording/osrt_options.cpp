#include "cli/options/recording/osrt_options.hpp"

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"

namespace prof::cli {

void add_osrt_threshold(CLI::App& app, session::SessionOptions& options) {
  add_nanoseconds(app, "--osrt-threshold", options.osrt_threshold_ns,
                  "Record only OS-runtime calls of NS nanoseconds or more");
}

void add_osrt_options(CLI::App& app, session::SessionOptions& options) {
  add_osrt_threshold(app, options);
  add_bool(app, "--osrt-file-access", options.features, wire::kFeatureFileAccess,
           "Record which file or socket each OS-runtime call used, and how many bytes it moved");
}

void check_osrt_options(const session::SessionOptions& options) {
  if (options.has(wire::kFeatureFileAccess) && !options.has(wire::kFeatureOsrt))
    throw Failure("--osrt-file-access=true needs osrt in --trace", kBadUsage);
}

}  // namespace prof::cli
