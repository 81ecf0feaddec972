"""Pairs that share a row are as if each were alone."""

from itertools import pairwise

import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.errors import InputError
from keras_transformer.layers import ScheduledSampling
from keras_transformer.models import Transformer
from keras_transformer.training.loss import LabelSmoothedCrossEntropy

SMALL = {"vocab_size": 23, "d_model": 16, "num_heads": 4, "d_ff": 32, "num_encoder_layers": 1, "num_decoder_layers": 1}
LENGTHS = [[(5, 7), (8, 3), (4, 4)], [(6, 9), (1, 1)], []]  # of source and target, row by row; the last one is empty
EDGES = 20, 18


def small(**fields):
    keras.utils.set_random_seed(3)
    return Transformer(**{**SMALL, "dropout": 0.0, **fields})


def make_pairs():
    """Pairs (source, target_in, target_out), row by row."""
    rng = np.random.default_rng(5)
    draw = rng.integers

    def pair(source, target):
        pieces = draw(3, 23, target - 1).tolist()
        return [*draw(3, 23, source - 1).tolist(), 2], [1, *pieces], [*pieces, 2]

    return [[pair(*lengths) for lengths in row] for row in LENGTHS]


def arrange(rows):
    """((source, target_in, source_segments, target_segments), target_out, weights) of pairs in rows."""
    shapes = [EDGES[0], EDGES[1], EDGES[1], EDGES[0], EDGES[1]]
    arrays = [np.zeros((len(rows), width), "int32") for width in shapes]
    for place, row in enumerate(rows):
        columns = [0] * 5
        for number, (source, target_in, target_out) in enumerate(row, start=1):
            parts = source, target_in, target_out, [number] * len(source), [number] * len(target_in)
            for side, (array, part) in enumerate(zip(arrays, parts, strict=True)):
                array[place, columns[side] : columns[side] + len(part)] = part
                columns[side] += len(part)
    source, target_in, target_out, *segments = arrays
    real = target_out > 0
    return (source, target_in, *segments), target_out, (real / real.sum()).astype("float32")


def logits(model, inputs):
    return ops.convert_to_numpy(ops.cast(model(inputs), "float32"))


def of_pairs(rows, values):
    """Values (B, T, ...) cut into those of each pair."""
    cut = []
    for row, line in zip(rows, values, strict=True):
        ends = np.cumsum([0, *(len(target) for _, target, _ in row)])
        cut += [line[start:end] for start, end in pairwise(ends)]
    return cut


# Learned positions as many as the longest pair has tokens, fewer than a row.
FIELDS = [{}, {"position": "learned", "max_positions": 9}, {"position": "rotary", "norm": "pre"}]


@pytest.mark.parametrize("fields", FIELDS)
def test_logits_are_those_of_the_pair_alone(fields):
    model, rows = small(**fields), make_pairs()
    packed = logits(model, arrange(rows)[0])
    assert np.isfinite(packed).all()
    single = [[pair] for row in rows for pair in row]
    source, target_in, *_ = arrange(single)[0]
    alone = logits(model, (source[:, :9], target_in[:, :9]))
    for ours, theirs in zip(of_pairs(rows, packed), of_pairs(single, alone), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_no_pair_sees_another():
    model, rows = small(), make_pairs()
    before = of_pairs(rows, logits(model, arrange(rows)[0]))
    source, target_in, target_out = rows[0][1]
    rows[0][1] = [token % 20 + 3 for token in source], [1, *[token % 20 + 3 for token in target_in[1:]]], target_out
    after = of_pairs(rows, logits(model, arrange(rows)[0]))
    moved = [np.abs(one - other).max() for one, other in zip(before, after, strict=True)]
    assert moved[1] > 1e-2
    assert max(moved[:1] + moved[2:]) < 1e-6
    weights = model.attention_weights(arrange(rows)[0])
    for name, queries, keys in (("encoder", 2, 2), ("decoder", 3, 3), ("cross", 3, 2)):
        segments = arrange(rows)[0]
        same = (segments[queries][:, None, :, None] == segments[keys][:, None, None]) & (segments[queries] > 0)[
            :, None, :, None
        ]
        for layer in weights[name]:
            assert (ops.convert_to_numpy(layer) * ~same == 0).all()


def test_a_training_step_is_that_of_the_pairs_unpacked():
    rows = make_pairs()
    (source, target_in, *_), target_out, weights = arrange([[pair] for row in rows for pair in row])
    batches = {"packed": arrange(rows), "unpacked": ((source, target_in), target_out, weights)}
    losses, after = {}, {}
    for name, (inputs, targets, weights) in batches.items():
        model = small()
        model.compile(keras.optimizers.SGD(1.0), LabelSmoothedCrossEntropy(0.1))
        losses[name] = model.train_on_batch(inputs, targets, weights)
        after[name] = [ops.convert_to_numpy(weight) for weight in model.trainable_weights]
    assert losses["packed"] == pytest.approx(losses["unpacked"], rel=1e-5)
    assert (
        max(np.abs(weight - first).max() for weight, first in zip(after["packed"], first_weights(), strict=True)) > 0.1
    )
    for ours, theirs in zip(after["packed"], after["unpacked"], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def first_weights():
    return [ops.convert_to_numpy(weight) for weight in small().trainable_weights]


def test_scheduled_sampling_leaves_the_first_token_of_each_pair():
    (_, target_in, _, segments), *_ = arrange(make_pairs())
    own = 22 * np.ones_like(target_in)
    mixed = ScheduledSampling(0.999)(target_in, 9.0 * np.eye(23, dtype="float32")[own], segments)
    stays = (target_in == 1) | (target_in == 0)
    mixed = ops.convert_to_numpy(mixed)
    np.testing.assert_array_equal(mixed[stays], target_in[stays])
    assert (mixed[~stays] == 22).mean() > 0.9
    model = small(scheduled_sampling=0.5)
    assert np.isfinite(ops.convert_to_numpy(model(arrange(make_pairs())[0], training=True))).all()


def test_wrong_packed_inputs_are_one_sentence():
    inputs = arrange(make_pairs())[0]
    with pytest.raises(InputError, match="attention_neighbours=4 takes one pair a row; received segments"):
        small(attention_neighbours=4).call(inputs)
    with pytest.raises(InputError, match="received tuple of 3"):
        small().call(inputs[:3])
    with pytest.raises(InputError, match=r"target_segments of shape \(3, 20\) for ids of shape \(3, 18\)"):
        small().call((*inputs[:3], inputs[2]))
