# Lets fish's own editor take commands, and marks their ends. Run after the user's files, and by healing.
# The variable holds the secret of this line; D draws the next one and tells it. A global variable is not exported.
# The events come before fish_prompt is called, whatever function a theme has put there.
set -g @NAME@ @KEY@
function @NAME@_c --on-event fish_preexec
    builtin printf '\e]7717;C;%s\a' $@NAME@ >/dev/tty
end 2>/dev/null
function @NAME@_d --on-event fish_postexec
    set -l mark $@NAME@ $status
    builtin test -r /proc/sys/kernel/random/uuid; and builtin read -g @NAME@ </proc/sys/kernel/random/uuid
    builtin printf '\e]7717;D;%s;%s;;%s\a' $mark $@NAME@ >/dev/tty
end 2>/dev/null
function @NAME@_p --on-event fish_prompt
    builtin printf '\e]7717;P;%s;%s;;%s\a' $@NAME@ $status $@NAME@ >/dev/tty
end 2>/dev/null
# Before D fish tells which background jobs have ended. Both sides of that are marked (J): it is no output of the text.
if not functions --query @NAME@_j; and functions --query fish_job_summary
    functions --copy fish_job_summary @NAME@_j
    function fish_job_summary
        test "$argv[2]" = 0; and builtin printf '\e]7717;J;%s\a' $@NAME@ >/dev/tty
        @NAME@_j $argv
        test "$argv[2]" = 0; and builtin printf '\e]7717;J;%s\a' $@NAME@ >/dev/tty
    end
end 2>/dev/null
# A text that is wrong or unfinished is refused (R) before anything of it is shown or run.
function @NAME@_f
    builtin read --null --local t <@FOLDER@/x
    builtin test -w @FOLDER@/x; and builtin true >@FOLDER@/x # it is read-only in a sandbox, and fish would say so
    builtin test -n "$t"; or return
    builtin commandline --replace -- $t
    builtin commandline --cursor 0 # an abbreviation at the cursor would be expanded
    if builtin commandline --is-valid
        builtin commandline --function execute
    else
        builtin commandline --replace ''
        builtin printf '\e]7717;R;%s\a' $@NAME@ >/dev/tty
    end
end 2>/dev/null
for mode in default insert visual replace replace_one paste
    bind --mode $mode \e\[7720~ @NAME@_f
end
set -e mode
bind \e\[7717~ 'commandline ""; string match --quiet --regex "_(vi|hybrid)_" -- "$fish_key_bindings"; and set fish_bind_mode insert'
bind -M insert \e\[7717~ 'commandline ""'
bind -M paste \e\[7717~ '__fish_stop_bracketed_paste; commandline ""'
