# SPDX-License-Identifier: BSD-3-Clause
"""MTCNN: a cascade of three small networks that finds faces (facenet-pytorch's weights)."""

import numpy as np
import torch
from torch import nn

from tests.models import package_file


class Trunk(nn.Module):
    """Convolutions with PReLU and optional pooling, named as the weight files name them."""

    def __init__(self, layers):
        super().__init__()
        self.pools = [pool for *_, pool in layers]
        for n, (inputs, outputs, kernel, _) in enumerate(layers, 1):
            self.add_module(f"conv{n}", nn.Conv2d(inputs, outputs, kernel))
            self.add_module(f"prelu{n}", nn.PReLU(outputs))

    def trunk(self, x):
        for n, pool in enumerate(self.pools, 1):
            x = self.get_submodule(f"prelu{n}")(self.get_submodule(f"conv{n}")(x))
            if pool:
                x = nn.functional.max_pool2d(x, pool, stride=2, ceil_mode=True)
        return x


class ProposalNet(Trunk):
    """image [1, 3, H, W] → face probability [1, 2, h, w], box corrections [1, 4, h, w]."""

    def __init__(self):
        super().__init__([(3, 10, 3, 2), (10, 16, 3, 0), (16, 32, 3, 0)])
        self.conv4_1, self.conv4_2 = nn.Conv2d(32, 2, 1), nn.Conv2d(32, 4, 1)

    def forward(self, image):
        x = self.trunk(image)
        return self.conv4_1(x).softmax(1), self.conv4_2(x)


class RefineNet(Trunk):
    """patches [N, 3, 24, 24] → face probability [N, 2], box corrections [N, 4]."""

    def __init__(self):
        super().__init__([(3, 28, 3, 3), (28, 48, 3, 3), (48, 64, 2, 0)])
        self.dense4, self.prelu4 = nn.Linear(576, 128), nn.PReLU(128)
        self.dense5_1, self.dense5_2 = nn.Linear(128, 2), nn.Linear(128, 4)

    def forward(self, patches):
        x = (
            self.trunk(patches).permute(0, 3, 2, 1).flatten(1)
        )  # the weights count columns first
        x = self.prelu4(self.dense4(x))
        return self.dense5_1(x).softmax(1), self.dense5_2(x)


class OutputNet(Trunk):
    """patches [N, 3, 48, 48] → face probability [N, 2], box [N, 4], five landmarks [N, 10]."""

    def __init__(self):
        super().__init__(
            [(3, 32, 3, 3), (32, 64, 3, 3), (64, 64, 3, 2), (64, 128, 2, 0)]
        )
        self.dense5, self.prelu5 = nn.Linear(1152, 256), nn.PReLU(256)
        self.dense6_1, self.dense6_2, self.dense6_3 = (
            nn.Linear(256, n) for n in (2, 4, 10)
        )

    def forward(self, patches):
        x = self.trunk(patches).permute(0, 3, 2, 1).flatten(1)
        x = self.prelu5(self.dense5(x))
        return self.dense6_1(x).softmax(1), self.dense6_2(x), self.dense6_3(x)


def load():
    """The three networks in eval mode."""
    networks = ProposalNet(), RefineNet(), OutputNet()
    for network, letter in zip(networks, "pro", strict=True):
        file = package_file("facenet_pytorch", "data", f"{letter}net.pt")
        network.eval().load_state_dict(
            torch.load(file, map_location="cpu", weights_only=True)
        )
    return networks


def suppress(boxes, scores, overlap):
    """Indices of boxes [N, 4] kept: best first, none overlapping a kept one by more than ``overlap``."""
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    left = np.argsort(-scores)
    kept = []
    while len(left):
        best, left = left[0], left[1:]
        kept.append(best)
        low = np.maximum(boxes[best, :2], boxes[left, :2])
        high = np.minimum(boxes[best, 2:], boxes[left, 2:])
        shared = np.clip(high - low, 0, None).prod(1)
        left = left[shared / (area[best] + area[left] - shared) <= overlap]
    return np.array(kept, dtype=int)


def corrected(boxes, correction):
    """Boxes moved by the network's fractions of their own width and height."""
    span = boxes[:, 2:] - boxes[:, :2]
    return boxes + correction * np.concatenate([span, span], axis=1)


def squared(boxes):
    """Each box grown to a square about its centre."""
    half = (boxes[:, 2:] - boxes[:, :2]).max(1, keepdims=True) / 2
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    return np.concatenate([centre - half, centre + half], axis=1)


def resized(image, height, width):
    """image [1, 3, H, W] float32 → [1, 3, height, width] by area averaging."""
    return nn.functional.interpolate(
        torch.from_numpy(image), (height, width), mode="area"
    ).numpy()


SMALLEST, SHRINK = 40.0, 0.709  # pixels of the smallest face; from level to level


def pyramid(photo):
    """(height, width) of each pyramid level of a PIL photo, largest first."""
    scale = 12 / SMALLEST
    while min(photo.size) * scale >= 12:
        yield int(photo.height * scale), int(photo.width * scale)
        scale *= SHRINK


def propose(network, image, photo, threshold=0.6):
    """Candidate boxes [N, 4] from an image pyramid."""
    scale, boxes, scores = 12 / SMALLEST, [], []
    for height, width in pyramid(photo):
        small = resized(image, height, width)
        face, correction = network(small)
        rows, columns = np.nonzero(face[0, 1] > threshold)
        corner = np.stack([columns, rows], 1) * 2.0
        found = np.concatenate([corner + 1, corner + 12], 1) / scale
        score = face[0, 1, rows, columns]
        kept = suppress(found, score, 0.5)
        moved = corrected(found[kept], correction[0][:, rows, columns].T[kept])
        boxes.append(squared(moved))
        scores.append(score[kept])
        scale *= SHRINK
    all_boxes, all_scores = np.concatenate(boxes), np.concatenate(scores)
    return all_boxes[suppress(all_boxes, all_scores, 0.7)]


def patches(image, boxes, side):
    """The boxes cut out of the image, [N, 3, side, side]."""
    cut = []
    for x0, y0, x1, y1 in boxes.astype(int):
        part = image[:, :, max(0, y0) : max(1, y1), max(0, x0) : max(1, x1)]
        cut.append(resized(np.ascontiguousarray(part), side, side))
    return np.concatenate(cut)


def detect(networks, photo):
    """Faces of a PIL photo as (boxes [N, 4] in pixels, probabilities [N]).

    ``networks`` are three callables from numpy to numpy: proposal, refine, output.
    """
    image = np.asarray(photo, dtype=np.float32).transpose(2, 0, 1)[None]
    image = (np.ascontiguousarray(image) - 127.5) / 128
    boxes = propose(networks[0], image, photo)
    scores = np.zeros(0)
    for network, side, threshold in ((networks[1], 24, 0.7), (networks[2], 48, 0.9)):
        if not len(boxes):
            break
        face, correction, *_ = network(patches(image, boxes, side))
        good = face[:, 1] > threshold
        scores, moved = face[good, 1], corrected(boxes[good], correction[good])
        kept = suppress(moved, scores, 0.7)
        boxes, scores = moved[kept], scores[kept]
        if side == 24:
            boxes = squared(boxes)
    return boxes, scores
