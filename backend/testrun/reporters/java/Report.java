package redgreen;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The sealed report, as redgreen_report.py writes it. */
final class Report {
    private final Path file;
    private final SecretKeySpec key;
    private String seal = "";

    Report() throws IOException {
        file = Paths.get(System.getenv("REDGREEN_REPORT"));
        Path at = Paths.get(file + ".key");
        key = new SecretKeySpec(Files.readAllBytes(at), "HmacSHA256");
        Files.delete(at);
    }

    synchronized void write(Map<String, Object> event) {
        try {
            String text = json(event);
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            StringBuilder hex = new StringBuilder();
            for (byte b : mac.doFinal((seal + text).getBytes(StandardCharsets.UTF_8))) {
                hex.append(String.format("%02x", b));
            }
            seal = hex.toString();
            Files.write(file, (seal + " " + text + "\n").getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException | java.security.GeneralSecurityException e) {
            System.exit(74); // as redgreen_report.py: what stands there is not all
        }
    }

    private static String json(Object o) {
        StringBuilder b = new StringBuilder();
        if (o instanceof Map) {
            for (Map.Entry<?, ?> e : ((Map<?, ?>) o).entrySet()) {
                b.append(b.length() == 0 ? "" : ",").append(json(e.getKey())).append(':').append(json(e.getValue()));
            }
            return "{" + b + "}";
        }
        if (o instanceof Collection) {
            for (Object e : (Collection<?>) o) {
                b.append(b.length() == 0 ? "" : ",").append(json(e));
            }
            return "[" + b + "]";
        }
        if (!(o instanceof String)) {
            return String.valueOf(o);
        }
        for (char c : ((String) o).toCharArray()) {
            if (c == '"' || c == '\\') {
                b.append('\\').append(c);
            } else if (c < ' ') {
                b.append(String.format("\\u%04x", (int) c));
            } else {
                b.append(c);
            }
        }
        return "\"" + b + "\"";
    }
}
