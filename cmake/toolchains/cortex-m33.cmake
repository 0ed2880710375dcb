# SPDX-License-Identifier: BSD-3-Clause
# Cortex-M33, hard float, newlib. Any other part: pass -DRUSHLIGHT_CPU_FLAGS="-mcpu=… -mthumb …".
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # there is no start-up code to link a test program with
set(RUSHLIGHT_CPU_FLAGS "-mcpu=cortex-m33 -mthumb -mfloat-abi=hard" CACHE STRING "What the part's compiler needs")
set(CMAKE_CXX_FLAGS_INIT "${RUSHLIGHT_CPU_FLAGS}")
set(CMAKE_CXX_FLAGS_MINSIZEREL_INIT "-Os")
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
