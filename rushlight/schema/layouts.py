# SPDX-License-Identifier: BSD-3-Clause
"""Each flatbuffer table of the ``.pte`` and ``.ptd`` formats, declared once.

``generate.py`` writes the checked C++ views from these rows, ``reader.py`` and
``writer.py`` interpret them. Source of every fact: the format notes, `pte.md`
sections 3 to 10 and `bundled-etdump-ptd.md` section 1.

A field is ``name: kind``. Kinds: ``u8 i8 u32 i32 u64 i64 f64 bool`` scalars,
``string``, ``[scalar]`` vectors, ``Table``, ``[Table]``, and ``union Name``. Suffixes:
``!`` must be present, ``@n`` alignment of a vector's first element.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Field:
    """One field. ``id`` is its vtable slot; a union also takes ``id - 1`` for its tag."""

    name: str
    id: int
    kind: str  # a scalar name, "string", "vector", "table", "tables", "union"
    item: str = ""  # scalar of a vector, or the table's or union's name
    required: bool = False
    default: int = 0
    alignment: int = 0  # bytes, of a vector's first element; 0 is natural


@dataclass(frozen=True)
class Table:
    """One flatbuffer table: fields in id order."""

    name: str
    fields: tuple[Field, ...] = field(default=())


SCALAR_NBYTES = {
    "u8": 1,
    "i8": 1,
    "bool": 1,
    "u32": 4,
    "i32": 4,
    "u64": 8,
    "i64": 8,
    "f64": 8,
}

UNIONS: dict[str, tuple[str, ...]] = {
    # member number = position + 1
    "Value": (
        "Null",
        "Int",
        "Bool",
        "Double",
        "Tensor",
        "String",
        "IntList",
        "DoubleList",
        "BoolList",
        "TensorList",
        "OptionalTensorList",
    ),
    "Instruction": ("KernelCall", "DelegateCall", "Move", "JumpFalse", "Free"),
}

DECLARATIONS = """
Program:         version: u32, methods: [Method]!, inline_constants: [InlineBytes],
                 inline_delegates: [InlineBytes], segments: [Segment],
                 constants: SubOffsets, mutable_data: [SubOffsets], named_data: [NamedBlob]
InlineBytes:     bytes: [u8] @16
Segment:         offset: u64, nbytes: u64
SubOffsets:      segment: u32, offsets: [u64]
NamedBlob:       key: string!, segment: u32
Method:          name: string!, containers: Containers, values: [ValueBox]!, inputs: [i32]!,
                 outputs: [i32]!, chains: [Chain]!, operators: [OperatorName],
                 delegates: [Delegate]!, arena_nbytes: [i64]!, devices: [ArenaDevice]
Containers:      inputs: string, outputs: string
OperatorName:    name: string!, overload: string
ArenaDevice:     arena: i32, device: i8, index: i8
Chain:           inputs: [i32], outputs: [i32], instructions: [InstructionBox]!, traces: [FrameList]
FrameList:       frames: [Frame]
Frame:           file: string, line: i32, function: string, source: string
ValueBox:        value: union Value!
Null:
Int:             value: i64
Bool:            value: bool
Double:          value: f64
String:          value: string!
IntList:         items: [i64]!
DoubleList:      items: [f64]!
BoolList:        items: [bool]!
TensorList:      items: [i32]!
OptionalTensorList: items: [i32]!
Tensor:          dtype: i8, storage_offset: i32, sizes: [i32]!, dim_order: [u8]!,
                 requires_grad: bool, buffer: u32, placement: Placement, layout: i8,
                 dynamism: i8, extra: TensorExtra
Placement:       memory_id: u32, offset_low: u32, offset_high: u32
TensorExtra:     mutable_set: u64, name: string, location: i8, device: i8, device_index: i8
InstructionBox:  call: union Instruction!
KernelCall:      operator: i32, args: [i32]!
DelegateCall:    delegate: i32, args: [i32]!
Move:            source: i32, target: i32
JumpFalse:       condition: i32, target: i32
Free:            value: i32
Delegate:        backend: string!, blob: BlobRef!, specs: [Spec]
BlobRef:         kind: i8, index: u32
Spec:            key: string!, value: [u8]!
Ptd:             version: u32, segments: [Segment]!, entries: [PtdEntry]!
PtdEntry:        key: string!, segment: u32, layout: PtdLayout
PtdLayout:       dtype: i8, sizes: [i32]!, dim_order: [u8]!
"""

ROOTS = {"ET12": "Program", "FT01": "Ptd"}


def _field(text: str, slot: int) -> Field:
    name, _, spec = (part.strip() for part in text.partition(":"))
    spec, _, alignment = (part.strip() for part in spec.partition("@"))
    required = spec.endswith("!")
    spec = spec.rstrip("!")
    if spec.startswith("union "):
        return Field(name, slot + 1, "union", spec[6:], required)
    if spec.startswith("["):
        item = spec[1:-1]
        kind = "vector" if item in SCALAR_NBYTES else "tables"
        return Field(name, slot, kind, item, required, 0, int(alignment or 0))
    kind = spec if spec in SCALAR_NBYTES or spec == "string" else "table"
    return Field(name, slot, kind, spec if kind == "table" else "", required)


def _parse(text: str) -> dict[str, Table]:
    tables: dict[str, list[Field]] = {}
    rows = " ".join(
        line.strip() if line.startswith(" ") else "\n" + line
        for line in text.splitlines()
    )
    for row in filter(None, (r.strip() for r in rows.split("\n"))):
        name, _, body = row.partition(":")
        fields: list[Field] = []
        slot = 0
        for part in filter(None, (p.strip() for p in body.split(","))):
            one = _field(part, slot)
            fields.append(one)
            slot = one.id + 1
        tables[name.strip()] = fields
    return {name: Table(name, tuple(fields)) for name, fields in tables.items()}


TABLES = _parse(DECLARATIONS)
