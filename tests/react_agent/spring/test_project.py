"""The whole project: what is written, where, and that it is the same every time."""

from react_agent.model.query import Outcome, QueryModel
from react_agent.model.shape import ScalarShape
from react_agent.model.translation import Translation
from react_agent.model.values import CellType
from react_agent.spring.mongodb import write
from tests.react_agent.spring.layers import (
    BOOKING,
    CRATE,
    EACH_CRATE,
    FROM,
    INT,
    STRING,
    at,
    binary,
    freight,
    method,
    param,
    queries,
    where,
)


def pieces_booked() -> QueryModel:
    code = param("shipperCode", STRING)
    mine = where(binary(at(BOOKING, "ShipperCode", STRING), "==", code))
    clauses = (FROM, mine, EACH_CRATE)
    summary = "Pieces over all bookings of one shipper."
    pieces = at(CRATE, "Pieces", INT)
    return queries(method("PiecesBookedByAsync", clauses, pieces, Outcome.SUM, INT, code, summary=summary))


def text_of(translation: Translation, name: str) -> str:
    return next(f.text for f in translation.files if f.path.endswith(f"/{name}.java"))


def test_the_same_models_give_the_same_bytes() -> None:
    assert write(freight(), pieces_booked()) == write(freight(), pieces_booked())


def test_an_entry_is_paired_with_its_java_method_and_shape() -> None:
    (entry,) = write(freight(), pieces_booked()).entries

    assert entry.entry == "Desk.PiecesBookedByAsync"
    assert (entry.java_class, entry.java_method) == ("acme.freight.Desk", "piecesBookedBy")
    assert entry.shape == ScalarShape(type=CellType.INT)


def test_a_sum_over_children_is_one_pipeline_that_gives_zero_for_nothing() -> None:
    text = text_of(write(freight(), pieces_booked()), "Desk")

    assert (
        """\
    /** Pieces over all bookings of one shipper. */
    public int piecesBookedBy(String shipperCode) {
        Aggregation aggregation = newAggregation(
                match(where("shipperCode").is(shipperCode)),
                lookup("crates", "_id", "bookingNumber", "crates"),
                unwind("crates"),
                group().sum("crates.pieces").as("total"));
        List<Total> found = mongo.aggregate(aggregation, Booking.class, Total.class).getMappedResults();
        return Math.toIntExact(found.isEmpty() ? 0 : found.get(0).total());
    }
"""
        in text
    )


def test_the_project_has_one_file_a_class_and_builds_with_maven() -> None:
    translation = write(freight(), pieces_booked())
    folder = "src/main/java/acme/freight"

    assert [f.path for f in translation.files] == [
        "pom.xml",
        f"{folder}/package-info.java",
        f"{folder}/Booking.java",
        f"{folder}/Carrier.java",
        f"{folder}/Crate.java",
        f"{folder}/Desk.java",
        f"{folder}/MongoConfiguration.java",
        f"{folder}/Place.java",
        f"{folder}/Size.java",
        f"{folder}/SizeConverters.java",
        f"{folder}/Stage.java",
        f"{folder}/StageConverters.java",
    ]
    assert "<maven.compiler.release>21</maven.compiler.release>" in translation.files[0].text
    assert translation.configuration == "acme.freight.MongoConfiguration"


def test_an_entity_is_a_record_with_an_assigned_id() -> None:
    text = text_of(write(freight(), pieces_booked()), "Booking")

    assert (
        text.partition("\n\n@")[2]
        == """\
Document("bookings")
public record Booking(
        @Id int number,
        String shipperCode,
        @Nullable Integer carrierId,
        @Indexed(unique = true, sparse = true) @Nullable String remark,
        Instant bookedAt,
        Stage stage,
        @Nullable Size size,
        @Nullable Place target) {
}
"""
    )


def test_the_configuration_leaves_no_representation_to_chance() -> None:
    text = text_of(write(freight(), pieces_booked()), "MongoConfiguration")

    assert 'environment.getProperty("spring.mongodb.uri", DEFAULT_URI)' in text
    assert "uuidRepresentation(UuidRepresentation.STANDARD)" in text
    assert ".useNativeDriverJavaTimeCodecs()" in text
    assert ".bigDecimal(BigDecimalRepresentation.DECIMAL128)" in text
    assert ".registerConverter(StageConverters.Write.INSTANCE)" in text
    assert "return Set.of(Booking.class, Carrier.class, Crate.class);" in text


def test_the_release_is_a_setting() -> None:
    translation = write(freight(), pieces_booked(), release=25)

    assert "<maven.compiler.release>25</maven.compiler.release>" in translation.files[0].text
