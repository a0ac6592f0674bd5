# Installs P and the clearing key in fish. Run after the user's files, and by healing.
# The event comes before fish_prompt is called, whatever function a theme has put there.
function _tt_p --on-event fish_prompt
    builtin printf '\e]7717;P;@KEY@;%s;\a' $status >/dev/tty
end 2>/dev/null
bind \e\[7717~ 'commandline ""'
bind -M insert \e\[7717~ 'commandline ""'
bind -M default \e\[7717~ 'commandline ""; set fish_bind_mode insert'
