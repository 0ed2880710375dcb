# SPDX-License-Identifier: BSD-3-Clause
"""Stock module → name → where ours is, ``module:attribute``."""

_COMPILER = "rushlight.compiler.program"

_MANAGERS = {
    name: f"{_COMPILER}:{name}"
    for name in (
        "to_edge",
        "to_edge_transform_and_lower",
        "EdgeProgramManager",
        "ExecutorchProgramManager",
    )
}
_CONFIG = {
    name: f"rushlight.compiler.config:{name}"
    for name in ("EdgeCompileConfig", "ExecutorchBackendConfig")
}
_PLANNING = {"MemoryPlanningPass": "rushlight.compiler.config:MemoryPlanningPass"}
_PARTITIONER = {
    name: f"rushlight.compiler.partition:{name}"
    for name in ("Partitioner", "PartitionResult", "DelegationSpec")
}
_BACKEND = {
    name: f"rushlight.backends.backend:{name}"
    for name in ("BackendDetails", "PreprocessResult", "CompileSpec")
}
_RUNTIME = {
    name: f"rushlight.runtime:{name}"
    for name in (
        "Runtime",
        "Program",
        "Method",
        "MethodMeta",
        "Verification",
        "BackendRegistry",
        "OperatorRegistry",
    )
}
_XNNPACK = {
    name: f"rushlight.backends.xnnpack:{name}"
    for name in ("XnnpackPartitioner", "XnnpackFloatingPointPartitioner")
}
_PYBINDINGS = {
    "_load_for_executorch": "rushlight.compat.portable_lib:load",
    "_load_for_executorch_from_buffer": "rushlight.compat.portable_lib:load",
    "ExecuTorchModule": "rushlight.compat.portable_lib:Module",
    "_get_operator_names": "rushlight.compat.portable_lib:operator_names",
    "_get_registered_backend_names": "rushlight.compat.portable_lib:backend_names",
    "Verification": "rushlight.runtime:Verification",
}

MODULES: dict[str, dict[str, str]] = {
    "executorch": {},
    "executorch.exir": {
        **_MANAGERS,
        **_CONFIG,
        "ExportedProgram": "torch.export:ExportedProgram",
    },
    "executorch.exir.program": _MANAGERS,
    "executorch.exir.capture": _CONFIG,
    "executorch.exir.capture._config": _CONFIG,
    "executorch.exir.memory_planning": {},
    "executorch.exir.passes": _PLANNING,
    "executorch.exir.passes.memory_planning_pass": _PLANNING,
    "executorch.exir.backend": {},
    "executorch.exir.backend.partitioner": _PARTITIONER,
    "executorch.exir.backend.backend_details": {
        **_BACKEND,
        "ExportedProgram": "torch.export:ExportedProgram",
    },
    "executorch.exir.backend.compile_spec_schema": {
        "CompileSpec": "rushlight.backends.backend:CompileSpec"
    },
    "executorch.backends": {},
    "executorch.backends.xnnpack": {},
    "executorch.backends.xnnpack.partition": {},
    "executorch.backends.xnnpack.partition.xnnpack_partitioner": _XNNPACK,
    "executorch.runtime": _RUNTIME,
    "executorch.extension": {},
    "executorch.extension.pybindings": {},
    "executorch.extension.pybindings.portable_lib": _PYBINDINGS,
    "executorch.extension.pybindings._portable_lib": _PYBINDINGS,
}
