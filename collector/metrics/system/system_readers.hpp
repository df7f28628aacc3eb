// Counters of the machine, from /proc and /sys: one reader for each device or subject.
#pragma once

#include <functional>
#include <string>

#include "collector/metrics/counter_reader.hpp"

namespace prof::metrics {

// Where the kernel's files are. Tests make up other trees.
struct SystemRoot {
  std::string proc = "/proc";
  std::string sys = "/sys";
};

using NameFilter = std::function<bool(const std::string& name)>;

// Interfaces, each with the files of its folder `statistics` that `counters` accepts, sent and
// received bytes first. `devices` empty: physical ones, or without any all but the loopback.
CounterReaders network_readers(const SystemRoot& root, const NameFilter& devices,
                               const NameFilter& counters);

// Ports of InfiniBand and RoCE adapters: bytes, packets, errors, waiting.
CounterReaders infiniband_readers(const SystemRoot& root, const NameFilter& devices);

struct EfaOptions {
  std::string folder;  // empty: class/infiniband of the root
  bool work_requests = false;
  bool packets = false;
  bool errors = false;
  bool non_rdma = false;
};
CounterReaders efa_readers(const SystemRoot& root, const EfaOptions& options);

// Disks by name, without those of size 0; and the pressure of I/O.
CounterReaders disk_readers(const SystemRoot& root, const NameFilter& devices);
// Mounts of NFS.
CounterReaders nfs_readers(const SystemRoot& root, const NameFilter& mounts);
// Mounts of Lustre. `folder`: with a folder for each; empty: where the kernel has it.
CounterReaders lustre_readers(const SystemRoot& root, const std::string& folder,
                              const NameFilter& mounts);

// Use of all CPUs together, the pressure of the CPUs, and each CPU.
CounterReaders cpu_readers(const SystemRoot& root);
// The frequency of each CPU. Asking for it takes the kernel a while.
CounterReaders cpu_frequency_readers(const SystemRoot& root);

// Memory in use, page faults, swapping, and the pressure of memory.
CounterReaders memory_readers(const SystemRoot& root);

}  // namespace prof::metrics
