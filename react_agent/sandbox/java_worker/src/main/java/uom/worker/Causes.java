package uom.worker;

import java.lang.reflect.InvocationTargetException;

/** Say what a failure is about, in one line. */
final class Causes {

    private static final int LONGEST = 2000;

    private Causes() {}

    /** Name the failure and its root: Spring wraps the reason several layers deep. */
    static String describe(Throwable failure) {
        var root = root(failure);
        return root == failure ? line(failure) : line(failure) + "; caused by " + line(root);
    }

    /** Cut a message to what a reader and a model can use. */
    static String message(Throwable failure) {
        var message = failure.getMessage();
        if (message == null || message.length() <= LONGEST) {
            return message;
        }
        return message.substring(0, LONGEST) + "…";
    }

    /** Take off what reflection put around a failure. */
    static Throwable unwrap(Throwable failure) {
        return failure instanceof InvocationTargetException wrapped && wrapped.getCause() != null ? wrapped.getCause() : failure;
    }

    private static Throwable root(Throwable failure) {
        var root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return root;
    }

    private static String line(Throwable failure) {
        var message = message(failure);
        return failure.getClass().getName() + (message == null ? "" : ": " + message);
    }
}
