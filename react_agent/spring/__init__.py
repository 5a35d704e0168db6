"""Write Spring Data code from a mapping model and a query model."""
