"""The installed formats, looked at by themselves: the first files that they write, and the schemas of their files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._host.kinds import Offer
from .._host.registry import Registry
from ..api import FormatSpec, FormatTools, JsonMapping, RunOptions, StarterAnswers, StarterChoices
from ..errors import UsageError
from .components import Made, guarded
from .conversion import Converted, convert
from .reading import Reading
from .schemas import completed


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """A format that writes first files."""

    made: Made
    choices: StarterChoices
    """What can be chosen."""

    @property
    def provider(self) -> str | None:
        """The provider of a model that its files name without one."""
        provider: str | None = self.made.offer.spec.default_provider
        return provider

    def text(self, answers: StarterAnswers) -> str:
        """Return the first file that the answers come to. Raises ``PluginError`` when the format fails."""
        text: str = guarded(self.made, "starter", lambda: self.made.component.starter(answers))
        return text


class Formats:
    """What can be known of formats without a file."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._registry: Registry = reading.host.registry
        self._tools: FormatTools = reading.tools

    def starter(self, name: str | None = None) -> Starter:
        """Return the format that writes first files.

        Args:
            name: The format; the only one that does when left out.

        Raises ``UsageError`` when there is none, or more than one to choose from.
        """
        made = self._able("starter", "writes first files", name)
        return Starter(made=made, choices=guarded(made, "starter_choices", made.component.starter_choices))

    def schema(self, name: str | None = None) -> JsonMapping:
        """Return the JSON Schema of a format's files, with the options of everything that is installed.

        Args:
            name: The format; the one that writes first files when left out.

        Raises ``UsageError`` when it has none.
        """
        made = self.starter().made if name is None else self._able("schema", "describes its files", name)
        if not hasattr(made.component, "schema"):
            raise UsageError(f"format {made.offer.name!r} is none that describes its files")
        schema: JsonMapping = guarded(made, "schema", made.component.schema)
        return completed(schema, self._registry)

    def convert(self, source: Path, target: Path, options: RunOptions) -> Converted:
        """Return a suite as a file of the format that writes first files, which runs alike.

        Args:
            source: The suite, of another format.
            target: Where the file is going to be; nothing is written there.
            options: Of these, ``format`` (of the suite) and ``local_plugins`` have a say.

        Raises ``BenchmarkError`` for a suite that could not be run, ``UsageError`` for one that cannot be converted.
        """
        return convert(self._reading, self._able("write", "writes converted files", None), source, target, options)

    def _able(self, method: str, does: str, name: str | None) -> Made:
        if name is not None:
            made = self._made(self._registry.get("format", name))
            if not hasattr(made.component, method):
                raise UsageError(f"format {name!r} is none that {does}")
            return made
        able = self._registry.wanted("format", lambda offer: hasattr(self._made(offer).component, method))
        if len(able) == 1:
            return self._made(able[0])
        names = ", ".join(offer.name for offer in able)
        raise UsageError(
            f"several formats are ones that {does}; name one of {names}" if able else f"no plugin in use {does}"
        )

    def _made(self, offer: Offer[FormatSpec]) -> Made:
        made = Made(component=None, settings=None, offer=offer)
        component: Any = guarded(made, "create", lambda: offer.spec.create(self._tools))
        return Made(component=component, settings=None, offer=offer)
