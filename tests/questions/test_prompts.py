"""What real programs ask, and how it is described. The texts are what the programs print, to the letter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from tests.rows import each_row
from truetty.core.outcome import Asks, WaitingKind
from truetty.questions.description import SECRETS, Description
from truetty.questions.prompts import describe
from truetty.questions.words import trails_off

YN = ("y", "n")


@dataclass(frozen=True)
class Case:
    asks: Asks
    text: str
    program: str | None = None
    choices: tuple[str, ...] = ()
    default: str | None = None
    kind: WaitingKind = "line"
    labels: tuple[str, ...] = ()
    prompt: str | None = field(default=None)  # None: the last line

    def __str__(self) -> str:
        return f"{self.program or 'unknown'}: {self.text.strip().splitlines()[-1].strip()[:50] if self.text else ''}"


def described(case: Case) -> Description:
    return describe(case.kind, case.program, case.text.split("\n"))


CONFFILE = """\
Configuration file '/etc/foo.conf'
 ==> Modified (by you or by a script) since installation.
 ==> Package distributor has shipped an updated version.
   What would you like to do about it ?  Your options are:
    Y or I  : install the package maintainer's version
    N or O  : keep your currently-installed version
      D     : show the differences between the versions
      Z     : start a shell to examine the situation
 The default action is to keep your current version.
*** foo.conf (Y/I/N/O/D/Z) [default=N] ? """
HOST_KEY = """\
The authenticity of host 'example.org (192.0.2.7)' can't be established.
ED25519 key fingerprint is SHA256:p2QAMXNIC1TJYWeIOttrVc98/R1BUFWu3/LiyKgUfQM.
This key is not known by any other names.
Are you sure you want to continue connecting (yes/no/[fingerprint])? """
GPG_MENU = """\
Please select what kind of key you want:
   (1) RSA and RSA (default)
   (2) DSA and Elgamal
  (14) Existing key from card
Your selection? """
ALTERNATIVES = """\
There are 2 choices for the alternative editor (providing /usr/bin/editor).

  Selection    Path                Priority   Status
------------------------------------------------------------
* 0            /bin/nano            40        auto mode
  1            /bin/ed             -100       manual mode
  2            /usr/bin/vim.basic   30        manual mode

Press <enter> to keep the current choice[*], or type selection number: """
TERRAFORM = """\
Do you want to perform these actions?
  Terraform will perform the actions described above.
  Only 'yes' will be accepted to approve.

  Enter a value: """
GIT_COMMANDS = """\
*** Commands ***
  1: status\t  2: update\t  3: revert\t  4: add untracked
  5: patch\t  6: diff\t  7: quit\t  8: help
What now> """

YES_OR_NO = [
    Case("yes-no", "Do you want to continue? [Y/n] ", "apt-get", YN, "y"),
    Case("yes-no", "After this operation, 5 kB will be freed.\nDo you want to continue? [Y/n] ", "apt", YN, "y"),
    Case("yes-no", "Proceed (Y/n)? ", "pip", YN, "y"),
    Case("yes-no", "Proceed ([y]/n)? ", "conda", YN, "y"),
    Case("yes-no", "Are you sure you want to continue? [y/N] ", "docker", YN, "n"),
    Case("yes-no", "Is this ok [y/N]: ", "dnf", YN, "n"),
    Case("yes-no", ":: Proceed with installation? [Y/n] ", "pacman", YN, "y"),
    Case("yes-no", "Overwrite (y/n)? ", "ssh-keygen", YN),
    Case("yes-no", "gzip: a.gz already exists; do you wish to overwrite (y or n)? ", "gzip", YN),
    Case("yes-no", "Proceed anyway? (y,N) ", "mkfs.ext4", YN, "n"),
    Case("yes-no", "rm: remove regular empty file 'f'? ", "rm", YN),
    Case("yes-no", "rm: remove write-protected regular file 'a b'? ", "rm", YN),
    Case("yes-no", "cp: overwrite 'b'? ", "cp", YN),
    Case("yes-no", "mv: replace 'b', overriding mode 0444 (r--r--r--)? ", "mv", YN),
    Case("yes-no", "< true ... . > ? ", "find", YN),
    Case("yes-no", "/root/Mail does not exist. Create it? ([yes]/no):", "mutt", ("yes", "no"), "yes", "fullscreen"),
    Case("yes-no", "echo a?...", "xargs", YN),
    Case("yes-no", "Run 'status' instead [y/N]? ", "git", YN, "n"),
    Case("yes-no", "Is this OK? (yes) ", "npm init", ("yes", "no"), "yes", "key"),
    Case("yes-no", "Ok to proceed? (y) ", "npm exec cowsay", YN, "y", "key"),
    Case("yes-no", "Is this correct? (y/N) ", "gpg", YN, "n", "key"),
    Case("yes-no", "Make breakpoint pending on future load? (y or [n]) ", "gdb", YN, "n", "key"),
    Case("yes-no", "Quit anyway? (y or n) ", "gdb", YN, None, "key"),
    Case("yes-no", "Do you like rich? [y/n] (y): ", "python", YN, "y"),
    Case("yes-no", "Do you want to continue? [y/N]: ", "python3.12", YN, "n"),
    Case("yes-no", "Would you like to remove it? (yes/no) [no]: ", None, ("yes", "no"), "no"),
    Case("yes-no", "Are you sure? (Yes/no) ", None, ("yes", "no"), "yes"),
    Case("yes-no", "Install anyway? yes or no: ", None, ("yes", "no")),
    Case("yes-no", "Continue (y/n) ", None, YN),
    Case("yes-no", "Continue? (Y/N): ", None, YN),
    Case("yes-no", "Agree? y/n ", None, YN),
    Case("yes-no", "Save password? [y/N] ", None, YN, "n"),
    Case("yes-no", "Save password for ada [y/N]: ", None, YN, "n"),
    Case("yes-no", "Enter password again? (y/n) ", None, YN),
    Case("yes-no", "Do you want to set a password for the account? (y/n): ", None, YN),
    Case("yes-no", "go on? [yN] ", None, YN, "n"),
    Case("yes-no", "go on? (yes|no) ", None, ("yes", "no")),
    Case("yes-no", "Do you want to try again (type 'yes' or 'no')? ", None, ("yes", "no")),
    Case("yes-no", "Remove 'x' [yes/NO]? ", None, ("yes", "no"), "no"),
    Case("yes-no", "确定要删除吗？（是/否）", None, ("是", "否")),
    Case("yes-no", "是否继续？［y/n］ ", None, YN),
    Case("yes-no", "続行しますか？【Y／n】", None, YN, "y"),
    Case("yes-no", "继续？（Y／n）：", None, YN, "y"),
    Case("choice", "选择（低、中、高）［中］：", None, ("低", "中", "高"), "中"),
    Case("yes-no", "[Y]es or [N]o? ", None, ("Y", "N"), labels=("Yes", "No")),
    Case("yes-no", "Sure? ", "bash"),
    Case("yes-no", "Are you sure you want to delete everything? ", "deploy"),
    Case("yes-no", "Delete everything (y/n)?\n", "bash", YN, prompt="Delete everything (y/n)?"),
    Case("yes-no", TERRAFORM, "terraform", ("yes", "no")),
    Case("yes-no", "Type 'yes' to continue: ", None, ("yes", "no")),
    Case("yes-no", "Möchten Sie fortfahren? [J/n] ", "apt", ("j", "n"), "j"),
    Case("yes-no", "Souhaitez-vous continuer ? [O/n] ", "apt", ("o", "n"), "o"),
    Case("yes-no", "¿Desea continuar? [S/n] ", "apt", ("s", "n"), "s"),
    Case("yes-no", "Хотите продолжить? [Д/н] ", "apt", ("д", "н"), "д"),
    Case("yes-no", "続行しますか? [Y/n] ", "apt", YN, "y"),
    Case("yes-no", "? Overwrite it? (y/N)", "node", YN, "n", "key"),
    Case("yes-no", "? Remove existing files? › (Y/n)", "node", YN, "y", "key"),
    Case("yes-no", "? Want to answer? (y/N) ‣ false", "node", YN, "n", "key"),
    Case("yes-no", "? Are you sure? (Y/n)" + "\n" * 29 + " ", "python", YN, "y", "key", prompt="? Are you sure? (Y/n)"),
]

CHOSEN = [
    Case("choice", "(1/2) Stage this hunk [y,n,q,a,d,j,J,g,/,e,?]? ", "git", (*"ynqadjJg", "/", "e", "?")),
    Case("choice", "record this change to 'a'? (enter ? for help) [Ynesfdaq?] ", "hg", tuple("ynesfdaq?"), "y"),
    Case("choice", "(1/1) Stage this hunk [y,n,q,a,d,e,?]? ", "git", ("y", "n", "q", "a", "d", "e", "?")),
    Case(
        "conflict",
        "replace u? [y]es, [n]o, [A]ll, [N]one, [r]ename: ",
        "unzip",
        ("y", "n", "A", "N", "r"),
        labels=("yes", "no", "All", "None", "rename"),
    ),
    Case("conflict", "Overwrite? (y)es, (n)o, (a)ll", None, ("y", "n", "a"), labels=("yes", "no", "all")),
    Case(
        "conflict",
        CONFFILE,
        "dpkg",
        tuple("YINODZ"),
        "N",
        labels=(
            *["install the package maintainer's version"] * 2,
            *["keep your currently-installed version"] * 2,
            "show the differences between the versions",
            "start a shell to examine the situation",
        ),
    ),
    Case(
        "choice",
        "Change (N)ame, (C)omment, (E)mail or (O)kay/(Q)uit? ",
        "gpg",
        tuple("NCEOQ"),
        kind="key",
        labels=("Name", "Comment", "Email", "Okay", "Quit"),
    ),
    Case("choice", "Level (low, high) [low]: ", "python", ("low", "high"), "low"),
    Case("choice", "Enter your name [Paul/Jessica] (Paul): ", "python", ("Paul", "Jessica"), "Paul"),
    Case("choice", "Abort, retry, ignore? (abort/retry/ignore) ", None, ("abort", "retry", "ignore")),
    Case("choice", 'Please type "DELETE" to confirm: ', None, ("DELETE",)),
    Case("conflict", "? Conflict on a.js (yadH)", "node", tuple("yadh"), "h", "key"),
    Case("choice", "Proceed? [Y/n/?] ", "pacman", ("y", "n", "?"), "y"),
    Case("choice", "Do you want to save? Yes/No/Cancel: ", None, ("Yes", "No", "Cancel")),
    Case("choice", "Retry (r), skip (s), abort (a)? ", None, tuple("rsa"), labels=("Retry", "skip", "abort")),
    Case("choice", "Select an option (1/2/3): ", None, ("1", "2", "3")),
    Case("host-key", HOST_KEY, "ssh", ("yes", "no")),
    Case("host-key", "Please type 'yes', 'no' or the fingerprint: ", "ssh", ("yes", "no")),
    Case(
        "menu",
        "1) staging\n2) production\n3) quit\n#? ",
        "bash",
        ("1", "2", "3"),
        labels=("staging", "production", "quit"),
    ),
    Case("menu", "1) a  2) b  3) c  \n?# ", "zsh", ("1", "2", "3"), labels=("a", "b", "c")),
    Case("menu", "1) a\n2) b\nEnvironment? ", "bash", ("1", "2"), labels=("a", "b")),
    Case(
        "menu",
        " 1. Africa   3. Asia\n 2. Arctic  4. US\nGeographic area: ",
        "dpkg-reconfigur",
        tuple("1234"),
        labels=("Africa", "Arctic", "Asia", "US"),
    ),
    Case(
        "menu",
        GIT_COMMANDS,
        "git",
        tuple("12345678"),
        labels=("status", "update", "revert", "add untracked", "patch", "diff", "quit", "help"),
    ),
    Case(
        "menu",
        GPG_MENU,
        "gpg",
        ("1", "2", "14"),
        "1",
        "key",
        labels=("RSA and RSA (default)", "DSA and Elgamal", "Existing key from card"),
    ),
    Case("menu", "[1] one\n[2] two\n\nEnter a number [2]: ", None, ("1", "2"), "2", labels=("one", "two")),
    Case(
        "menu",
        ALTERNATIVES,
        "update-alternat",
        ("0", "1", "2"),
        "0",
        labels=(
            "/bin/nano  40  auto mode",
            "/bin/ed  -100  manual mode",
            "/usr/bin/vim.basic  30  manual mode",
        ),
    ),
]

FREE = [
    Case("text", "Date [dd/mm/yyyy]: ", "bash"),
    Case("text", "Attach as slave? (m-s) ", "python3"),
    Case(
        "text",
        "Last sector, +/-sectors or +/-size{K,M,G,T,P} (2048-40959, default 40959): ",
        "fdisk",
        default="40959",
    ),
    Case("text", "Name: ", "bash"),
    Case("text", "What is your name? ", "python3"),
    Case("text", "package name: (demo) ", "npm init", default="demo", kind="key"),
    Case("text", "entry point: (index.js) ", "npm init", default="index.js", kind="key"),
    Case(
        "text",
        "Enter file in which to save the key (/root/.ssh/id_ed25519): ",
        "ssh-keygen",
        default="/root/.ssh/id_ed25519",
    ),
    Case("text", "Country Name (2 letter code) [AU]:", "openssl", default="AU"),
    Case("text", "Locality Name (eg, city) []:", "openssl", default=""),
    Case("text", "What keysize do you want? (3072) ", "gpg", default="3072", kind="key"),
    Case("text", "Enter your name (default: Bob): ", "python3", default="Bob"),
    Case("text", "Region [eu-west-1]: ", "python", default="eu-west-1"),
    Case("text", "AWS Access Key ID [None]: ", "aws", default="None"),
    Case("text", "Your name (optional): ", None),
    Case("text", "Age (years): ", None),
    Case("text", "Port (1-65535): ", None),
    Case("text", "Date (mm/dd/yyyy): ", None),
    Case("text", "Branch (origin/main): ", None),
    Case("text", "Password length: ", None),
    Case("text", "Token limit: ", None),
    Case("text", "Enter the minimum password length: ", None),
    Case("text", "Enter the token symbol: ", None),
    Case("text", "Public key: ", None),
    Case("text", "Sort key: ", None),
    Case("text", "Country code: ", None),
    Case("repl", "MariaDB [secret]> ", "mysql"),
    Case("repl", "secret> ", "mongosh"),
    Case("text", "Enter your name > ", "node", kind="key"),
    Case("text", "var.region\n  where\n\n  Enter a value: ", "terraform"),
    Case("text", "? Project name (demo)", "node", default="demo", kind="key"),
    Case("text", "? Project name: › vite-project", "node", default="vite-project", kind="key"),
    Case("text", "? Your name? ‣ jon", "node", default="jon", kind="key"),
    Case("text", "┌  create-app\n│\n◆  Where to?\n│  ./my-app\n└\n", "node", kind="key", prompt="◆  Where to?"),
    Case("username", "Username for 'https://github.com': ", "git-remote-http"),
    Case("username", "Username: ", "docker"),
    Case("username", "Username: ", "npm login", kind="key"),
    Case("username", "vm login: ", "login"),
    Case("username", "Benutzername: ", None),
    Case("press-key", "Press any key to continue...", "bash", kind="key"),
    Case("press-key", "Press [ENTER] to continue or Ctrl-c to cancel.", "add-apt-reposit"),
    Case("press-key", "Hit <Enter> to go on", None),
    Case("press-key", "Drücken Sie eine beliebige Taste . . . ", None, kind="key"),
    Case("press-key", "Press RETURN/ENTER to continue or any other key to abort: ", "bash"),
    Case("stdin", "", "cat"),
    Case("stdin", "no newline at the end", "cat"),
    Case("stdin", "", "sh"),
    Case("stdin", "done\n", "tool"),
    Case("stdin", "Delete (y/n)? n\n", "bash"),
]

HIDDEN = [
    Case("secret", "🔐 Unlock disk sda3: (press TAB for no echo) ", "systemd-ask-password", kind="key"),
    Case("password", "[sudo] password for ada: ", "sudo", kind="secret"),
    Case("password", "[sudo] password for ada: ", None, kind="secret"),
    Case("password", "ada@example.org's password: ", "ssh", kind="secret"),
    Case("password", "(ada@example.org) Password: ", "ssh", kind="secret"),
    Case("password", "Password for 'https://ada@github.com': ", "git-remote-http", kind="secret"),
    Case("password", "Password: ", "docker", kind="secret"),
    Case("password", "Enter password: ", "mysql", kind="secret"),
    Case("password", "New password: ", "passwd", kind="secret"),
    Case("password", "enter AES-256-CBC encryption password:", "openssl", kind="secret"),
    Case("password", "Passwort für ada: ", "sudo", kind="secret"),
    Case("password", "[sudo] Mot de passe de ada : ", "sudo", kind="secret"),
    Case("password", "[sudo] ada のパスワード: ", "sudo", kind="secret"),
    Case("password", "Password: ", "npm login", kind="key"),
    Case("password", "Password: ", "badly-written"),
    Case("password", "? Registry password\nctrl+t toggle visibility", "node", kind="key", prompt="? Registry password"),
    Case("password", "? Your password? ‣ ****", "node", kind="key"),
    Case("passphrase", "Enter passphrase for key '/home/ada/.ssh/id_ed25519': ", "ssh", kind="secret"),
    Case("passphrase", "Enter passphrase (empty for no passphrase): ", "ssh-keygen", kind="secret"),
    Case("passphrase", "Enter PEM pass phrase:", "openssl", kind="secret"),
    Case("passphrase", "Enter passphrase: ", "gpg", kind="secret"),
    Case("code", "Verification code: ", "ssh", kind="secret"),
    Case("code", "This operation requires a one-time password.\nEnter OTP: ", "npm", kind="key"),
    Case("code", "Passcode or option (1-3): ", "ssh"),
    Case("code", "Enter MFA code for arn:aws:iam::1:mfa/ada: ", "aws"),
    Case("password", "Enter PIN for 'YubiKey': ", "ssh", kind="secret"),
    Case("password", "? Master password: [input is hidden] ", "bw", kind="key"),
    Case("secret", "Token: ", "bash", kind="secret"),
    Case("secret", "", "bash", kind="secret"),
    Case("secret", "AWS Secret Access Key [None]: ", "aws"),
    Case("secret", "? Paste your authentication token: ", "gh", kind="key"),
    Case("secret", "Continue? [Y/n] ", "bash", kind="secret"),  # nothing is echoed: the kernel's word counts
    Case("password", "PIN code: ", "bash"),
    Case("code", "SMS code: ", "bash"),
    Case("secret", "Recovery key: ", "bash"),
    Case("secret", "Seed phrase: ", "bash"),
    Case("secret", "Enter encryption key: ", "bash"),
    Case("secret", "Enter the key: ", "bash"),
    Case("password", "Type your password here -> ", "bash"),
    Case("password", "Type your password here -> ", "mysql"),
    Case("password", "Enter the password you chose when installing: ", "bash"),
    Case("password", "Password you chose when installing: ", "bash"),
    Case("password", "Enter your password and hit return> ", "bash"),
    Case("password", "Enter your PIN, or press Enter to skip: ", "bash"),
    Case("secret", "Please paste your API key below and press Enter: ", "bash"),
    Case("password", "Password for [a/b]: ", "bash"),
    Case("password", "[sudo] password for [y/n]: ", "bash"),
    Case("passphrase", "Enter passphrase for key '/home/a (y/n)/id': ", "ssh"),
    Case("password", "Password: ", "head"),
    Case("secret", "◆  Token please\n│  _\n└\n", "node", kind="key", prompt="◆  Token please"),
]

SIZES = ("Small", "Medium", "Large")
DRAWN = [
    Case(
        "menu",
        "? Pick a size\n  Small\n❯ Medium\n  Large\n\n↑↓ navigate • ⏎ select",
        "node",
        SIZES,
        "Medium",
        "key",
        prompt="? Pick a size",
    ),
    Case(
        "menu",
        "? Pick › - Use arrow-keys. Return to submit.\n❯   Vue\n    React\n",
        "node",
        ("Vue", "React"),
        "Vue",
        "key",
        prompt="? Pick › - Use arrow-keys. Return to submit.",
    ),
    Case(
        "menu",
        "? Pick a flavor … \n▸ apple\n  grape",
        "node",
        ("apple", "grape"),
        "apple",
        "key",
        prompt="? Pick a flavor … ",
    ),
    Case(
        "menu",
        "? What to do? (Use arrow keys)\n » Order\n   Ask" + "\n" * 27,
        "python",
        ("Order", "Ask"),
        "Order",
        "key",
        prompt="? What to do? (Use arrow keys)",
    ),
    Case("menu", "? Region: \n❯   2/2\n❯ eu\n  us", "python", ("eu", "us"), "eu", "key", prompt="? Region: "),
    Case(
        "menu",
        "│\n◆  Pick.\n│  ● TypeScript\n│  ○ JavaScript\n│  ↑/↓ to navigate • Enter: confirm\n└\n",
        "node",
        ("TypeScript", "JavaScript"),
        "TypeScript",
        "key",
        prompt="◆  Pick.",
    ),
    Case(
        "menu",
        "? Toppings\n❯◯ Cheese\n ◯ Ham\n\n↑↓ navigate • space select",
        "node",
        ("Cheese", "Ham"),
        None,
        "key",
        prompt="? Toppings",
    ),
    Case(
        "menu",
        "? Pick ›  \nInstructions:\n    a: Toggle all\n    enter/return: Complete answer\n◯   Red\n◯   Green",
        "node",
        ("Red", "Green"),
        None,
        "key",
        prompt="? Pick ›  ",
    ),
    Case("menu", "? Pick one\n  1) A\n  2) B", "node", ("1", "2"), None, "key", ("A", "B"), prompt="? Pick one"),
    Case("menu", "? Use TypeScript? › No / Yes", "node", ("No", "Yes"), None, "key"),
    Case("menu", "Pick\n> entry 1\n  entry 2", "python", ("entry 1", "entry 2"), "entry 1", "key", prompt="Pick"),
    Case("yes-no", "◆  Install?\n│  ● Yes / ○ No\n└\n", "node", ("Yes", "No"), "Yes", "key", prompt="◆  Install?"),
    Case(
        "menu",
        "Choose a language:\n\n* Java\n  Python\n\n",
        "python",
        ("Java", "Python"),
        "Java",
        "fullscreen",
        prompt="Choose a language:",
    ),
]

PROGRAMS = [
    Case("pager", "one\ntwo\n--More--(6%)", "more", kind="key"),
    Case("pager", "one\ntwo\n:", "less", kind="fullscreen"),
    Case("pager", "one\n(END)\n\n\n", "less", kind="fullscreen", prompt="(END)"),
    Case("pager", "lines 1-29/97 30%", "less", kind="fullscreen"),
    Case("pager", "lines 1-29", None, kind="key"),
    Case("pager", " Manual page ls(1) line 1 (press h for help or q to quit)", None, kind="fullscreen"),
    Case("pager", "--Type <RET> for more, q to quit, c to continue without paging--", "gdb", kind="key"),
    Case(
        "editor",
        '\n~\n~\n"x.txt" [New]         0,0-1         All',
        "vim",
        kind="fullscreen",
        prompt='"x.txt" [New]  0,0-1  All',
    ),
    Case("editor", "~\n-- INSERT --", "vim.basic", kind="fullscreen"),
    Case("editor", "  GNU nano 7.2\n\n^G Help  ^O Write Out\n^X Exit  ^R Read File", "nano", kind="fullscreen"),
    Case("editor", "", "ed"),
    Case(
        "yes-no",
        "Save modified buffer?\n Y Yes\n N No           ^C Cancel",
        "nano",
        YN,
        kind="fullscreen",
        prompt="Save modified buffer?",
    ),
    Case("press-key", "E123\nPress ENTER or type command to continue", "vim", kind="fullscreen"),
    Case(
        "choice",
        'Swap file ".s.swp" already exists!\n[O]pen Read-Only, (E)dit anyway, (R)ecover, (Q)uit, (A)bort:',
        "vim",
        tuple("OERQA"),
        "O",
        "fullscreen",
        ("Open Read-Only", "Edit anyway", "Recover", "Quit", "Abort"),
    ),
    Case("screen", "top - 18:57:50 up  3:11\n  PID USER\n    1 root", "top", kind="key"),
    Case("screen", "$ \n[x] 0:bash*", "tmux: server", kind="fullscreen"),
    Case(
        "screen",
        "  ➜  Local:   http://localhost:5173/\n  ➜  press h + enter to show help\n",
        "node",
        kind="key",
        prompt="  ➜  press h + enter to show help",
    ),
    Case(
        "yes-no",
        "┌ Configuring ┐\n│ Really?       │\n│  <Yes>  <No>  │\n└──────────┘",
        "whiptail",
        ("Yes", "No"),
        kind="fullscreen",
        prompt="Really?",
    ),
    Case(
        "passphrase",
        "│ Passphrase: ____ │\n│ <OK>   <Cancel>  │",
        "pinentry-curses",
        kind="fullscreen",
        prompt="Passphrase: ____",
    ),
    Case("editor", ":", "vim", kind="fullscreen"),
    Case("editor", ":", "ex", kind="key"),
    Case(
        "text",
        "  GNU nano 7.2    x *\nhello\n\nFile Name to Write: x\n^G Help      M-D DOS Format\n^C Cancel    M-M Mac",
        "nano",
        kind="fullscreen",
        prompt="File Name to Write: x",
    ),
    Case("repl", "lftp :~> ", "lftp", kind="key"),
    Case("repl", "octave:1> ", "octave-cli", kind="key"),
    Case("repl", "scheme@(guile-user)> ", "guile", kind="key"),
    Case("repl", "* ", "sbcl"),
    Case("repl", "(rdbg) ", "rdbg", kind="key"),
    Case("repl", "debug> ", "node", kind="key"),
    Case("more-input", "php { ", "php", kind="key"),
    Case("repl", ">>> ", "python3", kind="key"),
    Case("repl", ">>> ", "python3.13"),
    Case("repl", "(Pdb) ", "python3", kind="key"),
    Case("repl", "In [1]: " + "\n" * 20, "ipython", kind="key", prompt="In [1]: "),
    Case("repl", "> ", "node", kind="key"),
    Case("repl", "> ", "node-MainThread", kind="key"),
    Case("repl", "sqlite> ", "sqlite3", kind="key"),
    Case("repl", "postgres=# ", "psql", kind="key"),
    Case("repl", "mydb=> ", "ssh", kind="key"),
    Case("repl", "mysql> ", "mysql", kind="key"),
    Case("repl", "MariaDB [shop]> ", "mariadb", kind="key"),
    Case("repl", "(gdb) ", "gdb", kind="key"),
    Case("repl", "127.0.0.1:6379> ", "redis-cli", kind="key"),
    Case("repl", "irb(main):001:0> ", "irb", kind="key"),
    Case("repl", "  DB<1> ", "perl"),
    Case("repl", "", "bc", kind="key"),
    Case("more-input", "... ", "python3", kind="key"),
    Case("more-input", "   ...> ", "sqlite3", kind="key"),
    Case("more-input", "postgres-# ", "psql", kind="key"),
    Case("more-input", "    -> ", "mysql", kind="key"),
    Case("more-input", "> ", "bash", kind="continuation"),
    Case("more-input", "for> ", "zsh", kind="shell"),
    Case("more-input", "foreach? ", "tcsh", kind="shell"),
    Case("shell", "bash-5.2# ", "bash", kind="shell"),
    Case("shell", "ada@host ~> ", "fish", kind="shell"),
    Case("shell", "ada@web1:~$ ", "ssh", kind="shell"),
]

CASES = [*YES_OR_NO, *CHOSEN, *FREE, *HIDDEN, *DRAWN, *PROGRAMS]


@each_row("case", CASES)
def test_what_programs_ask(case: Case) -> None:
    found = described(case)
    last = case.text.split("\n")[-1]
    assert (found.asks, found.choices, found.default) == (case.asks, case.choices, case.default), found
    assert found.prompt == (last if case.prompt is None else case.prompt)
    assert found.labels == case.labels
    assert found.secret == (case.asks in SECRETS)


def test_every_word_is_used() -> None:
    assert {case.asks for case in CASES} == set(get_args(Asks))


@each_row("case", [case for case in CASES if case.choices and case.kind == "line"])
def test_a_hint_names_what_can_be_sent(case: Case) -> None:
    hint = described(case).hint
    assert all(f"'{choice}'" in hint for choice in case.choices)
    assert "Enter" in hint


def test_hints_say_what_to_do() -> None:
    assert describe("line", "apt", ["Continue? [Y/n] "]).hint == "send 'y' or 'n' and Enter; Enter alone is 'y'"
    assert describe("key", "bash", ["Continue? [y/n] "]).hint == "press 'y' or 'n'"
    assert describe("key", "bash", ["key? "]).hint == "send your answer, without Enter"
    assert describe("key", "zsh", ["Overwrite it? "]).hint == "press 'y' or 'n'; which words it takes is not shown"
    unsure = "send {}; Enter too, if it then still waits"
    assert describe("key", "python3", ["Sure? (y/n) "]).hint == unsure.format("'y' or 'n'")
    assert describe("key", "python3", ["Name: "]).hint == unsure.format("your answer")
    assert describe("key", "gdb", ["Quit anyway? (y or n) "]).hint == "send 'y' or 'n' and Enter"
    assert describe("key", "node", ["? Project name: "]).hint == "send your answer and Enter"
    assert describe("key", "less", [":"]).hint.startswith("press q to leave")
    assert "':q!'" in describe("fullscreen", "vim", ["~"]).hint
    assert "'exit()' leaves" in describe("key", "python3", [">>> "]).hint
    assert "'/exit' leaves" in describe("key", "jshell", ["jshell> "]).hint
    assert describe("fullscreen", "mutt", ["Create it? ([yes]/no):"]).hint == "press 'y' or 'n'"
    assert "C-d" in describe("line", "cat", [""]).hint
    assert "arrow keys" in described(DRAWN[0]).hint
    assert "Space" in described(DRAWN[6]).hint
    assert "a person" in described(HIDDEN[0]).hint


def test_dots_tell_what_a_program_does() -> None:
    for line in ("Compiling...", "Waiting for the server to start…", "Fetching 'origin' ..", "copying (1 of 4) ..."):
        assert trails_off(line), line
    for line in ("Press Enter to continue...", "Hit any key ...", "Ready?...", "Enter your password...", "... ", "x"):
        assert not trails_off(line), line


def test_what_belongs_to_a_question_is_about_it() -> None:
    assert described(next(case for case in CASES if case.text is HOST_KEY)).about == tuple(HOST_KEY.split("\n")[:-1])
    assert described(next(case for case in CASES if case.text is TERRAFORM)).about == tuple(TERRAFORM.split("\n")[:3])
    assert described(next(case for case in CASES if case.text is CONFFILE)).about == tuple(CONFFILE.split("\n")[:-1])
    assert described(Case("yes-no", "rm -rf / was refused\nProceed? [Y/n] ", "bash")).about == ()


def test_a_menu_that_was_answered_is_not_asked_again() -> None:
    found = describe(
        "key", "gpg", [*GPG_MENU.split("\n")[:-1], "Your selection? 1", "What keysize do you want? (3072) "]
    )
    assert (found.asks, found.choices, found.default) == ("text", (), "3072")


# ── whatever is printed ─────────────────────────────────────────────────────────────────────────────────────────────

KINDS = st.sampled_from(get_args(WaitingKind))
PROGRAM = st.sampled_from([None, "", "bash", "python3", "node", "less", "vim", "gpg", "rm", "psql", "x y z", "\u00e4"])
PIECES = st.sampled_from(
    ["[", "]", "(", ")", "Y", "n", "/", ",", " or ", "yes", "no", ":", "?", ">", " ", "1)", "2.", "❯", "●", "◆ ", "? ",
     "│", "default", "password", "Press ", "Enter", "\t", "'", "…", "x" * 50, "\u200b", "\ud800", "<OK>", "(END)"]
)  # fmt: skip
LINES = st.lists(st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=60), max_size=40)


@given(KINDS, PROGRAM, LINES)
def test_any_text_is_described(kind: WaitingKind, program: str | None, lines: list[str]) -> None:
    found = describe(kind, program, lines)
    assert found.asks in get_args(Asks)
    assert found.hint
    assert len(found.labels) in (0, len(found.choices))
    assert all(found.choices)
    if kind == "secret":
        assert found.secret
        assert (found.choices, found.default) == ((), None)
    if kind in ("shell", "continuation"):
        assert found.asks in ("shell", "more-input")


@each_row(
    "piece",
    ["(", "[y/", "y/n ", "1) ", "❯ ", "\t", "a ", "? (", "'", "password ", "<a ", "for ", "or ", "│ ", "┌ ┐", "_ "],
)
@each_row("kind", get_args(WaitingKind))
def test_a_hostile_line_takes_no_longer_than_any(kind: WaitingKind, piece: str) -> None:
    """A megabyte on one line, and a thousand such lines: the suite's own time limit would end what does not return."""
    line = piece * (1_000_000 // len(piece))
    for program in ("bash", "python3", "psql", "node"):
        found = describe(kind, program, [line] * 1000)
        assert len(found.prompt) <= 400
