"""What each head does, in numbers for a terminal."""

from collections.abc import Mapping

from keras_transformer.diagnostics.attention_record import KINDS, Array, AttentionRecord

_NO_MASS = 0.0005  # less than this is 0.000 as shown


def head_table(record: AttentionRecord) -> str:
    """Entropy and mass on padding of every head, a line for each layer.

    Args:
        record: from `record_attention`.

    Returns:
        Text of several lines; one line stands for the padding, if no head looks at it.

    Example:
        >>> import keras_transformer as kt
        >>> from keras_transformer.diagnostics import record_attention
        >>> tokenizer = kt.Tokenizer.train([["a dog runs", "ein Hund läuft"]], vocab_size=290)
        >>> model = kt.Transformer(
        ...     vocab_size=290, d_model=8, num_heads=2, d_ff=8, num_encoder_layers=1, num_decoder_layers=1)
        >>> table = head_table(record_attention(model, tokenizer, "a dog runs", "ein Hund läuft"))
        >>> table.splitlines()[0], table.splitlines()[-1]
        ('entropy in bits    head 1     2', 'mass on padding: 0.000 in every head')
    """
    parts = [_block("entropy in bits", record.entropy, 2)]
    if all((mass < _NO_MASS).all() for mass in record.padding_mass.values()):
        parts.append("mass on padding: 0.000 in every head")
    else:
        parts.append(_block("mass on padding", record.padding_mass, 3))
    return "\n\n".join(parts)


def _block(title: str, values: Mapping[str, Array], digits: int) -> str:
    heads = max(array.shape[1] for array in values.values())
    numbers = [f"head {head}" if head == 1 else str(head) for head in range(1, heads + 1)]
    lines = [f"{title:<17}" + "".join(f"{number:>{8 if place == 0 else 6}}" for place, number in enumerate(numbers))]
    for kind in KINDS:
        for layer, row in enumerate(values[kind], 1):
            cells = "".join(f"{value:{8 if place == 0 else 6}.{digits}f}" for place, value in enumerate(row))
            lines.append(f"{kind:<8} layer {layer:<2}" + cells)
    return "\n".join(lines)
