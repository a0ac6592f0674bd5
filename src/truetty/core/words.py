"""The words that questions are made of, in the languages that the common programs speak.

Rule 1: words only describe. A list of answers says more than any word, so it is looked for first.
Rule 2: a word of a secret counts where it is what is asked for ("Password for ada:"), not where something about it is
        ("Password length:").
"""

from __future__ import annotations

import re
from typing import Final, Literal

Secret = Literal["password", "passphrase", "code", "secret"]

ENDS: Final = re.compile(r"[:?>…›‣)\]？：]\s*$")
HOST_KEY: Final = re.compile(r"continue connecting \(yes/no|'yes', 'no' or the fingerprint|store key in cache\?", re.I)
FILE_THERE: Final = re.compile(
    r"\boverwrite\b|\breplace\b|\balready exists\b|\bconflict\b|^\*\*\* .{1,200} \(Y/I/N", re.I
)
OR_TYPE: Final = re.compile(r"\bor (?:type|enter|specify|give)\b", re.I)
PAGE: Final = re.compile(
    r"^-- ?More ?--|\(END\)\s*$|^:\s*$|^\s{0,2}Manual page .{1,200} line |^lines \d{1,9}[-–]\d|^--Type <RET> for more|"
    r"\(press h for help or q to quit\)\s*$|^Press SPACE for next page"
)
CONFIRM: Final = re.compile(
    r"^\W{0,3}(?:are you sure|do you|would you|should|shall|is (?:this|that|it)|are (?:these|you)|continue|proceed|"
    r"really|ok to|okay|sure|overwrite|replace|remove|delete|accept|möchten sie|wollen sie|voulez-vous|"
    r"souhaitez-vous|¿?desea|deseja|vuoi)\b[^?]{0,200}\?\s*$|続行しますか|(?:よろしい|いい)ですか|是否继续|确定吗",
    re.I,
)
# Says how to answer; what is asked stands above.
GENERIC: Final = re.compile(
    r"^\W{0,3}(?:(?:please )?(?:enter|type|your|make|select|choose)\b.{0,20}\b"
    r"(?:value|choice|selection|answer|option|number)s?\b.{0,40}|choice|selection|answer|option|what now)?\W{0,3}$",
    re.I,
)
PRESS: Final = re.compile(
    r"\b(?:press|hit|strike|push)\W{1,3}(?:the |your )?(?:a key|enter|return|ret|space)\b|\bany (?:other )?key\b|"
    r"\b(?:beliebige taste|eingabetaste|appuyez sur|presione cualquier|pulse una|presione enter|pressione qualquer)\b|"
    r"нажмите|キーを押|任意键|任意鍵",
    re.I,
)
USER: Final = re.compile(
    r"\b(?:user ?name|user ?id|login(?: name| as)?|user|benutzer(?:name)?|nom d'utilisateur|identifiant|usuario|"
    r"usuário|nome utente|gebruikersnaam|użytkownik)(?: \(.{0,80}\)| for .{0,200}| de .{0,80}| pour .{0,80})?"
    r"\s?(?:\[.{0,80}\])?\s?[:>?›‣]\s*$|(?:用户名|使用者名稱|ユーザー名|имя пользователя)\W*$",
    re.I,
)

# After the word nothing may come but whose it is and the marks that end a question or hide what is typed.
_TAIL: Final = r"[\s:?]{0,3}(?:(?:for|of|to|from|again|please|confirmation|\(|\[|').*)?[\s\]:?>›‣…*•_]*$"
_CODE: Final = re.compile(
    r"\b(?:otp|2fa|mfa|one[- ]time (?:password|code|pin)|passcode|(?:verification|authentication|authenticator|"
    r"security|authorization|two[- ]factor|confirmation|device|login|(?:6|six)[- ]digit) code|"
    r"authenticator app|enter (?:the |your )?code|code (?:sent|from))\b",
    re.I,
)
_PASSPHRASE: Final = re.compile(rf"\b(?:pass[- ]?phrase|phrase de passe){_TAIL}", re.I)
_PASSWORD: Final = re.compile(
    rf"\b(?:password|passwd|pass|pwd|pin)(?: confirmation)?{_TAIL}|"
    r"\b(?:passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|lösenord|hasło|heslo|salasana|parola)\b.*:\s*$"
    r"|пароль|密码|密碼|パスワード|암호|비밀번호",
    re.I,
)
_SECRET: Final = re.compile(
    rf"\b(?:secret(?: word| key| access key| value)?|token|api[- ]?key|private key|credentials?){_TAIL}", re.I
)


def secret(line: str) -> Secret | None:
    """Which secret a line asks for, by its words."""
    if _CODE.search(line):
        return "code"
    if _PASSPHRASE.search(line):
        return "passphrase"
    if _PASSWORD.search(line):
        return "password"
    return "secret" if _SECRET.search(line) else None
