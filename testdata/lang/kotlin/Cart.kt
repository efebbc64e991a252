package shop

import kotlin.math.max

/** Something that can be priced. */
interface Priced {
    fun price(): Int
}

/**
 * Cart holds items.
 */
@Serializable
class Cart(private val items: MutableList<Priced>) : Priced {
    /** Adds one item. */
    fun add(item: Priced) {
        items.add(item)
        log("added ${describe(item)}")
    }

    override fun price(): Int = items.sumOf { it.price() }

    companion object {
        const val LIMIT = 10

        fun empty(): Cart = Cart(mutableListOf())
    }
}

data class Item(val name: String, val cents: Int)

enum class State { OPEN, CLOSED }

object Registry {
    // how many there may be
    private const val MAX = 99
    val names = listOf("a", "b")

    fun find(name: String): Item? = null
}

typealias Items = List<Item>

// half of a price
fun Int.half(): Int {
    return max(this / 2, 0)
}

@Test
fun addsItems() {
    assert(Cart.empty().price() == 0)
}
