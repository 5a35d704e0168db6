package org.example.lending.model;

public enum LoanState {
    IN_HAND,
    GIVEN_BACK,
    LOST
}
