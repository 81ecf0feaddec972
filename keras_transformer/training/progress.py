"""What a person sees while a model trains."""

import logging
import time
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

_REFRESH_SECONDS = 0.5
_LONGEST_SAMPLE = 160


class Reporter:
    r"""A progress bar on a terminal, plain lines elsewhere; all of it on standard error.

    Args:
        quiet: print nothing at all.
        console: where to print.

    Example:
        >>> import io
        >>> text = io.StringIO()
        >>> with Reporter(console=Console(file=text, width=200)) as reporter:
        ...     reporter.start(total=100, step=0)
        ...     reporter.window(50, loss=2.0, learning_rate=1e-3, tokens_per_second=4200.0, seconds_left=65.0)
        >>> text.getvalue()
        'step 50/100 | loss 2.0000 | learning rate 1.00e-03 | 4,200 tokens/s | 0:01:05 left\n'
    """

    def __init__(self, quiet: bool = False, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, quiet=quiet, soft_wrap=True, highlight=False)
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._total = 0
        self._refreshed = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def say(self, text: str) -> None:
        """Print text as it is, above the bar."""
        self._console.print(text, markup=False, soft_wrap=True)

    def warn(self, text: str) -> None:
        """Print a warning, and log it for programs that listen."""
        logging.getLogger("keras_transformer").info("warning: %s", text)
        self._console.print(f"Warning: {text}", style="yellow", markup=False, soft_wrap=True)

    def start(self, total: int, step: int) -> None:
        """Show the bar, at `step` of `total` updates."""
        self._total = total
        if not self._console.is_terminal or self._console.quiet:
            return
        columns = (TextColumn("training"), BarColumn(24), MofNCompleteColumn(), TextColumn("{task.fields[text]}"))
        self._bar = Progress(*columns, console=self._console, refresh_per_second=2)
        self._task = self._bar.add_task("training", total=total, completed=step, text="first step: compiling")
        self._bar.start()

    def advance(self, step: int, loss: float) -> None:
        """Move the bar after an update; `loss` is the mean since the last window."""
        now = time.monotonic()
        if self._bar is None or now - self._refreshed < _REFRESH_SECONDS:
            return
        self._refreshed = now
        self._bar.update(self._task, completed=step)
        if self._bar.tasks[0].fields["text"].startswith("first"):
            self._bar.update(self._task, text=f"loss {loss:.4f}")

    def window(
        self, step: int, *, loss: float, learning_rate: float, tokens_per_second: float, seconds_left: float
    ) -> None:
        """Show the figures of the last `log_every` updates.

        Args:
            step: updates made.
            loss: mean training loss per target token, in nats.
            learning_rate: of the newest update.
            tokens_per_second: real target tokens, validations left out.
            seconds_left: until training ends, at this pace.
        """
        figures = [f"loss {loss:.4f}", f"learning rate {learning_rate:.2e}", f"{tokens_per_second:,.0f} tokens/s"]
        figures.append(f"{timedelta(seconds=round(seconds_left))} left")
        if self._bar is not None:
            self._bar.update(self._task, completed=step, text=" | ".join(figures))
        else:
            self.say(" | ".join([f"step {step}/{self._total}", *figures]))

    def validation(self, title: str, scores: dict[str, Any], samples: list[tuple[str, str, str]], best: bool) -> None:
        """Show a validation and sample translations: (source, reference, hypothesis)."""
        figures = f"BLEU {scores['bleu']:.2f} | chrF {scores['chrf']:.2f}"
        figures += f" | perplexity {scores['perplexity']:.2f} | accuracy {100 * scores['accuracy']:.1f} %"
        self.say(f"{title}: {figures}{' | best so far' if best else ''}")
        for source, reference, hypothesis in samples:
            self.say(f"  source     {_cut(source)}\n  reference  {_cut(reference)}\n  hypothesis {_cut(hypothesis)}")

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _cut(text: str) -> str:
    """A sample line that does not flood the log: a young model repeats one word up to the length limit."""
    return text if len(text) <= _LONGEST_SAMPLE else f"{text[:_LONGEST_SAMPLE]} ..."
