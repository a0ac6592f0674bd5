# Installs P, the continuation mark and the clearing key in bash. Sourced before the user's files (one of them may
# break off, and then this stays), after them, and by healing. It leaves no function and no variable of its own.
# `declare` is used because it fails softly where PROMPT_COMMAND or PS2 is readonly; an assignment would break off.
case $BASH_VERSINFO.${BASH_VERSINFO[1]} in
[1-4].* | 5.0)
    # A string only. P comes first in it, for each command of the string changes `$?`, and the file hands it on.
    case ${PROMPT_COMMAND-} in
    *@FOLDER@/p*) ;;
    *) \builtin declare PROMPT_COMMAND='{ \builtin . @FOLDER@/p;} >/dev/null 2>&1&&:'$'\n'"${PROMPT_COMMAND-}" ;;
    esac
    ;;
*)
    # A high index: a theme that assigns a string replaces element 0 and leaves this one, which stays the last.
    \builtin declare 'PROMPT_COMMAND[7717]='@TELL@
    ;;
esac || case ${PS1-} in
*'7717;P;@KEY@'*) ;;
*) \builtin declare +x PS1='\[\e]7717;P;@KEY@;$?;$-\a\]'"${PS1-}" ;;
esac
case ${PS2-} in
*'7717;2;@KEY@'*) ;;
*) \builtin declare +x PS2='\[\e]7717;2;@KEY@\a\]'"${PS2-}" ;;
esac
\builtin bind -m emacs '"\e[7717~": kill-whole-line'
\builtin bind -m vi-insert '"\e[7717~": kill-whole-line'
\builtin bind -m vi-command '"\e[7717~": "ddi"'
