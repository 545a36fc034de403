"""``steelyard init``: a first benchmark from three questions, or from none, checked before it is written."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from .._paths import slug
from ..api import ModelInfo, StarterAnswers, StarterChoices
from ..errors import BenchmarkError, SteelyardError, UsageError
from ..records import write_file
from ..text import one_line
from .asking import ask, confirmed
from .editor_schema import HINT, schema_beside
from .invocation import Invocation, pass_invocation
from .model_prices import is_free, per_mtok, takes_and_gives_text
from .opening import opened
from .options import HELP_OPTIONS, debug_option
from .output import print_line, print_note, print_warning

if TYPE_CHECKING:
    from ..session import Session, Starter

_FOLDER: Final = Path("benchmarks")
_FILE_IN_A_FOLDER: Final = "evals.yaml"
_NAME: Final = "My benchmark"
_SUGGESTIONS: Final = 5
_ENDINGS: Final = (".yaml", ".yml")


@click.command("init", context_settings=HELP_OPTIONS)
@click.argument("path", required=False, type=click.Path(path_type=Path), metavar="[PATH]")
@click.option("--yes", is_flag=True, help="Ask nothing: take the defaults, and never overwrite a file.")
@click.option("--offline", is_flag=True, help="Suggest no models, so that nothing is fetched.")
@debug_option
@pass_invocation
def command(invocation: Invocation, path: Path | None, *, yes: bool, offline: bool) -> None:
    """Write a first benchmark that runs as it is, with comments and examples to replace.

    PATH is the file, benchmarks/NAME.yaml when left out. Asks for a name, the way to judge and the models; Enter takes
    the default. Where PATH is a folder, nothing is asked: its evals.yaml asks a stand-in that needs no key and no
    network, so that it passes as it is. Beside the file goes a schema, by which editors complete and check it.
    """
    with opened(invocation) as session:
        _Init(session, invocation, path, asks=not yes and not _is_folder(path), offline=offline).run()


class _Init:
    """One invocation of the command."""

    def __init__(
        self, session: Session, invocation: Invocation, path: Path | None, *, asks: bool, offline: bool
    ) -> None:
        self._session = session
        self._color = invocation.color
        self._path = path
        self._asks = asks
        self._offline = offline

    def run(self) -> None:
        """Ask, check, write."""
        starter = self._session.formats.starter()
        name = self._name()
        target = _target(self._path, name)
        self._must_be_free(target)
        mode = self._mode(starter.choices)
        models = self._models(starter)
        text = starter.text(StarterAnswers(name=name, mode=mode, models=models))
        self._check(text, target)
        schema = schema_beside(self._session, target)
        write_file(target, [f"{HINT if schema else ''}{text}".encode()])
        print_line(f"Wrote {target.absolute()}")
        if schema:
            print_note(f"Its schema for editors: {schema}")
        self._say_what_is_next(starter, target, needs_key=models != (starter.choices.offline,))

    def _name(self) -> str:
        default = _NAME
        if self._path is not None and self._path.suffix.lower() in _ENDINGS:
            default = one_line(self._path.stem.replace("-", " ").replace("_", " ")).capitalize() or _NAME
        if not self._asks:
            return default
        return ask("Name of the benchmark", default, _not_empty)

    def _must_be_free(self, target: Path) -> None:
        if not target.exists():
            return
        if target.is_dir():
            raise UsageError(f"{target}: is a folder; name a file")
        if not self._asks:
            advice = "" if _is_folder(self._path) else ", or leave --yes out to overwrite it"
            raise UsageError(f"{target}: exists already; name another file{advice}")
        if not confirmed(f"{target} exists already. Overwrite it?"):
            raise UsageError(f"{target}: exists already, and was left as it is; name another file")

    def _mode(self, choices: StarterChoices) -> str:
        if not self._asks or len(choices.modes) == 1:
            return choices.modes[0]

        def read(answer: str) -> str:
            found = [mode for mode in choices.modes if mode.startswith(answer.casefold().replace("-", "_"))]
            if len(found) != 1:
                raise ValueError(f"{answer!r} is no way to judge here; choose one of {', '.join(choices.modes)}")
            return found[0]

        return ask(f"How to judge ({', '.join(choices.modes)})", choices.modes[0], read)

    def _models(self, starter: Starter) -> tuple[str, ...]:
        if starter.choices.offline and _is_folder(self._path):
            return (starter.choices.offline,)
        catalog = self._catalog(starter.provider)
        default = _default_model(starter.choices.model, catalog)
        if not self._asks:
            return self._warned((default,), catalog)
        self._suggest(starter.choices, catalog)
        return self._warned(ask("Models to compare, with commas between them", default, _names), catalog)

    def _catalog(self, provider: str | None) -> Sequence[ModelInfo]:
        """Return the models of the starter's provider; none when they cannot be had, which is no reason to stop."""
        if provider is None or self._offline:
            return ()
        try:
            listed = self._session.providers.models(provider)
        except SteelyardError as error:
            print_note(f"no suggestions of models: {error}")
            return ()
        if listed.key_problem:
            print_warning(listed.key_problem, color=self._color)
        return listed.models

    def _suggest(self, choices: StarterChoices, catalog: Sequence[ModelInfo]) -> None:
        free = [model.id for model in catalog if is_free(model) and takes_and_gives_text(model)]
        if free:
            print_note("Free models, for instance (their makers limit how often they can be asked):")
        for name in free[:_SUGGESTIONS]:
            print_note(f"  {name}")
        for model in catalog:
            if model.id in choices.also:
                prices = (
                    per_mtok(price, "?") for price in (model.pricing.input_per_mtok, model.pricing.output_per_mtok)
                )
                print_note("A cheap one without those limits (USD per million tokens in and out):")
                print_note(f"  {model.id} (${' / $'.join(prices)})")

    def _warned(self, models: tuple[str, ...], catalog: Sequence[ModelInfo]) -> tuple[str, ...]:
        known = {model.id for model in catalog}
        providers = self._session.registry.names("provider")
        for name in models:
            elsewhere = name.partition(":")[0] in providers
            if known and name not in known and not elsewhere:
                print_warning(f"model {name!r} is not in the catalog; is it written right?", color=self._color)
        return models

    def _check(self, text: str, target: Path) -> None:
        """Check the file as ``validate`` does, before it is one. Raises ``BenchmarkError`` when it has errors."""
        with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
            draft = Path(folder) / target.name
            draft.write_text(text, encoding="utf-8")
            checked = self._session.check(draft)
        problems = [replace(one, place=one.place.replace(str(draft), str(target))) for one in checked.problems]
        if not checked.ok:
            raise BenchmarkError(problems)
        for problem in problems:
            print_warning(str(problem), color=self._color)

    def _say_what_is_next(self, starter: Starter, target: Path, *, needs_key: bool) -> None:
        for key in self._session.providers.key_sources() if needs_key else ():
            if key.name == starter.provider and key.is_set is False:
                print_note(f"Before it can run: {key.problem}")
        print_note(f"Replace its examples by your own, then: steelyard run {target}")


def _target(path: Path | None, name: str) -> Path:
    file = f"{slug(name)}.yaml"
    if path is None:
        return _FOLDER / file
    if _is_folder(path):
        return path / _FILE_IN_A_FOLDER
    if path.suffix.lower() not in _ENDINGS:
        raise UsageError(f"{path}: a benchmark is written as YAML; end its name in .yaml")
    return path


def _is_folder(path: Path | None) -> bool:
    return path is not None and (path.is_dir() or not path.suffix)


def _default_model(wanted: str, catalog: Sequence[ModelInfo]) -> str:
    """Return the model that is taken unasked: a free one that takes its place when it is not there any more."""
    if not catalog or any(model.id == wanted for model in catalog):
        return wanted
    free = (model.id for model in catalog if is_free(model) and takes_and_gives_text(model))
    return next(free, wanted)


def _not_empty(answer: str) -> str:
    if not answer:
        raise ValueError("a benchmark needs a name")
    return answer


def _names(answer: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in answer.split(",") if name.strip()))
    if not names:
        raise ValueError("at least one model is needed")
    return names
