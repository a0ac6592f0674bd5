"""A command line → allow, ask or deny, and the rule that said so. To contain a program takes a sandbox."""

from truetty.policy.asking import Asker, ask_or_deny
from truetty.policy.audit import Audit
from truetty.policy.decision import Decision, Part, Verdict
from truetty.policy.policy import Policy
from truetty.policy.readers import READ_ONLY
from truetty.policy.rules import Rule, rules_from

__all__ = ["READ_ONLY", "Asker", "Audit", "Decision", "Part", "Policy", "Rule", "Verdict", "ask_or_deny", "rules_from"]
