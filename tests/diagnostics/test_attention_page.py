"""The page is one file whose numbers are the model's; opened in a real browser where there is one."""

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import keras_transformer as kt
from keras_transformer.diagnostics import attention_html, record_attention, write_attention_html
from keras_transformer.diagnostics.attention_maps import shown_pieces
from tests.diagnostics.attention_cases import HOSTILE, lively, tokenizer

pytestmark = pytest.mark.backend_independent

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HALF_A_DIGIT = 0.0005 + 1e-6  # numbers are shown with three digits


@pytest.fixture(scope="module")
def record() -> Any:
    """A decoded sentence whose pieces are the worst that HTML can be given."""
    model, pieces = lively(), tokenizer()
    return record_attention(model, pieces, HOSTILE, translator=kt.Translator(model, pieces, max_length_offset=2))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("there is no Chromium on this machine: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install '.[test]'")
    with playwright.sync_playwright() as driver:
        try:
            chromium = driver.chromium.launch(executable_path=path)
        except playwright.Error as error:  # such as a stand-in that only says how to install the real one
            pytest.skip(f"{path} does not start: {str(error).splitlines()[0]}")
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Any, record: Any, tmp_path: Path) -> Iterator[Any]:
    """The page of `record`; it must say nothing on the console and ask for nothing but itself."""
    yield from open_page(browser, write_attention_html(record, tmp_path / "page.html"))


def open_page(browser: Any, path: Path, **options: Any) -> Iterator[Any]:
    page = browser.new_page(**options)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("request", lambda request: said.append(request.url) if request.url != path.as_uri() else None)
    page.goto(path.as_uri())
    yield page
    page.close()
    assert said == []


def numbers(page: Any, line: str) -> list[float]:
    """What stands under the pieces of a line."""
    return [float(text) for text in page.locator(f"#{line} .piece i").all_inner_texts()]


def choose(page: Any, kind: str, layer: int, head: int | str) -> None:
    page.locator(f"label:has(input[value={kind}])").click()
    page.select_option("#layer", label=str(layer + 1))
    page.select_option("#head", label=head if isinstance(head, str) else str(head + 1))


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_pointing_at_a_piece_shows_the_models_weights(opened: Any, record: Any, kind: str) -> None:
    layers, heads, rows, columns = record.weights[kind].shape
    for layer, head, row in ((0, heads - 1, rows - 1), (layers - 1, 1, rows // 2), (layers - 1, 0, 1)):
        choose(opened, kind, layer, head)
        opened.locator("#rows .piece").nth(row).hover()
        shown = numbers(opened, "columns")
        np.testing.assert_allclose(shown, record.weights[kind][layer, head, row], atol=HALF_A_DIGIT)
        told = opened.locator("#told").inner_text()
        most = int(record.weights[kind][layer, head, row].argmax())
        first = f"{shown_pieces(record.columns(kind), escape=False)[most]} {shown[most]:.3f}"
        assert f"looks at {first}" in told
        entropy, padding = record.entropy[kind][layer, head], record.padding_mass[kind][layer, head]
        assert opened.locator("#entropy").inner_text() == f"{entropy:.2f} bits of {np.log2(columns):.2f}"
        assert opened.locator("#padding").inner_text() == f"{padding:.3f}"
    opened.locator("#columns .piece").nth(2).hover()
    np.testing.assert_allclose(numbers(opened, "rows"), record.weights[kind][layer, head, :, 2], atol=HALF_A_DIGIT)


def test_the_page_opens_with_the_mean_of_the_last_layers_heads(opened: Any, record: Any) -> None:
    mean = record.weights["cross"][-1].mean(axis=0)
    np.testing.assert_allclose(numbers(opened, "columns"), mean[0], atol=HALF_A_DIGIT)
    bits = record.entropy["cross"][-1].mean()
    assert opened.locator("#entropy").inner_text().startswith(f"{bits:.2f} bits")


def test_text_is_only_text(opened: Any, record: Any) -> None:
    assert opened.locator("#source").inner_text() == HOSTILE
    assert opened.locator("#translation").text_content() == record.translation
    assert opened.title() == f"Attention: {HOSTILE}"
    for kind in ("encoder", "decoder", "cross"):
        choose(opened, kind, 0, 0)
        for line, pieces in (("rows", record.rows(kind)), ("columns", record.columns(kind))):
            assert opened.locator(f"#{line} .piece b").all_text_contents() == shown_pieces(pieces, escape=False)
    assert "</script>" in "".join(record.source_pieces)
    assert opened.locator("img").count() == 0


def test_the_table_has_every_head_and_chooses_it(opened: Any, record: Any) -> None:
    choose(opened, "decoder", 0, 0)
    cells = opened.locator("#heads button:not([data-head='-1'])")
    entropy = [float(text.removesuffix(" bits")) for text in cells.locator(".entropy").all_inner_texts()]
    np.testing.assert_allclose(entropy, record.entropy["decoder"].ravel(), atol=0.005 + 1e-5)
    assert cells.locator(".padding").all_inner_texts() == ["pad 0.000"] * len(entropy)
    cells.nth(6).click()  # layer 2, head 3
    assert [opened.input_value("#layer"), opened.input_value("#head")] == ["1", "2"]
    np.testing.assert_allclose(numbers(opened, "columns"), record.weights["decoder"][1, 2, 0], atol=HALF_A_DIGIT)
    opened.locator("#map").hover(position={"x": 2, "y": opened.locator("#map").bounding_box()["height"] - 4})
    np.testing.assert_allclose(numbers(opened, "columns"), record.weights["decoder"][1, 2, -1], atol=HALF_A_DIGIT)


def test_the_keyboard_reaches_everything(opened: Any, record: Any) -> None:
    weights = record.weights["cross"][1, 3]
    opened.locator("#head").focus()
    for _ in range(4):  # from the mean
        opened.keyboard.press("ArrowDown")
    opened.keyboard.press("Tab")
    opened.keyboard.press("ArrowRight")
    np.testing.assert_allclose(numbers(opened, "rows"), weights[:, 1], atol=HALF_A_DIGIT)
    opened.keyboard.press("ArrowDown")
    np.testing.assert_allclose(numbers(opened, "columns"), weights[1], atol=HALF_A_DIGIT)
    opened.keyboard.press("End")
    np.testing.assert_allclose(numbers(opened, "columns"), weights[-1], atol=HALF_A_DIGIT)
    assert opened.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"
    opened.locator("#heads button").nth(3).focus()
    opened.keyboard.press("Enter")
    assert [opened.input_value("#layer"), opened.input_value("#head")] == ["0", "2"]


def test_light_and_dark(browser: Any, record: Any, tmp_path: Path) -> None:
    path = write_attention_html(record, tmp_path / "page.html")
    paper = "getComputedStyle(document.body).backgroundColor"
    corner = "Array.from(document.querySelector('#heads canvas').getContext('2d').getImageData(0, 0, 1, 1).data)"
    seen = {}
    for scheme in ("light", "dark"):
        for page in open_page(browser, path, color_scheme=scheme):
            seen[scheme] = page.evaluate(paper), page.evaluate(corner)
            page.select_option("#theme", "dark")
            seen[f"{scheme}, then dark"] = page.evaluate(paper), page.evaluate(corner)
    assert seen["light"][0] != seen["dark"][0]
    assert seen["light"][1] != seen["dark"][1]
    assert seen["dark"] == seen["light, then dark"] == seen["dark, then dark"]


def test_sixty_pieces_fit_a_narrow_screen(browser: Any, tmp_path: Path) -> None:
    long = record_attention(lively(num_heads=16), tokenizer(), "a dog runs today " * 8, "heute läuft ein Hund " * 5)
    assert len(long.source_pieces) > 60
    path = write_attention_html(long, tmp_path / "page.html")
    for page in open_page(browser, path, viewport={"width": 420, "height": 800}):
        assert page.evaluate("document.documentElement.scrollWidth") <= 420
        page.locator("#rows .piece").last.hover()
        shown = numbers(page, "columns")
        np.testing.assert_allclose(shown, long.weights["cross"][1].mean(axis=0)[-1], atol=HALF_A_DIGIT)


def test_one_file_that_could_not_ask_for_another(record: Any) -> None:
    page = attention_html(record)
    assert page.count("<script") == page.count("</script>") == 2
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    for tag in ("style", "script"):
        (body,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    urls = set(re.findall(r"(?:https?:)?//[\w.]+\.\w+[\w./]*", page.replace("\\u003c", "")))
    assert urls <= {"http://www.w3.org/2000/svg"}  # the name of a kind of element


def test_weights_are_kept_to_the_bit_and_odd_values_are_json(record: Any, tmp_path: Path) -> None:
    odd = {kind: values.copy() for kind, values in record.entropy.items()}
    odd["cross"][0, 0] = np.nan
    page = attention_html(replace(record, entropy=odd, source="\ud800 \u2028 <b>", score=None, beam_size=None))
    data = json.loads(re.search(r'id="record">(.*?)</script>', page, re.DOTALL)[1])
    for kind, weights in record.weights.items():
        kept = np.frombuffer(base64.b64decode(data["kinds"][kind]["weights"]), "<f4").reshape(weights.shape)
        np.testing.assert_array_equal(kept, weights)
    assert data["kinds"]["cross"]["entropy"][0][0] is None
    assert data["facts"].startswith("translation given")
    page.encode("utf-8")
    (tmp_path / "file").touch()
    with pytest.raises(kt.InputError, match="the page cannot be written"):
        write_attention_html(record, tmp_path / "file" / "page.html")
