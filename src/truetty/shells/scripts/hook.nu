# Installs C, D and P in nu. nu parses a whole line before it runs any of it, and an error ends the line, so the marks
# cannot stand in the line: the hooks before execution and before the prompt print them. What they print lies in files.
# `now` is the end mark of the command that was begun: only its own beginning puts it there.
$env.config.hooks.pre_execution = (
    $env.config.hooks.pre_execution? | default [] | append {||
        let tt = (commandline)
        if ($tt starts-with " source @FOLDER@/t") {
            let tt = ($tt | str substring @LENGTH@.. | str trim)
            if ($"@FOLDER@/m($tt)" | path exists) { try { ^sh $"@FOLDER@/m($tt)" } }
            try { mv --force $"@FOLDER@/d($tt)" "@FOLDER@/now" }
            print --no-newline (open --raw $"@FOLDER@/c($tt)" | decode utf-8)
        }
    }
)
$env.config.hooks.pre_prompt = (
    $env.config.hooks.pre_prompt? | default [] | append {||
        let tt = ($env.LAST_EXIT_CODE? | default 0)
        let tt = (if $tt < 0 { 128 - $tt } else { $tt })
        if ("@FOLDER@/now" | path exists) {
            print --no-newline $"(open --raw "@FOLDER@/now" | decode utf-8)($tt);\u{07}"
            rm --force "@FOLDER@/now"
        }
        print --no-newline $"\u{1b}]7717;P;@KEY@;($tt);\u{07}"
    }
)
# Enter would ask the parser first, and leave a text with an open quote standing in the editor. This key does not ask.
$env.config.keybindings = (
    $env.config.keybindings? | default [] | where name? != "tt" | append {
        name: tt, modifier: control_alt_shift, keycode: f12, mode: [emacs vi_insert vi_normal], event: { send: submit }
    }
)
