package org.example.lending.model;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

@Document("loans")
public class Loan {

    @Id
    private Integer id;

    private @Nullable Integer memberId;
    private LoanState state = LoanState.IN_HAND;
    private LocalDateTime takenAt;
    private boolean renewed;
    private List<Item> items = new ArrayList<>();

    public Integer getId() {
        return id;
    }

    public @Nullable Integer getMemberId() {
        return memberId;
    }

    public LoanState getState() {
        return state;
    }

    public LocalDateTime getTakenAt() {
        return takenAt;
    }

    public boolean isRenewed() {
        return renewed;
    }

    public List<Item> getItems() {
        return items;
    }

    public record Item(String title, int days, BigDecimal fee) {}
}
