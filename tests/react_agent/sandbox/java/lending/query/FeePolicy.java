package org.example.lending.query;

import java.math.BigDecimal;
import org.springframework.stereotype.Component;

/** A component that another one needs. */
@Component
public class FeePolicy {

    public BigDecimal least() {
        return new BigDecimal("0.50");
    }
}
