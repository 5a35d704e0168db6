"""Faults of which rows come first, and of how many: sort keys, directions, pages, one row of several."""

import itertools
import re
from collections.abc import Iterator

from tests.faults.java import JavaMethod, calls, closing_chain, each, replaced, split, without_stage


def sort_direction(method: JavaMethod) -> Iterator[str]:
    """Ascending for descending, and the reverse."""
    for piece in calls(method.text, r"Sort\.by"):
        tail = ".descending()"
        if method.text[piece.end :].startswith(tail):
            yield replaced(method.text, piece.end, piece.end + len(tail), "")
        else:
            yield replaced(method.text, piece.end, piece.end, tail)


def sort_key(method: JavaMethod) -> Iterator[str]:
    """Rows sorted by another field of the same type, or by the key."""
    for piece in calls(method.text, r"Sort\.by"):
        for at, key in enumerate(piece.arguments):
            others = [f'"{o}"' for o in method.like(key.strip('"'))][:1] or ['"_id"']
            for other in (o for o in others if o != key):
                keys = (*piece.arguments[:at], other, *piece.arguments[at + 1 :])
                yield replaced(method.text, piece.inside, piece.end - 1, ", ".join(keys))


def sort_key_dropped(method: JavaMethod) -> Iterator[str]:
    """One sort key of several left out."""
    for piece in calls(method.text, r"Sort\.by"):
        for at in range(len(piece.arguments) if len(piece.arguments) > 1 else 0):
            keys = piece.arguments[:at] + piece.arguments[at + 1 :]
            yield replaced(method.text, piece.inside, piece.end - 1, ", ".join(keys))
    for piece in calls(method.text, r"\.and(?=\(Sort)"):
        yield replaced(method.text, piece.start, piece.end, "")


def sort_keys_swapped(method: JavaMethod) -> Iterator[str]:
    """The second sort key before the first."""
    for piece in calls(method.text, r"Sort\.by"):
        if len(piece.arguments) > 1:
            first, second, *rest = piece.arguments
            yield replaced(method.text, piece.inside, piece.end - 1, ", ".join((second, first, *rest)))
    yield from each(
        method.text,
        r'(Sort\.by\("[\w.]+"\)(?:\.descending\(\))?)\.and\((Sort\.by\("[\w.]+"\)(?:\.descending\(\))?)\)',
        r"\2.and(\1)",
    )


def sort_dropped(method: JavaMethod) -> Iterator[str]:
    """No order where one was asked for."""
    yield from without_stage(method.text, "sort")
    for piece in calls(method.text, r"\s*\.with"):
        yield replaced(method.text, piece.start, piece.end, "")


def nulls_last(method: JavaMethod) -> Iterator[str]:
    """Nulls at the other end of the order."""
    for piece in calls(method.text, r"(?<![\w.])sort"):
        inner = method.text[piece.inside : piece.end - 1]
        key = re.match(r'Sort\.by\("([\w.]+)"', inner)
        if key and re.search(r"newAggregation\(\s*|,\s*$", method.text[: piece.start][-200:]):
            added = (
                'addFields().addField("isNull").withValueOf(AggregationExpression.from('
                f'() -> new Document("$lte", java.util.Arrays.asList("${key[1]}", null)))).build(),\n'
                f'                sort(Sort.by("isNull").and({inner}))'
            )
            yield replaced(method.text, piece.start, piece.end, added)


def page_swapped(method: JavaMethod) -> Iterator[str]:
    """The page's size applied before what is left out."""
    skip = next(calls(method.text, r"(?<![\w.])skip"), None)
    limit = next(calls(method.text, r"(?<![\w.])limit"), None)
    if skip and limit and skip.end < limit.start:
        between = method.text[skip.end : limit.start]
        swapped = limit.text(method.text) + between + skip.text(method.text)
        yield replaced(method.text, skip.start, limit.end, swapped)


def page_off_by_one(method: JavaMethod) -> Iterator[str]:
    """A row too many or too few on a page, or the page after the one asked for."""
    for piece in calls(method.text, r"(?<!\w)(?:limit|skip)"):
        inner = method.text[piece.inside : piece.end - 1]
        yield replaced(method.text, piece.inside, piece.end - 1, f"({inner}) + 1")
        if inner != "1":
            yield replaced(method.text, piece.inside, piece.end - 1, f"Math.max(({inner}) - 1, 0)")
    yield from each(method.text, r"\((\(page != null \? page : 1\)) - 1\)", r"\1")


def limit_dropped(method: JavaMethod) -> Iterator[str]:
    """All rows where some were asked for."""
    yield from without_stage(method.text, "limit")
    yield from each(method.text, r"\.limit\([^()]*\)", "")


def skip_dropped(method: JavaMethod) -> Iterator[str]:
    """The first page whichever was asked for."""
    yield from without_stage(method.text, "skip")
    yield from each(method.text, r"\.skip\([^()]*\)", "")


def page_before_filter(method: JavaMethod) -> Iterator[str]:
    """The page cut from all rows, then filtered and sorted."""
    for piece in calls(method.text, r"(?<![\w.])limit"):
        stage = piece.text(method.text)
        for text in without_stage(method.text, "limit"):
            head = re.search(r"newAggregation\(\s*(?=\w)", text)
            if head and "stages" not in head[0] and not text[head.end() :].startswith("stages"):
                yield replaced(text, head.end(), head.end(), f"{stage}, ")
            elif added := re.search(r"new ArrayList<>\(\);\n", text):
                yield replaced(text, added.end(), added.end(), f"        stages.add({stage});\n")


def first_for_single(method: JavaMethod) -> Iterator[str]:
    """The first of several where more than one is an error."""
    for found in re.finditer(
        r"        if \((?:found|rows)\.size\(\) > 1\) \{\n.*?\n        \}\n", method.text, re.DOTALL
    ):
        yield replaced(method.text, found.start(), found.end(), "")


def single_for_first(method: JavaMethod) -> Iterator[str]:
    """An error for more than one row where the first is wanted."""
    check = (
        '        if (found.size() > 1) {\n            throw new IllegalStateException("more than one");\n        }\n'
    )
    if "found.size() > 1" in method.text:
        return
    for text in each(method.text, r"(?<![\w.])limit\(1\)", "limit(2)"):
        yield from each(text, r"(getMappedResults\(\);\n)", rf"\g<1>{check}")
    for piece in calls(method.text, r"mongo\.findOne"):
        one = f"org.springframework.dao.support.DataAccessUtils.singleResult(mongo.find({', '.join(piece.arguments)}))"
        yield replaced(method.text, piece.start, piece.end, one)


def empty_for_error(method: JavaMethod) -> Iterator[str]:
    """Nothing, or zero, where nothing found is an error."""
    zero = {"int": "0", "long": "0L", "double": "0.0", "boolean": "false", "BigDecimal": "BigDecimal.ZERO"}
    value = zero.get(method.returns, "null")
    yield from each(method.text, r"throw new NoSuchElementException\([^()]*\)", f"return {value}")


def error_for_empty(method: JavaMethod) -> Iterator[str]:
    """An error where nothing found has a value: Sum, or one row or none."""
    yield from each(method.text, r"found\.isEmpty\(\) \? [^:]+ : ", "")
    yield from each(method.text, r"found\.stream\(\)\.findFirst\(\)", "Optional.of(found.get(0))")
    yield from each(method.text, r"Optional\.ofNullable\(", "Optional.of(")


def null_for_zero(method: JavaMethod) -> Iterator[str]:
    """Null where the sum of nothing is zero."""
    for text in each(
        method.text, r"found\.isEmpty\(\) \? (?:0|0L|0\.0|BigDecimal\.ZERO) :", "found.isEmpty() ? null :"
    ):
        yield re.sub(r"public (\w+) ", lambda m: f"public {_BOXED.get(m[1], m[1])} ", text, count=1).replace(
            "Math.toIntExact(found.isEmpty() ? null : found.get(0).total())",
            "found.isEmpty() ? null : Integer.valueOf(Math.toIntExact(found.get(0).total()))",
        )


_BOXED = {"int": "Integer", "long": "Long", "double": "Double"}


def last_for_first(method: JavaMethod) -> Iterator[str]:
    """The other end of the rows that are found."""
    if "limit(1)" in method.text:
        for text in without_stage(method.text, "limit"):
            yield from each(text, r"found\.get\(0\)", "found.get(found.size() - 1)")
            yield from each(text, r"found\.stream\(\)\.findFirst\(\)", "found.stream().reduce((a, b) -> b)")


def rows_reversed(method: JavaMethod) -> Iterator[str]:
    """The right rows, the wrong way round."""
    if method.returns.startswith("List<"):
        for found in re.finditer(r"return (mongo\.[^;]*|found[^;]*);", method.text):
            text = f"return ({found[1]}).reversed();"
            yield replaced(method.text, found.start(), found.end(), text)


def branch_of_order(method: JavaMethod) -> Iterator[str]:
    """The orders of two choices exchanged."""
    cases = list(re.finditer(r'case "[^"]*" -> ([^;]*);', method.text))
    for one, other in itertools.pairwise(cases):
        text = replaced(method.text, other.start(1), other.end(1), one[1])
        yield replaced(text, one.start(1), one.end(1), other[1])


def fan_out(method: JavaMethod) -> Iterator[str]:
    """Each row once for each of its children, as a join in SQL gives them."""
    for piece in calls(method.text, r"(?<![\w.])lookup"):
        end = closing_chain(method.text, piece.end)
        after = method.text[end:]
        if len(piece.arguments) == 4 and not re.match(r"\s*\)?;?\s*,?\s*(stages\.add\()?\s*unwind", after):
            source, local, foreign, _ = split(method.text[piece.inside : piece.end - 1])
            if re.match(r"\s*,", after):
                more = f', lookup({source}, {local}, {foreign}, "every"), unwind("every", true)'
                yield replaced(method.text, end, end, more)
            elif after.startswith(");"):
                more = f'\n        stages.add(lookup({source}, {local}, {foreign}, "every"));'
                more += '\n        stages.add(unwind("every", true));'
                yield replaced(method.text, end + 2, end + 2, more)
