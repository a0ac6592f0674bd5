"""The words that questions are made of, in the languages that the common programs speak.

Rule 1: words only describe. A list of answers says more than any word, so it is looked for first.
Rule 2: a word of a secret counts where it is what is asked for ("Password for ada:"), not where something about it is
        ("Password length:").
Rule 3: a line that begins by asking for a secret is no list, whatever stands in it: "Password for [a/b]:".
"""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

from truetty.core import lazy

Secret = Literal["password", "passphrase", "code", "secret"]

ENDS: Final = lazy.pattern(r"[:?>…›‣)\]？：）］】]\s*$")
HOST_KEY: Final = lazy.pattern(
    r"continue connecting \(yes/no|'yes', 'no' or the fingerprint|store key in cache\?", re.I
)
FILE_THERE: Final = lazy.pattern(
    r"\boverwrite\b|\breplace\b|\balready exists\b|\bconflict\b|^\*\*\* .{1,200} \(Y/I/N", re.I
)
OR_TYPE: Final = lazy.pattern(r"\bor (?:type|enter|specify|give)\b", re.I)
PAGER_LINE: Final = lazy.pattern(
    r"^-- ?More ?--|\(END\)\s*$|^:\s*$|^\s{0,2}Manual page .{1,200} line |^lines \d{1,9}[-–]\d|^--Type <RET> for more|"
    r"\(press h for help or q to quit\)\s*$|^Press SPACE for next page"
)
CONFIRM: Final = lazy.pattern(
    r"^\W{0,3}(?:are you sure|do you|would you|should|shall|is (?:this|that|it)|are (?:these|you)|continue|proceed|"
    r"really|ok to|okay|sure|overwrite|replace|remove|delete|accept|möchten sie|wollen sie|voulez-vous|"
    r"souhaitez-vous|¿?desea|deseja|vuoi)\b[^?]{0,200}\?\s*$|続行しますか|(?:よろしい|いい)ですか|是否继续|确定吗",
    re.I,
)
# Says how to answer; what is asked stands above.
GENERIC: Final = lazy.pattern(
    r"^\W{0,3}(?:(?:please )?(?:enter|type|your|make|select|choose)\b.{0,20}\b"
    r"(?:value|choice|selection|answer|option|number)s?\b.{0,40}|choice|selection|answer|option|what now)?\W{0,3}$",
    re.I,
)
PRESS: Final = lazy.pattern(
    r"\b(?:press|hit|strike|push)\W{1,3}(?:the |your )?(?:a key|enter|return|ret|space)\b|\bany (?:other )?key\b|"
    r"\b(?:beliebige taste|eingabetaste|appuyez sur|presione cualquier|pulse una|presione enter|pressione qualquer)\b|"
    r"нажмите|キーを押|任意键|任意鍵",
    re.I,
)
USER: Final = lazy.pattern(
    r"\b(?:user ?name|user ?id|login(?: name| as)?|user|benutzer(?:name)?|nom d'utilisateur|identifiant|usuario|"
    r"usuário|nome utente|gebruikersnaam|użytkownik)(?: \(.{0,80}\)| for .{0,200}| de .{0,80}| pour .{0,80})?"
    r"\s?(?:\[.{0,80}\])?\s?[:>?›‣]\s*$|(?:用户名|使用者名稱|ユーザー名|имя пользователя)\W*$",
    re.I,
)

_TRAILS_OFF: Final = lazy.pattern(r"\w[\"')\]]?\s?(?:\.{2,}|…)\s*$")

# After the word nothing may come but whose it is and the marks that end a question or hide what is typed.
_TAIL: Final = r"[\s:?]{0,3}(?:(?:for|of|to|from|again|please|confirmation|\(|\[|').*)?[\s\]:?>›‣…*•_-]*$"
# Words that mean nothing else may be said more about.
_LONG_TAIL: Final = (
    r"(?:[\s:?]{0,3}(?:(?:for|of|to|from|again|please|confirmation|you|your|that|which|used|here|now|as|in|on|with|"
    r"and|or|at|when)\b|[(\['\",;–—-]).*)?[\s\]:?>›‣…*•_-]*$"
)
_CODE: Final = lazy.pattern(
    r"\b(?:otp|2fa|mfa|one[- ]time (?:password|code|pin)|passcode|(?:verification|authentication|authenticator|"
    r"security|authorization|two[- ]factor|confirmation|device|login|sms|text message|e-?mail(?:ed)?|access|"
    r"unlock|recovery|backup|(?:\d|four|five|six|seven|eight)[- ]digit) code|"
    r"authenticator app|enter (?:the |your )?code|code (?:sent|from))\b",
    re.I,
)
_PASSPHRASE: Final = lazy.pattern(rf"\b(?:pass[- ]?phrase|phrase de passe)\b{_LONG_TAIL}", re.I)
_PASSWORD: Final = lazy.pattern(
    rf"\b(?:password|passwd)\b{_LONG_TAIL}|\b(?:pass|pwd|pin(?: code| number)?)(?: confirmation)?{_TAIL}|"
    r"\b(?:passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|lösenord|hasło|heslo|salasana|parola)\b.*:\s*$"
    r"|пароль|密码|密碼|パスワード|암호|비밀번호",
    re.I,
)
_NAMED: Final = (
    r"(?:secret(?: word| key| access key| value| phrase)?|token|api[- ]?key|credentials?|seed (?:phrase|words)|"
    r"mnemonic|(?:recovery|backup) (?:phrase|words)|(?:access|account|authentication|backup|decryption|encryption|"
    r"master|pre-?shared|private|recovery|root|security|shared|signing|unlock|vault|wallet|wi-?fi|wpa|wep) key)"
)
_SECRET: Final = lazy.pattern(rf"\b{_NAMED}{_TAIL}", re.I)

# ── what a line begins with ───────────────────────────────────────────────────────────────────────────────────────

_WORD: Final = (
    rf"(?:(?P<passphrase>pass[- ]?phrase)|(?P<password>password|passwd|pwd|pin(?: code| number)?)|"
    rf"(?P<code>passcode|otp)|(?P<secret>{_NAMED}|(?:the|your) key))"
)
# After the word: then something about the secret is asked for, or something that has its name.
_ABOUT: Final = (
    r"(?![\s_-]+(?:address|age|algorithm|auth\w*|budget|change|class|complexity|count|database|days|directory|duration|"
    r"endpoint|expir\w*|field|file\w*|folder|format|generat\w*|hint|ids?|index|kind|label|length|lifetime|limit|list|"
    r"location|manager|max\w*|method|min\w*|mode|names?|number|options?|path|policy|prefix|prompt|protect\w*|provider|"
    r"request|reset|rules?|scopes?|size|sources?|storage|store|strategy|strength|symbol|ttl|types?|uri|url|usage|"
    r"version)\b)"
)
# `Enter the WORD`, but not `Type 'yes' to store the WORD`.
_TOLD: Final = lazy.pattern(
    r"\b(?:re-?)?(?:enter|type|input|provide|supply|give|paste)(?: in)?"
    rf"(?:\s+(?!(?:to|if|or|and|for|when|whether|before|after|without|number)\b)[\w.@/’-][\w.@/'’-]{{0,80}}){{0,5}}?"
    rf"\s+{_WORD}\b{_ABOUT}",
    re.I,
)
# `WORD:` and `[sudo] new WORD for`.
_BEGUN: Final = lazy.pattern(
    r"\W{0,3}(?:[\[(][^\])]{1,80}[\])]\s)?(?:(?:\S{1,80}['’]s|your|the|new|old|current|master|root|admin|user|login|sudo|"
    rf"ssh|database|account|confirm|repeat|verify)\s){{0,3}}{_WORD}(?:\s(?:for|of)\s|\s?:\s*$)",
    re.I,
)
_FIRST: Final = lazy.pattern(r"\W{0,3}(?:(?:please|now)\b,?\s+){0,2}", re.I)
_QUESTION: Final = lazy.pattern(r"\?(?:\s|$)")


# What systemd-ask-password says of a question that has no word for a secret.
_HIDES: Final = lazy.pattern(r"\(press TAB for no echo\)", re.I)


def demand(line: str) -> Secret | None:
    """Which secret a line begins by asking for, so that nothing after it can be a list of answers."""
    if _HIDES.search(line):
        return "secret"
    first = _FIRST.match(line)
    found = _BEGUN.match(line) or _TOLD.match(line, first.end() if first else 0)
    return _kind(found) if found and not _QUESTION.search(line, found.end()) else None


def secret(line: str) -> Secret | None:
    """Which secret a line asks for, by its words."""
    if _CODE.search(line):
        return "code"
    if _PASSPHRASE.search(line):
        return "passphrase"
    if _PASSWORD.search(line):
        return "password"
    if _SECRET.search(line):
        return "secret"
    return _kind(told) if (told := _TOLD.search(line)) else None


def trails_off(line: str) -> bool:
    """`Compiling...` tells what a program does. `Press Enter to continue...` asks."""
    if _TRAILS_OFF.search(line) is None:
        return False
    return not ("?" in line or PRESS.search(line) or CONFIRM.search(line) or secret(line))


def _kind(found: re.Match[str]) -> Secret:
    kinds: tuple[Secret, ...] = get_args(Secret)
    return next((kind for kind in kinds if found[kind] is not None), "secret")
