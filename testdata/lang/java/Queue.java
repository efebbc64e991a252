package org.example;

import java.util.ArrayList;
import java.util.List;

/**
 * A bounded queue.
 */
public final class Queue<T> implements Iterable<T> {
    private static final int LIMIT = 16;
    private final List<T> items = new ArrayList<>();

    public enum Order { FIFO, LIFO }

    public record Size(int used, int free) {
        Size {
            if (used < 0) throw new IllegalArgumentException();
        }

        int total() { return used + free; }
    }

    @FunctionalInterface
    public interface Visitor<T> {
        // Called once for each item.
        boolean visit(T item);
    }

    public Queue(List<T> initial) {
        items.addAll(initial);
    }

    /**
     * Adds an item.
     *
     * @throws IllegalStateException when full
     */
    @Deprecated
    public synchronized void push(T item) {
        if (items.size() >= LIMIT) {
            throw new IllegalStateException("full");
        }
        items.add(item);
    }

    @Override
    public java.util.Iterator<T> iterator() {
        return new java.util.Iterator<T>() {
            @Override
            public boolean hasNext() { return false; }

            @Override
            public T next() { return null; }
        };
    }
}

@interface Marker {
    String value() default "";
}
