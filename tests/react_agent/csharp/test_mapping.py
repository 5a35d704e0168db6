import pytest

from react_agent.model.mapping import DeleteBehavior, Inheritance, ValueGenerated
from tests.react_agent.csharp.sources import entity, of

HEAD = "using System.ComponentModel.DataAnnotations; using System.ComponentModel.DataAnnotations.Schema;\n"


def context(classes: str, fluent: str = "", sets: str = "public DbSet<A> As => Set<A>();") -> str:
    return f"""{HEAD}{classes}
    public class Ctx(DbContextOptions<Ctx> o) : DbContext(o) {{ {sets}
      protected override void OnModelCreating(ModelBuilder mb) {{ {fluent} }} }}"""


def test_the_key_follows_the_name_of_the_class() -> None:
    read = entity(
        context("public class A { public int AId { get; set; } public string T { get; set; } = null!; }"), "A"
    )
    assert (read.key, read.table, read.db_set) == (("AId",), "As", "As")
    assert [p.value_generated for p in read.properties] == [ValueGenerated.ON_ADD, ValueGenerated.NEVER]


def test_only_properties_that_can_be_set_are_mapped() -> None:
    read = entity(
        context("""public abstract class Base { public int Id { get; protected set; } }
        public class A : Base { private int _n; public string S { get; private set; } = null!; public int Twice => 2;
          public int N { get => _n; init => _n = value; } internal int Hidden { get; set; }
          [NotMapped] public int Out { get; set; } public static int Shared { get; set; } }"""),
        "A",
    )
    assert [(p.name, p.backing_field) for p in read.properties] == [("Id", None), ("S", None), ("N", "_n")]
    assert read.unmapped_members == ("Twice", "Out")


def test_a_reference_type_is_nullable_where_nullness_is_off() -> None:
    code = "public class A { public int Id { get; set; } public string S { get; set; } public string? T { get; set; } }"
    on = entity(context(code), "A")
    off = entity("#nullable disable\n" + context(code), "A")
    assert [p.nullable for p in on.properties] == [False, False, True]
    assert [p.nullable for p in off.properties] == [False, True, True]


def test_fluent_calls_win_over_attributes() -> None:
    read = entity(
        context(
            'public class A { [Key] public string Code { get; set; } = null!; [MaxLength(5), Column("x")] '
            "public string T { get; set; } = null!; }",
            'mb.Entity<A>(e => { e.Property(a => a.T).HasMaxLength(9).HasColumnName("y"); e.ToTable("t", "s"); });',
        ),
        "A",
    )
    text = read.find_property("T")
    assert text is not None
    assert (read.key, read.table, read.schema, text.max_length, text.column) == (("Code",), "t", "s", 9, "y")


def test_a_foreign_key_that_no_property_holds_is_a_shadow() -> None:
    classes = """public class A { public long Id { get; set; } public List<B> Bs { get; } = []; }
      public class B { public int Id { get; set; } public A? A { get; set; } }"""
    read = entity(context(classes), "B")
    key = read.find_property("AId")
    assert key is not None
    assert (str(key.type), key.shadow) == ("long?", True)
    assert read.foreign_keys[0].delete_behavior == DeleteBehavior.CLIENT_SET_NULL
    assert [i.properties for i in read.indexes] == [("AId",)]


def test_a_navigation_that_is_never_null_makes_its_relation_required() -> None:
    classes = """public class A { public int Id { get; set; } }
      public class B { public int Id { get; set; } public A Owner { get; set; } = null!; }"""
    read = entity(context(classes, sets="public DbSet<B> Bs => Set<B>();"), "B")
    owner = read.find_navigation("Owner")
    assert owner is not None
    assert (owner.required, owner.on_dependent, owner.foreign_key) == (True, True, ("OwnerId",))


def test_an_owned_type_shares_its_owners_row() -> None:
    classes = """public class A { public int Id { get; set; } public Part Part { get; set; } = null!; }
      public class Part { public string S { get; set; } = null!; }"""
    read = entity(context(classes, "mb.Entity<A>().OwnsOne(a => a.Part);"), "Part")
    assert (read.owned_by, read.owner_navigation, read.table) == ("A", "Part", "As")
    assert [(p.name, p.column) for p in read.properties] == [("AId", "Id"), ("S", "Part_S")]


def test_a_hierarchy_shares_a_table_with_a_discriminator() -> None:
    classes = "public class A { public int Id { get; set; } } public class Longer : A { public int N { get; set; } }"
    text = context(classes, sets="public DbSet<A> As => Set<A>(); public DbSet<Longer> Ls => Set<Longer>();")
    read = entity(text, "Longer")
    assert (read.base, read.table, read.inheritance, read.discriminator_value) == ("A", "As", Inheritance.TPH, "Longer")
    marker = entity(text, "A").find_property("Discriminator")
    assert marker is not None
    assert marker.max_length == 8


def test_configuration_is_followed_through_helpers_extensions_and_classes() -> None:
    read = entity(
        context(
            """public class A { public int Id { get; set; } public string S { get; set; } = null!;
              public int T { get; set; } }
            public class AMap : IEntityTypeConfiguration<A> {
              public void Configure(EntityTypeBuilder<A> b) { b.ToTable("mapped"); Keys(b); }
              private static void Keys(EntityTypeBuilder<A> b) => b.HasAlternateKey(a => a.S); }
            public static class More { public const string Name = "tee";
              public static ModelBuilder Tees(this ModelBuilder m) {
                m.Entity<A>().Property(a => a.T).HasColumnName(Name); return m; } }""",
            "mb.Tees().ApplyConfiguration(new AMap());",
        ),
        "A",
    )
    column = read.find_property("T")
    assert column is not None
    assert (read.table, read.alternate_keys, column.column) == ("mapped", (("S",),), "tee")


GAPS = {
    "HasComputedColumnSql": ('mb.Entity<A>().Property(a => a.S).HasComputedColumnSql("1");', "S39"),
    "HasConversion": ("mb.Entity<A>().Property(a => a.S).HasConversion(v => v, v => v);", "S25"),
    "UseTptMappingStrategy": ("mb.Entity<A>().UseTptMappingStrategy();", "S20"),
    "ToView": ('mb.Entity<A>().ToView("v");', "S50"),
    "UseCollation": ('mb.UseCollation("NOCASE");', "S46"),
    "Frobnicate": ("mb.Entity<A>().Frobnicate();", ""),
    "If": ("if (mb != null) { mb.Entity<A>(); }", ""),
    "HasMaxLength": ("mb.Entity<A>().Property(a => a.S).HasMaxLength(Environment.TickCount);", ""),
    "foreach statement": ("foreach (var e in mb.Model.GetEntityTypes()) { }", ""),
}


@pytest.mark.parametrize(("construct", "fluent"), GAPS.items(), ids=list(GAPS))
def test_configuration_that_is_not_read_is_a_gap(construct: str, fluent: tuple[str, str]) -> None:
    code, hazard = fluent
    reading = of(context("public class A { public int Id { get; set; } public string S { get; set; } = null!; }", code))
    assert [(g.construct, g.hazard, g.entry) for g in reading.gaps] == [(construct, hazard, "")]
    assert reading.mapping is not None


MEMBERS = {
    '[Column(TypeName = "date")] public DateTime D { get; set; }': ("[Column]", ""),
    "public List<int> Ns { get; set; } = [];": ("Ns", "S18"),
    "public object O { get; set; } = null!;": ("O", ""),
    "public B One { get; set; } = null!; public B Two { get; set; } = null!;": ("One", "S13"),
}


@pytest.mark.parametrize(("member", "expected"), MEMBERS.items(), ids=list(MEMBERS))
def test_a_member_without_a_clear_mapping_is_a_gap(member: str, expected: tuple[str, str]) -> None:
    classes = f"""public class A {{ public int Id {{ get; set; }} {member} }}
      public class B {{ public int Id {{ get; set; }} public List<A> As {{ get; set; }} = []; }}"""
    gap = of(context(classes)).gaps[0]
    assert (gap.construct, gap.hazard) == expected


def test_a_naming_convention_is_a_gap() -> None:
    code = context("public class A { public int Id { get; set; } }").replace(
        "protected override void OnModelCreating",
        "protected override void OnConfiguring(DbContextOptionsBuilder b) => b.UseSnakeCaseNamingConvention();\n"
        "protected override void OnModelCreating",
    )
    assert [g.hazard for g in of(code).gaps] == ["S54"]
