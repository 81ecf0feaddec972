"""Other people's models: a function, a torch module, a Keras model, with hooks and without."""

import math

import numpy as np
import pytest

from keras_transformer import doctor
from keras_transformer.diagnostics.doctor import AttentionHook, Diagnosis, Hooks, Subject
from keras_transformer.diagnostics.doctor.doctor import WIRING, examine
from keras_transformer.errors import InputError
from tests.diagnostics.doctor.test_healthy import assert_healthy

pytestmark = pytest.mark.backend_independent
VOCAB, WIDTH = 40, 32


def examined(model, **options) -> Diagnosis:
    return examine(Subject(model, **options), WIRING)


torch = pytest.importorskip("torch")


class TorchTranslator(torch.nn.Module):
    """`torch.nn.Transformer` as its documentation uses it; each argument breaks one thing."""

    def __init__(self, *, causal=True, padding=True, batch_first=True, positions=True, dropout=0.1):
        super().__init__()
        torch.manual_seed(1)
        self.causal, self.padding, self.positions = causal, padding, positions
        self.embedding = torch.nn.Embedding(VOCAB, WIDTH)
        sizes = {"nhead": 4, "num_encoder_layers": 2, "num_decoder_layers": 2, "dim_feedforward": 64}
        self.transformer = torch.nn.Transformer(WIDTH, dropout=dropout, batch_first=batch_first, **sizes)
        self.output = torch.nn.Linear(WIDTH, VOCAB)

    def embed(self, ids):
        along = 0 if self.positions == "along the batch" else 1
        place = torch.arange(ids.shape[along])[:, None] / 10_000 ** (torch.arange(0, WIDTH, 2) / WIDTH)
        encoding = torch.stack([place.sin(), place.cos()], -1).flatten(1)
        encoding = encoding if along else encoding[:, None]
        return self.embedding(ids) + (encoding if self.positions else 0.0)

    def forward(self, source, target_in):
        mask = torch.nn.Transformer.generate_square_subsequent_mask(target_in.shape[1]) if self.causal else None
        if self.causal == "all but the last three":
            mask[-3:] = 0.0
        hidden = source == 0 if self.padding else None
        if self.padding == "of the first sentence":
            hidden = hidden[:1].expand_as(hidden)
        target = self.embed(target_in)
        if self.causal == "one ahead":
            target = target.roll(-1, dims=1)
        return self.output(
            self.transformer(
                self.embed(source),
                target,
                tgt_mask=mask,
                src_key_padding_mask=hidden,
                memory_key_padding_mask=hidden,
            )
        )


def test_torch_nn_transformer_is_healthy_as_a_module_and_as_a_function() -> None:
    module = TorchTranslator()
    diagnosis = examined(module)
    assert_healthy(diagnosis)
    assert module.training  # left as it was found
    module.eval()
    function = examined(lambda source, target: module(torch.tensor(source), torch.tensor(target)))
    assert_healthy(function)
    assert function.counts()["skipped"] > diagnosis.counts()["skipped"] - 3


@pytest.mark.parametrize(
    ("broken", "name", "also"),
    [
        ({"causal": False}, "causal-mask-missing", {"target-padding-visible"}),
        ({"padding": False}, "source-padding-visible", set()),
        ({"causal": "all but the last three"}, "causal-mask-missing", {"target-padding-visible"}),
        ({"causal": "one ahead"}, "causal-mask-off-by-one", {"target-padding-visible"}),
        ({"padding": "of the first sentence"}, "batch-leak", set()),
        ({"positions": "along the batch"}, "batch-leak", set()),
        ({"batch_first": False, "causal": False, "padding": False}, "batch-leak", None),
    ],
)
def test_torch_nn_transformer_used_wrongly(broken, name, also) -> None:
    module = TorchTranslator(**broken).eval()
    faults = examined(lambda source, target: module(torch.tensor(source), torch.tensor(target))).faults
    assert name in faults
    assert also is None or set(faults) <= {name, *also}


def test_a_future_and_padding_seen_at_once_may_be_heads() -> None:
    for broken, said in (({"causal": False}, False), ({"causal": False, "padding": False}, True)):
        findings = examined(TorchTranslator(**broken)).findings
        (finding,) = [each for each in findings if each.fault == "causal-mask-missing"]
        assert ("reshape" in finding.meaning) is said
        assert ("AttentionHook" in finding.fix) is said


def test_a_torch_module_that_takes_the_batch_for_time() -> None:
    module = TorchTranslator(batch_first=False, padding=False)
    with pytest.raises(InputError, match=r"takes the first axis for time: transpose or, in PyTorch, pass batch_first"):
        examined(module)


def test_a_torch_function_left_in_training_mode() -> None:
    module = TorchTranslator().train()
    diagnosis = examined(lambda source, target: module(torch.tensor(source), torch.tensor(target)))
    assert diagnosis.faults == ("dropout-at-inference",)


def test_absent_positions_of_an_unknown_model_are_a_warning_until_they_are_meant() -> None:
    module = TorchTranslator(positions=False)
    diagnosis = examined(module)
    assert (diagnosis.faults, diagnosis.warnings) == ((), ("positions-absent",))
    assert_healthy(examined(module, hooks=Hooks(positions="none")))


def test_embeddings_of_a_torch_module() -> None:
    module = TorchTranslator()
    matrices = {"source": module.embedding.weight, "target": module.embedding.weight, "softmax": module.output.weight}
    assert examined(module, hooks=Hooks(tied="three-way", embeddings=matrices)).faults == ("embeddings-not-tied",)
    module.output.weight = module.embedding.weight
    matrices["softmax"] = module.output.weight
    assert_healthy(examined(module, hooks=Hooks(tied="three-way", embeddings=matrices)))


def numpy_attention(query, key, value, mask, scale=None, hidden=-1e30):
    scores = np.einsum("bthd,bshd->bhts", query, key).astype("float32") * (scale or query.shape[-1] ** -0.5)
    scores = np.where(mask, scores, hidden)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("bhts,bshd->bthd", weights / weights.sum(-1, keepdims=True), value)


def wrongly_split(query, key, value, mask):
    swapped = (x.reshape(x.shape[0], x.shape[2], x.shape[1], x.shape[3]).swapaxes(1, 2) for x in (query, key, value))
    return numpy_attention(*swapped, mask)


@pytest.mark.parametrize(
    ("attention", "fault"),
    [
        (numpy_attention, None),
        (lambda *heads: numpy_attention(*heads, scale=1.0), "scores-not-scaled"),
        (lambda *heads: numpy_attention(*heads, scale=128**-0.5), "scores-scaled-by-d-model"),
        (lambda *heads: numpy_attention(*heads, scale=1 / 32), "scores-scaled-by-key-dim"),
        (lambda *heads: numpy_attention(*heads, scale=0.05), "scores-scaled-wrongly"),
        (lambda *heads: numpy_attention(*heads, hidden=-np.inf), "masked-row-not-finite"),
        (lambda *heads: numpy_attention(*heads, hidden=-1.0), "mask-without-effect"),
        (wrongly_split, "heads-wrong-reshape"),
    ],
)
def test_a_function_of_heads(attention, fault) -> None:
    table = np.random.default_rng(0).normal(size=(20, 20)).astype("float32")
    hooks = Hooks(attention=attention, key_dim=32, d_model=128)
    with np.errstate(all="ignore"):
        subject = Subject(lambda source, target: table[target], hooks=hooks)
        diagnosis = examine(subject, ("numerics", "heads", "scale"))
    assert diagnosis.faults == ((fault,) if fault else ())


def test_steps_and_layers_by_hooks() -> None:
    """A model of one matrix: steps that answer for the wrong position, a layer that mixes positions."""
    table = np.random.default_rng(0).normal(size=(20, 20)).astype("float32")

    def right(ids, position, cache):
        return table[ids], cache

    def late(ids, position, cache):
        return table[ids if position == 0 else cache], ids

    def mixes(inputs, memory, mask):
        return inputs[:, ::-1]

    for step, expected in ((right, ()), (late, ("cache-differs",))):
        hooks = Hooks(init_cache=lambda source, length: None, decode_step=step)
        diagnosis = examine(Subject(lambda source, target: table[target], hooks=hooks), ("inference",))
        assert {name for name in diagnosis.faults if name != "source-ignored"} == set(expected)
    hooks = Hooks(attention_layers=[AttentionHook("mine", mixes, d_model=8)])
    assert examine(Subject(lambda source, target: table[target], hooks=hooks), ("heads",)).faults == (
        "heads-wrong-reshape",
    )


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (7, "int, which cannot be called"),
        (lambda source, target: np.zeros((2, 3)), "expected logits (1, 1, 'V'), batch first"),
        (lambda source, target: np.zeros((*target.shape, 3)), "at least three words besides them"),
    ],
)
def test_what_cannot_be_examined_is_one_sentence(model, message) -> None:
    with pytest.raises(InputError) as error:
        doctor(model)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_hook_that_raises_is_told_and_the_rest_goes_on() -> None:
    table = np.random.default_rng(0).normal(size=(20, 20)).astype("float32")
    diagnosis = examined(lambda source, target: table[target], hooks=Hooks(attention_weights=lambda *ids: 1 / 0))
    assert "check-raised" in diagnosis.warnings
    assert "division by zero" in str(diagnosis)
    assert diagnosis.faults == ("source-ignored", "target-history-ignored")


def test_words_drawn_differ_and_are_never_special() -> None:
    subject = Subject(lambda source, target: np.ones((*target.shape, 9)), pad_id=4, bos_id=0, eos_id=8)
    ids = np.tile(np.arange(9, dtype="int32"), 200)
    others = subject.other_words(ids)
    assert (others != ids).all()
    assert set(others.tolist()) == {1, 2, 3, 5, 6, 7}
    source, target_in = subject.example_batch(50, 6, 5, padding=2)
    assert (source[:, -2:] == 4).all()
    assert (source[:, 3] == 8).all()
    assert (target_in[:, 0] == 0).all()
    assert (target_in[:, -2:] == 4).all()
    assert math.isclose((source[:, :3] == 4).mean(), 0)
