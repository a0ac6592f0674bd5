"""What a terminal may not know of which the kernel cannot be asked (`host/kernel/blind.py`): test by test, and why.

A test that is not named here must pass on both observers. `./test blind` runs all of them on the blind one; a whole run
only those of `IN_EVERY_RUN`, beside the usual ones.
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.acceptance.left_out import find_reason
from truetty.host.kernel.blind import BlindObserver
from truetty.host.local import LocalHost

# Ends, exit codes, exact output and hooks: what marks alone must tell. Together they take half a minute.
IN_EVERY_RUN: Final = ("test_exact", "test_prompt_hooks", "test_alternate_screen", "test_terminal_questions")

UNKNOWABLE: Final[dict[str, tuple[str, ...]]] = {
    "that a program waits for input, and for what: only a question for a secret shows in the modes": (
        "alternate_screen.py::test_a_question_",
        "bad_input.py::test_a_bad_key",
        "bad_input.py::test_a_second_command_is_refused",
        "dialogs.py::",
        "disk.py::test_folder_removed",
        "gpg.py::",
        "interpreters.py::test_a_question_of_a_command_is_no_end",
        "life.py::test_one_command_at_a_time",
        "life.py::test_suspended_and_taken_up_again",
        "listening.py::test_a_far_shell_waits_at_its_prompt_and_runs_in_between",
        "listening.py::test_a_question_",
        "listening.py::test_a_reader_of_nothing_else_waits",
        "listening.py::test_node_with_a_timer_runs_and_without_one_waits",
        "long_lines.py::test_a(_line_that_would_be_cut_is_refused|n_answer_that_was_cut)",
        "passwords.py::test_a_login_shell_of_a_user_and_sudo_in_it",
        "passwords.py::test_a_session_by_ssh",
        "polling.py::test_a_program_that_only_polls",
        "polling.py::test_irb",
        "polling.py::test_the_shell_polls",
        "private_folder.py::test_an_end_without_a_code_says_that_the_folder_was_removed",
        r"prompt_hooks.py::test_a_start_up_file_that_asks_where_the_cursor_is\[blind-bash",
        "scenarios.py::test_a_nested_shell_waits",
        "scenarios.py::test_fish_on_its_first_start_of_all",
        "screen.py::test_(full_screen_programs_and_sizes|mc_reads_keys_itself)",
        "terminal_questions.py::test_a_prompt_of_prompt_toolkit",
        "terminal_questions.py::test_full_screen_programs_that_ask_still_wait",
        r"text_over_question.py::test_a_(thread|job)_prints_over",
        "volume.py::test_characters_cut_at_every_byte",
        r"waiting.py::test_a_secret_is_asked_for_and_not_kept\[blind-fish-read",
        "waiting.py::test_(who_waits|a_question_in|who_has_printed|each_question|the_same|the_question|the_pager|a_busy)",
    ),
    "that the shell is back at its prompt, where no mark says so": (
        r"broken_start.py::test_a_file_that_hangs\[blind-(dash|ksh93|mksh|ash)",  # Ctrl-C ends the file with our hook
        "broken_start.py::test_a_shell_that_was_started_elsewhere",
        # Hooks that a start-up file has removed: no P at all, or none after Ctrl-C.
        r"hostile_rc.py::test_the_battery_is_right\[blind-\w+-readonly-prompts",
        r"hostile_rc.py::test_the_battery_is_right\[blind-(ash-exec-null|zsh-no-sp-precmd)",
        r"hostile_rc.py::test_the_battery_is_right\[blind-(bash-theme-|bash-no-hook|zsh-theme\])",
        # Keys were sent, and only an editor's modes show that a line can be cleared.
        r"hostile_rc.py::test_the_battery_is_right\[blind-(bash-no-editing|zsh-no-editor)",
        "broken_start.py::test_a_file_that_(becomes|reads|runs)",
        "hostile_rc.py::test_what_cannot_be_got_around_is_said",
        "interpreters.py::test_a_prompt_with_a_number_in_it_is_the_same_prompt",
        "life.py::test_interrupted_without_hooks",
        "scenarios.py::test_broken_integration",
        "scenarios.py::test_exec_of",
    ),
    "that zsh's prompt hooks are done: they run after P": (r"prompt_hooks.py::.*\[blind-zsh",),
    "that the shell itself reads, and not its editor: its answer would stand at the prompt": (
        "terminal_questions.py::test_the_shells_own_read_may_wait_for_the_terminal",
        r"prompt_hooks.py::test_a_hook_that_asks_where_the_cursor_is.*\[blind-bash-\]",
    ),
    "which processes there are, and what they are at": (
        "forged.py::test_the_real_mark_from_the_shell_s_own_group",
        "life.py::test_a_background_job_is_named",
        "life.py::test_a_job_has_its_own_name",
        "life.py::test_an_orphan_is_a_job",
        "life.py::test_what_a_program_has_forked",
        "life.py::test_what_has_left_the_shells_family",
        "life.py::test_a_stopped_shell_is_running_with_a_note",
        "registry_history.py::test_fifty_tasks",  # no terminal is shared in which something may run
        "stranger.py::",
    ),
    "where the shell is": (
        "broken_start.py::test_a_directory_that_is_deleted",
        "life.py::test_a_removed_directory_is_nowhere",
        "life.py::test_a_registry_takes_a_terminal_out_of_a_removed_directory",
    ),
    "nothing: these start processes of their own, which ask the kernel": ("cli",),
}


def apply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalHost.__init__, "__defaults__", (BlindObserver, None))


def reason_to_leave_out(test: str) -> str | None:
    """Of a test by its node id; None: the blind observer must do as well."""
    return find_reason(test, UNKNOWABLE)
