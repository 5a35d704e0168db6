package uom.worker;

import java.util.Map;

/** What a compilation made: the byte code of each class by its binary name. */
record Program(Map<String, byte[]> classes) {

    /** Load the classes anew, so that no static state of an earlier run is left. */
    ClassLoader newLoader() {
        return new ProgramLoader(classes, Program.class.getClassLoader());
    }
}
