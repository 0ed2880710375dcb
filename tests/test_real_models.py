# SPDX-License-Identifier: BSD-3-Clause
"""Real networks with real weights give their known answers in our runtime, and eager's numbers."""

import numpy as np
import pytest
import torch
from torch.export import Dim

import rushlight
from rushlight.tools.efficientnet import class_names, load_model, preprocess
from tests.models import keras, minilm, mtcnn, photo, silero

torch.set_num_threads(1)


@pytest.fixture(scope="module", autouse=True)
def _no_gradients():
    with torch.no_grad():
        yield


@pytest.mark.parametrize(
    ("file", "best", "probability"),
    [
        ("chelsea.png", "tiger cat", 0.385),
        ("coffee.png", "espresso", 0.951),
        ("rocket.jpg", "missile", 0.320),
    ],
)
def test_efficientnet_lite0_names_the_photo(file, best, probability, efficientnet):
    model, program = efficientnet
    x = preprocess(photo(file))

    logits = program(x)

    want = model(x).numpy()
    scale = np.abs(want).max()
    assert np.abs(logits - want).max() <= 1e-5 * scale
    shares = torch.from_numpy(logits)[0].softmax(0)
    assert class_names()[int(shares.argmax())] == best
    assert float(shares.max()) == pytest.approx(probability, abs=1e-3)


@pytest.fixture(scope="module")
def efficientnet():
    model = load_model()
    return model, rushlight.compile(model, (torch.zeros(1, 3, 224, 224),))


def test_silero_vad_follows_the_packages_own_script_over_a_stream():
    model, script = silero.load()
    state = torch.zeros(1, silero.STATE)
    example = (torch.zeros(1, silero.CONTEXT + silero.CHUNK), state, state)
    program = rushlight.compile(model, example)
    torch.manual_seed(0)
    wave = torch.cat([torch.zeros(4096), 0.3 * torch.randn(4096), torch.zeros(4096)])
    padded = torch.nn.functional.pad(wave, (silero.CONTEXT, 0))
    hidden = cell = np.zeros((1, silero.STATE), np.float32)
    script.reset_states()
    for i in range(0, len(wave), silero.CHUNK):
        samples = padded[None, i : i + silero.CONTEXT + silero.CHUNK]
        speech, hidden, cell = program(samples, hidden, cell)
        want = script(wave[i : i + silero.CHUNK], 16000)
        assert float(speech[0]) == pytest.approx(float(want), abs=2e-5)


def test_minilm_ranks_sentences_by_meaning():
    model = minilm.load()
    sentences = (
        "That is a happy person",
        "That is a happy dog",
        "That is a very happy person",
        "Today is a sunny day",
    )
    tokens, mask = minilm.tokenize(list(sentences))
    batch, length = Dim("batch", min=1, max=8), Dim("length", min=2, max=64)
    shapes = ({0: batch, 1: length}, {0: batch, 1: length})
    program = rushlight.compile(model, (tokens, mask), dynamic_shapes=shapes)

    vectors = program(tokens, mask)

    similar = vectors @ vectors[0]
    np.testing.assert_allclose(similar[1:], [0.695, 0.943, 0.257], atol=1e-3)
    np.testing.assert_allclose(vectors, model(tokens, mask).numpy(), atol=1e-5)
    short = minilm.tokenize(["Yes"])
    np.testing.assert_allclose(program(*short), model(*short).numpy(), atol=1e-5)


def compile_pyramid(network, image):
    """The proposal network with one method per pyramid level; the weights are stored once.

    Its ceil-mode pool lets torch.export take no height that may be odd or even.
    """
    levels = {
        f"h{h}w{w}": torch.export.export(network, (torch.zeros(1, 3, h, w),))
        for h, w in mtcnn.pyramid(image)
    }
    program = rushlight.compile(levels)
    return lambda x: program.method(f"h{x.shape[2]}w{x.shape[3]}")(x)


def test_mtcnn_finds_the_astronauts_face():
    proposal, *others = mtcnn.load()
    image = photo("astronaut.png")
    networks = [compile_pyramid(proposal, image)]
    for network, side in zip(others, (24, 48), strict=True):
        shapes = ({0: Dim("count", min=1, max=256)},)
        example = (torch.zeros(3, 3, side, side),)
        networks.append(rushlight.compile(network, example, dynamic_shapes=shapes))

    boxes, scores = mtcnn.detect(networks, image)

    assert len(boxes) == 1
    np.testing.assert_allclose(boxes[0], [181, 61, 268, 175], atol=1.5)
    assert scores[0] > 0.99


@pytest.mark.parametrize(("word", "index"), [("yes", 0), ("no", 1)])
def test_micro_speech_hears_the_recorded_word(word, index):
    model = keras.micro_speech()
    _, features = keras.recorded_word(word)
    x = features.float().view(1, *model.input_shape)
    program = rushlight.compile(model, (x,))

    shares = torch.from_numpy(program(x)).softmax(1)[0]

    assert float(shares[index]) > 0.98
    np.testing.assert_allclose(program(x), model(x).numpy(), atol=1e-3, rtol=1e-5)


PEOPLE = {"astronaut.png": True, "camera.png": True, "chelsea.png": False}
PEOPLE |= dict.fromkeys(("coffee.png", "rocket.jpg", "brick.png", "flower.jpg"), False)


def test_visual_wake_words_tells_people_from_things():
    model = keras.visual_wake_words()
    program = rushlight.compile(model, (torch.zeros(1, *model.input_shape),))
    for file, has_person in PEOPLE.items():
        pixels = np.asarray(photo(file).resize((96, 96), 2), np.float32)[None]
        logits = program(pixels)
        np.testing.assert_allclose(
            logits, model(torch.from_numpy(pixels)).numpy(), atol=1e-4, rtol=1e-4
        )
        assert bool(logits[0, 0] > logits[0, 1]) == has_person, file
