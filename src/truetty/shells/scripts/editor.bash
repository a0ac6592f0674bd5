# Lets the editor of bash 5.1 and later take commands. Sourced before the user's files, after them, and by healing.
# @NAME@ is the one name of ours. It is an array: bash exports none, not even under `set -a`. Its elements:
#   0 the secret of this line, which PS0 shows in C    8 the pause: print M, read a line (mark M)
#   1 a second source of secrets, beside SRANDOM       9 not empty: HISTFILE is still to be forgotten
#   2 `\#`, to be expanded: how many commands ran     10 what ends PS0
#   3 the secret of the line before, which P shows    11 what begins PS1
#   4 the first element of PROMPT_COMMAND: prints D   12 what begins PS2
#   5 not empty: history expansion was switched off   13 the last element of PROMPT_COMMAND: draws the next secret,
#   6 which element PS0 expands before C: 7, or 8        and sees what was changed
#   7 empty                                           14 puts that right
#                                                     15 not empty: 14 has run, so the next time is a prompt
#                                                     16 what P tells of the editor: not empty where that has changed
#                                                     17 what 13 has to see: lengths, and the options as they were told
# A hook that was put before D in the same element has changed `$?`: so D tells how long that element is, and how long
# it should be. Where they differ, P ends the command: it gets the true `$?`.
# Element 14 also prints P if PS1 is readonly, or shown to no terminal (then without the next secret: PS0 will not show
# C); at a prompt, or at the start if PROMPT_COMMAND is readonly. It has no `$?`: D has told that.
# bash parses 4 and 13 at every prompt. What a command waits for is D: it is short. What can be done later is done by 13
# and, if 13 sees a change, by 14. readline takes time for the text of PS1: P is short too.
# `declare` fails softly where a variable is readonly; an assignment would break off.
@NAME@=(
    @KEY@
    @SEED@
    '\#'
    @KEY@
    '{ \builtin printf "\e]7717;D;$@NAME@;$?;$-;;${@NAME@[2]@P};${#PROMPT_COMMAND}:${#@NAME@[4]}\a" >/dev/tty;} >/dev/null 2>&1||:'
    ''
    7
    ''
    '$({ \\builtin printf "\e]7717;M;%s\a" "$@NAME@" >/dev/tty&&\\builtin read -r @NAME@ </dev/tty;} >/dev/null 2>&1)${@NAME@:(@NAME@[6]=7):0}'
    ''
    '${@NAME@[@NAME@[6]]@P}\e]7717;C;$@NAME@\a'
    '\[\e]7717;P;${@NAME@[3]};$?;;$@NAME@;;${@NAME@[16]}\a\]'
    '\[\e]7717;2;$@NAME@\a\]'
    '{ [[ -n $((@NAME@[3]=@NAME@,@NAME@=${SRANDOM-0}<<31^${SRANDOM-0}^@NAME@[1])) && -t 9 && ${PS0-}${PS1-}${PS2-} == *C\;\$@NAME@*P\;\${@NAME@*2\;\$@NAME@* && ${@NAME@[5]}${@NAME@[9]}${@NAME@[16]}${@NAME@[6]}:${#PROMPT_COMMAND}:${#PROMPT_COMMAND[-1]}:$SHELLOPTS:${HISTCONTROL-}:${histchars-} == "${@NAME@[17]}" ]]||\builtin eval "${@NAME@[14]}";} 9>&2 >/dev/null 2>&1||:'
    '[[ ${PS0-} == *@NAME@* ]]||\builtin declare +x PS0="${PS0-}${@NAME@[10]}"
[[ ${PS1-} == *@NAME@* ]]||\builtin declare +x PS1="${@NAME@[11]}${PS1-}"
[[ ${PS2-} == *@NAME@* ]]||\builtin declare +x PS2="${@NAME@[12]}${PS2-}"
[[ ${PROMPT_COMMAND-} == "${@NAME@[4]}" && ${PROMPT_COMMAND[-1]} == "${@NAME@[13]}" || ( -v PROMPT_COMMAND && ${PROMPT_COMMAND@a} == *r* ) ]]||{
PROMPT_COMMAND=("${PROMPT_COMMAND[@]//"${@NAME@[4]}"/:}")
PROMPT_COMMAND=("${@NAME@[4]}" "${PROMPT_COMMAND[@]//"${@NAME@[13]}"/:}" "${@NAME@[13]}");}
[[ -z ${@NAME@[5]} ]]||{ \builtin set -H;@NAME@[5]=;}
[[ -z ${@NAME@[9]} ]]||{ \builtin unset HISTFILE;@NAME@[9]=;}
@NAME@[6]=7 @NAME@[16]=
[[ -z ${@NAME@[15]-} || ${@NAME@[17]-} == *":$SHELLOPTS:${HISTCONTROL-}:${histchars-}" ]]||@NAME@[16]=$SHELLOPTS:${HISTCONTROL+${HISTCONTROL//[!a-z:]}}${histchars+:histchars}
@NAME@[17]=${@NAME@[15]:+7:${#PROMPT_COMMAND}:${#PROMPT_COMMAND[-1]}:$SHELLOPTS:${HISTCONTROL-}:${histchars-}}
if [[ -n ${@NAME@[15]-} && ! -t 9 ]];then \builtin printf "\e]7717;P;${@NAME@[3]};\a" >/dev/tty
elif [[ ${PS1-} != *@NAME@* && ( -n ${@NAME@[15]-} || ${PROMPT_COMMAND@a} == *r* ) ]];then \builtin printf "\e]7717;P;${@NAME@[3]};;;$@NAME@;;${@NAME@[16]}\a" >/dev/tty
fi
@NAME@[15]=1'
)
{ \builtin eval "${@NAME@[14]}";} 9>&2 >/dev/null 2>&1||:
@NAME@[9]=@FORGET@
# 7720 is a macro, for Enter must not be a key of its own: where another process has read the first bytes of a key, or a
# user has removed it, readline inserts the rest of it, and Enter would run that.
# The file ends with success: `source` is for a user who has disabled `.`.
\builtin bind -m emacs '"\e[7717~": kill-whole-line' '"\e[7718~": bracketed-paste-begin' '"\e[7719~": accept-line' '"\e[7720~": "\e[7722~\e[7719~"'
\builtin bind -m emacs -x '"\e[7722~": { \builtin . @FOLDER@/x "$_"||\builtin source @FOLDER@/x "$_";} >/dev/null 2>&1'
\builtin bind -m vi-insert '"\e[7717~": kill-whole-line' '"\e[7718~": bracketed-paste-begin' '"\e[7719~": accept-line' '"\e[7720~": "\e[7722~\e[7719~"'
\builtin bind -m vi-insert -x '"\e[7722~": { \builtin . @FOLDER@/x "$_"||\builtin source @FOLDER@/x "$_";} >/dev/null 2>&1'
\builtin bind -m vi-command '"\e[7717~": "ddi"' '"\e[7718~": bracketed-paste-begin' '"\e[7719~": accept-line' '"\e[7720~": "\e[7722~\e[7719~"'
\builtin bind -m vi-command -x '"\e[7722~": { \builtin . @FOLDER@/x "$_"||\builtin source @FOLDER@/x "$_";} >/dev/null 2>&1'
