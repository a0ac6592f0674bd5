# Installs P in xonsh. Loaded as the last of the run control files, and by healing.
def @NAME@():
    from xonsh.built_ins import XSH
    from xonsh.events import events

    def prompt(**_):
        code = XSH.env.get("LAST_RETURN_CODE", 0) or 0
        try:
            with open("/dev/tty", "w") as tty:
                tty.write(f"\033]7717;P;@KEY@;{code if code >= 0 else 128 - code};\007")
        except OSError:
            pass

    prompt.__qualname__ = prompt.__name__ = "@NAME@_p"
    for old in [one for one in events.on_pre_prompt if one.__name__ == "@NAME@_p"]:
        events.on_pre_prompt.discard(old)
    events.on_pre_prompt(prompt)


@NAME@()
del @NAME@
