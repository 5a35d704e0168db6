package uom.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.net.URI;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.PrimitiveType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Types;

/**
 * Find what sources use beyond the allowlist, by the symbols that javac resolved.
 *
 * <p>Not by text: an alias, a static import, a method reference or an inherited method is the same
 * symbol. A text that a library reads as a program is one too: in an annotation, and in a call.
 */
final class Symbols {

    private final Trees trees;
    private final Types types;
    private final Texts texts;
    private final Annotations annotations;
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

    Symbols(Trees trees, Types types, Map<URI, String> paths) {
        this.trees = trees;
        this.types = types;
        this.texts = new Texts(trees);
        this.annotations = new Annotations(trees);
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
        public Void visitAnnotation(AnnotationTree tree, Void unused) {
            var type = trees.getElement(new TreePath(getCurrentPath(), tree.getAnnotationType()));
            var isOwn = type instanceof TypeElement element && isOwn(element);
            annotations.outside(getCurrentPath(), isOwn).forEach(symbol -> report(tree, symbol));
            return super.visitAnnotation(tree, null);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void unused) {
            if (tree.getModifiers().getFlags().contains(Modifier.NATIVE)) {
                report(tree, "native " + tree.getName());
            }
            return super.visitMethod(tree, null);
        }

        private void check(Tree tree) {
            var element = trees.getElement(getCurrentPath());
            var symbol = element == null ? null : outside(element);
            if (symbol != null) {
                report(tree, symbol);
            } else if (element instanceof ExecutableElement called && wantsTexts(called) && !hasPlainTexts(tree)) {
                report(tree, "a text that is no plain constant for " + name(called));
            }
        }

        /** A member that takes a program as text is called here and now, with texts that can be read. */
        private boolean hasPlainTexts(Tree tree) {
            var path = tree instanceof NewClassTree ? getCurrentPath() : getCurrentPath().getParentPath();
            var arguments = switch (path.getLeaf()) {
                case NewClassTree made -> made.getArguments();
                case MethodInvocationTree call when call.getMethodSelect() == tree -> call.getArguments();
                default -> null;
            };
            return arguments != null && arguments.stream().map(each -> new TreePath(path, each)).allMatch(this::isPlain);
        }

        private boolean isPlain(TreePath argument) {
            var text = texts.fold(argument);
            return text != null && !Texts.holdsExpression(text) && !Texts.readsClock(text);
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
        var simple = simpleName(member);
        var isClassLiteral = simple.equals("class");
        if (isClassLiteral ? allowlist.allowsType(name) : allowlist.allowsMember(name, simple, parameters(member))) {
            return null;
        }
        return name + "." + simple;
    }

    private boolean wantsTexts(ExecutableElement called) {
        return called.getEnclosingElement() instanceof TypeElement type
                && allowlist.wantsTexts(type.getQualifiedName().toString(), simpleName(called), parameters(called));
    }

    private static String name(ExecutableElement called) {
        return called.getEnclosingElement() + "." + simpleName(called);
    }

    private static String simpleName(Element member) {
        return member.getKind() == ElementKind.CONSTRUCTOR ? "new" : member.getSimpleName().toString();
    }

    private String parameters(Element member) {
        return member instanceof ExecutableElement called
                ? called.getParameters().stream().map(each -> erased(each.asType())).collect(Collectors.joining(",", "(", ")"))
                : "";
    }

    /** The name alone: a type's text also holds its annotations. */
    private String erased(TypeMirror type) {
        return switch (types.erasure(type)) {
            case DeclaredType declared -> ((TypeElement) declared.asElement()).getQualifiedName().toString();
            case ArrayType array -> erased(array.getComponentType()) + "[]";
            case PrimitiveType primitive -> primitive.getKind().name().toLowerCase(Locale.ROOT);
            default -> type.toString();
        };
    }

    /** Local and anonymous classes have no qualified name, and neither has the type that owns an array's length. */
    private boolean isOwn(TypeElement type) {
        var name = type.getQualifiedName().toString();
        return name.isEmpty() || name.equals("Array") || own.contains(name);
    }
}
