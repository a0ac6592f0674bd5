"""Writing inside and outside the workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rows import each_row
from truetty.policy import READ_ONLY, Policy, Rule

RULES = [
    *READ_ONLY,
    *(
        Rule("allow", prefix=f"{name} *")
        for name in (
            *("tee", "dd", "cp", "mv", "rm", "mkdir", "touch", "ln", "sed", "sort", "uniq", "find", "curl", "git diff"),
            *("./run", "chmod", "install", "tree", "pushd", "truncate", "xxd", "builtin cd"),
        )
    ),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (root / ".git").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (root / "out").symlink_to(tmp_path / "elsewhere")
    (root / "in").symlink_to(root / "sub")
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "leave").mkdir()
    (root / "link").symlink_to("a/b")
    (root / "leave").symlink_to(tmp_path / "elsewhere")
    (root / "dangling").symlink_to(tmp_path / "elsewhere" / "new")
    return root


INSIDE = r"""
ls > x
ls >> sub/x
ls 2> x &> y
ls > ./sub/../x
ls > in/x
ls > WORKSPACE/x
ls > 'a file'
ls > /dev/null
cd sub && ls > x
{ ls; } > x
> x
ls | tee x sub/y
ls | tee -a x > /dev/null
dd if=/dev/zero of=x count=1
sed -i s/a/b/ x
sed -i.bak -e s/a/b/ x sub/y
sort -o x y
sort -uox y
uniq x y
cp /etc/hosts .
cp -r sub sub2
mv x y
rm -rf sub
mkdir -p a/b/c
touch x
ln -s sub link
find . -name '*.o' -delete
find . -fprint x
curl -o x http://example.org
git diff --output=x
./run
install -m 755 x sub
chmod +x x
xxd x y
xxd -ps /etc/hosts y
for i in 1 2; do ls > x; done
for i in 1 2; do (cat y) > WORKSPACE/x; cd ..; done
cd link && ls > x
cd link/.. && ls > x
"""

OUTSIDE = r"""
ls > ../x
ls > /etc/x
ls > /tmp/x
ls > ~/x
ls > ~+/x
ls > "$x"
ls > sub/$x
ls > x{1,2}
ls > x*
ls > $(pwd)/x
ls > out/x
ls > in/../../x
ls > dangling
ls > WORKSPACE-other/x
ls > .git/config
ls > sub/../.git/hooks/pre-commit
ls > x > ../y
ls > /dev/sda
ls > /proc/self/mem
cd / && ls > x
cd .. && ls > x
command cd / && ls > x
cd out && ls > x
cd sub && ls > ../../x
cd maybe; cd ..; ls > x
cd "$x" && ls > y
cd && ls > x
cd - && ls > x
pushd sub && ls > x
false && cd ..; ls > x
for i in 1 2; do cd ..; done; ls > x
(cd ..; ls > x)
for i in 1 2; do ls > x; cd ..; done
for i in 1 2; do ls > x; command cd ..; done
for i in 1 2; do ls > x; builtin cd ..; done
for i in 1 2; do ls > x; if true; then cd ..; fi; done
for i in 1 2; do for j in 1 2; do ls > x; done; cd ..; done
for i in 1 2; do ls | tee x; cd ..; done
for i in 1 2; do ls > x; pushd ..; done
while ls > x; do cd ..; done
while cd ..; do ls > x; done
until ls > x; do cd ..; done
for ((;;)); do ls > x; cd ..; done
f() { ls > x; cd ..; }; f; f
cd link/../leave; ls > x
cd link/../leave && ls | tee x
cd -P link/../../.. && ls > x
cd link && cd ../leave && ls > x
cd link; cd ../../..; ls > x
builtin cd ..; ls > x
cd sub; ln -s .. ../up
cd sub; ln -s ../a/../.. ../up
cd sub; ln -s -t .. ..
xxd x ../y
xxd -ps x ../y
xxd -r -p x ../y
xxd -c 8 x ../y
tree -c -o ../x
tree -Lo 2 ../x
sed -l -- -i s/a/b/ ../x
{ ls; } > ../x
> ../x
ls | tee ../x
ls | tee x /etc/y
ls | tee "$x"
dd of=../x
dd of="$x"
dd $x
sed -i s/a/b/ ../x
sed -i '' s/a/b/ /etc/x
sort -o ../x y
sort -o../x y
sort --output=/etc/x y
sort --outp /etc/x y
uniq x /etc/y
cp x /etc
cp x y -t /etc
cp --target-directory=/etc x
cp -a /etc/hosts .
cp -P out link
mv /etc/x .
mv x /etc
rm -rf /
rm -rf ..
rm -rf "$x"
rm -rf .git
mkdir ../x
touch /etc/x
ln -s /etc link
ln -s .. link
ln -sf /etc link && ls > link/x
chmod 777 /etc/passwd
truncate -s 0 ../x
find / -delete
find .. -name x -delete
find . -fprint ../x
curl -o ../x http://example.org
curl --output /etc/x http://example.org
git diff --output=../x
tree -o ../x
cd sub && ./run
"""


def lines(table: str) -> list[str]:
    return [line for line in table.splitlines() if line]


def placed(command: str, workspace: Path) -> str:
    return command.replace("WORKSPACE", str(workspace))


@each_row("command", lines(INSIDE))
def test_inside_a_rule_is_enough(command: str, workspace: Path) -> None:
    policy = Policy(RULES, workspace=workspace)
    decision = policy.decide(placed(command, workspace), cwd=str(workspace))
    assert decision.verdict == "allow", decision


@each_row("command", lines(OUTSIDE))
def test_outside_it_is_asked(command: str, workspace: Path) -> None:
    policy = Policy(RULES, workspace=workspace)
    decision = policy.decide(placed(command, workspace), cwd=str(workspace))
    assert (decision.verdict, decision.suggestions) == ("ask", ()), decision


@each_row("command", lines(OUTSIDE))
def test_outside_it_is_asked_where_the_default_is_to_allow(command: str, workspace: Path) -> None:
    if command.endswith("./run"):  # not about writing: that rule does not matter where everything is allowed
        return
    policy = Policy(default="allow", workspace=workspace)
    assert policy.decide(placed(command, workspace), cwd=str(workspace)).verdict == "ask"


def test_a_relative_path_needs_a_directory_to_start_from(workspace: Path) -> None:
    policy = Policy(RULES, workspace=workspace)
    assert policy.decide("ls > x", cwd=None).verdict == "ask"
    assert policy.decide("ls > x", cwd="project").verdict == "ask"
    assert policy.decide(f"ls > {workspace}/x", cwd=None).verdict == "allow"
    assert policy.decide("ls > x", cwd=str(workspace.parent)).verdict == "ask"
    assert policy.decide("./run", cwd=str(workspace.parent)).verdict == "ask"


@each_row(
    ("command", "verdict"),
    [
        ("make", "allow"),
        ("make all", "allow"),
        ("cd sub; make", "allow"),
        ("git clone . sub/x", "allow"),
        ("git clone https://example.org/x.git", "allow"),
        ("cd ..; make", "ask"),
        ("cd out; make", "ask"),
        ("cd $x; make", "ask"),
        ("git clone . /tmp/x", "ask"),
        ("git clone . ../x", "ask"),
        ("git clone . out/x", "ask"),
        ("git clone . ..", "ask"),
        ("git archive -o /etc/x HEAD", "ask"),
        ("git --work-tree=/etc checkout-index -a", "ask"),
        ("git -C /tmp checkout .", "ask"),
        ("pytest --junitxml=/tmp/x", "ask"),
        ("tar -cf /tmp/x a", "ask"),
        ("tar -cf sub/x a", "allow"),
        ("ls /etc", "allow"),
    ],
)
def test_a_rule_of_the_users_counts_inside_the_workspace(command: str, verdict: str, workspace: Path) -> None:
    rules = ["make", "cd", "git clone", "git archive", "git checkout", "pytest", "tar -cf", "ls"]
    policy = Policy.from_lists({"allow": rules}, workspace=workspace)
    assert policy.decide(command, cwd=str(workspace)).verdict == verdict
    if verdict == "allow" and not command.startswith("ls"):
        assert policy.decide(command, cwd=str(workspace.parent)).verdict == "ask"


def test_a_workspace_that_is_a_link_is_where_it_leads(workspace: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(workspace)
    policy = Policy(RULES, workspace=link)
    assert policy.decide("ls > x", cwd=str(workspace)).verdict == "allow"
    assert policy.decide("ls > x", cwd=str(link)).verdict == "allow"
    assert policy.decide("ls > ../x", cwd=str(link)).verdict == "ask"


def test_without_a_workspace_the_default_speaks_for_redirections() -> None:
    lists = {"allow": ["ls", "tee", "mkdir", "sort"]}
    for default in ("ask", "deny"):
        policy = Policy.from_lists(lists, default=default)
        assert policy.decide("ls > x", cwd="/nowhere").verdict == default
        assert policy.decide("ls | tee x", cwd="/nowhere").verdict == default
        assert policy.decide("sort -o x y", cwd="/nowhere").verdict == default
        assert policy.decide("mkdir x", cwd="/nowhere").verdict == "allow"
        assert policy.decide("ls > /dev/null", cwd="/nowhere").verdict == "allow"
    policy = Policy.from_lists({"deny": ["rm"]}, default="allow")
    assert policy.decide("ls > x", cwd="/nowhere").verdict == "allow"


def test_where_the_default_is_to_deny_outside_is_denied(workspace: Path) -> None:
    policy = Policy(RULES, default="deny", workspace=workspace)
    assert policy.decide("ls > x", cwd=str(workspace)).verdict == "allow"
    assert policy.decide("ls > ../x", cwd=str(workspace)).verdict == "deny"


def test_the_read_only_default_takes_a_workspace(workspace: Path) -> None:
    policy = Policy.read_only(workspace=workspace)
    assert policy.decide("ls > x", cwd=str(workspace)).verdict == "allow"
    assert policy.decide("ls > ../x", cwd=str(workspace)).verdict == "ask"
    assert policy.decide("rm x", cwd=str(workspace)).verdict == "ask"
    for command in ("sed -i s/a/b/ x", "sed -l -- -i s/a/b/ x", "tree -c -o x", "tree -Lo 2 x", "xxd -ps x y"):
        assert policy.decide(command, cwd=str(workspace)).verdict == "ask"
