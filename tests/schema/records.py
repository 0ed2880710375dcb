# SPDX-License-Identifier: BSD-3-Clause
"""Random Records of every table, and a small whole Program."""

from hypothesis import strategies as st

from rushlight.schema.layouts import TABLES, UNIONS, Field
from rushlight.schema.record import BOXES, Record

RANGES = {
    "u8": (0, 2**8 - 1),
    "i8": (-(2**7), 2**7 - 1),
    "u32": (0, 2**32 - 1),
    "i32": (-(2**31), 2**31 - 1),
    "u64": (0, 2**64 - 1),
    "i64": (-(2**63), 2**63 - 1),
}


def scalars(kind: str) -> st.SearchStrategy:
    if kind == "bool":
        return st.booleans()
    if kind == "f64":
        return st.floats()
    low, high = RANGES[kind]
    return st.integers(low, high)


def values(field: Field) -> st.SearchStrategy:
    if field.kind == "string":
        return st.text(max_size=12)
    if field.kind == "vector":
        items = st.lists(scalars(field.item), max_size=9)
        return items.map(bytes) if field.item == "u8" else items
    if field.kind == "table":
        return records(field.item)
    if field.kind == "tables":
        names = BOXES.get(field.item, (field.item,))
        return st.lists(st.sampled_from(names).flatmap(records), max_size=3)
    return scalars(field.kind)


def records(name: str) -> st.SearchStrategy:
    """Records of one table, with any subset of its optional fields."""
    assert name not in UNIONS
    fields = TABLES[name].fields
    return st.fixed_dictionaries(
        {f.name: values(f) for f in fields if f.required},
        optional={f.name: values(f) for f in fields if not f.required},
    ).map(lambda given: Record(name, **given))


def small_program(**method_fields) -> Record:
    """One method that adds a tensor to itself, with a value of every kind."""
    values = [
        Record(
            "Tensor",
            dtype=6,
            sizes=[2, 3],
            dim_order=[0, 1],
            placement=Record("Placement", memory_id=1),
        ),
        Record("Int", value=1),
        Record("Double", value=-0.0),
        Record("Bool", value=True),
        Record("String", value="tanh"),
        Record("Null"),
        Record("IntList", items=[1]),
        Record("DoubleList", items=[1.5]),
        Record("BoolList", items=[True, False]),
        Record("TensorList", items=[0]),
        Record("OptionalTensorList", items=[0, -1]),
    ]
    add = Record("KernelCall", operator=0, args=[0, 0, 1, 0, 0])
    chain = Record("Chain", inputs=[], outputs=[], instructions=[add])
    fields = {
        "name": "forward",
        "containers": Record("Containers", inputs="$", outputs="$"),
        "values": values,
        "inputs": [0],
        "outputs": [0],
        "chains": [chain],
        "operators": [Record("OperatorName", name="aten::add", overload="out")],
        "delegates": [],
        "arena_nbytes": [0, 32],
    }
    return Record(
        "Program",
        methods=[Record("Method", **{**fields, **method_fields})],
        inline_constants=[],
        inline_delegates=[],
        constants=Record("SubOffsets", offsets=[0]),
    )
