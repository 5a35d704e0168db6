package org.example.lending.query;

interface CardView {

    String getCard();
}
