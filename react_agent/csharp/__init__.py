"""Read C#: text to a mapping model and a query model, with spans and gaps."""
