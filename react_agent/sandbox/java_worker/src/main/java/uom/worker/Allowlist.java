package uom.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The library symbols that translated code may use, read from {@code allowlist.txt}.
 *
 * <p>What is not listed is outside, so a class that a later library adds is outside too. A line is
 * {@code + name} or {@code - name}; the longest name that fits decides, and a member's line is longer
 * than its type's. A name is a package ({@code java.time.*}), a package with all below it
 * ({@code org.bson.**}), a type with what it encloses ({@code java.util.Map}) or members of a type
 * ({@code java.lang.System#out err}; a constructor is {@code new}).
 */
final class Allowlist {

    static final Allowlist INSTANCE = read("allowlist.txt");

    private final Map<String, Boolean> names = new HashMap<>();

    /** Types of which single members are listed may be named, as the one before the dot. */
    private final Set<String> partly = new HashSet<>();

    private Allowlist() {}

    boolean allowsType(String type) {
        return partly.contains(type) || decide(type);
    }

    boolean allowsMember(String type, String member) {
        var listed = names.get(type + "#" + member);
        return listed == null ? decide(type) : listed;
    }

    private boolean decide(String type) {
        var isPackageOfType = true;
        for (var name = type; !name.isEmpty(); name = parent(name)) {
            var listed = names.get(name);
            if (listed != null) {
                return listed;
            }
            var inPackage = isPackageOfType ? names.get(parent(name) + ".*") : null;
            if (inPackage != null) {
                return inPackage;
            }
            var below = names.get(parent(name) + ".**");
            if (below != null) {
                return below;
            }
            // An enclosing type, not a package, is what stands before the dot of a nested type.
            isPackageOfType = isPackageOfType && startsUpperCase(parent(name));
        }
        return false;
    }

    private static boolean startsUpperCase(String name) {
        var simple = name.substring(name.lastIndexOf('.') + 1);
        return !simple.isEmpty() && Character.isUpperCase(simple.charAt(0));
    }

    private static String parent(String name) {
        var dot = name.lastIndexOf('.');
        return dot < 0 ? "" : name.substring(0, dot);
    }

    private static Allowlist read(String resource) {
        var allowlist = new Allowlist();
        try (var lines = new BufferedReader(new InputStreamReader(
                Allowlist.class.getResourceAsStream(resource), StandardCharsets.UTF_8))) {
            lines.lines().map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("//")).forEach(allowlist::add);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return allowlist;
    }

    private void add(String line) {
        var allowed = switch (line.charAt(0)) {
            case '+' -> true;
            case '-' -> false;
            default -> throw new IllegalStateException("allowlist.txt: a line starts with + or -: " + line);
        };
        var name = line.substring(1).strip();
        var hash = name.indexOf('#');
        if (hash < 0) {
            names.put(name, allowed);
            return;
        }
        var type = name.substring(0, hash);
        if (allowed) {
            partly.add(type);
        }
        for (var member : name.substring(hash + 1).split(" +")) {
            names.put(type + "#" + member, allowed);
        }
    }
}
