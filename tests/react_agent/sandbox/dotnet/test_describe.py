from typing import TypeVar

import pytest

from react_agent.model.mapping import MappingModel
from react_agent.sandbox.protocol import JobRefused
from tests.react_agent.sandbox.dotnet.jobs import (
    sample,
    source,
)

pytestmark = [pytest.mark.dotnet, pytest.mark.asyncio(loop_scope="module")]
Found = TypeVar("Found")


def there(value: Found | None) -> Found:
    assert value is not None
    return value


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "public interface IClock; public class Db(DbContextOptions<Db> o, IClock c) : DbContext(o);",
            "it also needs IClock",
        ),
        (
            "public class P; public class Db(DbContextOptions<Db> o) : DbContext(o) { public DbSet<P> P => Set<P>(); }",
            "requires a primary key",
        ),
    ],
)
async def test_a_context_that_cannot_be_opened_is_refused_with_the_reason(worker, code, words):
    await worker.request("compile", source(f"using Microsoft.EntityFrameworkCore;\n{code}"))
    with pytest.raises(JobRefused, match=words) as refused:
        await worker.request("describe", {})
    assert refused.value.stage == "describe"


THROW = 'throw new System.InvalidOperationException("no licence")'


@pytest.mark.parametrize(
    ("code", "where"),
    [
        (
            f"public class Db : DbContext {{ static int A = F(); static Db() {{ }} static int F() => {THROW}; }}",
            "the static initializer of Db, in Db.F throws System.InvalidOperationException",
        ),
        (
            f"public class Db : DbContext {{ static Db() {{ {THROW}; }} }}",
            "the static initializer of Db throws System.InvalidOperationException",
        ),
        (
            f"public class Db : DbContext {{ public Db() {{ {THROW}; }} }}",
            "the constructor of Db throws System.InvalidOperationException",
        ),
        (
            "public class Db : DbContext { } static class M { "
            f"[System.Runtime.CompilerServices.ModuleInitializer] public static void Start() => {THROW}; }}",
            "the module initializer, in M.Start throws System.InvalidOperationException",
        ),
        (
            f"public class Db : DbContext {{ protected override void OnModelCreating(ModelBuilder b) => {THROW}; }}",
            "Db.OnModelCreating throws System.InvalidOperationException",
        ),
    ],
)
async def test_an_exception_of_the_users_own_is_not_blamed_on_the_model(worker, code, where):
    await worker.request("compile", source(f"using Microsoft.EntityFrameworkCore;\n{code}"))
    with pytest.raises(JobRefused) as refused:
        await worker.request("describe", {})
    assert refused.value.message == f"{where}, before EF Core can build the model of Db: no licence"


async def test_the_model_of_ef_is_a_mapping_model(worker):
    await worker.request("compile", sample("Shop.cs"))
    model = MappingModel.from_json((await worker.request("describe", {"context": "ShopContext"}))["model"])
    assert (model.context, model.namespace, model.origin) == ("ShopContext", "Shop", "ef")
    customer = there(model.find("Customer"))
    assert (customer.table, customer.key, customer.db_set) == ("Customers", ("Id",), "Customers")
    assert customer.query_filter == 'c => c.Name != "gone"'
    assert customer.unmapped_members == ("Greeting",)
    assert customer.indexes[0].unique
    assert customer.indexes[0].filter == "Name <> ''"
    assert (customer.check_constraints[0].name, customer.check_constraints[0].sql) == ("CK_Rank", "Rank >= 0")
    rank = there(customer.find_property("Rank"))
    assert (rank.shadow, rank.concurrency_token, rank.default, rank.value_generated) == (True, True, "7", "on_add")
    assert there(customer.find_property("Name")).max_length == 50
    assert there(customer.find_navigation("Orders")).backing_field == "_orders"
    assert there(customer.find_navigation("Home")).required
    home = there(model.find("Address"))
    assert (home.owned_by, home.owner_navigation, home.table) == ("Customer", "Home", "Customers")
    assert there(home.find_property("Street")).column == "Home_Street"
    contact = there(model.find("Contact"))
    assert (contact.table, contact.json_column, contact.key) == (None, "Contact", ())
    assert str(there(contact.find_property("Phones")).type) == "List<string>"


async def test_the_model_of_ef_knows_relations_conversions_and_hierarchies(worker):
    await worker.request("compile", sample("Shop.cs"))
    model = MappingModel.from_json((await worker.request("describe", {}))["model"])
    order = there(model.find("Order"))
    size, total = there(order.find_property("Size")), there(order.find_property("Total"))
    assert (size.type.name, size.provider_type, size.converter) == ("Size", "string", None)
    assert (total.provider_type, total.converter) == ("decimal", "ValueConverter")
    assert order.foreign_keys[0].principal == "Customer"
    assert (order.foreign_keys[0].required, order.foreign_keys[0].delete_behavior) == (False, "restrict")
    assert (there(order.find_navigation("Customer")).inverse, there(order.find_navigation("Lines")).collection) == (
        "Orders",
        True,
    )
    assert (there(model.find("Line")).table, there(model.find("Line")).key) == ("Line", ("OrderId", "Id"))
    card = there(model.find("CardPayment"))
    assert (card.base, card.inheritance, card.table, card.foreign_keys) == ("Payment", "tpt", "CardPayment", ())
    assert there(model.find("Payment")).abstract
    traits = there(model.find_enum("Traits"))
    assert traits.flags
    assert [(m.name, m.value) for m in traits.members] == [("None", 0), ("Fragile", 1), ("Heavy", 2)]
    assert there(model.find_enum("Size")).underlying == "short"


async def test_the_model_of_ef_names_parts_apart_and_knows_joins(worker):
    await worker.request("compile", sample("Depot.cs"))
    model = MappingModel.from_json((await worker.request("describe", {}))["model"])
    now, size = there(model.find("Unit.Now#Place")), there(model.find("Unit.Before#Place.Size#Span"))
    assert (now.clr_name, now.owned_by, now.owner_navigation, now.complex) == ("Place", "Unit", "Now", False)
    assert (size.owned_by, there(size.find_property("Width")).column) == ("Unit.Before#Place", "Before_Size_Width")
    unit, box, owner = there(model.find("Unit")), there(model.find("Box")), there(model.find("Owner"))
    assert (unit.discriminator, unit.discriminator_value, unit.alternate_keys) == ("Kind", None, (("Label",),))
    assert (box.base, box.inheritance, box.discriminator_value, box.table) == ("Unit", "tph", "Box", "Units")
    assert [p.name for p in box.properties] == ["Sealed"]
    tags = there(owner.find_navigation("Tags"))
    assert (tags.target, tags.many_to_many, tags.foreign_key) == ("Tag", "OwnerTag", ("OwnersCode",))
    limit = there(model.find("Limit"))
    assert (limit.complex, limit.owned_by, limit.owner_navigation, limit.table) == (True, "Owner", "Limit", "Owners")
    assert there(owner.find_navigation("Limit")).required
