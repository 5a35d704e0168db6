package uom.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.net.URI;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;

/**
 * Find what sources use beyond the allowlist, by the symbols that javac resolved.
 *
 * <p>Not by text: an alias, a static import, a method reference or an inherited method is the same
 * symbol. An expression in an annotation is a program of its own and is listed too.
 */
final class Symbols {

    private final Trees trees;
    private final Map<URI, String> paths;
    private final Allowlist allowlist = Allowlist.INSTANCE;
    private final Set<String> own = new HashSet<>();
    private final Set<Use> uses = new LinkedHashSet<>();

    /** A place where a source uses a symbol outside the allowlist. */
    record Use(String file, long line, String symbol) {

        ObjectNode toJson() {
            return Json.object().put("file", file).put("line", line).put("symbol", symbol);
        }
    }

    Symbols(Trees trees, Map<URI, String> paths) {
        this.trees = trees;
        this.paths = paths;
    }

    List<Use> uses(Iterable<? extends CompilationUnitTree> units) {
        for (var unit : units) {
            new OwnTypes().scan(unit, null);
        }
        for (var unit : units) {
            new Uses(unit).scan(unit, null);
        }
        return List.copyOf(uses);
    }

    private final class OwnTypes extends TreePathScanner<Void, Void> {

        @Override
        public Void visitClass(ClassTree tree, Void unused) {
            if (trees.getElement(getCurrentPath()) instanceof TypeElement type) {
                own.add(type.getQualifiedName().toString());
            }
            return super.visitClass(tree, null);
        }
    }

    private final class Uses extends TreePathScanner<Void, Void> {

        private final CompilationUnitTree unit;

        Uses(CompilationUnitTree unit) {
            this.unit = unit;
        }

        @Override
        public Void visitIdentifier(IdentifierTree tree, Void unused) {
            check(tree);
            return super.visitIdentifier(tree, null);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void unused) {
            check(tree);
            return super.visitMemberSelect(tree, null);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree tree, Void unused) {
            check(tree);
            return super.visitMemberReference(tree, null);
        }

        @Override
        public Void visitNewClass(NewClassTree tree, Void unused) {
            check(tree);
            return super.visitNewClass(tree, null);
        }

        @Override
        public Void visitClass(ClassTree tree, Void unused) {
            checkAnnotations(tree);
            return super.visitClass(tree, null);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void unused) {
            checkAnnotations(tree);
            if (tree.getModifiers().getFlags().contains(Modifier.NATIVE)) {
                report(tree, "native " + tree.getName());
            }
            return super.visitMethod(tree, null);
        }

        @Override
        public Void visitVariable(VariableTree tree, Void unused) {
            checkAnnotations(tree);
            return super.visitVariable(tree, null);
        }

        private void check(Tree tree) {
            var element = trees.getElement(getCurrentPath());
            var symbol = element == null ? null : outside(element);
            if (symbol != null) {
                report(tree, symbol);
            }
        }

        private void checkAnnotations(Tree tree) {
            var element = trees.getElement(new TreePath(getCurrentPath().getParentPath(), tree));
            if (element == null) {
                return;
            }
            for (var annotation : element.getAnnotationMirrors()) {
                if (holdsExpression(annotation)) {
                    report(tree, "expression in @" + annotation.getAnnotationType().asElement());
                }
            }
        }

        private void report(Tree tree, String symbol) {
            var position = trees.getSourcePositions().getStartPosition(unit, tree);
            var line = position < 0 ? 0 : unit.getLineMap().getLineNumber(position);
            uses.add(new Use(paths.get(unit.getSourceFile().toUri()), line, symbol));
        }
    }

    /** Name the symbol when it is outside the allowlist; null when it may be used. */
    private String outside(Element element) {
        return switch (element.getKind()) {
            case CLASS, INTERFACE, ENUM, RECORD, ANNOTATION_TYPE -> outsideType((TypeElement) element);
            case METHOD, CONSTRUCTOR, FIELD, ENUM_CONSTANT, RECORD_COMPONENT -> outsideMember(element);
            default -> null;
        };
    }

    private String outsideType(TypeElement type) {
        var name = type.getQualifiedName().toString();
        return isOwn(type) || allowlist.allowsType(name) ? null : name;
    }

    private String outsideMember(Element member) {
        if (!(member.getEnclosingElement() instanceof TypeElement type) || isOwn(type)) {
            return null;
        }
        var name = type.getQualifiedName().toString();
        var simple = member.getKind() == ElementKind.CONSTRUCTOR ? "new" : member.getSimpleName().toString();
        var isClassLiteral = simple.equals("class");
        if (isClassLiteral ? allowlist.allowsType(name) : allowlist.allowsMember(name, simple)) {
            return null;
        }
        return name + "." + simple;
    }

    /** Local and anonymous classes have no qualified name, and neither has the type that owns an array's length. */
    private boolean isOwn(TypeElement type) {
        var name = type.getQualifiedName().toString();
        return name.isEmpty() || name.equals("Array") || own.contains(name);
    }

    private static boolean holdsExpression(AnnotationMirror annotation) {
        return annotation.getElementValues().values().stream().anyMatch(Symbols::holdsExpression);
    }

    private static boolean holdsExpression(AnnotationValue value) {
        return switch (value.getValue()) {
            case String text -> holdsExpression(text);
            case AnnotationMirror nested -> holdsExpression(nested);
            case List<?> values -> values.stream()
                    .anyMatch(item -> item instanceof AnnotationValue nested && holdsExpression(nested));
            default -> false;
        };
    }

    /** A placeholder's default is put in before expressions are looked for, so it can complete one. */
    private static boolean holdsExpression(String text) {
        return text.contains("#{") || text.contains("#") && text.contains("${");
    }
}
