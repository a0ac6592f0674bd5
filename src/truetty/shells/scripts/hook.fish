# Installs P and the clearing key in fish. Run after the user's files, and by healing.
# The event comes before fish_prompt is called, whatever function a theme has put there.
function @NAME@_p --on-event fish_prompt
    builtin printf '\e]7717;P;@KEY@;%s;\a' $status >/dev/tty
end 2>/dev/null
bind \e\[7717~ 'commandline ""; string match --quiet --regex "_(vi|hybrid)_" -- "$fish_key_bindings"; and set fish_bind_mode insert'
bind -M insert \e\[7717~ 'commandline ""'
