package uom.worker;

import java.util.List;

/** The command line: {@code --in N --out N [--warm]}. */
record Options(int in, int out, boolean warm) {

    static Options parse(String[] arguments) {
        var words = List.of(arguments);
        return new Options(descriptor(words, "--in"), descriptor(words, "--out"), words.contains("--warm"));
    }

    private static int descriptor(List<String> words, String name) {
        var at = words.indexOf(name);
        if (at < 0 || at + 1 >= words.size()) {
            throw new IllegalArgumentException("usage: --in N --out N [--warm]; " + name + " is missing");
        }
        return Integer.parseInt(words.get(at + 1));
    }
}
