// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/core/error.h"

#include "rushlight/runtime/core/message.h"

namespace rushlight {

#if !RL_MESSAGES
const char* to_string(Error) { return ""; }
#else
namespace {

constexpr struct {
  Error code;
  const char* name;
} kNames[] = {
    {Error::Ok, "Ok"},
    {Error::Internal, "Internal"},
    {Error::InvalidState, "InvalidState"},
    {Error::EndOfMethod, "EndOfMethod"},
    {Error::NotSupported, "NotSupported"},
    {Error::NotImplemented, "NotImplemented"},
    {Error::InvalidArgument, "InvalidArgument"},
    {Error::InvalidType, "InvalidType"},
    {Error::OperatorMissing, "OperatorMissing"},
    {Error::NotFound, "NotFound"},
    {Error::MemoryAllocationFailed, "MemoryAllocationFailed"},
    {Error::AccessFailed, "AccessFailed"},
    {Error::InvalidProgram, "InvalidProgram"},
    {Error::InvalidExternalData, "InvalidExternalData"},
    {Error::OutOfResources, "OutOfResources"},
    {Error::DelegateInvalidCompatibility, "DelegateInvalidCompatibility"},
    {Error::DelegateMemoryAllocationFailed, "DelegateMemoryAllocationFailed"},
    {Error::DelegateInvalidHandle, "DelegateInvalidHandle"},
};

}  // namespace

const char* to_string(Error code) {
  for (const auto& row : kNames) {
    if (row.code == code) return row.name;
  }
  return "unknown error";
}
#endif

}  // namespace rushlight
