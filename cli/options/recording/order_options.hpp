// --job and --at of prof start and prof stop.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "collector/session/control/job_control.hpp"
#include "collector/session/options/session_options.hpp"

namespace prof::cli {

struct OrderOptions {
  std::string job;  // folder of the job; empty: the command is for a session
  std::string at;   // empty: at once
  std::optional<session::StepRequest> steps{};
};

void add_job_order(CLI::App& app, OrderOptions& order);
void add_at(CLI::App& app, OrderOptions& order);

// Parses "+15s" or "2026-11-27T16:00:00Z". Returns ns since 1970. Throws Failure.
std::int64_t time_of(const std::string& text, std::int64_t now);

// Gives the order to the collectors of the job, waits for their answers, and prints how many there
// are. Throws Failure if none is there. Returns the exit status: 1 if some do not answer.
int order_job(const OrderOptions& order, session::OrderKind kind);

// Waits until the time of --at.
void wait_until(const OrderOptions& order);

}  // namespace prof::cli
