package uom.worker;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.NewArrayTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.Trees;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.TypeElement;

/**
 * Find annotations that would run a program of their own.
 *
 * <p>Some take an expression without any sign around it, so it is the annotation that must be known, then
 * its member, then the text. What is not listed is outside.
 */
final class Annotations {

    /** On a mapped class its whole text is an expression; on a bean only what its signs enclose. */
    private static final String VALUE = "org.springframework.beans.factory.annotation.Value";

    private final Trees trees;
    private final Texts texts;
    private final Allowlist allowlist = Allowlist.INSTANCE;

    Annotations(Trees trees) {
        this.trees = trees;
        this.texts = new Texts(trees);
    }

    /** Name what is outside in an annotation whose type is not the program's own. */
    List<String> outside(TreePath path, boolean own) {
        var tree = (AnnotationTree) path.getLeaf();
        var name = name(new TreePath(path, tree.getAnnotationType()));
        if (!own && !allowlist.allowsAnnotation(name)) {
            return List.of("@" + name);
        }
        var found = new ArrayList<String>();
        for (var argument : tree.getArguments()) {
            var at = new TreePath(path, argument);
            if (argument instanceof AssignmentTree assignment) {
                var member = assignment.getVariable().toString();
                if (!own && !allowlist.allowsAttribute(name, member)) {
                    found.add("@" + name + "." + member);
                }
                at = new TreePath(at, assignment.getExpression());
            }
            texts(at, name, found);
        }
        return found;
    }

    private void texts(TreePath path, String name, List<String> found) {
        if (path.getLeaf() instanceof NewArrayTree array) {
            for (ExpressionTree each : array.getInitializers()) {
                texts(new TreePath(path, each), name, found);
            }
            return;
        }
        if (!texts.isText(path)) {
            return;
        }
        var text = texts.fold(path);
        if (text == null) {
            found.add("computed text in @" + name);
        } else if (Texts.holdsExpression(text) || name.equals(VALUE) && !Texts.isPlaceholder(text)) {
            found.add("expression in @" + name);
        } else if (Texts.readsClock(text)) {
            found.add("clock or chance in @" + name);
        }
    }

    private String name(TreePath type) {
        return trees.getElement(type) instanceof TypeElement element ? element.getQualifiedName().toString() : type.getLeaf().toString();
    }
}
