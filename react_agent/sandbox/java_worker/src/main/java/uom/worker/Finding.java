package uom.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What the compiler says of one place; line and column start at 1, and are 0 where there is no place. */
record Finding(String file, long line, long column, String code, String message) {

    ObjectNode toJson() {
        return Json.object()
                .put("file", file)
                .put("line", line)
                .put("column", column)
                .put("code", code)
                .put("message", message);
    }
}
