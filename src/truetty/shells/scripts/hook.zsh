# Lets zsh's own editor take commands, and marks their ends. Sourced at the first prompt and by healing.
# @NAME@ is an array: zsh exports none, and -H keeps its value out of what `set` prints. Its elements:
#   1 the secret of this line        4 not empty: preexec reads a line before the text runs (mark M)
#   2 the text on its way            5 the user's PROMPT_EOL_MARK
#   3 the user's histchars, while    6 PROMPT_EOL_MARK as we have set it
#     others stand in their place    7 not empty: texts stay out of the history's file
# D is in PROMPT_EOL_MARK: zsh prints that before all else at a prompt, on its own descriptor, and no list of functions
# holds it. Where PROMPT_SP or PROMPT_CR is off, nothing prints it, and P alone ends a command. P draws the next secret.
\builtin typeset -gaH @NAME@
@NAME@=(@KEY@ '' '' '' "${PROMPT_EOL_MARK-%B%S%#%s%b}" "${PROMPT_EOL_MARK-}" '@FORGET@')
@NAME@[5]=${@NAME@[5]##*7717;*$'\a%\x7d'}
# Where the user has disabled printf, print does its work.
# The keys: a pasted text, a text from the file, an empty line, a pause before the next text.
@NAME@_t() { { \builtin emulate -L zsh; \builtin setopt localtraps; \builtin trap - DEBUG; \builtin zle .bracketed-paste '@NAME@[2]'; @NAME@_g } 2>|/dev/null }
@NAME@_f() {
    {
        \builtin emulate -L zsh
        \builtin setopt localtraps
        \builtin trap - DEBUG
        @NAME@[2]=$(<@FOLDER@/x)
        \builtin : >|@FOLDER@/x
        if [[ $histchars != '!^#' || ${@NAME@[2]} == (\^*|*\!*) ]]; then
            @NAME@[3]=$histchars
            histchars=$'\x01\x02'${histchars[3]}
        fi
        [[ -z ${@NAME@[2]} ]] || @NAME@_g
    } 2>|/dev/null
}
@NAME@_g() {
    if [[ $CONTEXT == start ]]; then
        BUFFER=${@NAME@[2]}
        \builtin zle .accept-line
    else
        @NAME@[2]=
        \builtin zle .send-break
    fi
}
@NAME@_k() {
    {
        \builtin emulate -L zsh
        if [[ $CONTEXT == start ]]; then BUFFER=; \builtin zle -K main; else \builtin zle .send-break; fi
    } 2>|/dev/null
}
@NAME@_s() { @NAME@[4]=1 }
# A line that holds our folder is not stored at all; a text of ours stays in the list and out of the file.
@NAME@_h() {
    \builtin setopt localoptions localtraps noerrexit noerrreturn noxtrace noverbose unset
    \builtin trap - ZERR DEBUG
    [[ $1 != *@FOLDER@* ]] || return 1
    [[ -z ${@NAME@[2]} || -z ${@NAME@[7]} ]] || return 2
}
@NAME@_c() {
    {
        \builtin emulate -L zsh
        \builtin setopt localtraps
        \builtin trap - DEBUG
        if [[ -n ${@NAME@[4]} ]]; then
            { \builtin printf '\e]7717;M;%s\a' "${@NAME@[1]}" || \builtin print -n "\e]7717;M;${@NAME@[1]}\a" } >|/dev/tty && \builtin read -r '@NAME@[4]' </dev/tty
            @NAME@[4]=
        fi
        { \builtin printf '\e]7717;C;%s\a' "${@NAME@[1]}" || \builtin print -n "\e]7717;C;${@NAME@[1]}\a" } >|/dev/tty
        [[ -z ${@NAME@[3]} && $PROMPT_EOL_MARK == ${@NAME@[6]} ]] || @NAME@_e
    } >|/dev/null 2>&1
}
@NAME@_e() {
    [[ -z ${@NAME@[3]} ]] || { histchars=${@NAME@[3]}; @NAME@[3]= }
    [[ ${(t)PROMPT_EOL_MARK} != *readonly* ]] || return
    [[ $PROMPT_EOL_MARK == ${@NAME@[6]} ]] || @NAME@[5]=$PROMPT_EOL_MARK
    @NAME@[6]=$'%{\e]7717;D;'"${@NAME@[1]}"$';%?;\a%}'"${@NAME@[5]}"
    \builtin typeset -g +x PROMPT_EOL_MARK="${@NAME@[6]}"
}
@NAME@_p() { { @NAME@_q "$?" "$-" "${options[zle]}:${options[interactivecomments]}:${(t)PROMPT_EOL_MARK}:${options[correct]}${options[correctall]}:${histchars//[^!^#]/x}${${(M)${(t)histchars}:#*readonly*}:+r}:${+zle_bracketed_paste}:${options[promptsubst]}" } >|/dev/null 2>&1 }
@NAME@_q() {
    \builtin emulate -L zsh
    \builtin setopt localtraps
    \builtin trap - DEBUG ZERR
    local ended=${@NAME@[1]}
    @NAME@[1]=$(</proc/sys/kernel/random/uuid)
    [[ -n ${@NAME@[1]} ]] || @NAME@[1]=$ended
    @NAME@[2]= @NAME@[4]=
    # The user's own code that runs between here and the editor's first read.
    local hooks=${precmd_functions[2,-1]}${functions[precmd]+1}${functions[periodic]+1}${periodic_functions}${(M)modules[zsh/sched]:#loaded}
    \builtin zle -l zle-line-init && hooks+=1
    { \builtin printf '\e]7717;P;%s;%s;%s;%s;;%s\a' "$ended" "$1" "$2" "${@NAME@[1]}" "$3${hooks:+:hooks}" || \builtin print -n "\e]7717;P;$ended;$1;$2;${@NAME@[1]};;$3${hooks:+:hooks}\a" } >|/dev/tty
    @NAME@_r
}
# Puts right what a theme took away.
@NAME@_r() {
    @NAME@_e
    [[ ${preexec_functions[1]} == @NAME@_c ]] || preexec_functions=(@NAME@_c ${preexec_functions:#@NAME@_c})
    [[ ${precmd_functions[1]} == @NAME@_p ]] || precmd_functions=(@NAME@_p ${precmd_functions:#@NAME@_p})
    (( ${zshaddhistory_functions[(I)@NAME@_h]} )) || zshaddhistory_functions+=(@NAME@_h)
    [[ $PS2 == *'7717;2;@KEY@'* || ${(t)PS2} == *readonly* ]] || \builtin typeset -g +x PS2=$'%{\e]7717;2;@KEY@\a%}'${PS2##*7717;2;*$'\a%\x7d'}
    \builtin bindkey -M main '\e[7717~' @NAME@_k '\e[7718~' @NAME@_t '\e[7720~' @NAME@_f '\e[7721~' @NAME@_s
}
() {
    \builtin emulate -L zsh
    \builtin setopt localtraps
    \builtin trap - DEBUG ZERR
    @NAME@_r
    local m
    for m in k t f s; do \builtin zle -N @NAME@_$m; done
    for m in ${(f)"$(\builtin bindkey -l)"}; do
        [[ $m == .safe ]] || \builtin bindkey -M $m '\e[7717~' @NAME@_k '\e[7718~' @NAME@_t '\e[7720~' @NAME@_f '\e[7721~' @NAME@_s
    done
}
