"""Faults of what a result is made of: sums, counts, groups, numbers, members, answers that are no answers."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tests.faults.java import JavaMethod, calls, closing_chain, each, replaced


def sum_field(method: JavaMethod) -> Iterator[str]:
    """A fold over another field."""
    for found in re.finditer(r'\.(?:sum|min|max|avg|addToSet|push)\("([\w.]+)"\)', method.text):
        head, _, _ = found[1].rpartition(".")
        others = list(method.like(found[1])) or [f"{head}._id" if head else "_id"]
        yield replaced(method.text, found.start(1), found.end(1), others[0])
    for found in re.finditer(r'"\$(?:sum|min|max|avg)", "\$([\w.]+)"', method.text):
        for other in list(method.like(found[1]))[:1]:
            yield replaced(method.text, found.start(1), found.end(1), other)


def fold(method: JavaMethod) -> Iterator[str]:
    """The largest for the smallest, the smallest for the sum."""
    for one, other in (("min", "max"), ("max", "min"), ("sum", "max"), ("avg", "max")):
        yield from each(method.text, rf"\.{one}\(", f".{other}(")
        yield from each(method.text, rf'"\${one}"', f'"${other}"')


def count_for_sum(method: JavaMethod) -> Iterator[str]:
    """How many for how much, and the reverse."""
    yield from each(method.text, r"\.sum\([^()]*\)", ".count()")
    for piece in calls(method.text, r"\.sum"):
        yield replaced(method.text, piece.start, piece.end, ".count()")
    yield from each(method.text, r'new Document\("\$size", "\$([\w]+)"\)', r'new Document("$sum", "$\1._id")')


def count_of_others(method: JavaMethod) -> Iterator[str]:
    """Rows counted where their children are, or the reverse."""
    yield from each(method.text, r'new Document\("\$size", "\$\w+"\)', 'new Document("$literal", 1)')
    for piece in calls(method.text, r"group(?=\(\)\s*\.count\(\))"):
        yield replaced(method.text, piece.start, piece.end, 'group("_id")')
    yield from each(method.text, r"\.addToSet\(", ".push(")


def factor_dropped(method: JavaMethod) -> Iterator[str]:
    """One side of a sum, a product or a quotient left out."""
    for piece in calls(
        method.text, r'new Document\("\$(?:multiply|add|subtract|divide|mod)", (?:List\.of|Arrays\.asList)'
    ):
        if len(piece.arguments) == 2 and method.text[piece.end : piece.end + 1] == ")":
            for side in piece.arguments:
                if side.startswith(('"$', "new Document")):
                    yield replaced(method.text, piece.start, piece.end + 1, _value(side))


def _value(side: str) -> str:
    return f'new Document("$ifNull", List.of({side}, {side}))' if side.startswith('"') else side


def arithmetic(method: JavaMethod) -> Iterator[str]:
    """Another operation, or the sides of one exchanged."""
    for one, other in (("multiply", "add"), ("add", "subtract"), ("subtract", "add"), ("divide", "multiply")):
        yield from each(method.text, rf'"\${one}"', f'"${other}"')
    for piece in calls(method.text, r'new Document\("\$(?:subtract|divide|mod)", (?:List\.of|Arrays\.asList)'):
        if len(piece.arguments) == 2:
            yield replaced(method.text, piece.inside, piece.end - 1, ", ".join(reversed(piece.arguments)))


def whole_division(method: JavaMethod) -> Iterator[str]:
    """A division of integers that keeps its fraction, or one that loses it."""
    for piece in calls(method.text, r'new Document\("\$(?:trunc|toInt|toLong|floor)", new Document|new Document'):
        inner = re.match(r'new Document\("\$(?:trunc|toInt|toLong|floor)", (?=new Document)', piece.text(method.text))
        if inner:
            yield replaced(method.text, piece.start, piece.end, piece.text(method.text)[inner.end() : -1])
    for piece in calls(method.text, r"new Document"):
        if piece.arguments and piece.arguments[0] == '"$divide"':
            whole = f'new Document("$toLong", {piece.text(method.text)})'
            yield replaced(method.text, piece.start, piece.end, whole)


def average_truncated(method: JavaMethod) -> Iterator[str]:
    """An average without its fraction."""
    yield from each(method.text, r"return (found\.get\(0\)\.mean\(\));", _TRUNCATED.get(method.returns, r"return \1;"))
    yield from each(
        method.text,
        r"return found\.isEmpty\(\) \? null : (found\.get\(0\)\.mean\(\));",
        r"return found.isEmpty() || \1 == null ? null : Double.valueOf(\1.intValue());",
    )
    for piece in calls(method.text, r"new Document"):
        if piece.arguments and piece.arguments[0] == '"$avg"':
            whole = f'new Document("$toInt", {piece.text(method.text)})'
            yield replaced(method.text, piece.start, piece.end, whole)


_TRUNCATED = {
    "double": r"return (double) (long) \1;",
    "BigDecimal": r"return \1.setScale(0, java.math.RoundingMode.DOWN);",
}


def nulls_averaged(method: JavaMethod) -> Iterator[str]:
    """Nulls counted as zero in an average."""
    yield from each(method.text, r'\.avg\("([\w.]+)"\)', r'.avg(context -> new Document("$ifNull", List.of("$\1", 0)))')


def overflow_wraps(method: JavaMethod) -> Iterator[str]:
    """A sum or a count beyond an int that wraps around, where C# throws."""
    for piece in calls(method.text, r"Math\.toIntExact"):
        yield replaced(
            method.text, piece.start, piece.end, f"(int) (long) ({method.text[piece.inside : piece.end - 1]})"
        )


def decimal_as_double(method: JavaMethod) -> Iterator[str]:
    """Decimals computed or compared as binary fractions."""
    for name in _decimals(method):
        yield from each(
            method.text, rf'\.(sum|avg)\("([\w.]*\b{name})"\)', r'.\1(context -> new Document("$toDouble", "$\2"))'
        )
        yield from each(
            method.text, rf'(?<=[(\s])"(\$\$?[\w.]*\b{name})"(?=[,)\s])', r'new Document("$toDouble", "\1")'
        )
    for name in method.of_type("BigDecimal"):
        yield from each(method.text, rf"\.(is|ne|gte?|lte?)\({name}\)", rf".\1({name}.doubleValue())")


def decimal_as_text(method: JavaMethod) -> Iterator[str]:
    """Decimals kept, sent or sorted as text."""
    for name in _decimals(method):
        yield from each(
            method.text, rf'(?<=[(\s])"(\$\$?[\w.]*\b{name})"(?=[,)\s])', r'new Document("$toString", "\1")'
        )
        for piece in calls(method.text, r"(?<![\w.])sort"):
            inner = method.text[piece.inside : piece.end - 1]
            if f'"{name}"' in inner and re.search(r"(?:newAggregation\(|,)\s*$", method.text[: piece.start]):
                text = (
                    'addFields().addField("asText").withValueOf(AggregationExpression.from('
                    f'() -> new Document("$toString", "${name}"))).build(),\n                '
                )
                changed = inner.replace(f'"{name}"', '"asText"')
                yield replaced(method.text, piece.start, piece.end, f"{text}sort({changed})")
    for name in method.of_type("BigDecimal"):
        yield from each(method.text, rf"\.(is|ne|gte?|lte?)\({name}\)", rf".\1({name}.toPlainString())")


def _decimals(method: JavaMethod) -> tuple[str, ...]:
    fields = (f for d in method.documents.documents for f in d.fields)
    return tuple(dict.fromkeys(f.field for f in fields if f.java_type == "BigDecimal"))


def group_key_dropped(method: JavaMethod) -> Iterator[str]:
    """One group for all, or fewer groups: a part of the key left out."""
    for piece in calls(method.text, r"(?<![\w.])group"):
        for at in range(len(piece.arguments) if len(piece.arguments) > 1 else 0):
            keys = piece.arguments[:at] + piece.arguments[at + 1 :]
            text = replaced(method.text, piece.inside, piece.end - 1, ", ".join(keys))
            kept = keys[0].strip('"') if len(keys) == 1 else ""
            yield re.sub(rf'"_id\.{kept}"', '"_id"', text) if kept else text
        if len(piece.arguments) == 1:
            yield replaced(method.text, piece.inside, piece.end - 1, "")


def group_key(method: JavaMethod) -> Iterator[str]:
    """Groups by another field."""
    for piece in calls(method.text, r"(?<![\w.])group"):
        for argument in piece.arguments:
            for other in list(method.like(argument.strip('"')))[:1]:
                inner = method.text[piece.inside : piece.end - 1].replace(argument, f'"{other}"')
                yield replaced(method.text, piece.inside, piece.end - 1, inner)


def null_group_dropped(method: JavaMethod) -> Iterator[str]:
    """The group of rows without the key left out."""
    for piece in calls(method.text, r"(?<![\w.])group"):
        key = piece.arguments[0].strip('"') if len(piece.arguments) == 1 else ""
        if re.fullmatch(r"[\w.]+", key):
            yield _stage_before(method.text, piece.start, f'match(where("{key}").ne(null))')


def _stage_before(text: str, at: int, stage: str) -> str:
    added = re.search(r"stages\.add\(\s*$", text[:at])
    if added:
        return replaced(text, added.start(), added.start(), f"stages.add({stage});\n        ")
    return replaced(text, at, at, f"{stage}, ")


def distinct_dropped(method: JavaMethod) -> Iterator[str]:
    """Every value instead of each once."""
    for piece in calls(method.text, r"(?<![\w.])group"):
        end = closing_chain(method.text, piece.end)
        if end == piece.end and len(piece.arguments) == 1 and piece.arguments[0].startswith('"'):
            yield replaced(method.text, piece.start, end, f'project().and({piece.arguments[0]}).as("_id")')
    yield from each(method.text, r"\.distinct\(\)", "")


def distinct_added(method: JavaMethod) -> Iterator[str]:
    """Each value once where every one was asked for."""
    if method.returns.startswith("List<"):
        yield from each(method.text, r"\.map\((\w+)::value\)\.toList\(\)", r".map(\1::value).distinct().toList()")
        yield from each(
            method.text,
            r"return (mongo\.aggregate\([^;]*\.getMappedResults\(\));",
            r"return (\1).stream().distinct().toList();",
        )


def member_of_another(method: JavaMethod) -> Iterator[str]:
    """Two members of the result exchanged."""
    names = list(re.finditer(r'\.as\("(\w+)"\)(?=\s*(?:\.|,|\)))', method.text))
    for one, other in pairwise(names):
        if one[1] != other[1]:
            text = replaced(method.text, other.start(1), other.end(1), one[1])
            yield replaced(text, one.start(1), one.end(1), other[1])


def member_dropped(method: JavaMethod) -> Iterator[str]:
    """A member of the result that is never filled."""
    for piece in calls(method.text, r"(?<![\w.])project"):
        for at in range(len(piece.arguments)):
            rest = piece.arguments[:at] + piece.arguments[at + 1 :]
            yield replaced(method.text, piece.inside, piece.end - 1, ", ".join(rest))


def text_changed(method: JavaMethod) -> Iterator[str]:
    """A text of the result in other letters, or another text."""
    yield from each(method.text, r'"\$toUpper"', '"$toLower"')
    yield from each(method.text, r'new Document\("\$toUpper", ("\$[\w.]+")\)', r'new Document("$concat", List.of(\1))')
    for piece in calls(method.text, r'new Document\("\$concat", (?:List\.of|Arrays\.asList)'):
        if len(piece.arguments) > 1:
            yield replaced(method.text, piece.inside, piece.end - 1, ", ".join(reversed(piece.arguments)))


def result_hard_coded(method: JavaMethod) -> Iterator[str]:
    """An answer that was written down."""
    head, _ = method.text.split("{\n", 1)
    value = method.returns
    fixed = {"int": ("0", "1", "7"), "long": ("0L", "3L"), "boolean": ("true", "false"), "double": ("1.5",)}
    answers = fixed.get(value, ())
    answers = answers or (("BigDecimal.ZERO",) if value == "BigDecimal" else ())
    answers = answers or (("List.of()",) if value.startswith("List<") else ())
    answers = answers or (("Optional.empty()",) if value.startswith("Optional<") else ())
    for answer in answers or ("null",):
        yield f"{head}{{\n        return {answer};\n    }}\n"


def result_of_first_call(method: JavaMethod) -> Iterator[str]:
    """The answer to an earlier call, whatever is asked now."""
    kept = f"kept_{method.pair.java_method}"
    boxed = {"int": "Integer", "long": "Long", "boolean": "Boolean", "double": "Double"}.get(
        method.returns, method.returns
    )
    head, body = method.text.split("{\n", 1)
    inner = re.sub(rf"\b{method.pair.java_method}\(", f"asked_{method.pair.java_method}(", head)
    names = ", ".join(method.names)
    yield (
        f"    private {boxed} {kept};\n{head}{{\n        if ({kept} == null) {{\n"
        f"            {kept} = asked_{method.pair.java_method}({names});\n        }}\n        return {kept};\n    }}\n"
        f"{inner}{{\n{body}"
    )


def parameter_of_another(method: JavaMethod) -> Iterator[str]:
    """One argument in the place of another of its type."""
    for kind, name in method.parameters:
        for other_kind, other in method.parameters:
            if other != name and other_kind == kind:
                head, body = method.text.split("{\n", 1)
                yield head + "{\n" + re.sub(rf"(?<![\w.\"$]){name}\b(?!\")", other, body)
