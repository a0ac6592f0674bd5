# Lets the editor of bash 5.1 and later take commands. Sourced before the user's files, after them, and by healing.
# @NAME@ is the one name of ours. It is an array: bash exports none, not even under `set -a`. Its elements:
#   0 the secret of this line, which PS0 shows in C    7 empty
#   1 a second source of secrets, beside SRANDOM       8 the pause: print M, read a line (mark M)
#   2 `\#`, to be expanded: how many commands ran      9 not empty: HISTFILE is still to be forgotten
#   3 the secret of the line before, which P shows    10 what ends PS0
#   4 the first element of PROMPT_COMMAND: prints D   11 what begins PS1
#   5 not empty: history expansion was switched off   12 what begins PS2
#   6 which element PS0 expands before C: 7, or 8     13 the last element of PROMPT_COMMAND: sees what was changed
#                                                     14 puts that right
#                                                     15 the exit code that D has told
# D draws the next secret and tells it. A hook that was put before D in the same element has changed `$?`: so D tells 1
# if it is that element's whole text. After 0, P ends the command: it gets the true `$?`.
# Element 14 also prints P if PS1 is readonly, or shown to no terminal (then without the next secret: PS0 will not show
# C); at a prompt, or at the start if PROMPT_COMMAND is readonly.
# bash parses 4 and 13 at every prompt, and compares patterns slowly: 13 is short, and compares lengths.
# `declare` fails softly where a variable is readonly; an assignment would break off.
@NAME@=(
    @KEY@
    @SEED@
    '\#'
    @KEY@
    '{ \builtin printf "\e]7717;D;%s;%s;%s;%s;%s;%s\a" "$@NAME@" "$?" "$-" "$((@NAME@[6]=7,@NAME@[15]=$?,@NAME@[3]=@NAME@,@NAME@=(${SRANDOM-0}<<31^${SRANDOM-0}^(@NAME@[1]=@NAME@[1]*6364136223846793005+@NAME@))&0x7fffffffffffffff))" "${@NAME@[2]@P}" "$((${#PROMPT_COMMAND}==${#@NAME@[4]}))$SHELLOPTS:${HISTCONTROL+${HISTCONTROL//[!a-z:]}}${histchars+:histchars}" >/dev/tty;} >/dev/null 2>&1||:'
    ''
    7
    ''
    '$({ \\builtin printf "\e]7717;M;%s\a" "$@NAME@" >/dev/tty&&\\builtin read -r @NAME@ </dev/tty;} >/dev/null 2>&1)'
    ''
    '${@NAME@[@NAME@[6]]@P}${@NAME@:(@NAME@[6]=7):0}\e]7717;C;$@NAME@\a'
    '\[\e]7717;P;${@NAME@[3]};$?;;$@NAME@\a\]'
    '\[\e]7717;2;$@NAME@\a\]'
    '{ [[ -t 9 && ${PS0-} == *@NAME@* && ${PS1-} == *@NAME@* && ${PS2-} == *@NAME@* && ${@NAME@[5]}${@NAME@[9]}${#PROMPT_COMMAND}:${#PROMPT_COMMAND[-1]} == ${#@NAME@[4]}:${#@NAME@[13]} ]]||\builtin eval "${@NAME@[14]}";} 9>&2 >/dev/null 2>&1||:'
    '[[ ${PS0-} == *@NAME@* ]]||\builtin declare +x PS0="${PS0-}${@NAME@[10]}"
[[ ${PS1-} == *@NAME@* ]]||\builtin declare +x PS1="${@NAME@[11]}${PS1-}"
[[ ${PS2-} == *@NAME@* ]]||\builtin declare +x PS2="${@NAME@[12]}${PS2-}"
[[ ${PROMPT_COMMAND-} == "${@NAME@[4]}" && ${PROMPT_COMMAND[-1]} == "${@NAME@[13]}" || ( -v PROMPT_COMMAND && ${PROMPT_COMMAND@a} == *r* ) ]]||{
PROMPT_COMMAND=("${PROMPT_COMMAND[@]//"${@NAME@[4]}"/:}")
PROMPT_COMMAND=("${@NAME@[4]}" "${PROMPT_COMMAND[@]//"${@NAME@[13]}"/:}" "${@NAME@[13]}");}
[[ -z ${@NAME@[5]} ]]||{ \builtin set -H;@NAME@[5]=;}
[[ -z ${@NAME@[9]} ]]||{ \builtin unset HISTFILE;@NAME@[9]=;}
if [[ -n ${@NAME@[15]-} && ! -t 9 ]];then \builtin printf "\e]7717;P;%s;%s\a" "${@NAME@[3]}" "${@NAME@[15]}" >/dev/tty
elif [[ ${PS1-} != *@NAME@* && ( -n ${@NAME@[15]-} || ${PROMPT_COMMAND@a} == *r* ) ]];then \builtin printf "\e]7717;P;%s;%s;;%s\a" "${@NAME@[3]}" "${@NAME@[15]-}" "$@NAME@" >/dev/tty
fi'
)
\builtin eval "${@NAME@[13]}"
@NAME@[9]=@FORGET@
\builtin bind -m emacs '"\e[7717~": kill-whole-line' '"\e[7718~": bracketed-paste-begin' '"\e[7719~": accept-line'
\builtin bind -m emacs -x '"\e[7720~": { \builtin . @FOLDER@/x "$_";} >/dev/null 2>&1'
\builtin bind -m vi-insert '"\e[7717~": kill-whole-line' '"\e[7718~": bracketed-paste-begin' '"\e[7719~": accept-line'
\builtin bind -m vi-insert -x '"\e[7720~": { \builtin . @FOLDER@/x "$_";} >/dev/null 2>&1'
\builtin bind -m vi-command '"\e[7717~": "ddi"' '"\e[7718~": bracketed-paste-begin' '"\e[7719~": accept-line'
\builtin bind -m vi-command -x '"\e[7720~": { \builtin . @FOLDER@/x "$_";} >/dev/null 2>&1'
