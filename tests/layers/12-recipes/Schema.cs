using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using Microsoft.EntityFrameworkCore;

namespace Kitchen.Store;

public enum Difficulty
{
    Easy = 1,
    Normal,
    Hard,
}

public class Recipe
{
    public int Id { get; set; }

    [Required]
    [MaxLength(100)]
    public string Title { get; set; } = string.Empty;

    public string? Source { get; set; }

    public Difficulty? Difficulty { get; set; }

    public int Servings { get; set; }

    public int? MinutesActive { get; set; }

    public int? MinutesWaiting { get; set; }

    public bool IsVegetarian { get; set; }

    public Cook? Author { get; set; }

    public int? AuthorId { get; set; }

    public Nutrition? Nutrition { get; set; }

    public List<Ingredient> Ingredients { get; set; } = new();
}

[Owned]
public class Nutrition
{
    public int Kcal { get; set; }

    public double? FatGrams { get; set; }
}

public class Cook
{
    public int Id { get; set; }

    public string UserName { get; set; } = string.Empty;

    public string? Signature { get; set; }
}

public class Ingredient
{
    public int RecipeId { get; set; }

    public int Position { get; set; }

    public string Name { get; set; } = string.Empty;

    public string? Unit { get; set; }

    public double Amount { get; set; }

    public bool Optional { get; set; }

    public Recipe Recipe { get; set; } = null!;
}

public class KitchenContext : DbContext
{
    public KitchenContext(DbContextOptions<KitchenContext> options) : base(options) { }

    public DbSet<Recipe> Recipes { get; set; } = null!;
    public DbSet<Ingredient> Ingredients { get; set; } = null!;
    public DbSet<Cook> Cooks { get; set; } = null!;

    protected override void OnModelCreating(ModelBuilder modelBuilder)
        => modelBuilder.Entity<Ingredient>().HasKey(nameof(Ingredient.RecipeId), nameof(Ingredient.Position));
}
