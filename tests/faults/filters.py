"""Faults of what a query keeps: operators, bounds, nulls, text, joins, filters that are lost."""

import re
from collections.abc import Iterator

from tests.faults.java import JavaMethod, calls, closing_chain, each, replaced, without_stage

_ORDERED = {"gte": ("gt", "lt"), "gt": ("gte", "lt"), "lte": ("lt", "gt"), "lt": ("lte", "gt")}


def operator(method: JavaMethod) -> Iterator[str]:
    """Equal for unequal, and the reverse."""
    yield from each(method.text, r"\.is\((?!null\))", ".ne(")
    yield from each(method.text, r"\.ne\((?!null\))", ".is(")
    yield from each(method.text, r'"\$eq"', '"$ne"')
    yield from each(method.text, r'"\$ne"', '"$eq"')


def bound(method: JavaMethod) -> Iterator[str]:
    """A bound that became inclusive, or exclusive."""
    for name, (near, _) in _ORDERED.items():
        yield from each(method.text, rf"\.{name}\(", f".{near}(")
        yield from each(method.text, rf'"\${name}"', f'"${near}"')


def direction(method: JavaMethod) -> Iterator[str]:
    """Less for greater."""
    for name, (_, far) in _ORDERED.items():
        yield from each(method.text, rf"\.{name}\(", f".{far}(")
        yield from each(method.text, rf'"\${name}"', f'"${far}"')


def null_test_inverted(method: JavaMethod) -> Iterator[str]:
    """Not null for null, and the reverse."""
    yield from each(method.text, r"\.is\(null\)", ".ne(null)")
    yield from each(method.text, r"\.ne\(null\)", ".is(null)")


def null_test_dropped(method: JavaMethod) -> Iterator[str]:
    """`is null` or `is not null` left out of a condition with more to it."""
    yield from each(method.text, r'where\("[\w.]+"\)\.(?:is|ne)\(null\)\.and\(', "where(")
    yield from each(method.text, r'\.and\("[\w.]+"\)\.(?:is|ne)\(null\)', "")


def unequal_drops_nulls(method: JavaMethod) -> Iterator[str]:
    """`!=` as SQL has it: a row without the value is not unequal to anything."""
    for piece in calls(method.text, r"\.ne"):
        if piece.arguments != ("null",):
            yield replaced(method.text, piece.end, piece.end, ".exists(true)")


def null_argument_is_no_filter(method: JavaMethod) -> Iterator[str]:
    """A null argument taken as "any", where C# looks for null."""
    for name in method.nullable:
        for found in re.finditer(rf'where\("[\w.]+"\)\.(?:is|ne)\({name}\)', method.text):
            any_row = f"({name} == null ? new Criteria() : {found[0]})"
            if method.text[found.end() : found.end() + 1] == ")":
                yield replaced(method.text, found.start(), found.end(), any_row)


def null_argument_matches_nothing(method: JavaMethod) -> Iterator[str]:
    """A null argument that matches no row, as a comparison with NULL does in SQL."""
    for name in method.nullable:
        for found in re.finditer(rf'where\("([\w.]+)"\)\.is\({name}\)', method.text):
            none = f"{found[0]}.exists(true)"
            yield replaced(method.text, found.start(), found.end(), none)


def default_for_null_dropped(method: JavaMethod) -> Iterator[str]:
    """`??` left out: the value is null where it had a default."""
    yield from each(method.text, r'new Document\("\$ifNull", List\.of\(("\$[\w.$]+"), [^()]*?\)\)', r"\1")


def default_for_null_added(method: JavaMethod) -> Iterator[str]:
    """Zero where the value is null."""
    yield from each(
        method.text,
        r'context -> new Document\("\$(max|min)", ("\$[\w.]+")\)',
        r'context -> new Document("$ifNull", List.of(new Document("$\1", \2), 0))',
    )
    zero = {"Double": "0.0", "Integer": "0", "Long": "0L", "BigDecimal": "BigDecimal.ZERO"}.get(method.returns)
    if zero:
        yield from each(method.text, r"found\.isEmpty\(\) \? null :", f"found.isEmpty() ? {zero} :")


def optional_join_required(method: JavaMethod) -> Iterator[str]:
    """Rows without an optional reference lost: preserveNullAndEmptyArrays left out."""
    yield from each(method.text, r'unwind\("([\w.]+)", true\)', r'unwind("\1")')


def required_join_optional(method: JavaMethod) -> Iterator[str]:
    """Rows kept that an inner join leaves out."""
    yield from each(method.text, r'unwind\("([\w.]+)"\)', r'unwind("\1", true)')


def and_for_or(method: JavaMethod) -> Iterator[str]:
    """`&&` for `||`, and the reverse."""
    yield from each(method.text, r"\.orOperator\(", ".andOperator(")
    yield from each(method.text, r"\.andOperator\(", ".orOperator(")
    yield from each(method.text, r'"\$or"', '"$and"')
    yield from each(method.text, r'"\$and"', '"$or"')


def filter_dropped(method: JavaMethod) -> Iterator[str]:
    """A whole condition left out."""
    yield from without_stage(method.text, "match")
    for piece in calls(method.text, r"(?<=mongo\.count\()query|(?<=mongo\.find\()query|(?<=mongo\.exists\()query"):
        end = piece.end
        yield replaced(method.text, piece.start, end, "new org.springframework.data.mongodb.core.query.Query()")


def half_of_filter_dropped(method: JavaMethod) -> Iterator[str]:
    """One condition of several left out."""
    yield from each(method.text, r'where\("[\w.]+"\)\.\w+\([\w.()]*?\)\.and\(', "where(")
    yield from each(method.text, r'\.and\("[\w.]+"\)\.(?:is|ne|gte?|lte?|in)\((?:[\w.]+|[\w.]+\([\w.]*\))\)', "")
    yield from each(method.text, r"\s*\.and\(\"[\w.]+\"\)\s*\.(?:is|ne|gte?|lte?|in)\(\s*[\w.]+\s*\)", "")


def other_field(method: JavaMethod) -> Iterator[str]:
    """A condition on another field of the same type."""
    for found in re.finditer(r'(?:where|\.and)\("([\w.]+)"\)(?=\s*\.(?:is|ne|gte?|lte?|in|regex)\()', method.text):
        for other in list(method.like(found[1]))[:2]:
            yield replaced(method.text, found.start(1), found.end(1), other)


def other_join_field(method: JavaMethod) -> Iterator[str]:
    """A join on the wrong field: the child's own key, or the row's, for the reference."""
    for piece in calls(method.text, r"(?<![\w.])lookup"):
        if len(piece.arguments) == 4:
            source, local, foreign, name = piece.arguments
            for one, other in ((local, '"_id"'), ('"_id"', foreign)):
                if (one, other) != (local, foreign) and (one, other) != ('"_id"', '"_id"'):
                    yield replaced(method.text, piece.inside, piece.end - 1, ", ".join((source, one, other, name)))
            if local != '"_id"' or foreign != '"_id"':
                yield replaced(method.text, piece.inside, piece.end - 1, f'{source}, "_id", "_id", {name}')


def other_collection(method: JavaMethod) -> Iterator[str]:
    """A join with another collection."""
    names = [d.collection for d in method.documents.documents if d.collection]
    for piece in calls(method.text, r"(?<![\w.])lookup"):
        if len(piece.arguments) == 4:
            other = next((n for n in names if f'"{n}"' != piece.arguments[0]), None)
            if other:
                parts = (f'"{other}"', *piece.arguments[1:])
                yield replaced(method.text, piece.inside, piece.end - 1, ", ".join(parts))


def elements_apart(method: JavaMethod) -> Iterator[str]:
    """Two conditions on one element of an array that two elements may meet: elemMatch left out."""
    for piece in calls(method.text, r'where\("(?P<array>[\w.]+)"\)\s*\.elemMatch'):
        array = re.match(r'where\("([\w.]+)"\)', method.text[piece.start :])
        inner = method.text[piece.inside : piece.end - 1]
        if array and ".and(" in inner:
            spread = re.sub(r'(where|and)\("', rf'\1("{array[1]}.', inner)
            yield replaced(method.text, piece.start, piece.end, spread.strip())


def negation_dropped(method: JavaMethod) -> Iterator[str]:
    """A negation left out, in Java or in the pipeline."""
    yield from each(method.text, r'new Document\("\$not", (new Document\()', r"(\1")
    yield from each(method.text, r"\.norOperator\(", ".orOperator(")
    yield from each(method.text, r"if \(!\(", "if ((")


def branch_always(method: JavaMethod) -> Iterator[str]:
    """A part of a composed query that is there always, or never, whatever the arguments say."""
    for piece in calls(method.text, r"if "):
        if "stages.add" in method.text[piece.end : piece.end + 60]:
            yield replaced(method.text, piece.inside, piece.end - 1, "true")
            yield replaced(method.text, piece.inside, piece.end - 1, "false")


def branches_swapped(method: JavaMethod) -> Iterator[str]:
    """The two values of a condition exchanged."""
    for piece in calls(method.text, r'new Document\("\$cond", (?:List\.of|Arrays\.asList)'):
        if len(piece.arguments) == 3:
            test, then, otherwise = piece.arguments
            yield replaced(method.text, piece.inside, piece.end - 1, ", ".join((test, otherwise, then)))


def enum_by_number(method: JavaMethod) -> Iterator[str]:
    """An enum compared by its ordinal where its name is stored."""
    enums = [p.name for p in method.source.parameters if p.type.name in method.enums]
    yield from each(method.text, r"(?<=[(,\s])([A-Z]\w+\.[A-Z][A-Z_0-9]+)(?=\))", r"\1.ordinal()")
    for name in enums:
        yield from each(method.text, rf"(?<=[(,\s]){name}(?=\))", f"{name}.ordinal()")


def case_folded(method: JavaMethod) -> Iterator[str]:
    """Text compared without regard to case."""
    yield from each(method.text, r"regex\((.*?Pattern\.quote\(\w+\)[^()]*?)\)", r'regex(\1, "i")')
    for name in method.of_type("String"):
        yield from each(
            method.text,
            rf"\.is\({name}\)",
            f'.regex("^" + java.util.regex.Pattern.quote(String.valueOf({name})) + "$", "i")',
        )


def wildcards_not_quoted(method: JavaMethod) -> Iterator[str]:
    """A text sent as a pattern: its dots and stars match anything."""
    yield from each(method.text, r"Pattern\.quote\((\w+)\)", r"\1")
    for name in method.of_type("String"):
        yield from each(method.text, rf"\.is\({name}\)", f'.regex("^" + String.valueOf({name}) + "$")')


def search_anchored(method: JavaMethod) -> Iterator[str]:
    """A search that became a prefix, or a prefix that became a search."""
    yield from each(method.text, r"regex\((Pattern\.quote\()", r'regex("^" + \1')
    yield from each(method.text, r'regex\("\^" \+ ', "regex(")
    yield from each(method.text, r'regex\("\^', 'regex("')


def element_filter_dropped(method: JavaMethod) -> Iterator[str]:
    """A condition on the elements of a list left out."""
    for piece in calls(method.text, r'new Document\(\s*"\$filter",\s*new Document'):
        end = closing_chain(method.text, piece.end)
        outer = end
        while method.text[outer : outer + 1].isspace():
            outer += 1
        if piece.arguments[0] == '"input"' and method.text[outer : outer + 1] == ")":
            yield replaced(method.text, piece.start, outer + 1, ", ".join(piece.arguments[1:]))


def zone_shift(method: JavaMethod) -> Iterator[str]:
    """A date taken in a zone that is not UTC, in a part of it or in a bound."""
    yield from each(
        method.text,
        r'new Document\("\$(year|month|dayOfMonth|hour)", ("\$[\w.$]+")\)',
        r'new Document("$\1", new Document("$add", List.of(\2, 3600000L)))',
    )
    for name in method.of_type("Instant"):
        yield from each(method.text, rf"\.(gte?|lte?|is)\({name}\)", rf".\1({name}.plusSeconds(3600))")
    for name in method.of_type("LocalDate"):
        yield from each(method.text, rf"\.(gte?|lte?|is)\({name}\)", rf".\1({name}.plusDays(1))")
