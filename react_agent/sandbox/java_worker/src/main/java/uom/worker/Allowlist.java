package uom.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The library symbols that translated code may use, read from {@code allowlist.txt}.
 *
 * <p>What is not listed is outside, so a class that a later library adds is outside too. A line is
 * {@code + name} or {@code - name}; the longest name that fits decides, and a member's line is longer
 * than its type's. A name is a package ({@code java.time.*}), a package with all below it
 * ({@code org.bson.**}), a type with what it encloses ({@code java.util.Map}) or members of a type
 * ({@code java.lang.System#out err}; a constructor is {@code new}; one of several that share a name
 * has its parameters' types, {@code new(long)}).
 *
 * <p>{@code = type#member(types)} may be called with constant, plain texts only: the library reads them as a
 * program. {@code @ name} is an annotation that may stand anywhere, with the members after a {@code #} or, where
 * none are named, with all of its members.
 */
final class Allowlist {

    static final Allowlist INSTANCE = read("allowlist.txt");

    private static final String TEXTS = "=";

    private final Map<String, Boolean> names = new HashMap<>();
    private final Set<String> ofTexts = new HashSet<>();

    /** The members that an annotation may give a value; empty where it may give any. */
    private final Map<String, Set<String>> annotations = new HashMap<>();

    /** Types of which single members are listed may be named, as the one before the dot. */
    private final Set<String> partly = new HashSet<>();

    private Allowlist() {}

    boolean allowsType(String type) {
        return partly.contains(type) || annotations.containsKey(type) || decide(type);
    }

    /** Decide on a member; {@code parameters} are the types of its parameters in brackets, empty for a field. */
    boolean allowsMember(String type, String member, String parameters) {
        var name = type + "#" + member;
        var listed = names.getOrDefault(name + parameters, names.get(name));
        return listed == null ? annotations.containsKey(type) || decide(type) : listed;
    }

    boolean wantsTexts(String type, String member, String parameters) {
        return ofTexts.contains(type + "#" + member + parameters);
    }

    boolean allowsAnnotation(String type) {
        return annotations.containsKey(type);
    }

    boolean allowsAttribute(String type, String member) {
        var listed = annotations.getOrDefault(type, Set.of());
        return listed.isEmpty() || listed.contains(member);
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
        var sign = line.substring(0, 1);
        var name = line.substring(1).strip();
        var hash = name.indexOf('#');
        var type = hash < 0 ? name : name.substring(0, hash);
        var members = hash < 0 ? List.<String>of() : List.of(name.substring(hash + 1).split(" +"));
        switch (sign) {
            case "@" -> annotations.put(type, Set.copyOf(members));
            case "+", "-", TEXTS -> add(sign, type, members);
            default -> throw new IllegalStateException("allowlist.txt: a line starts with + - = or @: " + line);
        }
    }

    private void add(String sign, String type, List<String> members) {
        var allowed = !sign.equals("-");
        if (members.isEmpty()) {
            names.put(type, allowed);
        } else if (allowed) {
            partly.add(type);
        }
        for (var member : members) {
            names.put(type + "#" + member, allowed);
            if (sign.equals(TEXTS)) {
                ofTexts.add(type + "#" + member);
            }
        }
    }
}
