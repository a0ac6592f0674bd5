"""`truetty doctor`, `settings`, `policy` and `completion`, described."""

from __future__ import annotations

from typing import Final

from truetty.cli.table.row import CommandRow, Example, Group, Option, Word, switch
from truetty.cli.table.shared import JSON, POLICY, SHELL

DOCTOR: Final = CommandRow(
    "doctor",
    "Check which shells work here",
    "Try every shell that is installed, and say how well it works and what the kernel lets truetty see.",
    (
        Example("truetty doctor", "with your start-up files"),
        Example("truetty doctor --no-rc", "without: are they the problem?"),
    ),
    groups=(Group("Options", (switch("--no-rc", "try the shells without your start-up files"), JSON)),),
    notes=(
        "A shell has a line as soon as it was tried. strategy: how a command's end is known; rich is by marks of "
        "the shell. codes: exit codes come back. exact: the output is the command's alone. asks: truetty sees that a "
        "command asks something.",
        "Exit status: 0 a shell works · 1 none does · 125 an error of truetty's",
    ),
)

_SETTING: Final = Word("name", "SETTING")

SETTINGS: Final = CommandRow(
    "settings",
    "Show and change your settings",
    "Print the settings that differ from their default, and where each came from: your file or the environment.",
    (
        Example("truetty settings", "what you have set"),
        Example("truetty settings --all", "every setting there is"),
        Example("truetty settings set size 80x24", "set one"),
        Example("TRUETTY_SIZE=80x24 truetty settings", "with one from a variable"),
    ),
    groups=(Group("Options", (switch("--all", "those that have their default, too"), JSON)),),
    commands=(
        CommandRow(
            "get",
            "Print the value of one setting",
            "Print the value of one setting as it is in effect.",
            (Example("truetty settings get size", "columns and rows of new terminals"),),
            (_SETTING,),
        ),
        CommandRow(
            "set",
            "Write one setting to your file",
            "Write one setting to your settings file, and leave everything else in it as it is.",
            (
                Example("truetty settings set size 80x24", "columns and rows of new terminals"),
                Example("truetty settings set quota off", "no bound"),
                Example("truetty settings set env.CI 1", "one variable for shells"),
                Example("truetty settings set policy.deny '[\"sudo\"]'", "one list of the policy"),
            ),
            (_SETTING, Word("value", "VALUE", negative=True)),
            "VALUE is written as in the file; quotes around a text may be left out. A text that begins with - stands "
            "behind --.",
            (Group("Options", (JSON,)),),
            module="settings_file",
        ),
        CommandRow(
            "unset",
            "Remove one setting from your file",
            "Remove one setting from your settings file, so that it has its default again.",
            (Example("truetty settings unset size", "the default size again"),),
            (_SETTING,),
            groups=(Group("Options", (JSON,)),),
            module="settings_file",
        ),
        CommandRow(
            "init",
            "Write a file with every setting",
            "Write a settings file in which every setting stands with its default and what it is for, as a comment.",
            (Example("truetty settings init", "a file to begin with"),),
            groups=(Group("Options", (switch("--force", "overwrite the file that is there"), JSON)),),
            module="settings_file",
        ),
        CommandRow(
            "edit",
            "Open your file in an editor",
            "Open your settings file in VISUAL, EDITOR or an editor that is installed, and check it afterwards.",
            (Example("EDITOR=nano truetty settings edit", "with this editor"),),
            notes=("Exit status: 0 the file has no errors · 125 it has some",),
            module="settings_file",
        ),
    ),
)

_WORKSPACE: Final = Option("--cwd", "the workspace, where commands start and may write (default: yours)", "DIR")
_DECISIONS: Final = Group("Options", (POLICY, SHELL, _WORKSPACE, JSON))

POLICY_COMMANDS: Final = CommandRow(
    "policy",
    "Ask what a policy says of a command",
    "Show what a policy says of commands: allow, ask or deny, and why. Nothing is run and nothing is recorded.",
    (
        Example("truetty policy check 'git status'", "one command"),
        Example("truetty policy try commands.txt", "many"),
    ),
    about="The policy is that of your settings, or the one that --policy names.",
    alone=False,
    commands=(
        CommandRow(
            "check",
            "Decide on one command",
            "Say whether a command is allowed, asked about or denied, why, and what would make it allowed.",
            (
                Example("truetty policy check 'git status'", "by your settings"),
                Example("truetty policy check --policy read-only ls", "by another policy"),
                Example("truetty policy check -- npm test --watch", "options of its own"),
            ),
            (Word("command", "COMMAND", many=True),),
            "COMMAND is one shell command line; several words are quoted and joined.",
            (_DECISIONS,),
            ("Exit status: 0 allow · 1 ask · 2 deny · 125 an error of truetty's",),
            "command-last",
        ),
        CommandRow(
            "try",
            "Decide on many commands",
            "Show the decision on every command of a file, a line each, and how many there are of each kind.",
            (
                Example("truetty policy try commands.txt", "a command on each line"),
                Example("truetty policy try --policy read-only x", "by another policy"),
                Example("tail ~/.bash_history | truetty policy try -", "from a pipe"),
            ),
            (Word("file", "FILE"),),
            "FILE has a command on each line that is not blank, or a JSON string on each line, or it is a JSON array "
            "of strings. - is standard input.",
            (_DECISIONS,),
            ("Exit status: 0 all are allowed · 1 one is asked about · 2 one is denied · 125 an error of truetty's",),
        ),
    ),
)

COMPLETION: Final = CommandRow(
    "completion",
    "Print the completions of a shell",
    "Print a script that lets your shell complete the words of truetty: commands, options and their values.",
    (
        Example('eval "$(truetty completion bash)"', "in ~/.bashrc"),
        Example('eval "$(truetty completion zsh)"', "in ~/.zshrc, behind compinit"),
        Example("truetty completion fish | source", "in ~/.config/fish/config.fish"),
    ),
    (Word("shell", "bash|zsh|fish"),),
    module="completion.completion",
)
