"""`truetty schema`: the verbs as functions of language models, to be pasted or read by programs in any language."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from truetty.core import kinds
from truetty.core.errors import Misuse
from truetty.functions import schemas

FORMS: Final[dict[str, Callable[[], list[schemas.Schema]]]] = {
    "openai": schemas.openai,
    "responses": schemas.responses,
    "anthropic": schemas.anthropic,
    "bash": schemas.bash,
}


def schema(form: str) -> int:
    make = FORMS.get(form)
    if make is None:
        raise Misuse(kinds.unknown(form, FORMS), form=form, known=[*FORMS])
    print(json.dumps(make(), indent=2, ensure_ascii=False))
    return 0
