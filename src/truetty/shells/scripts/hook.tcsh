# Installs P and the continuation mark in tcsh. Sourced before the user's files (an error in one of them breaks off
# every file that is being read, and then this stays), after them, and by healing.
# The user's own precmd, if there is one, is kept under another name and comes after P with the status it expects.
if ("`alias precmd`" !~ *@FOLDER@*) then
    alias _tt_u "`alias precmd`"
    alias precmd 'set _tt=$status;source @FOLDER@/p;_tt_u'
endif
if ("`alias _tt_u`" == "") alias _tt_u 'set status=$status'
if (! $?prompt2) set prompt2='%R? '
if ("$prompt2:q" !~ *@KEY@*) set prompt2="%{@ESC@]7717;2;@KEY@;%?@BEL@%}$prompt2:q"
