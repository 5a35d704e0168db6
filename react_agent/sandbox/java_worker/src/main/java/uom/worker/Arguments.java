package uom.worker;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Choose the method that a call means and fit its cells to the parameters. */
record Arguments(Method method, Object[] values) {

    static Arguments fit(Class<?> owner, String name, JsonNode given) {
        var arguments = new ArrayList<JsonNode>();
        given.forEach(arguments::add);
        var named = Arrays.stream(owner.getMethods()).filter(method -> method.getName().equals(name) && !method.isBridge()).toList();
        if (named.isEmpty()) {
            throw new Refusal("call", "%s has no public method %s; it has %s".formatted(owner.getName(), name, known(owner)));
        }
        var counted = named.stream().filter(method -> method.getParameterCount() == arguments.size()).toList();
        if (counted.isEmpty()) {
            throw new Refusal(
                    "arguments",
                    "%s.%s takes %s, but the call has %d".formatted(owner.getName(), name, counts(named), arguments.size()));
        }
        return firstThatFits(counted, arguments);
    }

    /** With overloads the one that all cells fit is meant; with one method its misfit is the error. */
    private static Arguments firstThatFits(List<Method> methods, List<JsonNode> arguments) {
        Refusal misfit = null;
        for (var method : methods) {
            try {
                return new Arguments(method, values(method, arguments));
            } catch (Refusal refusal) {
                misfit = misfit == null ? refusal : misfit;
            }
        }
        throw misfit;
    }

    private static Object[] values(Method method, List<JsonNode> arguments) {
        var parameters = method.getParameters();
        var values = new Object[parameters.length];
        for (var at = 0; at < parameters.length; at++) {
            var parameter = parameters[at];
            var where = "%s.%s(%s)".formatted(method.getDeclaringClass().getName(), method.getName(), parameter.getName());
            values[at] = Values.read(
                    Json.need(argument(parameters, at, arguments), "value", where), parameter.getParameterizedType(), where);
        }
        return values;
    }

    /** By name where every parameter's name is among the arguments, else by position. */
    private static JsonNode argument(Parameter[] parameters, int at, List<JsonNode> arguments) {
        var byName = Arrays.stream(parameters).allMatch(parameter -> arguments.stream().anyMatch(a -> isNamed(a, parameter)));
        return byName
                ? arguments.stream().filter(a -> isNamed(a, parameters[at])).findFirst().orElseThrow()
                : arguments.get(at);
    }

    private static boolean isNamed(JsonNode argument, Parameter parameter) {
        return argument.path("name").asText().equals(parameter.getName());
    }

    private static String counts(List<Method> methods) {
        return methods.stream().map(method -> String.valueOf(method.getParameterCount())).distinct().collect(Collectors.joining(" or "))
                + " argument(s)";
    }

    private static String known(Class<?> owner) {
        return Arrays.stream(owner.getMethods())
                .filter(method -> method.getDeclaringClass() != Object.class)
                .map(Method::getName)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", ", "[", "]"));
    }
}
