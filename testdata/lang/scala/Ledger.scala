package books

import scala.collection.mutable

/** Something that has a balance. */
trait Balanced {
  def balance: BigDecimal
}

/** Ledger keeps entries. */
class Ledger(entries: mutable.Buffer[Entry]) extends Balanced {
  // Books one entry.
  def book(entry: Entry): Unit = {
    entries += entry
    println(s"booked ${format(entry)}")
  }

  override def balance: BigDecimal = entries.map(_.amount).sum
}

case class Entry(text: String, amount: BigDecimal)

object Ledger {
  val Limit = 10
  final val Low, High = 3

  def empty: Ledger = new Ledger(mutable.Buffer())
}

type Entries = List[Entry]

def format(entry: Entry): String = entry.text
