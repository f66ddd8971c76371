#!/usr/bin/env python3
"""Prints src/number/heads.sheet, or another SHEET, as definitions of Coq: the file Sheet.v that the theorems of proofs/Sheet*.v are about."""
import pathlib
import re
import sys

KINDS = {"flag": "bool", "natural": "nat", "integer": "Z", "real": "R"}
FUNCTIONS = {"exp": "exp", "ln": "ln", "max": "Rmax", "min": "Rmin"}
given, parameters, out = {}, [], []


class Reader:
    """One line, by recursive descent; what it returns is text of Coq."""

    def __init__(self, text):
        self.tokens = re.findall(r"[A-Za-z_]\w*|\d+|<=|=>|[-+*/^()<?:=,]", text) + [""]

    def take(self, *signs):
        if self.tokens[0] in signs:
            return self.tokens.pop(0)
        return None

    def must(self, sign):
        if not self.take(sign):
            raise SystemExit(f"sheet-to-coq: '{sign}' is missing before {self.tokens}")

    def flag(self):
        if self.tokens[0] != "not" and given.get(self.tokens[0]) != "flag":
            return None
        turned = self.take("not")
        name = self.tokens.pop(0)
        return f"(negb ({name} x))" if turned else f"({name} x)"

    def whole(self, kind):
        """An exponent as a natural number ("nat") or as an integer ("Z")."""
        def factor():
            token = self.tokens.pop(0)
            if token.isdigit():
                return f"{token}%{kind}"
            value = f"({token} x)"
            return f"(Z.of_nat {value})" if kind == "Z" and given[token] == "natural" else value

        def product():
            text = factor()
            while self.take("*"):
                text = f"({text} * {factor()})%{kind}"
            return text
        if not self.take("("):
            return factor()
        text = product()
        while self.tokens[0] in "+-":
            text = f"({text} {self.tokens.pop(0)} {product()})%{kind}"
        self.must(")")
        return text

    def primary(self):
        token = self.tokens.pop(0)
        if token == "(":
            inner = self.choice()
            self.must(")")
            return inner
        if token.isdigit():
            return token
        if self.take("("):
            arguments = [self.choice()]
            while self.take(","):
                arguments.append(self.choice())
            self.must(")")
            head = FUNCTIONS.get(token, f"{token} x")
            return f"({head} {' '.join(arguments)})"
        if token in parameters:
            return f"given_{token}"
        if given.get(token) == "natural":
            return f"(INR ({token} x))"
        return f"({token} x)"

    def power(self):
        is_two = self.tokens[0] == "2"
        base = self.primary()
        if not self.take("^"):
            return base
        return f"(bpow radix2 {self.whole('Z')})" if is_two else f"({base} ^ {self.whole('nat')})"

    def product(self):
        text = f"(- {self.power()})" if self.take("-") else self.power()
        while self.tokens[0] in ("*", "/"):
            text = f"({text} {self.tokens.pop(0)} {self.power()})"
        return text

    def sum(self):
        text = self.product()
        while self.tokens[0] in ("+", "-"):
            text = f"({text} {self.tokens.pop(0)} {self.product()})"
        return text

    def choice(self):
        flag = self.flag()
        if flag is None:
            return self.sum()
        self.must("?")
        yes = self.choice()
        self.must(":")
        return f"(if {flag} then {yes} else {self.choice()})"

    def condition(self):
        asked = ""
        flag = self.flag()
        while flag:
            asked += f"{flag} = true -> "
            self.take("and", "=>")
            flag = self.flag()
        left = self.sum()
        sign = self.take("<", "<=")
        return f"{asked}{left} {sign} {self.choice()}"


sheet = pathlib.Path(sys.argv[1]) if sys.argv[1:] else pathlib.Path(__file__).resolve().parent.parent / "src" / "number" / "heads.sheet"
lines = [line for line in sheet.read_text(encoding="ascii").splitlines() if line.strip() and not line.startswith("#")]
for line in lines:
    kind, name = line.split()[:2]
    if kind in KINDS:
        given[name] = kind
fields = "; ".join(f"{name} : {KINDS[kind]}" for name, kind in given.items())
out.append(f"Record head := {{ {fields} }}.")
for line in lines:
    stated = re.match(r"([a-z]\w*)(?:\(([^)]*)\))?\s*([=:])(?!>)(.*)$", line)
    if not stated:
        continue
    name, arguments, sign, body = stated.groups()
    parameters = [word.strip() for word in arguments.split(",")] if arguments else []
    reader = Reader(body)
    text = reader.choice() if sign == "=" else reader.condition()
    if reader.tokens != [""]:
        raise SystemExit(f"sheet-to-coq: {name} goes on: {reader.tokens}")
    bound = "".join(f" (given_{word} : R)" for word in parameters)
    out.append(f"Definition {name} (x : head){bound} : {'R' if sign == '=' else 'Prop'} := {text}.")
print("(* The sheet of inequalities, printed by scripts/sheet-to-coq.py from src/number/heads.sheet. *)")
print("From Coq Require Import ZArith Reals.\nFrom Flocq Require Import Core.\nLocal Open Scope R_scope.\nModule Sheet.")
print("\n".join(out))
print("End Sheet.")
