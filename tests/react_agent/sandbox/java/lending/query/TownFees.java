package org.example.lending.query;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

public record TownFees(@Nullable String town, int items, BigDecimal fees) {}
