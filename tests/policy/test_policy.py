"""Own rules: what they match, what beats what, and what no rule lifts."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.rows import each_row
from truetty.core.errors import Misuse
from truetty.policy import Policy, Rule
from truetty.policy.tree import Node, Unreadable


def verdict(lists: dict[str, list[str]], command: str, **options) -> str:
    return Policy.from_lists(lists, **options).decide(command, cwd="/nowhere").verdict


def test_the_librarys_default_allows_everything_and_starts_no_parser() -> None:
    def parser(text: bytes, dialect: str) -> Node:
        raise AssertionError("it was asked to parse")

    policy = Policy((), default="allow", typing="allow", parser=parser)
    assert policy.decide("rm -rf / \x00", cwd=None, shell="fish").verdict == "allow"
    decision = Policy.allow_all().decide("eval $x", cwd=None)
    assert (decision.verdict, decision.rule, decision.parts) == ("allow", None, ())
    assert Policy.allow_all().decide_typing("x").verdict == "allow"


@each_row(
    ("rule", "command"),
    [
        ("npm test", "npm test"),
        ("npm test", "npm test unit"),
        ("npm test *", "npm test -- --watch"),
        ("npm test", "'npm' te\\st"),
        ("npm test", "cd x && npm test"),
        ("npm test", "timeout 60 npm test"),
        ("npm *", "npm anything"),
        ("timeout 60 npm", "timeout 60 npm test"),
        ("make", "/usr/bin/make all"),
        ("./gradlew", "./gradlew build"),
        ("NODE_ENV=test npm test", "NODE_ENV=test npm test"),
        ("PYTHONPATH=src pytest -q", "PYTHONPATH=src pytest -q tests"),
        ("npm test", "LC_ALL=C npm test"),
        ("x=1 npm test", "x=1 npm test"),
        ("/npm (test|run \\w+)/", "npm run build"),
        ("/^make( -j\\d+)?$/", "make -j4"),
        ("/^make( -j\\d+)?$/", "LANG=C make"),
        ("/^FOO=1 make.*/", "FOO=1 make all"),
        ('git commit -m "a b"', "git commit -m 'a b'"),
        ("sudo apt update", "sudo apt update"),
        ("xargs grep", "ls | xargs grep x"),
        ("source venv/bin/activate", "source venv/bin/activate"),
        ("npx tsc --noEmit", "npx tsc --noEmit"),
        ("bash scripts/build.sh *", "bash scripts/build.sh -c x"),
        ("rm -rf", "rm -rf x"),
        ("rm *", "rm -rf x"),
        ("grep", "grep -rn x src"),
        ("git", "git log --oneline -3"),
        ("git log", "git log --oneline -3"),
        ("mkdir -p", "mkdir -p x"),
        ("python3 -m pytest *", "python3 -m pytest -c x"),
        ("python3 -u", "python3 -u x.py"),
        ("git commit *", 'git commit -m "$(date)"'),
    ],
)
def test_an_allow_rule_allows(rule: str, command: str) -> None:
    lists = {"allow": [rule, "cd", "ls", "date"]}
    decision = Policy.from_lists(lists).decide(command, cwd="/nowhere")
    assert decision.verdict == "allow", decision
    assert rule in {part.rule for part in decision.parts}


@each_row(
    ("rule", "command"),
    [
        ("npm test", "npm"),
        ("npm", "npm test"),
        ("git", "git push"),
        ("npm test", "npm test --script-shell=./evil"),
        ("npm test", "npm test -- --watch"),
        ("npm run build", "npm run build --node-options='--require ./evil.js'"),
        ("pytest", "pytest --junitxml=F"),
        ("pytest", "pytest -p evil"),
        ("make", "make SHELL=./evil"),
        ("make", "make -C evil"),
        ("curl -I", "curl -I --etag-save F u"),
        ("sqlite3 -readonly", "sqlite3 -readonly -cmd '.shell touch F' x.db"),
        ("tar -tf", "tar -tf x.tar --index-file=F"),
        ("rsync -n", "rsync -n --log-file=F a d/"),
        ("mypy", "mypy --python-executable ./evil a.py"),
        ("git bundle", "git bundle {create,F} HEAD"),
        ("find", "find . {-exec,touch,F,\\;}"),
        ("find", "find . $x"),
        ("sort", "sort {-o,F} a"),
        ("rsync -n", "rsync -n {-e,./evil} a h:b"),
        ("rsync -n", "RSYNC_RSH=$x rsync -n a h:b"),
        ("/make/", "make install"),
        ("npm test", "npm tests"),
        ("npm test", "npm --prefix / test"),
        ("npm test", "npm $x"),
        ("npm test", "xnpm test"),
        ("npm test", "./npm test"),
        ("npm test", "/tmp/npm test"),
        ("npm test", "NPM test"),
        ("npm test", "npm test; rm x"),
        ("npm test", "npm test $(rm x)"),
        ("npm test", "npm test > x"),
        ("npm test", "NODE_OPTIONS=x npm test"),
        ("NODE_ENV=test npm test", "NODE_ENV=prod npm test"),
        ("NODE_ENV=test npm test", "NODE_ENV=$x npm test"),
        ("PYTHONPATH=src pytest", "PYTHONPATH=evil pytest"),
        ("/PYTHONPATH=src pytest/", "PYTHONPATH=src pytest"),
        ("./gradlew", "cd /tmp && ./gradlew"),
        ("/npm test/", "rm x npm test"),
        ("/^make$/", "make install"),
        ("/.*/", "eval x"),
        ("/.*/", "sudo rm x"),
        ("/.*/", "$x"),
        ("/.*/", "f() { rm x; }"),
        ("eval", "eval ls"),
        ("eval ls", "eval ls '; rm x'"),
        ("sudo", "sudo rm x"),
        ("sudo -u", "sudo -u x rm y"),
        ("env FOO=1", "env FOO=1 rm x"),
        ("xargs", "ls | xargs rm"),
        ("bash", "bash -c 'rm x'"),
        ("bash -c", "bash -c 'rm x'"),
        ("bash", "curl x | bash"),
        ("python3", "python3 -c x"),
        ("python3", "python3 -W ignore -c x"),
        ("find", "find . -exec rm {} +"),
        ("rg", "rg --pre ./x y"),
        ("git", "git -c core.pager=x log"),
        ("git", "git grep -Ox y"),
        ("git", "git config alias.x '!rm'"),
        ("git", "git rebase --exec 'rm x'"),
        ("tar", "tar cf a b --to-command=x"),
        ("tar", "tar cIf x a b"),
        ("tar", "tar -f -- --to-command=x"),
        ("sort", "sort --compress-prog=x a"),
        ("sort", "sort -o x a"),
        ("sed", "sed 's/a/b/e' x"),
        ("sed", "sed -i s/a/b/ x"),
        ("awk", "awk 'BEGIN{system(1)}'"),
        ("tee", "ls | tee x"),
        ("dd", "dd of=x"),
        ("echo", "echo x > ~/.bashrc"),
        ("make", "make --eval=x"),
        ("vim", "vim -c '!rm x' y"),
        ("vim", "vim '+!rm x' y"),
        ("vim", "vim '+/a/|!rm x' y"),
        ("less", "less '+!rm x' y"),
        ("less", "less '++|a rm x' y"),
        ("rg", "rg -e -- --pre=./x y"),
        ("git", "git grep -e -- -Ox y"),
        ("git", "git grep -e $x -- -Ox y"),
        ("sed", "sed -l -i 'e touch x' p"),
        ("sed", "sed ':x e touch y' z"),
        ("xxd", "xxd -ps x y"),
        ("tree", "tree -c -o x"),
        ("setarch", "setarch x86_64 rm x"),
        ("tmux", "tmux new 'rm x'"),
        ("hyperfine", "hyperfine ls"),
        ("printf", "printf 'a%ln' PATH"),
        ("export", "export PATH=."),
        ("declare", "declare -i x='a[$(rm y)]'"),
        ("read", "read 'a[$(rm y)]'"),
    ],
)
def test_an_allow_rule_does_not_allow(rule: str, command: str) -> None:
    assert verdict({"allow": [rule, "cd", "curl", "ls"]}, command) == "ask"


@each_row(
    ("rule", "command"),
    [
        ("rm", "rm x"),
        ("rm", "ls; rm x"),
        ("rm", "ls $(rm x)"),
        ("rm", "/bin/rm x"),
        ("rm", "./rm x"),
        ("rm", "\\rm x"),
        ("rm", "r''m x"),
        ("rm", "$'\\x72\\x6d' x"),
        ("rm", "RM x"),
        ("rm", "X=1 rm x"),
        ("rm", "sudo rm x"),
        ("rm", "sudo -u root rm x"),
        ("rm", "env A=1 B=2 rm x"),
        ("rm", "sudo env nice -n 5 rm x"),
        ("rm", "ls | xargs -n 1 rm"),
        ("rm", "timeout 5 rm x"),
        ("rm", "timeout -k 1 5 rm x"),
        ("rm", "command rm x"),
        ("rm", "exec rm x"),
        ("rm", "nohup rm x &"),
        ("rm", "time rm x"),
        ("rm", "busybox rm x"),
        ("rm", "find . -exec rm {} \\;"),
        ("rm", "find . -name x -execdir rm {} +"),
        ("rm", "fd -x rm"),
        ("rm", "setarch x86_64 rm x"),
        ("rm", "setarch -R rm x"),
        ("rm", "linux64 rm x"),
        ("rm", "linux32 -R rm x"),
        ("rm", "choom -n 5 -- rm x"),
        ("rm", "/lib64/ld-linux-x86-64.so.2 /bin/rm x"),
        ("rm", "/lib/ld-musl-x86_64.so.1 /bin/rm x"),
        ("rm", "ld.so --library-path . /bin/rm x"),
        ("rm", "tmux new 'rm x'"),
        ("rm", "tmux new-session -d -s name 'ls; rm x'"),
        ("rm", "tmux new -d rm x"),
        ("rm", "tmux send-keys -t 0 'rm x' Enter"),
        ("rm", "tmux split-window -h -- rm x"),
        ("rm", "screen -dm rm x"),
        ("rm", "screen -S name -X stuff 'rm x'"),
        ("rm", "screen -dmS name sh -c 'rm x'"),
        ("rm", "xterm -e rm x"),
        ("rm", "xterm -e 'rm x'"),
        ("rm", "gnome-terminal -- rm x"),
        ("rm", "uv run rm x"),
        ("rm", "uv run --with y -- rm x"),
        ("rm", "uv tool run rm"),
        ("rm", "poetry run rm x"),
        ("rm", "poetry -C y run rm x"),
        ("rm", "pipenv run rm x"),
        ("rm", "conda run -n base rm x"),
        ("rm", "npm exec -- rm x"),
        ("rm", "npm exec -c 'rm x'"),
        ("rm", "npm x rm"),
        ("rm", "npx -c 'rm x'"),
        ("rm", "pnpm exec rm x"),
        ("rm", "yarn exec rm x"),
        ("rm", "bundle exec rm x"),
        ("rm", "bundle exec sh -c 'rm x'"),
        ("rm", "docker exec box rm x"),
        ("rm", "docker exec -it -u root box rm x"),
        ("rm", "docker run --rm -v /:/y image rm x"),
        ("rm", "docker compose exec web rm x"),
        ("rm", "docker run --entrypoint rm image x"),
        ("rm", "podman exec box sh -c 'ls; rm x'"),
        ("rm", "kubectl exec pod -- rm x"),
        ("rm", "kubectl -n prod exec -it pod -c box -- rm x"),
        ("rm", "direnv exec . rm x"),
        ("rm", "hyperfine 'rm x'"),
        ("rm", "hyperfine --prepare 'rm x' ls"),
        ("rm", "capsh -- -c 'rm x'"),
        ("rm", "capsh --drop=all -- -c 'rm x'"),
        ("rm", "less +'!rm x' y"),
        ("rm", "vim '+!rm x' y"),
        ("rm", "vim -c ':!rm x' y"),
        ("rm", "git bisect run rm x"),
        ("rm", "git submodule foreach 'rm x'"),
        ("rm", "git submodule foreach --recursive rm x"),
        ("rm", "git rebase -x 'rm x' main"),
        ("rm", "git -c alias.y='!rm x' y"),
        ("rm", "sudo docker exec box rm x"),
        ("rm", "env -S'rm x'"),
        ("rm", "env --split-string='rm x'"),
        ("rm", "su -c'rm x'"),
        ("rm", "script -c'rm x'"),
        ("rm", "script --command='rm x'"),
        ("rm", "nix-shell --run 'rm x'"),
        ("rm", "aws-vault exec name -- rm x"),
        ("rm", "lerna exec -- rm x"),
        ("rm", "doppler run -- rm x"),
        ("rm", "mpirun -n 4 rm x"),
        ("rm", "distrobox enter box -- rm x"),
        ("rm", "vagrant ssh -c 'rm x'"),
        ("rm", "runcon -t name rm x"),
        ("rm", "bash -c 'rm x'"),
        ("rm", "bash -lc 'ls; rm x'"),
        ("rm", "sudo sh -c 'rm x'"),
        ("rm", "bash -c \"bash -c 'rm x'\""),
        ("rm", "eval 'rm x'"),
        ("rm", "eval rm x"),
        ("rm", "trap 'rm x' EXIT"),
        ("rm", "watch 'rm x'"),
        ("rm", "f() { rm x; }"),
        ("rm", "coproc rm x"),
        ("rm", "if ls; then rm x; fi"),
        ("rm", "cat <<EOF\n$(rm x)\nEOF"),
        ("rm", "rm 'unclosed"),
        ("rm", 'ls; rm x; echo "unclosed'),
        ("rm", "rm x\x00"),
        ("rm", "true;" * 20_000 + "rm x"),
        ("rm -rf", "rm -rf x"),
        ("rm -rf", "rm -fr x"),
        ("rm -rf", "rm -r -f x"),
        ("rm -rf", "rm x -rf"),
        ("git push", "git push"),
        ("git push", "git -C x push"),
        ("git push", "git -c a=b --no-pager push origin"),
        ("git push --force", "git push origin main --force"),
        ("kubectl delete", "kubectl -n prod delete pod x"),
        ("docker rm", "docker --host=x rm y"),
        ("/curl.*evil/", "ls | curl http://evil"),
        ("/curl.*evil/", "sudo curl http://evil"),
    ],
)
def test_deny_wins(rule: str, command: str) -> None:
    for default in ("allow", "ask", "deny"):
        policy = Policy.from_lists({"allow": ["/.*/"], "ask": ["/.*/"], "deny": [rule]}, default=default)
        decision = policy.decide(command, cwd="/nowhere")
        assert (decision.verdict, decision.rule) == ("deny", rule), decision
        assert decision.suggestions == ()


@each_row(
    ("rule", "command"),
    [
        ("rm", "npm run build"),
        ("rm", "ls rmdir x-rm rm_x farm"),
        ("rm", "docker run --rm image"),
        ("git push", "git status"),
        ("git push", "git log pushed"),
        ("rm -rf", "rm -f x"),
        ("/^rm/", "echo rm"),
    ],
)
def test_a_deny_rule_leaves_the_rest_alone(rule: str, command: str) -> None:
    assert verdict({"deny": [rule]}, command, default="allow") == "allow"


@each_row(
    ("rule", "command"),
    [
        ("rm", "ls rm"),
        ("rm", "grep -- rm x"),
        ("rm", "echo 'a; rm x'"),
        ("rm", "docker rm x"),
        ("rm", "kubectl exec pod -- grep rm x"),
        ("rm", "uv run pytest -k rm"),
        ("rm", "cargo run -- RM"),
        ("rm", "unheard-of-runner --do='rm x'"),
        ("rm", 'x="rm y"'),
        ("/opt/tool", "ls tool"),
        ("git push", "git log push"),
        ("git push --force", "echo git push --force"),
    ],
)
def test_what_a_deny_rule_is_about_is_asked_wherever_it_is_written(rule: str, command: str) -> None:
    decision = Policy.from_lists({"deny": [rule]}, default="allow").decide(command, cwd="/nowhere")
    assert (decision.verdict, decision.rule) == ("ask", rule)


@pytest.mark.parametrize("command", ["git $x", "git pus?", "git {push,}", "sudo git $x"])
def test_what_may_be_denied_is_asked(command: str) -> None:
    assert verdict({"allow": ["/git/"], "deny": ["git push"]}, command, default="allow") == "ask"


def test_ask_beats_allow_and_the_default() -> None:
    assert verdict({"allow": ["git *"], "ask": ["git push"]}, "git push") == "ask"
    assert verdict({"allow": ["git *"], "ask": ["git push"]}, "git pull") == "allow"
    assert verdict({"ask": ["git push"]}, "git push", default="allow") == "ask"
    decision = Policy.from_lists({"ask": ["git push"]}, default="allow").decide("ls && git push", cwd=None)
    assert (decision.rule, decision.suggestions) == ("git push", ())


@pytest.mark.parametrize("command", ["eval x", "$x", "sudo ls", "echo $((x))", "echo 'unclosed", "PATH=. ls"])
def test_what_hides_is_asked_where_the_default_is_to_allow(command: str) -> None:
    assert verdict({"deny": ["rm"]}, command, default="allow") == "ask"


@pytest.mark.parametrize("command", ["npm test", "eval x", "$x", "ls > x", "echo 'unclosed"])
def test_where_the_default_is_to_deny_nothing_is_asked(command: str) -> None:
    assert verdict({"allow": ["ls"]}, command, default="deny") == "deny"
    assert verdict({"allow": ["ls"]}, "ls", default="deny") == "allow"


def test_a_reason_of_ones_own_is_given() -> None:
    policy = Policy([Rule("deny", prefix="git push", reason="a person pushes")])
    decision = policy.decide("git push", cwd=None)
    assert decision.reason == "`git push` is denied by the rule 'git push': a person pushes."


def test_every_part_has_its_own_verdict() -> None:
    decision = Policy.from_lists({"allow": ["ls"], "deny": ["rm"]}).decide("ls; npm test; rm x", cwd=None)
    assert [(part.command, part.verdict, part.rule) for part in decision.parts] == [
        ("ls", "allow", "ls"),
        ("npm test", "ask", None),
        ("rm x", "deny", "rm"),
    ]


@each_row(
    ("command", "suggestions"),
    [
        ("npm test", ("npm test",)),
        ("git push origin main", ("git push",)),
        ("npm run build && npm test", ("npm run build", "npm test")),
        ("pytest -q tests", ("pytest -q",)),
        ("pytest -q $x", ("pytest *",)),
        ("make", ("/^make$/",)),
        ("make -j4", ("/^make -j4$/",)),
        ("cargo build --release", ("cargo build --release",)),
        ("NODE_ENV=test npm test", ("NODE_ENV=test npm test",)),
        ("rm -rf build", ("/^rm -rf build$/",)),
        ("python3 a.py", ("/^python3 a\\.py$/",)),
        ("timeout 9 npm test", ("npm test",)),
        ("npm run", ()),
        ("rm $x", ()),
        ("$x", ()),
        ("eval npm test", ()),
        ("sudo npm test", ()),
        ("npm test; eval x", ()),
        ("npm test > x", ()),
        ("LD_PRELOAD=x npm test", ()),
        ("git diff --output=x", ()),
    ],
)
def test_suggestions_are_narrow(command: str, suggestions: tuple[str, ...]) -> None:
    assert Policy.read_only().decide(command, cwd=None).suggestions == suggestions


def test_typing_is_a_permission_of_its_own() -> None:
    policy = Policy.from_lists({"allow": ["/.*/"], "deny": ["rm"]})
    assert policy.decide_typing("y\n").verdict == "ask"
    assert "`npm init`" in policy.decide_typing("y\n", program="npm init").reason
    assert policy.decide_typing("ls; rm x\n").rule == "rm"
    assert Policy.from_lists({}, typing="deny").decide_typing("y").verdict == "deny"
    assert Policy.from_lists({}, typing="allow").decide_typing("y").verdict == "allow"


def test_a_secret_is_in_no_answer() -> None:
    decision = Policy.read_only().decide_typing("hunter2", secret=True)
    assert "hunter2" not in repr(decision) and decision.command == "(7 characters)"


def test_a_parser_that_fails_is_asked() -> None:
    def broken(text: bytes, dialect: str) -> Node:
        raise Unreadable("It is broken.")

    def strange(text: bytes, dialect: str) -> Node:
        return {"Type": "File", "Stmts": [{"Cmd": {"Type": "Teleport"}}]}

    def newer(text: bytes, dialect: str) -> Node:
        return {"Type": "File", "Stmts": [{"Cmd": {"Type": "CallExpr", "Args": []}, "Elsewhere": True}]}

    def shapeless(text: bytes, dialect: str) -> Node:
        return {"Type": "File", "Stmts": "none"}

    for parser in (broken, strange, newer, shapeless):
        decision = Policy.read_only().extended([]).decide("ls", cwd=None)
        assert decision.verdict == "allow"
        assert Policy([Rule("allow", prefix="ls")], parser=parser).decide("ls", cwd=None).verdict == "ask"


def test_nothing_to_run_is_the_default() -> None:
    assert verdict({}, "") == "ask"
    assert verdict({"deny": ["rm"]}, "", default="allow") == "allow"


@pytest.mark.parametrize(
    "lists",
    [{"permit": ["ls"]}, {"allow": "ls"}, {"allow": [""]}, {"allow": ["*"]}, {"allow": ["/(/"]}, {"allow": ["A=1"]}],
)
def test_a_rule_that_cannot_be_meant_is_refused(lists: dict[str, list[str]]) -> None:
    with pytest.raises(Misuse):
        Policy.from_lists(lists)


def test_a_verdict_that_is_none_is_refused() -> None:
    with pytest.raises(Misuse):
        Rule("maybe", prefix="ls")  # type: ignore[arg-type]
    with pytest.raises(Misuse):
        Rule("allow")
    with pytest.raises(Misuse):
        Policy(default="perhaps")  # type: ignore[arg-type]


def test_rules_are_values() -> None:
    assert Rule.parse("allow", " git status ") == Rule("allow", prefix="git status")
    assert Rule.parse("deny", "/^rm/") == Rule("deny", regex="^rm")
    assert [Rule.parse("ask", text).text for text in ("/x/", "a b", "/usr/bin/x")] == ["/x/", "a b", "/usr/bin/x"]


async def test_judging_does_not_hold_up_the_event_loop() -> None:
    held = threading.Event()
    released: list[bool] = []

    def slow(text: bytes, dialect: str) -> Node:
        released.append(held.wait(60))
        return {"Type": "File"}

    policy = Policy([Rule("allow", prefix="ls")], parser=slow)
    task = asyncio.create_task(policy.judge("ls", cwd=None))
    await asyncio.sleep(0)  # a loop that is held up would set the event too late
    held.set()
    assert (await task).verdict == "ask"
    assert released == [True]
    assert (await Policy.read_only().judge("ls", cwd=None)).verdict == "allow"
    assert (await Policy.allow_all().judge("rm x", cwd=None)).verdict == "allow"
