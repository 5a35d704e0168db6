"""The `@Configuration` class: how values are stored, which documents there are, where the database is."""

from collections.abc import Sequence

from react_agent.model.documents import DocumentModel
from react_agent.model.names import camel
from react_agent.spring.java import Imports, call, chain, source, statement, text
from react_agent.spring.mongodb.enums import JavaEnum

CLASS = "MongoConfiguration"


def write_configuration(model: DocumentModel, database: str, enums: Sequence[JavaEnum]) -> str:
    """Write the configuration.

    Spring Data 5 has no default for UUID and BigDecimal, converts java.time through the JVM's zone, and makes no index
    unless told; all four are set.
    """
    names = frozenset({d.java_class for d in model.documents} | {f"{e.java_class}Converters" for e in enums})
    imports = Imports(package=model.package, reserved=names)
    configuration = imports.use("org.springframework.context.annotation.Configuration")
    base = imports.use("org.springframework.data.mongodb.config.AbstractMongoClientConfiguration")
    environment = imports.use("org.springframework.core.env.Environment")
    connection = imports.use("com.mongodb.ConnectionString")
    default = text(f"mongodb://localhost:27017/{database}")
    body = [
        f"@{configuration}",
        f"public class {CLASS} extends {base} {{",
        "",
        f"    private static final String DEFAULT_URI = {default};",
        "",
        f"    private final {connection} connection;",
        "",
        f"    public {CLASS}({environment} environment) {{",
        f'        this.connection = new {connection}(environment.getProperty("spring.mongodb.uri", DEFAULT_URI));',
        "    }",
        "",
        *_database(imports, database),
        *_client(imports),
        *_converters(imports, enums),
        *_entities(imports, model),
        "    @Override",
        "    protected boolean autoIndexCreation() {",
        "        return true;",
        "    }",
        "}",
    ]
    return source(model.package, imports, body)


def _database(imports: Imports, database: str) -> list[str]:
    objects = imports.use("java.util.Objects")
    return [
        "    @Override",
        "    protected String getDatabaseName() {",
        f"        return {objects}.requireNonNullElse(connection.getDatabase(), {text(database)});",
        "    }",
        "",
    ]


def _client(imports: Imports) -> list[str]:
    builder = imports.use("com.mongodb.MongoClientSettings")
    uuid = imports.use("org.bson.UuidRepresentation")
    return [
        "    @Override",
        f"    protected void configureClientSettings({builder}.Builder builder) {{",
        f"        builder.applyConnectionString(connection).uuidRepresentation({uuid}.STANDARD);",
        "    }",
        "",
    ]


def _converters(imports: Imports, enums: Sequence[JavaEnum]) -> list[str]:
    conversions = "org.springframework.data.mongodb.core.convert.MongoCustomConversions"
    adapter = imports.use(conversions) + ".MongoConverterConfigurationAdapter"
    decimal = imports.use(f"{conversions}.BigDecimalRepresentation").rpartition(".")[2]
    links = [call("useNativeDriverJavaTimeCodecs"), call("bigDecimal", f"{decimal}.DECIMAL128")]
    for enum in enums:
        links.append(call("registerConverter", f"{enum.java_class}Converters.Read.INSTANCE"))
        links.append(call("registerConverter", f"{enum.java_class}Converters.Write.INSTANCE"))
    return [
        "    @Override",
        f"    protected void configureConverters({adapter} adapter) {{",
        statement(chain("adapter", *links), "        "),
        "    }",
        "",
    ]


def _entities(imports: Imports, model: DocumentModel) -> list[str]:
    sets = imports.use("java.util.Set")
    classes = [f"{d.java_class}.class" for d in model.documents if d.collection is not None]
    return [
        "    @Override",
        f"    protected {sets}<Class<?>> getInitialEntitySet() {{",
        statement(call(f"return {sets}.of", *classes), "        "),
        "    }",
        "",
    ]


def database_name(context: str) -> str:
    """Name the database after the context: `FreightContext` -> `freight`."""
    name = context.removesuffix("DbContext").removesuffix("Context") or context
    return camel(name)
