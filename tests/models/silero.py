# SPDX-License-Identifier: BSD-3-Clause
"""Silero VAD v6 at 16 kHz: a learned STFT, four convolutions and an LSTM cell whose state the caller carries."""

import torch
from torch import nn

from tests.models import package_file

CHUNK, CONTEXT, STATE, BINS = 512, 64, 128, 129


class SileroVAD(nn.Module):
    """samples [1, 64 + 512], hidden [1, 128], cell [1, 128] → (speech probability [1], hidden, cell)."""

    def __init__(self):
        super().__init__()
        self.stft = nn.Conv1d(1, 2 * BINS, 256, stride=128, bias=False)
        self.encoder = nn.ModuleList(
            nn.Conv1d(i, o, 3, stride, padding=1)
            for i, o, stride in (
                (BINS, 128, 1),
                (128, 64, 2),
                (64, 64, 2),
                (64, 128, 1),
            )
        )
        self.cell = nn.LSTMCell(128, STATE)
        self.head = nn.Conv1d(STATE, 1, 1)

    def forward(self, samples, hidden, cell):
        padded = nn.functional.pad(samples, (0, CONTEXT), mode="reflect")
        real, imaginary = self.stft(padded[:, None]).split(BINS, dim=1)
        x = (real.square() + imaginary.square()).sqrt()
        for layer in self.encoder:
            x = layer(x).relu()
        hidden, cell = self.cell(x.squeeze(-1), (hidden, cell))
        speech = self.head(hidden.relu()[..., None]).sigmoid()
        return speech.mean((1, 2)), hidden, cell


def load():
    """(our network, the package's TorchScript), both with the TorchScript's weights."""
    file = package_file("silero_vad", "data", "silero_vad.jit")
    script = torch.jit.load(str(file), map_location="cpu")
    weights = [v for k, v in script.state_dict().items() if k.startswith("_model.")]
    model = SileroVAD().eval()
    model.load_state_dict(
        dict(zip(model.state_dict(), weights, strict=True)), strict=True
    )
    return model, script
