// Readers of the machine's counters, from /proc and /sys: one reader for each device or subject.
#pragma once

#include <functional>
#include <string>

#include "collector/metrics/counter_reader.hpp"

namespace prof::metrics {

// The folders of the kernel's files. Tests use other folders.
struct SystemRoot {
  std::string proc = "/proc";
  std::string sys = "/sys";
};

using NameFilter = std::function<bool(const std::string& name)>;

// Makes readers for interfaces, each with those files of its folder `statistics` that `counters`
// accepts; sent and received bytes come first. An empty `devices` selects the physical interfaces,
// or, if there are none, all but the loopback.
CounterReaders network_readers(const SystemRoot& root, const NameFilter& devices,
                               const NameFilter& counters);

// Makes readers for ports of InfiniBand and RoCE adapters: bytes, packets, errors, waiting.
CounterReaders infiniband_readers(const SystemRoot& root, const NameFilter& devices);

struct EfaOptions {
  std::string folder;  // empty: class/infiniband of the root
  bool work_requests = false;
  bool packets = false;
  bool errors = false;
  bool non_rdma = false;
};
CounterReaders efa_readers(const SystemRoot& root, const EfaOptions& options);

// Makes readers for disks by name, without those of size 0, and for the pressure of I/O.
CounterReaders disk_readers(const SystemRoot& root, const NameFilter& devices);
// Makes readers for NFS mounts.
CounterReaders nfs_readers(const SystemRoot& root, const NameFilter& mounts);
// Makes readers for Lustre mounts. `folder` has a folder for each mount; empty: the kernel's usual
// place.
CounterReaders lustre_readers(const SystemRoot& root, const std::string& folder,
                              const NameFilter& mounts);

// Makes readers for the use of all CPUs together, the pressure of the CPUs, and each CPU.
CounterReaders cpu_readers(const SystemRoot& root);
// Makes readers for the frequency of each CPU. The kernel takes a while to find it out.
CounterReaders cpu_frequency_readers(const SystemRoot& root);

// Makes readers for memory in use, page faults, swapping, and the pressure of memory.
CounterReaders memory_readers(const SystemRoot& root);

}  // namespace prof::metrics
