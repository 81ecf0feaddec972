"""What a CTranslate2 export wrote, how it compares, and how to use it."""

from dataclasses import dataclass
from pathlib import Path

from keras_transformer.export.ctranslate2_check import Agreement

README = """\
# A translator for CTranslate2

Written by keras-transformer from a trained model, weights in {quantization}.
`pip install ctranslate2 sentencepiece` is all it needs.

```bash
python translate.py < in.txt > out.txt
```

In Python, from this folder:

```python
from translate import Translator

translate = Translator(".", inter_threads=2)
print(translate(["A dog runs."]))
```

`translate.py` fetches all finished hypotheses and ranks them by log P / ((5 + |Y|) / 6)^{length_penalty:g}, as the
model was measured. CTranslate2 alone ranks by log P / |Y|^{length_penalty:g}, and so translates a few sentences
otherwise:

```python
import ctranslate2
import sentencepiece

source = sentencepiece.SentencePieceProcessor(model_file="{source}")
target = sentencepiece.SentencePieceProcessor(model_file="tokenizer.model")
engine = ctranslate2.Translator(".", inter_threads=2)
results = engine.translate_batch(
    source.encode(["A dog runs."], out_type=str),
    max_batch_size=32,
    beam_size={beam_size},
    length_penalty={length_penalty:g},
    suppress_sequences=[["<pad>"], ["<s>"]],
    max_input_length={max_source_length},
    max_decoding_length={max_target_length},
)
print([target.decode(result.hypotheses[0]) for result in results])
```

A blank line gives an empty translation. `translate.py` reads the first {max_source_length} tokens of a line.
"""


@dataclass(frozen=True)
class CTranslate2Report:
    """Where a CTranslate2 model is, and how it compares with the Python translator.

    `str(report)` is the text the command line prints.

    Attributes:
        path: the folder.
        size: bytes of model.bin.
        quantization: "float32", "int16" or "int8".
        agreement: the comparison that it passed.
    """

    path: Path
    size: int
    quantization: str
    agreement: Agreement

    def __str__(self) -> str:
        seen = self.agreement
        plural = "" if seen.sentences == 1 else "s"
        lines = [
            f"Exported to {self.path} (model.bin: {self.size / 1e6:.1f} MB, {self.quantization}).",
            f"Compared with the Python translator on {seen.sentences:,} sentence{plural}, computing in "
            f"{seen.compute_type}: {seen.identical:,} translations identical, {seen.ties:,} ties, "
            f"{seen.others:,} others; chrF2 of one against the other {seen.chrf:.1f}.",
            f"log P of the same translation: {seen.apart:.1e} nats per token apart at most.",
        ]
        if seen.bleu is not None:
            lines.append(f"BLEU: {seen.bleu[0]:.2f} in Python, {seen.bleu[1]:.2f} here.")
        ours, theirs = (seen.sentences / max(seconds, 1e-9) for seconds in seen.seconds)
        lines += [
            f"Sentences per second, as it happened: {ours:.0f} in Python, {theirs:.0f} here on one core.",
            "Translate with it:",
            f"  python {self.path / 'translate.py'} < in.txt > out.txt",
        ]
        return "\n".join(lines)
