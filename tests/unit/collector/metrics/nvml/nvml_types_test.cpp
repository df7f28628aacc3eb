// Our declarations of NVML's interface have the layouts of nvml.h, where that is installed.
#include "collector/metrics/nvml/nvml_types.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#if __has_include(<nvml.h>)
#include <nvml.h>

static_assert(sizeof(prof::nvml::PciInfo) == sizeof(nvmlPciInfo_t));
static_assert(offsetof(prof::nvml::PciInfo, bus_id) == offsetof(nvmlPciInfo_t, busId));
static_assert(sizeof(prof::nvml::ProcessInfo) == sizeof(nvmlProcessInfo_t));
static_assert(sizeof(prof::nvml::ProcessUtilization) == sizeof(nvmlProcessUtilizationSample_t));
static_assert(sizeof(prof::nvml::FieldValue) == sizeof(nvmlFieldValue_t));
static_assert(offsetof(prof::nvml::FieldValue, value) == offsetof(nvmlFieldValue_t, value));
static_assert(sizeof(prof::nvml::Memory) == sizeof(nvmlMemory_t));
static_assert(sizeof(prof::nvml::MemoryWithReserve) == sizeof(nvmlMemory_v2_t));
static_assert(prof::nvml::MemoryWithReserve::kVersion == nvmlMemory_v2);
static_assert(offsetof(prof::nvml::MemoryWithReserve, used) == offsetof(nvmlMemory_v2_t, used));
static_assert(sizeof(prof::nvml::Utilization) == sizeof(nvmlUtilization_t));
static_assert(prof::nvml::kFieldPcieTxBytes == NVML_FI_DEV_PCIE_COUNT_TX_BYTES);
static_assert(prof::nvml::kFieldNvLinkDataTx == NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX);
static_assert(prof::nvml::kFieldNvLinkSpeed == NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON);
static_assert(prof::nvml::kFieldMemoryTemperature == NVML_FI_DEV_MEMORY_TEMP);
static_assert(static_cast<int>(prof::nvml::Return::kGpuIsLost) == NVML_ERROR_GPU_IS_LOST);
static_assert(static_cast<int>(prof::nvml::Return::kResetRequired) == NVML_ERROR_RESET_REQUIRED);
#endif

namespace prof::nvml {
namespace {

// Of the interface of 64-bit machines, which never changes.
TEST(NvmlTypes, HaveTheSizesOfTheInterface) {
  EXPECT_EQ(sizeof(PciInfo), 68U);
  EXPECT_EQ(sizeof(ProcessInfo), 24U);
  EXPECT_EQ(sizeof(ProcessUtilization), 32U);
  EXPECT_EQ(sizeof(FieldValue), 40U);
  EXPECT_EQ(sizeof(Memory), 24U);
}

}  // namespace
}  // namespace prof::nvml
