"""`truetty schema`: the verbs as functions of language models, to be pasted or read by programs in any language."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from truetty.core.errors import Misuse
from truetty.functions import schemas

FORMS: Final[dict[str, Callable[[], list[schemas.Schema]]]] = {
    "openai": schemas.openai,
    "responses": schemas.responses,
    "anthropic": schemas.anthropic,
    "bash": schemas.bash,
}


def main(form: str | None = None) -> int:
    make = FORMS.get(form or "openai")
    if make is None:
        raise Misuse(f"no form is called {form!r}: there are {', '.join(FORMS)}", form=form, known=[*FORMS])
    print(json.dumps(make(), indent=2, ensure_ascii=False))
    return 0
