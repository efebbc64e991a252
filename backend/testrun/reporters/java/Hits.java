package redgreen;

/** The lines that run, by number; the source is changed to call hit where lines are recorded. */
public final class Hits {
    private static boolean[] seen = new boolean[0];
    private static volatile boolean over;

    private Hits() {}

    public static void hit(int n) {
        seen[n] = true;
        if (over) {
            over = false;
            throw new ThreadDeath();
        }
    }

    static void begin(int size) {
        seen = new boolean[size];
        over = false;
    }

    static boolean[] take() {
        return seen;
    }

    static void stop() {
        over = true;
    }
}
