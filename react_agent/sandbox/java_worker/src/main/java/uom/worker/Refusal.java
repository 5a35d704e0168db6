package uom.worker;

import java.util.List;

/** A request cannot be served; the host gets the stage, the message and what the compiler found. */
final class Refusal extends RuntimeException {

    private final String stage;
    private final transient List<Finding> findings;

    Refusal(String stage, String message) {
        this(stage, message, List.of(), null);
    }

    Refusal(String stage, String message, Throwable cause) {
        this(stage, message, List.of(), cause);
    }

    Refusal(String stage, String message, List<Finding> findings, Throwable cause) {
        super(message, cause);
        this.stage = stage;
        this.findings = findings;
    }

    String stage() {
        return stage;
    }

    List<Finding> findings() {
        return findings;
    }
}
