# SPDX-License-Identifier: BSD-3-Clause
# Runs the generators at configure time, and again whenever a row or a layout changes.
find_package(Python REQUIRED COMPONENTS Interpreter)
set(RUSHLIGHT_GENERATED ${CMAKE_BINARY_DIR}/generated)

function(rushlight_generate module)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR} PYTHONDONTWRITEBYTECODE=1
            ${Python_EXECUTABLE} -m ${module} --out ${RUSHLIGHT_GENERATED} ${ARGN}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "${module} failed; its message is above")
  endif()
endfunction()

file(GLOB rows CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rushlight/ops/*/*.py ${PROJECT_SOURCE_DIR}/rushlight/ops/*.py
     ${PROJECT_SOURCE_DIR}/rushlight/schema/*.py ${PROJECT_SOURCE_DIR}/rushlight/backends/*/CMakeLists.txt)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rows} ${RUSHLIGHT_OPS})
rushlight_generate(rushlight.schema.generate)
rushlight_generate(rushlight.ops.generate "--select=${RUSHLIGHT_OPS}")
include(${RUSHLIGHT_GENERATED}/kernels.cmake)  # RUSHLIGHT_KERNEL_FAMILIES, RUSHLIGHT_KERNELS_<family>
