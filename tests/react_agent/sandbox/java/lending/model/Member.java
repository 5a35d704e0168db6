package org.example.lending.model;

import java.time.LocalDate;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.index.Indexed;
import org.springframework.data.mongodb.core.mapping.Document;

@Document("members")
public record Member(
        @Id Integer id,
        @Indexed(unique = true) String card,
        @Nullable String town,
        @Nullable LocalDate born,
        UUID token) {}
