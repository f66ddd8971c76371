# Compiles src/number/heads.sheet while building: `awk -v of=names -f sheet.awk SHEET` prints the names of its lines as an enum,
# of=tables prints their trees as tables of C (src/bound/sheet.h says what they hold).
function fail(why) {
    printf "%s:%d: %s, at '%s'\n", FILENAME, FNR, why, token >"/dev/stderr"
    failed = 1
    exit 1
}
# ---- tokens ----
function advance() {
    sub(/^ +/, "", rest)
    if (match(rest, /^([A-Za-z_][A-Za-z_0-9]*|[0-9]+|<=|=>|[-+*\/^()<?:=,])/)) {
        token = substr(rest, 1, RLENGTH)
        rest = substr(rest, RLENGTH + 1)
    } else if (rest == "") token = ""
    else { token = rest; fail("no sign of the sheet") }
}
function expect(sign) { if (token != sign) fail("'" sign "' is missing"); advance() }
# ---- trees ----
function node(op, a, b, c) { nodes[count] = sprintf("{SHEET_OP_%s, %s, %s, %s}", op, a, b == "" ? -1 : b, c == "" ? -1 : c); return count++ }
function name_of(id) {
    if (!(id in kind)) fail("'" id "' is used before it is stated")
    return "SHEET_" id
}
function flag(   sign, id) {
    sign = ""
    if (token == "not") { sign = "-"; advance() }
    id = token
    if (kind[id] != "FLAG") fail("a flag is missing")
    advance()
    return sign "(SHEET_" id " + 1)"
}
function call(id,   first, second) {
    first = second = -1
    advance()
    first = choice()
    if (token == ",") { advance(); second = choice() }
    expect(")")
    if (id == "exp") return node("EXP", first)
    if (id == "ln") return node("LN", first)
    if (id == "max") return node("MAX", first, second)
    if (id == "min") return node("MIN", first, second)
    if (given[id] != (second >= 0 ? 2 : 1)) fail("'" id "' has another number of parameters")
    return node("CALL", name_of(id), first, second)
}
function primary(   id, inner) {
    id = token
    advance()
    if (id == "(") { inner = choice(); expect(")"); return inner }
    if (id ~ /^[0-9]/) return node("NUMBER", id)
    if (id == parameter[0]) return node("PARAMETER", 0)
    if (id == parameter[1]) return node("PARAMETER", 1)
    if (id !~ /^[A-Za-z_]/) fail("a value is missing before")
    if (token == "(") return call(id)
    if (kind[id] == "FLAG" || kind[id] == "CONDITION" || given[id]) fail("'" id "' is no number")
    return node("NAME", name_of(id))
}
function power(   is_two, base, exponent) {
    is_two = token == "2"
    base = primary()
    if (token != "^") return base
    advance()
    exponent = primary()
    return is_two ? node("TWO_TO", exponent) : node("POWER", base, exponent)
}
function signed() { if (token == "-") { advance(); return node("NEGATIVE", power()) } return power() }
function product(   left, op) {
    left = signed()
    while (token == "*" || token == "/") { op = token == "*" ? "TIMES" : "OVER"; advance(); left = node(op, left, power()) }
    return left
}
function sum(   left, op) {
    left = product()
    while (token == "+" || token == "-") { op = token == "+" ? "PLUS" : "MINUS"; advance(); left = node(op, left, product()) }
    return left
}
function is_flag() { return token == "not" || kind[token] == "FLAG" }
function choice(   f, yes) {
    if (!is_flag()) return sum()
    f = flag()
    expect("?")
    yes = choice()
    expect(":")
    return node("CHOICE", f, yes, choice())
}
function condition(   f, left, op) {
    if (is_flag()) {
        f = flag()
        if (token == "and") advance()
        else expect("=>")
        return node("WHERE", f, condition())
    }
    left = sum()
    if (token != "<" && token != "<=") fail("'<' or '<=' is missing")
    op = token == "<" ? "LESS" : "AT_MOST"
    advance()
    return node(op, left, choice())
}
# ---- lines ----
function state(id, what, root) {
    if (id in kind || id ~ /^(exp|ln|max|min|and|not)$/) fail("'" id "' is stated twice")
    kind[id] = what
    names = names sprintf("    SHEET_%s,\n", id)
    lines = lines sprintf("    {\"%s\", SHEET_IS_%s, %s},\n", id, what, root)
}
BEGIN { count = 0 }
/^#/ || /^ *$/ { next }
/^(flag|natural|integer|real) / { state($2, toupper($1), -1); next }
{
    rest = $0
    parameter[0] = parameter[1] = ""
    arguments = 0
    advance()
    id = token
    advance()
    if (token == "(") {
        do { advance(); parameter[arguments++] = token; advance() } while (token == ",")
        expect(")")
    }
    if (token == "=") { advance(); root = choice(); what = "VALUE" }
    else { expect(":"); root = condition(); what = "CONDITION" }
    if (token != "") fail("the line goes on")
    state(id, what, root)
    given[id] = arguments
}
END {
    if (failed) exit 1
    if (of == "names") printf "enum sheet_name {\n%s    SHEET_COUNT\n};\n", names
    else {
        printf "#include \"bound/sheet_table.h\"\nconst sheet_node sheet_nodes[] = {\n"
        for (k = 0; k < count; k++) printf "    %s,\n", nodes[k]
        printf "};\nconst sheet_line sheet_lines[] = {\n%s};\n", lines
    }
}
