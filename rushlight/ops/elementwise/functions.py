# SPDX-License-Identifier: BSD-3-Clause
"""Rows of functions.cpp: functions of one real number, integers through float32."""

from rushlight.ops.elementwise.samples import ONE
from rushlight.ops.table import FLOATS, STORAGE, Sample, T, op

KERNELS = {"portable": "functions.cpp"}
DOCS = "https://docs.pytorch.org/docs/stable/generated/torch."
EDGES = Sample(
    (T((5,), values=(0.0, -0.0, float("inf"), float("-inf"), float("nan"))),),
    types=FLOATS,
)
ANY, UNIT, POSITIVE = (-4.0, 4.0), (-1.0, 1.0), (0.1, 9.0)
FUNCTIONS = {
    "exp": ("e to the power of self", ANY),
    "expm1": ("exp(self) - 1, exact near 0", ANY),
    "log": ("The natural logarithm; NaN below 0", POSITIVE),
    "log2": ("The logarithm to base 2", POSITIVE),
    "log10": ("The logarithm to base 10", POSITIVE),
    "log1p": ("log(1 + self), exact near 0", (-0.9, 9.0)),
    "sqrt": ("The square root; NaN below 0", (0.0, 9.0)),
    "rsqrt": ("1 / sqrt(self)", POSITIVE),
    "reciprocal": ("1 / self", ANY),
    "sin": ("The sine of self radians", ANY),
    "cos": ("The cosine of self radians", ANY),
    "tan": ("The tangent of self radians", ANY),
    "asin": ("The angle whose sine is self", UNIT),
    "acos": ("The angle whose cosine is self", UNIT),
    "atan": ("The angle whose tangent is self", ANY),
    "sinh": ("The hyperbolic sine", ANY),
    "cosh": ("The hyperbolic cosine", ANY),
    "tanh": ("The hyperbolic tangent", ANY),
    "asinh": ("The inverse hyperbolic sine", ANY),
    "acosh": ("The inverse hyperbolic cosine; NaN below 1", (1.0, 9.0)),
    "atanh": ("The inverse hyperbolic tangent; NaN outside [-1, 1]", UNIT),
    "erf": ("The error function", ANY),
    "sigmoid": ("1 / (1 + exp(-self))", ANY),
}
ULPS = {"float32": 2.0, "float64": 2.0, "float16": 1.0, "bfloat16": 1.0}
"""Distance of the C library's functions from eager's vectorised ones, which are within
1 ulp; most measure 1 and tanh, sigmoid and log10 2. Eager rounds 16-bit floats after
each step of rsqrt and logit (which loses much near 0.5; here nothing is lost)."""

for name, (doc, domain) in FUNCTIONS.items():
    op(
        f"aten.{name}",
        schema="(Tensor self) -> Tensor",
        out=f"{name}.out",
        doc=f"{doc}.",
        types=STORAGE,
        shape="same_as(self)",
        kernels=KERNELS,
        samples=(*ONE, EDGES),
        alias=("self",),
        domain=domain,
        ulps=ULPS,
        source=DOCS + f"{name}.html",
    )
op(
    "aten.logit",
    schema="(Tensor self, float? eps=None) -> Tensor",
    out="logit.out",
    doc="log(x / (1 - x)), x being self kept in [eps, 1 - eps] if eps is given.",
    types=STORAGE,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(
        *(Sample(s.args, types=FLOATS) for s in ONE),
        EDGES,
        Sample(((3, 5), 0.25), types=FLOATS),
        Sample(((3, 5), 0), types=FLOATS),
        Sample((T((3, 4), low=0, high=2),)),
    ),
    alias=("self",),
    domain=(0.65, 0.99),  # away from 0.5, where the result nears 0
    ulps={**ULPS, "float16": 4, "bfloat16": 16},
    source=DOCS + "logit.html",
)
