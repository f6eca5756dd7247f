# The CUDA compiler is optional. Sets CONVOSCOPE_HAS_CUDA, and the architectures when the caller named none: the GPU's
# own when there are any here. Where there is none, machine code for any of them would cost minutes and run nowhere: PTX
# of the oldest that the program runs on is built instead, which the driver of whatever GPU turns up compiles when a
# kernel is first launched, and nvcc spends no time on making it fast. The package preset names every architecture.
set(CONVOSCOPE_HAS_CUDA OFF)
set(CONVOSCOPE_CONSTANTS_ANYWHERE OFF)
option(CONVOSCOPE_QUICK_KERNELS "CUDA kernels that are sooner compiled and run slower: to test, not to measure" OFF)
if(CONVOSCOPE_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # What the check has found out about nvcc would take four seconds more to find out again.
    set(found CMakeFiles/${CMAKE_VERSION}/CMakeCUDACompiler.cmake)
    if(EXISTS ${CMAKE_BINARY_DIR}/CMakeFiles/CheckCUDA/${found} AND NOT EXISTS ${CMAKE_BINARY_DIR}/${found})
      file(COPY_FILE ${CMAKE_BINARY_DIR}/CMakeFiles/CheckCUDA/${found} ${CMAKE_BINARY_DIR}/${found})
    endif()
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                      OUTPUT_VARIABLE found RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
      string(REGEX MATCHALL "[0-9]+\\.[0-9]+" found "${found}")  # one a line; "[N/A]" and driver messages are not
      string(REPLACE "." "" found "${found}")
      list(REMOVE_DUPLICATES found)
      list(FILTER found INCLUDE REGEX "^(7[5-9]|[89][0-9]|1[0-9][0-9])$")  # one that is too old must not fail the build
      list(SORT found COMPARE NATURAL)
      if(NOT failed AND found)
        set(CMAKE_CUDA_ARCHITECTURES ${found})
      else()
        set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
        set(CONVOSCOPE_QUICK_KERNELS ON)
        set(CONVOSCOPE_CONSTANTS_ANYWHERE ON)
      endif()
    endif()
    enable_language(CUDA)
    # CMake 3.25 does not know nvcc's flag for C++20 and would refuse, or silently compile an older standard.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA_STANDARD 20)
    find_package(CUDAToolkit REQUIRED)
    set(CONVOSCOPE_HAS_CUDA ON)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
      set(CONVOSCOPE_QUICK_KERNELS OFF)  # older ones know no --Ofast-compile
    endif()
    set(quickly "")
    if(CONVOSCOPE_QUICK_KERNELS)
      string(REPLACE "-O3" "" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")  # nvcc puts it last for the host
      set(quickly ", quickly: to run, not to be measured")
    endif()
    message(STATUS "CUDA strategies: built with nvcc ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}${quickly}")
  endif()
endif()
if(NOT CONVOSCOPE_HAS_CUDA)
  message(STATUS "CUDA strategies: not built, no nvcc found (install the CUDA Toolkit and configure again). "
                 "The CPU strategies are built.")
endif()
