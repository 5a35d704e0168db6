package uom.worker;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;
import com.sun.source.util.Trees;
import java.util.regex.Pattern;
import javax.lang.model.element.VariableElement;

/** Read the texts that a library takes for programs: they must be constants, and plain. */
final class Texts {

    /** A property with a default that neither holds an expression nor completes one. */
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[\\w.-]+(:[\\w ./:,-]*)?}");

    /** The JSON that MongoDB's shell reads: these read the clock when nothing stands between the brackets. */
    private static final Pattern CLOCK = Pattern.compile("(?:Date|ObjectId)\\s*\\(\\s*\\)|\\$\\$(?:NOW|CLUSTER_TIME)|\\$(?:rand|sample|sampleRate|where|function|accumulator)\\b");

    private final Trees trees;

    Texts(Trees trees) {
        this.trees = trees;
    }

    /** Fold a constant as the compiler does; null where it is none, or not a text. */
    String fold(TreePath path) {
        return constant(path) instanceof Object value ? value.toString() : null;
    }

    boolean isText(TreePath path) {
        var type = trees.getTypeMirror(path);
        return type != null && type.toString().endsWith("java.lang.String");
    }

    /**
     * Tell whether a text holds an expression of Spring's, or may when its placeholders are filled in.
     *
     * <p>An escape in JSON may spell the sign that begins one.
     */
    static boolean holdsExpression(String text) {
        var filled = PLACEHOLDER.matcher(text).replaceAll("");
        return text.contains("#{") || filled.contains("#{") || filled.contains("${") || text.contains("\\u");
    }

    static boolean isPlaceholder(String text) {
        return PLACEHOLDER.matcher(text).matches();
    }

    static boolean readsClock(String text) {
        return CLOCK.matcher(text).find();
    }

    private Object constant(TreePath path) {
        return switch (path.getLeaf()) {
            case LiteralTree literal -> literal.getValue();
            case ParenthesizedTree inner -> constant(new TreePath(path, inner.getExpression()));
            case BinaryTree sum when sum.getKind() == Tree.Kind.PLUS -> joined(path, sum);
            default -> trees.getElement(path) instanceof VariableElement variable ? variable.getConstantValue() : null;
        };
    }

    private Object joined(TreePath path, BinaryTree sum) {
        if (!isText(path)) {
            return null;
        }
        var left = constant(new TreePath(path, sum.getLeftOperand()));
        var right = constant(new TreePath(path, sum.getRightOperand()));
        return left == null || right == null ? null : left.toString() + right;
    }
}
