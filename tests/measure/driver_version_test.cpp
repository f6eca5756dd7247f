#include "app/measure/driver_version.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace convoscope {
namespace {

TEST(DriverVersion, ComesFromTheLibraryElseFromTheKernelElseFromNobody) {
  const std::string file = (std::filesystem::temp_directory_path() / "convoscope-driver-version").string();
  std::ofstream(file) << "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.1.2  Tue Sep 23 10:11:39 UTC 2026\n"
                         "GCC version:  gcc version 12.2.0\n";
  setenv("FAKE_NVML", "", 1);
  EXPECT_EQ(nvidia_driver_number(FAKE_NVML_LIBRARY, file.c_str()), "580.95.05");
  for (const char* mode : {"dumb", "lost"}) {  // does not start; starts, and does not answer
    setenv("FAKE_NVML", mode, 1);
    EXPECT_EQ(nvidia_driver_number(FAKE_NVML_LIBRARY, file.c_str()), "570.1.2") << mode;
  }
  EXPECT_EQ(nvidia_driver_number("no-such-library.so", file.c_str()), "570.1.2");
  EXPECT_EQ(nvidia_driver_number("no-such-library.so", "/no/such/file"), "");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace convoscope
