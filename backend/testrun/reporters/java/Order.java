package redgreen;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A file of keys with values: a line each, the key and then its values in base64, all behind blanks. A key may come again. */
final class Order {
    private final Map<String, List<String[]>> all = new LinkedHashMap<>();

    static Order read(Path file) throws IOException {
        Order o = new Order();
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            String[] parts = line.split(" ", -1); // a value may be empty
            String[] values = new String[parts.length - 1];
            for (int i = 1; i < parts.length; i++) {
                values[i - 1] = text(parts[i]);
            }
            o.all.computeIfAbsent(parts[0], k -> new ArrayList<>()).add(values);
        }
        return o;
    }

    static String line(String key, String... values) {
        StringBuilder b = new StringBuilder(key);
        for (String v : values) {
            b.append(' ').append(Base64.getEncoder().encodeToString(v.getBytes(StandardCharsets.UTF_8)));
        }
        return b.toString();
    }

    static String text(String encoded) {
        return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    }

    List<String[]> rows(String key) {
        return all.getOrDefault(key, Collections.emptyList());
    }

    /** The first values of all lines with a key. */
    List<String> list(String key) {
        List<String> out = new ArrayList<>();
        for (String[] row : rows(key)) {
            out.add(row.length == 0 ? "" : row[0]);
        }
        return out;
    }

    String one(String key) {
        List<String> found = list(key);
        return found.isEmpty() ? "" : found.get(0);
    }

    double number(String key) {
        return Double.parseDouble(one(key));
    }
}
