# Installs P, the continuation mark and the history filter in zsh. Sourced at the first prompt and by healing.
# P is in PROMPT_EOL_MARK: zsh prints that before all else at a prompt, on its own descriptor, and no list of
# functions holds it. Where PROMPT_SP or PROMPT_CR is off nothing prints it, and precmd must.
# The filter keeps our lines out of the history, and at each line puts right what a theme took away.
@NAME@_h() {
    \builtin setopt localoptions noerrexit noerrreturn noxtrace noverbose unset
    @NAME@_m
    [[ $1 != *@FOLDER@* ]]
}
@NAME@_m() {
    if [[ $PROMPT_EOL_MARK != *'7717;P;@KEY@'* && ${(t)PROMPT_EOL_MARK} != *readonly* ]]; then
        \builtin typeset -g +x PROMPT_EOL_MARK=@MARK@
    fi
    if [[ ! -o promptsp || ! -o promptcr || $PROMPT_EOL_MARK != *'7717;P;@KEY@'* ]]; then
        (( ${precmd_functions[(I)@NAME@_p]} )) || precmd_functions+=(@NAME@_p)
    fi
}
@NAME@_p() {
    \builtin eval "\builtin setopt localoptions noerrexit noerrreturn noxtrace noverbose unset
    [[ -o promptsp && -o promptcr && \$PROMPT_EOL_MARK == *'7717;P;@KEY@'* ]] ||
        \builtin printf '\033]7717;P;@KEY@;$?;\007'"
} >/dev/tty 2>/dev/null
() {
    \builtin setopt localoptions noerrexit noerrreturn unset
    @NAME@_m
    (( ${zshaddhistory_functions[(I)@NAME@_h]} )) || zshaddhistory_functions+=(@NAME@_h)
    if [[ -o promptpercent && $PS2 != *'7717;2;@KEY@'* && ${(t)PS2} != *readonly* ]]; then
        \builtin typeset -g +x PS2=$'%{\e]7717;2;@KEY@\a%}'$PS2
    fi
}
