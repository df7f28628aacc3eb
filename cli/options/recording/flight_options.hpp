// The options of a flight recorder: --flight-recorder, --trigger and those that refine them.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_flight_options(CLI::App& app, session::SessionOptions& options);
// Adds the option for the name of a flight recorder, which prof snapshot needs. Sessions have a
// name anyway.
void add_flight_session(CLI::App& app, session::FlightOptions& flight);

// Throws Failure for values that contradict each other or other options. Call it after the options
// for tracing have been completed.
void check_flight_options(const session::SessionOptions& options);

}  // namespace prof::cli
