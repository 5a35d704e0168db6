using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Kitchen.Store;

public class RecipeTeaser
{
    public int Id { get; set; }
    public string Title { get; set; } = string.Empty;
    public string By { get; set; } = string.Empty;
    public int TotalMinutes { get; set; }
    public string Level { get; set; } = string.Empty;
    public int? Kcal { get; set; }
}

public class ShoppingItem
{
    public string Name { get; set; } = string.Empty;
    public string? Unit { get; set; }
    public double Amount { get; set; }
    public int Recipes { get; set; }
}

public class RecipeFinder
{
    private readonly KitchenContext _kitchen;

    public RecipeFinder(KitchenContext kitchen)
    {
        _kitchen = kitchen;
    }

    /// <summary>
    /// Free search. Every condition is optional.
    /// </summary>
    public Task<List<RecipeTeaser>> FindAsync(string? titleStartsWith, int? maxMinutes, bool vegetarianOnly, string? without)
    {
        var recipes = _kitchen.Recipes.AsNoTracking();

        if (titleStartsWith != null)
            recipes = recipes.Where(r => r.Title.Trim().StartsWith(titleStartsWith));

        if (maxMinutes != null)
            recipes = recipes.Where(r => (r.MinutesActive ?? 0) + (r.MinutesWaiting ?? 0) <= maxMinutes);

        if (vegetarianOnly)
            recipes = recipes.Where(r => r.IsVegetarian);

        if (without != null)
            recipes = recipes.Where(r => !r.Ingredients.Any(i => !i.Optional && i.Name.ToLower().Contains(without.ToLower())));

        return recipes
            .OrderBy(r => r.Title.ToLower())
            .ThenBy(r => r.Id)
            .Select(r => new RecipeTeaser
            {
                Id = r.Id,
                Title = r.Title.Trim(),
                By = r.Author != null ? r.Author.Signature ?? r.Author.UserName : r.Source ?? "unknown",
                TotalMinutes = (r.MinutesActive ?? 0) + (r.MinutesWaiting ?? 0),
                Level = r.Difficulty == Difficulty.Hard ? "for experts" : r.Difficulty == null ? "" : "for everyone",
                Kcal = r.Nutrition!.Kcal,
            })
            .ToListAsync();
    }

    public Task<List<ShoppingItem>> ShoppingListAsync(int[] recipeIds)
    {
        return _kitchen.Ingredients
            .Where(i => recipeIds.Contains(i.RecipeId) && !i.Optional)
            .GroupBy(i => new { i.Name, i.Unit })
            .Select(g => new ShoppingItem
            {
                Name = g.Key.Name,
                Unit = g.Key.Unit,
                Amount = g.Sum(i => i.Amount),
                Recipes = g.Select(i => i.RecipeId).Distinct().Count(),
            })
            .OrderBy(s => s.Name)
            .ThenBy(s => s.Unit)
            .ToListAsync();
    }

    public Task<List<Recipe>> LightAsync(int maxKcal, int take = 2)
    {
        return _kitchen.Recipes
            .Include(r => r.Author)
            .Where(r => r.Nutrition != null && r.Nutrition.Kcal <= maxKcal)
            .OrderBy(r => r.Nutrition!.Kcal)
            .ThenBy(r => r.Title)
            .Take(take)
            .ToListAsync();
    }

    public bool AllHaveIngredients()
    {
        return _kitchen.Recipes.All(r => r.Ingredients.Count > 0);
    }
}
