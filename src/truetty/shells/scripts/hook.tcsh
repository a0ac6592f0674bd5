# Installs P and the continuation mark in tcsh. Sourced before the user's files (an error in one of them breaks off
# every file that is being read, and then this stays), after them, and by healing.
# The user's own precmd, if there is one, is kept under another name and comes after P with the status it expects.
if ("`alias precmd`" !~ *@FOLDER@*) then
    alias @NAME@_u "`alias precmd`"
    alias precmd 'set @NAME@=$status;source @FOLDER@/p;@NAME@_u'
endif
if ("`alias @NAME@_u`" == "") alias @NAME@_u 'set status=$status'
if (! $?prompt2) set prompt2='%R? '
if ("$prompt2:q" !~ *@KEY@*) set prompt2="%{@ESC@]7717;2;@KEY@;%?@BEL@%}$prompt2:q"
