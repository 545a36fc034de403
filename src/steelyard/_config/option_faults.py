"""What is wrong with the options that a component declares, before any file gives them a value."""

from __future__ import annotations

from typing import Any

from .option_plans import plan_of
from .option_types import OptionTypeError


def type_fault(settings_type: type[Any]) -> str | None:
    """Say which option of a settings dataclass has a type that none can have, and what to use; else ``None``."""
    try:
        plan_of(settings_type)
    except OptionTypeError as exc:
        return str(exc)
    except NameError as exc:
        advice = "import it at the top of the module, not under TYPE_CHECKING"
        return f"the types of its options cannot be read: {exc}; {advice}"
    except RecursionError:
        return "an option may not be of the type of the settings that it stands in"
    except Exception as exc:  # annotations are foreign code
        return f"the types of its options cannot be read: {type(exc).__name__}: {exc}"
    return None
